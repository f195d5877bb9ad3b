// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

import Foundation
import SystemFiles
import TestSupport
import Testing

/// The access rights of additional users to files that are replaced.
@Suite(
    "Access control lists of files that are replaced",
    .enabled(if: geteuid() == 0, "access lists are tested only as the superuser"))
struct AccessListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("the access list of a file is kept, and its mask does not become group rights")
    func listsAreKept() throws {
        try folder.write("file", mode: 0o640)
        try AccessLists.set(folder("file"), group: 0)
        let before = try AccessLists.list(folder("file"))
        #expect(try folder.mode(of: "file") == 0o660)
        #expect(try FileAccess.replace(folder("file"), with: [1]) == [])
        #expect(try AccessLists.list(folder("file")) == before)
        #expect(try folder.mode(of: "file") == 0o660)
    }

    @Test("extended attributes in the namespace `user` are kept")
    func userAttributes() throws {
        try folder.write("file", mode: 0o640)
        let show = "print({n: os.getxattr(p, n) for n in os.listxattr(p) if n[:5] == 'user.'})"
        let path = "p = \"\(folder("file"))\"\n"
        let set = "os.setxattr(p, 'user.a', b'1\\0'); os.setxattr(p, b'user.\\xff', b'')\n"
        let before = try AccessLists.python(path + set + show)
        try #require(before.contains("user.a"))
        #expect(try FileAccess.replace(folder("file"), with: [1]) == [])
        #expect(try AccessLists.python(path + show) == before)
        #expect(try folder.mode(of: "file") == 0o640)
    }

    @Test("a file's group rights come from its access list; a link is followed by default")
    func groupRights() throws {
        try folder.write("file", mode: 0o640)
        try AccessLists.set(folder("file"), group: 0)
        try FileManager.default.createSymbolicLink(
            atPath: folder("link"), withDestinationPath: folder("file"))
        let mode = try FileMode(of: folder("file"))
        #expect(try mode.withoutMask(at: folder("file")).mode & 0o777 == 0o600)
        #expect(try mode.withoutMask(at: folder("link")).mode & 0o777 == 0o600)
        let ofLink = try mode.withoutMask(at: folder("link"), followingLinks: false)
        #expect(ofLink.mode & 0o777 == 0o660)
    }

    @Test("a replacement has the access list of the old file, not the default list of the folder")
    func listOfFolder() throws {
        try folder.write("file", mode: 0o640)
        try AccessLists.setDefault(folder.path, group: 6)
        #expect(try FileAccess.replace(folder("file"), with: [1]) == [])
        #expect(try AccessLists.list(folder("file")) == "none")
        #expect(try folder.mode(of: "file") == 0o640)
        // Users in the folder's default list get no access to a private file.
        try FileAccess.replace(folder("private"), with: [1], newFileMode: 0o600)
        #expect(try folder.mode(of: "private") == 0o600)
    }
}

#endif
