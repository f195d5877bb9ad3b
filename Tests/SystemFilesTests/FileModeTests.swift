// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Modes of files")
struct FileModeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a file mode has the kind, size, link count and owner of the file")
    func kinds() throws {
        try FileAccess.replace(folder("file"), with: [1, 2, 3], newFileMode: 0o640)
        try FileManager.default.linkItem(atPath: folder("file"), toPath: folder("name"))
        try #require(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        let file = try FileMode(of: folder("file"))
        #expect(file.isRegular && !file.isDirectory && file.isOwn)
        #expect(file.size == 3 && file.mode == 0o640 && file.linkCount == 2)
        #expect(try FileMode(of: folder.path).isDirectory)
        #expect(try FileMode(of: folder("pipe")).kind == .pipe)
        #expect(try FileMode(of: "/dev/null").kind == .device)
    }

    @Test("a sparse file has fewer bytes on disk than its size")
    func holes() throws {
        try FileAccess.replace(folder("file"), with: [1])
        try #require(unsafe truncate(folder("file"), 1 << 26) == 0)
        let mode = try FileMode(of: folder("file"))
        #expect(mode.size == 1 << 26 && mode.allocatedSize < 1 << 20)
    }

    @Test("a change of contents or mode, and a new file of that name, are detected")
    func changes() throws {
        try FileAccess.replace(folder("file"), with: [1])
        let known = try FileMode(of: folder("file"))
        #expect(try FileMode(of: folder("file")).isUnchanged(since: known))
        Environment.sleep(microseconds: 20_000)
        let file = try #require(FileHandle(forWritingAtPath: folder("file")))
        try file.write(contentsOf: Data([2]))
        try file.close()
        let written = try FileMode(of: folder("file"))
        #expect(written.isSameFile(as: known) && written.size == known.size)
        #expect(!written.isUnchanged(since: known))
        Environment.sleep(microseconds: 20_000)
        try #require(unsafe chmod(folder("file"), 0o600) == 0)
        let changed = try FileMode(of: folder("file"))
        #expect(!changed.isUnchanged(since: written))
        try FileAccess.replace(folder("file"), with: [1])
        #expect(try !FileMode(of: folder("file")).isUnchanged(since: changed))
    }

    @Test("a file to be replaced may be missing, but not a dangling link")
    func existing() throws {
        #expect(try FileMode.existing(at: folder("file")) == nil)
        try FileManager.default.createSymbolicLink(
            atPath: folder("link"), withDestinationPath: "file")
        #expect(throws: SystemError.self) { try FileMode.existing(at: folder("link")) }
        try FileAccess.replace(folder("file"), with: [1, 2])
        #expect(try FileMode.existing(at: folder("link"))?.size == 2)
        let error = #expect(throws: SystemError.self) {
            try FileMode.existing(at: FilePlace(folder("link"), followingLinks: false))
        }
        #expect(error?.isLink == true)
    }
}
