// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import Foundation
import GRDB
#if canImport(Glibc)
import Glibc
#endif
import TestSupport
import Testing

@testable import ArchiveStore

/// The files beside an encrypted store.
@Suite("Files beside a store")
struct StoreFilesTests {
    private let folder: TemporaryFolder
    private let file: String
    private let journal: String
    private let victim: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder("items")
        journal = file + "-journal"
        victim = folder("victim")
    }

    private func key(_ name: String = "key") throws -> MasterKey {
        try MasterKey(file: folder(name), creatingIfMissing: true)
    }

    private func open(_ file: String? = nil, _ key: MasterKey? = nil) throws -> ItemStore {
        ItemStore(
            try EncryptedItemDatabase(
                file: file ?? self.file, accessGroup: "group", key: key ?? self.key(), timeout: 1))
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Creates a store with an item, and a journal that restores the current pages.
    private func prepare(superJournal: String?) throws {
        try open().add(Item(service: "service", account: "a", password: "secret"))
        try write(Array("precious".utf8), victim)
        try write(
            DatabaseAssembler.journal(
                restoring: [1, 2], of: bytes(file), pageSize: 4096, superJournal: superJournal),
            journal)
    }

    /// Expects that opening the store fails with an error that names the file `name`, and that no
    /// file changes.
    private func expectRefusal(_ name: String, of path: String? = nil) throws {
        let before = try folder.names.map { try bytes(folder($0)) }
        for keyName in ["key", "other"] {
            let key = try key(keyName)
            let error = #expect(throws: StoreError.self) { _ = try open(path, key) }
            #expect(error?.code == .invalidDatabase)
            #expect(error?.file.map { URL(filePath: $0).lastPathComponent } == name)
            #expect(error?.recovery != nil)
            if keyName == "other" { try FileManager.default.removeItem(atPath: folder("other")) }
        }
        #expect(try folder.names.map { try bytes(folder($0)) } == before)
    }

    @Test("a journal that names a super-journal is refused before it is applied, whatever the key")
    func superJournal() throws {
        try prepare(superJournal: victim)
        try expectRefusal("items-journal")
        // Opening the store by a symbolic link gives the same error.
        try FileManager.default.createSymbolicLink(
            atPath: folder("link"), withDestinationPath: file)
        try expectRefusal("items-journal", of: folder("link"))
    }

    @Test("a super-journal is not deleted if a journal that names it appears after the check")
    func lateSuperJournal() throws {
        try prepare(superJournal: victim)
        #expect(throws: DatabaseError.self) {
            try DatabaseQueue(
                path: StoreFiles.path(of: file), configuration: .items(timeout: 0)
            ).read { try Int.fetchOne($0, sql: "PRAGMA application_id") }
        }
        #expect(try bytes(victim) == Array("precious".utf8))
        // The same holds if the store is already open.
        let hostile = try bytes(journal)
        try FileManager.default.removeItem(atPath: journal)
        let store = try open()
        #expect(try store.items().count == 1)
        try write(hostile, journal)
        #expect(throws: StoreError.self) { try store.items() }
        #expect(throws: StoreError.self) {
            try store.add(Item(service: "service", account: "b", password: "secret"))
        }
        #expect(try bytes(victim) == Array("precious".utf8))
        try FileManager.default.removeItem(atPath: journal)
        #expect(try store.items().count == 1)
    }

    @Test("a journal that others may write is refused, even if it is empty")
    func writableJournal() throws {
        _ = try open()
        for contents in [[], [UInt8](repeating: 0, count: 512)] {
            try write(contents, journal)
            unsafe chmod(journal, 0o666)
            try expectRefusal("items-journal")
            unsafe chmod(journal, 0o600)
            #expect(try open().items().isEmpty)
            try? FileManager.default.removeItem(atPath: journal)
        }
    }

    @Test(
        "a journal of another user is refused",
        .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"))
    func journalOfAnotherUser() throws {
        try prepare(superJournal: nil)
        try #require(unsafe chown(journal, 65534, 65534) == 0)
        try expectRefusal("items-journal")
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(error?.recovery?.contains("open the store as user 65534") == true)
        try #require(unsafe chown(journal, 0, 0) == 0)
        #expect(try open().items().count == 1)
    }

    @Test("a deleted store is not recreated as an empty file")
    func removedStore() throws {
        _ = try open()
        let path = try StoreFiles.path(of: file)
        try FileManager.default.removeItem(atPath: file)
        #expect(throws: DatabaseError.self) {
            try DatabaseQueue(path: path, configuration: .items(timeout: 0))
                .read { try Int.fetchOne($0, sql: "PRAGMA application_id") }
        }
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("a journal of this store is applied and removed")
    func ownJournal() throws {
        try prepare(superJournal: nil)
        #expect(try open().items().count == 1)
        #expect(folder.names == ["items", "key", "victim"])
    }

    @Test(
        "a journal that claims more pages than the store and the journal contain is refused"
    )
    func lengtheningJournal() throws {
        try prepare(superJournal: nil)
        let claimed = DatabaseAssembler.integer(1 << 20, 4)
        let original = try bytes(file)
        var pages = original
        pages.replaceSubrange(28..<32, with: claimed)
        var hostile = DatabaseAssembler.journal(restoring: [1], of: pages, pageSize: 4096)
        hostile.replaceSubrange(16..<20, with: claimed)
        try write(hostile, journal)
        try expectRefusal("items-journal")
        // Without a record of the first page, the header of the store gives the size.
        try write(pages, file)
        hostile = DatabaseAssembler.journal(restoring: [2], of: pages, pageSize: 4096)
        hostile.replaceSubrange(16..<20, with: claimed)
        try write(hostile, journal)
        try expectRefusal("items-journal")
        // A sparse file can hold many records of zeros, which restore nothing.
        try write(original, file)
        hostile = DatabaseAssembler.journal(restoring: [1], of: pages, pageSize: 4096)
        hostile.replaceSubrange(8..<12, with: claimed)
        hostile.replaceSubrange(16..<20, with: DatabaseAssembler.integer(100, 4))
        hostile.replaceSubrange(
            512 + 4 + 28..<512 + 4 + 32, with: DatabaseAssembler.integer(100, 4))
        try write(hostile + [UInt8](repeating: 0, count: 120 * 4104), journal)
        try expectRefusal("items-journal")
        // Missing pages at the end are restored from the journal.
        let count = original.count / 4096
        try write(Array(original.dropLast(4096)), file)
        try write(
            DatabaseAssembler.journal(restoring: [1, count], of: original, pageSize: 4096), journal)
        #expect(try open().items().count == 1)
        #expect(try bytes(file) == original)
    }

    @Test("a journal that is not hot is ignored")
    func unusedJournal() throws {
        try prepare(superJournal: nil)
        for contents in [[], [UInt8](repeating: 0, count: 5000)] {
            try write(contents, journal)
            #expect(try open().items().count == 1)
        }
    }

    @Test("a journal of another database, or a file that is not a journal, is refused")
    func otherJournal() throws {
        try prepare(superJournal: nil)
        try write(
            DatabaseAssembler.journal(
                restoring: [1], of: [UInt8](repeating: 1, count: 1024), pageSize: 1024), journal)
        try expectRefusal("items-journal")
        try write(Array("something else".utf8), journal)
        try expectRefusal("items-journal")
    }

    /// A store of `items` items, with the journal of an interrupted transaction.
    private func crashed(_ name: String, items: Int) throws -> (file: String, journal: [UInt8]) {
        let store = try open(folder(name))
        for number in 0..<items {
            try store.add(Item(service: "s", account: "\(number)", password: "secret"))
        }
        let pages = try bytes(folder(name))
        let journal = DatabaseAssembler.journal(
            restoring: Array(1...(pages.count / 4096)), of: pages, pageSize: 4096)
        return (folder(name), journal)
    }

    @Test(
        "a journal of another store, or of an earlier state of this one, is refused and changes nothing"
    )
    func foreignJournal() throws {
        let (file, _) = try crashed("items", items: 30)
        let (other, journalOfOther) = try crashed("other", items: 3)
        for name in ["other"] { try FileManager.default.removeItem(atPath: folder(name)) }
        #expect(other != file)
        try write(journalOfOther, journal)
        try expectRefusal("items-journal")
        // A journal from before the last three transactions.
        try FileManager.default.removeItem(atPath: journal)
        let old = DatabaseAssembler.journal(
            restoring: [1, 2], of: try bytes(file), pageSize: 4096)
        for account in ["x", "y", "z"] {
            try open().add(Item(service: "s", account: account, password: "secret"))
        }
        try write(old, journal)
        try expectRefusal("items-journal")
        // Without any record, a rollback would only truncate the file to the journal's page count.
        var short = Array(old.prefix(512))
        short.replaceSubrange(8..<12, with: [0, 0, 0, 0])
        short.replaceSubrange(16..<20, with: [0, 0, 0, 1])
        try write(short, journal)
        try expectRefusal("items-journal")
    }

    @Test("a journal that is a hard link to another file is refused")
    func linkedJournal() throws {
        try prepare(superJournal: nil)
        try FileManager.default.removeItem(atPath: journal)
        try write([0] + Array("film".utf8), victim)
        try FileManager.default.linkItem(atPath: victim, toPath: journal)
        try expectRefusal("items-journal")
    }

    @Test("a symbolic link in place of a journal or log is refused, whatever its target")
    func journalThatIsLink() throws {
        try prepare(superJournal: nil)
        let own = folder("own")
        try FileManager.default.moveItem(atPath: journal, toPath: own)
        try write([], folder("empty"))
        for target in ["own", "empty", "victim"] {
            for suffix in ["-journal", "-wal"] {
                try FileManager.default.createSymbolicLink(
                    atPath: file + suffix, withDestinationPath: folder(target))
                try expectRefusal("items" + suffix)
                try FileManager.default.removeItem(atPath: file + suffix)
            }
        }
        // A dangling link is refused beside a store, and before there is one.
        try FileManager.default.createSymbolicLink(
            atPath: journal, withDestinationPath: folder("nothing"))
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try open() }
            #expect(error?.code == .invalidDatabase && error?.file == journal)
            #expect(!folder.names.contains("nothing"))
            try? FileManager.default.removeItem(atPath: file)
        }
        #expect(!folder.names.contains("items"))
    }

    #if os(Linux)
    @Test("a large change creates no temporary SQLite file")
    func temporaryFiles() throws {
        let store = try open()
        let data = [UInt8](repeating: 1, count: 4000)
        try store.transaction { transaction in
            for number in 0..<200 {
                try transaction.add(Item(service: "s", account: "\(number)", data: data))
            }
        }
        var files: Set<String> = []
        try store.transaction { transaction in
            try transaction.update(matching: ItemQuery()) { $0.data = data + [2] }
            _ = try transaction.update(matching: ItemQuery()) { item in
                item.data = data + [3]
                let folder = "/proc/self/fd"
                for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                    let path = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "\(folder)/\(name)")
                    files.insert(path ?? "")
                }
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                let path = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(name)")
                files.insert(path ?? "")
            }
        }
        #expect(files.contains(journal))
        #expect(files.filter { $0.contains("etilqs") } == [])
    }

    @Test("opening a store again does not release the lock of a running transaction")
    func lock() throws {
        let store = try open()
        // SAFETY: Swift passes the path as a NUL-terminated string for the length of the call.
        let probe = unsafe Glibc.open(file, O_RDWR)
        defer { close(probe) }
        let (key, otherKey) = (try key(), try key("other"))
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", password: "secret"))
            #expect(try isReserved(probe))
            _ = try open(file, key)
            #expect(throws: StoreError.self) { _ = try open(file, otherKey) }
            #expect(try isReserved(probe))
        }
        #expect(try !isReserved(probe))
        #expect(try open().items().count == 1)
    }

    /// Returns whether a connection holds SQLite's RESERVED lock, as another process would see it.
    private func isReserved(_ descriptor: Int32) throws -> Bool {
        // F_OFD_GETLK: locks of open file descriptions conflict with the locks of this process.
        var lock = flock(
            l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0x4000_0001, l_len: 1,
            l_pid: 0)
        let getLock: Int32 = 36
        // SAFETY: `lock` is a local variable that outlives the call.
        let status = unsafe fcntl(descriptor, getLock, &lock)
        try #require(status == 0)
        return lock.l_type != Int16(F_UNLCK)
    }
    #endif

    @Test(
        "any number is accepted as a timeout",
        arguments: [Double.infinity, -.infinity, .nan, 1e300, -1])
    func timeouts(_ timeout: Double) throws {
        let store = ItemStore(
            try EncryptedItemDatabase(
                file: file, accessGroup: "group", key: key(), timeout: timeout))
        #expect(try store.items().isEmpty)
    }

    // MARK: Journals that appear while a store is open

    /// A journal that would fill every page of the store with zeros.
    private func wipingJournal() throws -> [UInt8] {
        let pages = try bytes(file).count / 4096
        return DatabaseAssembler.journal(
            restoring: Array(1...pages), of: [UInt8](repeating: 0, count: pages * 4096),
            pageSize: 4096)
    }

    /// Expects that the planted journal makes an open store refuse to write, and also to read if
    /// `isRead` is true. After the journal is removed, the store must work again.
    private func expectLateRefusal(
        _ store: ItemStore, _ name: Comment, isRead: Bool = true, plant: () throws -> Void
    ) throws {
        let before = try bytes(file)
        try plant()
        let planted = try? bytes(journal)
        if isRead {
            let error = #expect(throws: StoreError.self, name) { try store.items() }
            #expect(error?.code == .invalidDatabase, name)
            #expect(error?.file == journal && error?.recovery != nil, name)
        }
        let error = #expect(throws: StoreError.self, name) {
            try store.save(Item(service: "service", account: "a", password: "new"))
        }
        #expect(error?.code == .invalidDatabase, "\(name): \(error?.what ?? "")")
        #expect(error?.file == journal && error?.recovery != nil, name)
        #expect((try? bytes(journal)) == planted, name)
        #expect(try bytes(file) == before, name)
        try FileManager.default.removeItem(atPath: journal)
        #expect(try store.items().count == 1, name)
    }

    @Test(
        "a journal that appears while the store is open is refused if others could have created it")
    func lateJournals() throws {
        try prepare(superJournal: nil)
        try FileManager.default.removeItem(atPath: journal)
        let store = try open()
        try expectLateRefusal(store, "others may write it") {
            try write(wipingJournal(), journal)
            unsafe chmod(journal, 0o666)
        }
        try expectLateRefusal(store, "others may write it, and it is empty", isRead: false) {
            try write([], journal)
            unsafe chmod(journal, 0o666)
        }
        try expectLateRefusal(store, "others may write it, and it is not hot") {
            try write([UInt8](repeating: 0, count: 512), journal)
            unsafe chmod(journal, 0o620)
        }
        try expectLateRefusal(store, "a symbolic link") {
            try write(wipingJournal(), folder("elsewhere"))
            try FileManager.default.createSymbolicLink(
                atPath: journal, withDestinationPath: folder("elsewhere"))
        }
        try expectLateRefusal(store, "a symbolic link to nothing", isRead: false) {
            try FileManager.default.createSymbolicLink(
                atPath: journal, withDestinationPath: folder("nothing"))
        }
        #expect(!folder.names.contains("nothing"))
        try expectLateRefusal(store, "a hard link to another file") {
            try FileManager.default.linkItem(atPath: folder("elsewhere"), toPath: journal)
        }
        try expectLateRefusal(store, "a hard link to the store") {
            try FileManager.default.linkItem(atPath: file, toPath: journal)
        }
        try expectLateRefusal(store, "a pipe", isRead: false) {
            try #require(unsafe mkfifo(journal, 0o600) == 0)
        }
        try expectLateRefusal(store, "pages of another size") {
            try write(
                DatabaseAssembler.journal(
                    restoring: [1], of: [UInt8](repeating: 1, count: 1024), pageSize: 1024),
                journal)
        }
        try expectLateRefusal(store, "no pages of this store") {
            try write(wipingJournal(), journal)
        }
        try expectLateRefusal(store, "a super-journal") {
            try write(
                DatabaseAssembler.journal(
                    restoring: [1, 2], of: bytes(file), pageSize: 4096, superJournal: victim),
                journal)
        }
        #expect(try bytes(victim) == Array("precious".utf8))
    }

    @Test(
        "a journal of another user that appears while the store is open is refused",
        .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"))
    func lateJournalOfAnotherUser() throws {
        try prepare(superJournal: nil)
        try FileManager.default.removeItem(atPath: journal)
        let store = try open()
        for contents in try [wipingJournal(), []] {
            try expectLateRefusal(store, "another user", isRead: !contents.isEmpty) {
                try write(contents, journal)
                try #require(unsafe chmod(journal, 0o600) == 0)
                try #require(unsafe chown(journal, 65534, 65534) == 0)
            }
        }
    }

    @Test("the journal of a killed program is applied while the store is open")
    func lateOwnJournal() throws {
        try prepare(superJournal: nil)
        let own = try bytes(journal)
        try FileManager.default.removeItem(atPath: journal)
        let store = try open()
        try write(own, journal)
        unsafe chmod(journal, 0o600)
        #expect(try store.items().count == 1)
        #expect(!folder.names.contains("items-journal"))
        try store.save(Item(service: "service", account: "a", password: "new"))
        #expect(try store.items().first?.password == "new")
    }

    #if os(Linux)
    @Test("a hot journal is not ignored if another process has a read lock on the RESERVED byte")
    func lockOfReader() throws {
        try open().add(Item(service: "service", account: "a", password: "old"))
        let old = try bytes(file)
        try open().save(Item(service: "service", account: "a", password: "new"))
        // The journal of a program that was killed during the change.
        let pages = Array(1...old.count / 4096)
        try write(
            DatabaseAssembler.journal(restoring: pages, of: old, pageSize: 4096), journal)
        unsafe chmod(journal, 0o600)
        let reader = try #require(FileHandle(forReadingAtPath: file))
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        lock.l_start = 0x4000_0001
        lock.l_len = 1
        // F_OFD_SETLK: a lock of an open file description conflicts with the locks of this process.
        try #require(unsafe fcntl(reader.fileDescriptor, 37, &lock) == 0)
        let key = try key()
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try open(nil, key) }
            #expect(error?.code == .busy)
        }
        lock.l_type = Int16(F_UNLCK)
        try #require(unsafe fcntl(reader.fileDescriptor, 37, &lock) == 0)
        try reader.close()
        #expect(try open().items().first?.password == "old")
        #expect(!folder.names.contains("items-journal"))
    }
    #endif

    @Test("a store that was moved or replaced while it is open refuses changes, and says why")
    func movedStore() throws {
        let store = try open()
        try store.add(Item(service: "service", account: "a", password: "secret"))
        try FileManager.default.moveItem(atPath: file, toPath: folder("moved"))
        for isReplaced in [false, true] {
            if isReplaced { _ = try open() }
            let error = #expect(throws: StoreError.self) {
                try store.add(Item(service: "service", account: "b", password: "secret"))
            }
            #expect(error?.code == .invalidDatabase && error?.file == file)
            #expect(error?.what.contains("moved or replaced") == true, "\(error?.what ?? "")")
        }
        #expect(try open(folder("moved")).items().count == 1)
        #expect(try open().items().isEmpty)
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: folder("moved"), toPath: file)
        try store.add(Item(service: "service", account: "b", password: "secret"))
        #expect(try open().items().count == 2)
    }

    @Test("a journal has the mode of its store, whatever the umask")
    func modeOfJournal() throws {
        let store = try open()
        try #require(unsafe chmod(file, 0o660) == 0)
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", password: "secret"))
            let attributes = try FileManager.default.attributesOfItem(atPath: journal)
            #expect(attributes[.posixPermissions] as? Int == 0o660)
        }
        #expect(folder.names == ["items", "key"])
    }

    @Test(
        "a journal has the owner and the group of its store",
        .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"))
    func ownerOfJournal() throws {
        let store = try open()
        try #require(unsafe chown(file, 1234, 2345) == 0)
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", password: "secret"))
            let attributes = try FileManager.default.attributesOfItem(atPath: journal)
            #expect(attributes[.ownerAccountID] as? Int == 1234)
            #expect(attributes[.groupOwnerAccountID] as? Int == 2345)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        // The folder gives its group to new files, but the members of that group may not write the
        // store.
        try #require(unsafe chown(file, 0, 0) == 0 && chmod(file, 0o660) == 0)
        try #require(unsafe chown(folder.path, 0, 2345) == 0 && chmod(folder.path, 0o2775) == 0)
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "b", password: "secret"))
            let attributes = try FileManager.default.attributesOfItem(atPath: journal)
            #expect(attributes[.groupOwnerAccountID] as? Int == 0)
            #expect(attributes[.posixPermissions] as? Int == 0o660)
        }
    }

    @Test(
        "a store with two hard links is refused, because a journal beside the other name would be missed"
    )
    func secondName() throws {
        try open().add(Item(service: "service", account: "a", password: "secret"))
        try FileManager.default.createDirectory(
            atPath: folder("other"), withIntermediateDirectories: false)
        try FileManager.default.linkItem(atPath: file, toPath: folder("other/items"))
        for path in [file, folder("other/items")] {
            let error = #expect(throws: StoreError.self) { try open(path) }
            #expect(error?.code == .invalidDatabase && error?.file == path)
            #expect(error?.what.contains("2 names") == true, "\(error?.what ?? "")")
        }
        try FileManager.default.removeItem(atPath: folder("other/items"))
        #expect(try open().items().count == 1)
    }

    @Test("SQLite's messages, which quote the schema of a file, are escaped and truncated")
    func messages() {
        let quoted = "malformed database schema (\u{1B}[31m" + String(repeating: "n", count: 1000)
        let error = StoreError(
            sqlite: DatabaseError(resultCode: .SQLITE_CORRUPT, message: quoted), file: file)
        #expect(error.code == .invalidDatabase)
        #expect(error.what.hasPrefix("SQLite: malformed database schema ("))
        #expect(!error.what.unicodeScalars.contains("\u{1B}"))
        #expect(error.what.utf8.count < 600)
    }

    @Test("a store whose path is too long for SQLite is refused, and the error gives the limit")
    func longPath() throws {
        var path = folder.path
        while path.utf8.count < 520 {
            path += "/" + String(repeating: "f", count: 100)
        }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let error = #expect(throws: StoreError.self) { try open(path + "/items") }
        #expect(error?.code == .fileAccess)
        #expect(error?.what.contains("a path of at most") == true, "\(error?.what ?? "")")
        // No file is created, because nobody could open it.
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    // MARK: Journals that are not hot

    private struct Stop: Error {}

    /// The record at the end of a journal that names a super-journal.
    private func superJournalRecord(_ name: String) throws -> [UInt8] {
        let page = [UInt8](repeating: 0, count: 4096)
        let journal = DatabaseAssembler.journal(
            restoring: [], of: page, pageSize: 4096, superJournal: name)
        return Array(journal[512...])
    }

    /// A journal that is not hot, but ends with a record that names a super-journal.
    private func unusedJournal(naming name: String) throws -> [UInt8] {
        [UInt8](repeating: 0, count: 1 << 16) + (try superJournalRecord(name))
    }

    @Test("the rollback of a transaction reads nothing from a journal that is not hot")
    func rollbackBesideUnusedJournal() throws {
        try prepare(superJournal: nil)
        try FileManager.default.removeItem(atPath: journal)
        let store = try open()
        try write(unusedJournal(naming: victim), journal)
        try #require(unsafe chmod(journal, 0o644) == 0)
        #expect(throws: Stop.self) {
            try store.transaction { transaction in
                try transaction.add(Item(service: "service", account: "b", password: "secret"))
                let attributes = try FileManager.default.attributesOfItem(atPath: journal)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                #expect(attributes[.size] as? Int ?? 0 < 1 << 16)
                throw Stop()
            }
        }
        #expect(try store.items().map(\.attributes.account) == ["a"])
        try store.save(Item(service: "service", account: "c", password: "secret"))
        #expect(try bytes(victim) == Array("precious".utf8))
        let (status, output) = try Program.run("StorePeer", ["items", folder.path, "1"])
        #expect(status == 0 && output == "2\n", "\(output)")
        #expect(try open().items().map(\.attributes.account) == ["a", "c"])
    }

    @Test("opening a store refuses a journal that names a super-journal, even if it is not hot")
    func unusedJournalThatNames() throws {
        try prepare(superJournal: nil)
        try write(unusedJournal(naming: victim), journal)
        try expectRefusal("items-journal")
    }

    @Test("a rollback that finds a super-journal fails, and no later change is lost")
    func superJournalOfRunningTransaction() throws {
        try prepare(superJournal: nil)
        try FileManager.default.removeItem(atPath: journal)
        let store = try open()
        let record = try superJournalRecord(victim)
        #expect(throws: Stop.self) {
            try store.transaction { transaction in
                try transaction.add(Item(service: "service", account: "b", password: "secret"))
                try write(bytes(journal) + record, journal)
                throw Stop()
            }
        }
        // The rollback failed: a successful one would have removed the journal.
        #expect(try bytes(journal).suffix(record.count) == record[...])
        #expect(try store.items().map(\.attributes.account) == ["a"])
        try store.save(Item(service: "service", account: "c", password: "secret"))
        #expect(try bytes(victim) == Array("precious".utf8))
        for store in [store, try open()] {
            #expect(try store.items().map(\.attributes.account) == ["a", "c"])
        }
    }

    @Test("a hot journal is refused if the header of the store is malformed")
    func journalOfMalformedStore() throws {
        try prepare(superJournal: nil)
        let whole = try bytes(file)
        let store = try open()
        for name in [victim, nil] {
            for (place, value) in [(0, 0x58), (16, 3), (16, 0)] {
                var changed = whole
                changed[place] = UInt8(value)
                if value == 0 { changed[17] = 0 }
                try write(changed, file)
                try write(
                    DatabaseAssembler.journal(
                        restoring: [1, 2], of: whole, pageSize: 4096, superJournal: name),
                    journal)
                try expectRefusal("items-journal")
                // The same holds if the store is already open.
                let error = #expect(throws: StoreError.self) { try store.items() }
                #expect(error?.code == .invalidDatabase && error?.file == journal)
                #expect(try bytes(file) == changed)
            }
        }
        #expect(try bytes(victim) == Array("precious".utf8))
        // Without the journal, the error names the store.
        try FileManager.default.removeItem(atPath: journal)
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(error?.code == .invalidDatabase && error?.file == file)
    }

    @Test("a journal with many headers is refused quickly")
    func denseJournal() throws {
        try prepare(superJournal: nil)
        try write(denseHeaders(), journal)
        let seconds = try ProcessorTime.seconds { try expectRefusal("items-journal") }
        #expect(seconds < 3)
    }

    /// A journal of 1 MB that consists of segment headers without pages.
    private func denseHeaders() -> [UInt8] {
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        var header = magic + [UInt8](repeating: 0, count: 24)
        header[19] = 2
        header[23] = 32
        header[26] = 16
        return (0..<32768).flatMap { _ in header }
    }

    @Test(
        "a write-ahead log is refused, whether the header or a file beside the store announces it")
    func log() throws {
        try prepare(superJournal: nil)
        try FileManager.default.removeItem(atPath: journal)
        let whole = try bytes(file)
        for place in [18, 19] {
            var changed = whole
            changed[place] = 2
            try write(changed, file)
            try expectRefusal("items")
        }
        // Versions that SQLite never writes.
        for (place, version) in [(18, 0), (18, 3), (18, 255), (19, 0), (19, 3)] {
            var changed = whole
            changed[place] = UInt8(version)
            try write(changed, file)
            try expectRefusal("items")
            let error = #expect(throws: StoreError.self) { try open() }
            #expect(error?.what.contains("\(version)") == true)
        }
        try write(whole, file)
        #expect(try open().items().count == 1)
        try write(DatabaseAssembler.log([], pageSize: 4096), file + "-wal")
        try expectRefusal("items-wal")
    }

    @Test(
        "a journal left from an earlier store is an error when a new store is created, and is kept")
    func staleJournal() throws {
        try prepare(superJournal: nil)
        try FileManager.default.removeItem(atPath: file)
        try expectRefusal("items-journal")
        #expect(folder.names == ["items-journal", "key", "victim"])
        try FileManager.default.removeItem(atPath: journal)
        #expect(try open().items().isEmpty)
        try FileManager.default.removeItem(atPath: file)
        try write([], journal)
        #expect(try open().items().isEmpty)
    }

    @Test(
        "the path of a store is taken literally, whatever characters it contains",
        arguments: ["a?mode=memory", "a%20b", "a#b", "é 漢\u{301}", "a&vfs=x", "file:a"])
    func names(_ name: String) throws {
        try open(folder(name)).add(Item(service: "service", account: "a", password: "secret"))
        #expect(folder.names.sorted() == [name, "key"].sorted())
        #expect(try open(folder(name)).items().count == 1)
    }
}

#endif
