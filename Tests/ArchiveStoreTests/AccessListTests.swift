// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

import ArchiveStore
import Foundation
import TestSupport
import Testing

@testable import SystemFiles

/// The rights of further users to files that are replaced.
///
/// The lists are written and read with CPython, whose module needs no program that may be missing.
@Suite(
    "Access control lists of files that are replaced",
    .enabled(if: geteuid() == 0, "for the superuser, who can give files away"))
struct AccessListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func python(_ statement: String) throws -> String {
        let (status, output) = try Program.run(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", Self.helper + statement], in: [:])
        try #require(status == 0, "\(output)")
        return output.trimmingCharacters(in: .newlines)
    }

    private static let helper = """
        import os, struct
        def acl(*entries):
            return struct.pack("<I", 2) + b"".join(
                struct.pack("<HHI", tag, rights, who) for tag, rights, who in entries)
        owner, group, mask, other, nobody = 1, 4, 16, 32, 0xFFFFFFFF
        def set(path, rights, kind="access"):
            os.setxattr(path, "system.posix_acl_" + kind, acl(
                (owner, 6, nobody), (2, 6, 1234), (group, rights, nobody), (mask, 6, nobody),
                (other, 0, nobody)))
        def show(path):
            try: print(os.getxattr(path, "system.posix_acl_access").hex())
            except OSError: print("none")

        """

    /// The list of a file; "none" where there is none.
    private func list(_ name: String) throws -> String {
        try python("show(\"\(folder(name))\")")
    }

    private func write(_ name: String, mode: mode_t) throws {
        try Data("old".utf8).write(to: URL(filePath: folder(name)))
        try #require(unsafe chmod(folder(name), mode) == 0)
    }

    private func mode(_ name: String) throws -> mode_t { try FileMode(of: folder(name)).mode }

    @Test("the list of a file stays, and its mask does not become rights of the group")
    func listsAreKept() throws {
        try write("file", mode: 0o640)
        _ = try python("set(\"\(folder("file"))\", 0)")
        let before = try list("file")
        #expect(try mode("file") == 0o660)
        #expect(try FileAccess.replace(folder("file"), with: [1]) == [])
        #expect(try list("file") == before)
        #expect(try mode("file") == 0o660)
    }

    @Test("the extended attributes that users give to a file stay")
    func userAttributes() throws {
        try write("file", mode: 0o640)
        let show = "print({n: os.getxattr(p, n) for n in os.listxattr(p) if n[:5] == 'user.'})"
        let path = "p = \"\(folder("file"))\"\n"
        let set = "os.setxattr(p, 'user.a', b'1\\0'); os.setxattr(p, b'user.\\xff', b'')\n"
        let before = try python(path + set + show)
        try #require(before.contains("user.a"))
        #expect(try FileAccess.replace(folder("file"), with: [1]) == [])
        #expect(try python(path + show) == before)
        #expect(try mode("file") == 0o640)
    }

    @Test("a new file has the list of the old one, not that of its folder")
    func listOfFolder() throws {
        try write("file", mode: 0o640)
        _ = try python("set(\"\(folder.path)\", 6, \"default\")")
        #expect(try FileAccess.replace(folder("file"), with: [1]) == [])
        #expect(try list("file") == "none")
        #expect(try mode("file") == 0o640)
        // A file that is private from the start is so for the users in the folder's list too.
        try FileAccess.replace(folder("private"), with: [1], newFileMode: 0o600)
        #expect(try mode("private") == 0o600)
    }

    #if Stores
    private func store() throws -> ItemStore {
        ItemStore(
            try EncryptedItemDatabase(
                file: folder("items"), accessGroup: "group",
                key: MasterKey(file: folder("key"), creatingIfMissing: true)))
    }

    @Test(
        "a journal has no list, whatever list its folder gives to files", arguments: [0o600, 0o660])
    func listOfJournal(_ mode: Int) throws {
        let store = try store()
        try #require(unsafe chmod(folder("items"), mode_t(mode)) == 0)
        _ = try python("set(\"\(folder.path)\", 6, \"default\")")
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", password: "secret"))
            #expect(try list("items-journal") == "none")
            #expect(try self.mode("items-journal") == mode_t(mode))
        }
    }

    @Test("the mask of a store's list does not become rights of a group on the journal")
    func maskOfStore() throws {
        let store = try store()
        _ = try python("set(\"\(folder("items"))\", 0)")
        #expect(try mode("items") == 0o660)
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", password: "secret"))
            #expect(try list("items-journal") == "none")
            #expect(try self.mode("items-journal") == 0o600)
        }
        // The group's own rights stay.
        _ = try python("set(\"\(folder("items"))\", 4)")
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "b", password: "secret"))
            #expect(try self.mode("items-journal") == 0o640)
        }
    }

    @Test("a journal that a group may write is refused where a list denies it the store")
    func journalOfMaskedStore() throws {
        try store().add(Item(service: "s", account: "a", password: "secret"))
        _ = try python("set(\"\(folder("items"))\", 4)")
        let pages = [UInt8](try Data(contentsOf: URL(filePath: folder("items"))))
        let journal = folder("items-journal")
        let contents = DatabaseAssembler.journal(restoring: [1, 2], of: pages, pageSize: 4096)
        try Data(contents).write(to: URL(filePath: journal))
        try #require(unsafe chmod(journal, 0o660) == 0)
        let error = #expect(throws: StoreError.self) { try store() }
        #expect(error?.what.contains("others may write") == true, "\(error?.what ?? "")")
        try #require(unsafe chmod(journal, 0o640) == 0)
        #expect(try store().items().count == 1)
    }

    @Test("a journal that a list lets others write is refused")
    func listOfFoundJournal() throws {
        try store().add(Item(service: "s", account: "a", password: "secret"))
        try #require(unsafe chmod(folder("items"), 0o660) == 0)
        let pages = [UInt8](try Data(contentsOf: URL(filePath: folder("items"))))
        let journal = folder("items-journal")
        let contents = DatabaseAssembler.journal(restoring: [1, 2], of: pages, pageSize: 4096)
        try Data(contents).write(to: URL(filePath: journal))
        try #require(unsafe chmod(journal, 0o660) == 0)
        _ = try python("set(\"\(journal)\", 0)")
        let error = #expect(throws: StoreError.self) { try store() }
        #expect(error?.code == .invalidDatabase && error?.file == journal)
        #expect(error?.what.contains("others may write") == true, "\(error?.what ?? "")")
        _ = try python("os.removexattr(\"\(journal)\", \"system.posix_acl_access\")")
        #expect(try store().items().count == 1)
    }

    private func replaceAsOther(_ name: String) throws {
        try #require(unsafe chmod(folder.path, 0o777) == 0)
        let peer = Program.url("StorePeer").path
        let (_, output) = try Program.run(
            URL(filePath: "/usr/bin/setpriv"),
            ["--reuid=65534", "--regid=65534", "--clear-groups", peer, "replace", folder(name)],
            in: [:])
        #expect(output == "replaced\n")
    }

    @Test(
        "where the group cannot be kept the list is dropped, and only the owner keeps rights",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
    func lostGroup() throws {
        try write("file", mode: 0o664)
        try #require(unsafe chown(folder("file"), 65534, 2345) == 0)
        _ = try python("set(\"\(folder("file"))\", 6)")
        try replaceAsOther("file")
        #expect(try list("file") == "none")
        #expect(try mode("file") == 0o600)
    }

    @Test(
        "members of a group that may do less than others do not gain where the group is lost",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
    func deniedGroup() throws {
        for (old, new) in [(0o604, 0o600), (0o644, 0o644), (0o660, 0o600), (0o664, 0o644)] {
            try write("file", mode: mode_t(old))
            try #require(unsafe chown(folder("file"), 65534, 2345) == 0)
            try replaceAsOther("file")
            #expect(try mode("file") == mode_t(new), "0\(String(old, radix: 8))")
            try FileManager.default.removeItem(atPath: folder("file"))
        }
    }
    #endif
}

#endif
