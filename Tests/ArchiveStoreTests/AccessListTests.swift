// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && Stores

import ArchiveStore
import Foundation
import SystemFiles
import TestSupport
import Testing

/// The rights that access control lists grant to additional users on stores, on their journals, and
/// on files that another user replaces.
@Suite(
    "Access control lists of stores",
    .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"))
struct AccessListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store() throws -> ItemStore {
        ItemStore(
            try EncryptedItemDatabase(
                file: folder("items"), accessGroup: "group",
                key: MasterKey(file: folder("key"), creatingIfMissing: true)))
    }

    @Test(
        "a journal gets no access list, whatever default list its folder has",
        arguments: [0o600, 0o660])
    func listOfJournal(_ mode: Int) throws {
        let store = try store()
        try #require(unsafe chmod(folder("items"), mode_t(mode)) == 0)
        try AccessLists.setDefault(folder.path, group: 6)
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", password: "secret"))
            #expect(try AccessLists.list(folder("items-journal")) == "none")
            #expect(try folder.mode(of: "items-journal") == mode_t(mode))
        }
    }

    @Test("the mask of a store's access list does not become group rights on the journal")
    func maskOfStore() throws {
        let store = try store()
        try AccessLists.set(folder("items"), group: 0)
        #expect(try folder.mode(of: "items") == 0o660)
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", password: "secret"))
            #expect(try AccessLists.list(folder("items-journal")) == "none")
            #expect(try folder.mode(of: "items-journal") == 0o600)
        }
        // The group's own rights are kept.
        try AccessLists.set(folder("items"), group: 4)
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "b", password: "secret"))
            #expect(try folder.mode(of: "items-journal") == 0o640)
        }
    }

    @Test(
        "a group-writable journal is refused if the store's access list denies the group write access"
    )
    func journalOfMaskedStore() throws {
        try store().add(Item(service: "s", account: "a", password: "secret"))
        try AccessLists.set(folder("items"), group: 4)
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

    @Test("a journal that others may write through its access list is refused")
    func listOfFoundJournal() throws {
        try store().add(Item(service: "s", account: "a", password: "secret"))
        try #require(unsafe chmod(folder("items"), 0o660) == 0)
        let pages = [UInt8](try Data(contentsOf: URL(filePath: folder("items"))))
        let journal = folder("items-journal")
        let contents = DatabaseAssembler.journal(restoring: [1, 2], of: pages, pageSize: 4096)
        try Data(contents).write(to: URL(filePath: journal))
        try #require(unsafe chmod(journal, 0o660) == 0)
        try AccessLists.set(journal, group: 0)
        let error = #expect(throws: StoreError.self) { try store() }
        #expect(error?.code == .invalidDatabase && error?.file == journal)
        #expect(error?.what.contains("others may write") == true, "\(error?.what ?? "")")
        try AccessLists.remove(journal)
        #expect(try store().items().count == 1)
    }

    private func replaceAsOther(_ name: String) throws {
        try #require(unsafe chmod(folder.path, 0o777) == 0)
        let peer = Program.url("StorePeer").path
        let (_, output) = try Program.run(
            Program.asOtherUser + [peer, "replace", folder(name)])
        #expect(output == "replaced\n")
    }

    @Test(
        "a replacement that cannot keep the group gives the new group no more rights than everybody has",
        .enabled(if: Program.canChangeUser))
    func group() throws {
        try folder.write("file", mode: 0o664)
        #expect(unsafe chown(folder("file"), 1234, 2345) == 0)
        try FileAccess.replace(folder("file"), with: [1])
        var status = try folder.status(of: "file")
        #expect(status.st_uid == 1234 && status.st_gid == 2345)
        #expect(status.st_mode & 0o7777 == 0o664)
        // The file's mode lets the other user write to the file, and the folder's mode lets that
        // user create files.
        try #require(unsafe chmod(folder("file"), 0o666) == 0)
        try replaceAsOther("file")
        status = try folder.status(of: "file")
        #expect(status.st_uid == 65534 && status.st_gid == 65534)
        #expect(status.st_mode & 0o7777 == 0o666)
        try #require(unsafe chown(folder("file"), 65534, 2345) == 0)
        try #require(unsafe chmod(folder("file"), 0o660) == 0)
        try replaceAsOther("file")
        status = try folder.status(of: "file")
        #expect(status.st_gid == 65534 && status.st_mode & 0o7777 == 0o600)
    }

    @Test(
        "if a file has an access list, a replacement that loses the group keeps only the owner's rights",
        .enabled(if: Program.canChangeUser))
    func lostGroup() throws {
        try folder.write("file", mode: 0o664)
        try #require(unsafe chown(folder("file"), 65534, 2345) == 0)
        try AccessLists.set(folder("file"), group: 6)
        try replaceAsOther("file")
        #expect(try AccessLists.list(folder("file")) == "none")
        #expect(try folder.mode(of: "file") == 0o600)
    }

    @Test(
        "members of a group that a replacement cannot keep gain no rights",
        .enabled(if: Program.canChangeUser))
    func deniedGroup() throws {
        for (old, new) in [(0o604, 0o600), (0o644, 0o644), (0o660, 0o600), (0o664, 0o644)] {
            try folder.write("file", mode: mode_t(old))
            try #require(unsafe chown(folder("file"), 65534, 2345) == 0)
            try replaceAsOther("file")
            #expect(try folder.mode(of: "file") == mode_t(new), "0\(String(old, radix: 8))")
            try FileManager.default.removeItem(atPath: folder("file"))
        }
    }
}

#endif
