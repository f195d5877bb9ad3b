// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import Foundation
import GRDB
import PropertyList
import TestSupport
import Testing

@testable import ArchiveStore

@Suite("Encrypted item databases")
struct EncryptedItemDatabaseTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder("items")
    }

    private static let cheap: PassphraseCost = {
        var cost = PassphraseCost(rounds: 16)
        cost.allowsWeakness = true
        return cost
    }()

    private func key(_ name: String = "key") throws -> MasterKey {
        try MasterKey(file: folder(name), creatingIfMissing: true)
    }

    private func open(
        _ key: MasterKey? = nil, group: String = "group", creating: Bool = true
    ) throws -> EncryptedItemDatabase {
        try EncryptedItemDatabase(
            file: file, accessGroup: group, key: key ?? self.key(), creatingIfMissing: creating,
            timeout: 10)
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do { try body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    private func fill(_ database: EncryptedItemDatabase) throws {
        try ItemStore(database).transaction { transaction in
            for number in 0..<10 {
                try transaction.add(
                    Item(service: "service", account: "\(number)", password: "secret \(number)"))
            }
        }
    }

    @Test("files contain attributes but no secrets, and equal secrets have different ciphertexts")
    func encryption() throws {
        let store = ItemStore(try open())
        let secret = Array("a secret of some length".utf8)
        try store.add(Item(service: "legible", account: "a", data: secret))
        try store.add(Item(service: "legible", account: "b", data: secret))
        let bytes = try Data(contentsOf: URL(filePath: file))
        #expect(bytes.range(of: Data(secret)) == nil)
        #expect(bytes.range(of: Data("legible".utf8)) != nil)
        let sealed = try query("SELECT hex(sealed) FROM item").split(separator: "\n")
        #expect(sealed.count == 2 && sealed[0] != sealed[1])
        try store.save(Item(service: "legible", account: "a", data: secret))
        #expect(try query("SELECT hex(sealed) FROM item WHERE id = 1") != sealed[0] + "\n")
    }

    @Test("a wrong key has its own error code and changes nothing")
    func wrongKey() throws {
        try fill(open())
        let bytes = try Data(contentsOf: URL(filePath: file))
        let keys = [
            try key("other"), MasterKey(passphrase: "guess", cost: Self.cheap),
            try MasterKey(bytes: [UInt8](repeating: 0, count: 32)),
        ]
        for wrong in keys { #expect(code { _ = try open(wrong) } == .wrongKey) }
        #expect(try Data(contentsOf: URL(filePath: file)) == bytes)
        #expect(folder.names == ["items", "key", "other"])
        #expect(try ItemStore(open()).items().count == 10)
    }

    @Test("the passphrase opens the store again, with the cost recorded in the store")
    func passphrase() throws {
        try fill(open(MasterKey(passphrase: "pässword", cost: Self.cheap)))
        let again = try open(MasterKey(passphrase: "pässword"))
        #expect(try ItemStore(again).items().last?.password == "secret 9")
        #expect(code { _ = try open(MasterKey(passphrase: "password")) } == .wrongKey)
        #expect(code { _ = try open(key()) } == .wrongKey)
        #expect(
            code {
                _ = try EncryptedItemDatabase(
                    file: folder("dear"), accessGroup: "g",
                    key: MasterKey(passphrase: "p", cost: PassphraseCost(rounds: 1 << 24)))
            } == .wrongKey)
        #expect(!folder.names.contains("dear"))
        // This cost would need 1 TiB of memory.
        try query("UPDATE store SET rounds = 1073741824")
        #expect(code { _ = try open(MasterKey(passphrase: "pässword")) } == .wrongKey)
    }

    @Test("canonically equivalent passphrases give the same key")
    func normalization() throws {
        let composed = "p\u{E4}ssw\u{F6}rd \u{1E69} \u{AC00}"
        let decomposed = "pa\u{308}sswo\u{308}rd s\u{307}\u{323} \u{1100}\u{1161}"
        try fill(open(MasterKey(passphrase: composed, cost: Self.cheap)))
        #expect(try ItemStore(open(MasterKey(passphrase: decomposed))).items().count == 10)
        let backup = try ItemStore(open(MasterKey(passphrase: composed))).backup()
        let bytes = try backup.sealed(passphrase: decomposed, cost: Self.cheap)
        #expect(try ItemBackup(opening: bytes, passphrase: composed) == backup)
    }

    @Test("an empty passphrase or a low cost is refused for a new store, unless it is allowed")
    func weakness() throws {
        let backup = ItemBackup([Item(service: "s", account: "a", password: "p")])
        let costs = [
            PassphraseCost(rounds: 2), PassphraseCost(rounds: 1 << 13),
            PassphraseCost(rounds: 1 << 15, blockSize: 2),
            PassphraseCost(rounds: 1 << 13, parallelism: 16),
        ]
        for cost in costs {
            #expect(
                code { _ = try open(MasterKey(passphrase: "p", cost: cost)) } == .weakPassphrase)
            #expect(code { _ = try backup.sealed(passphrase: "p", cost: cost) } == .weakPassphrase)
        }
        #expect(code { _ = try open(MasterKey(passphrase: "")) } == .weakPassphrase)
        #expect(code { _ = try backup.sealed(passphrase: "") } == .weakPassphrase)
        #expect(folder.names == [])
        let floor = PassphraseCost(rounds: 1 << 14)
        let database = try open(MasterKey(passphrase: "p", cost: floor))
        #expect(code { try database.rotateKey(to: MasterKey(passphrase: "")) } == .weakPassphrase)
        #expect(code { _ = try open(MasterKey(passphrase: "p")) } == nil)
        // An existing store can be opened, however weak its passphrase and its cost.
        try database.rotateKey(to: MasterKey(passphrase: "", cost: Self.cheap))
        #expect(code { _ = try open(MasterKey(passphrase: "")) } == nil)
    }

    @Test("the time of scrypt is limited as well as its memory")
    func costOfScrypt() throws {
        // The limit is 32 times the time of the default. With 32 MiB of memory, a parallelism of 16
        // is within it. With 1 GiB, a parallelism of 2 exceeds it.
        #expect(PassphraseCost(rounds: 1 << 15, blockSize: 8, parallelism: 16).isAcceptable)
        #expect(PassphraseCost(rounds: 1 << 20, blockSize: 8).isAcceptable)
        // RFC 7914 requires N to be less than 2^(16 × r).
        #expect(PassphraseCost(rounds: 1 << 15, blockSize: 1).isAcceptable)
        #expect(PassphraseCost(rounds: 1 << 17, blockSize: 2).isAcceptable)
        for (rounds, blockSize, parallelism) in [
            (1 << 20, 8, 2), (1 << 20, 8, 16), (1 << 19, 32, 16), (1 << 16, 1, 1), (1 << 20, 1, 1),
        ] {
            let cost = PassphraseCost(
                rounds: rounds, blockSize: blockSize, parallelism: parallelism)
            #expect(!cost.isAcceptable)
            #expect(code { _ = try cost.key(of: "p", salt: []) } == .wrongKey)
        }
    }

    @Test("scrypt can be computed for each acceptable cost")
    func acceptableCosts() {
        for (blockSize, parallelism) in [(1, 1), (16, 1), (17, 1), (32, 1), (17, 2), (32, 2)] {
            let cost = PassphraseCost(
                rounds: 1 << 10, blockSize: blockSize, parallelism: parallelism)
            #expect(cost.isAcceptable == (blockSize <= 16 || parallelism > 1))
            #expect(
                (code { _ = try cost.key(of: "p", salt: []) } == nil) == cost.isAcceptable,
                "\(cost)")
        }
    }

    @Test("scrypt gives the test vector of RFC 7914")
    func scrypt() throws {
        let cost = PassphraseCost(rounds: 1024, blockSize: 8, parallelism: 16)
        let key = try cost.key(of: "password", salt: Array("NaCl".utf8)).bytes
        // The first half of the RFC's second test vector, which has 64 bytes.
        let expected = "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        #expect(key.map { String(Int($0) + 0x100, radix: 16).suffix(2) }.joined() == expected)
    }

    @Test("a key file is created for its owner only, and one that others may access is refused")
    func keyFiles() throws {
        _ = try key()
        let path = folder("key")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 32)
        let bytes = try Data(contentsOf: URL(filePath: path))
        _ = try key()
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        for mode in [0o640, 0o604, 0o620] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(code { _ = try key() } == .invalidKeyFile)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        for size in [0, 31, 33] {
            try Data(repeating: 1, count: size).write(to: URL(filePath: path))
            #expect(code { _ = try key() } == .invalidKeyFile)
        }
        #expect(code { _ = try MasterKey(file: folder("none")) } == .fileMissing)
        #expect(code { _ = try MasterKey(file: folder.path) } == .fileAccess)
        #expect(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        #expect(code { _ = try MasterKey(file: folder("pipe")) } == .fileAccess)
    }

    @Test(
        "a key file of another user is refused, even for root",
        .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"))
    func foreignKeyFile() throws {
        _ = try key()
        #expect(unsafe chown(folder("key"), 1234, 1234) == 0)
        #expect(code { _ = try key() } == .invalidKeyFile)
    }

    @Test("concurrent creators of one key file all get the same key")
    func creatorsOfOneKey() throws {
        for round in 0..<300 {
            let path = folder("key \(round)")
            let errors = Guarded<[String]>([])
            let keys = Guarded<[[UInt8]]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    let key = try MasterKey(file: path, creatingIfMissing: true)
                    guard case .key(let secret) = key.source else { return }
                    let bytes = secret.bytes
                    keys.withLock { $0.append(bytes) }
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
            }
            #expect(errors.withLock { $0 } == [], "round \(round)")
            let found = keys.withLock { $0 }
            #expect(found.count == 8 && Set(found).count == 1, "round \(round)")
        }
    }

    @Test("a dangling symbolic link in place of the key file is an error that says so")
    func danglingKeyFile() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder("key"), withDestinationPath: folder("nothing"))
        let error = #expect(throws: StoreError.self) { try key() }
        #expect(error?.what.contains("symbolic link") == true)
        #expect(folder.names == ["key"])
    }

    @Test(
        "a rotation replaces the key and re-encrypts every item; the old key is refused with an error"
    )
    func rotation() throws {
        let (database, other) = (try open(), try open())
        try fill(database)
        let before = try query("SELECT hex(sealed) FROM item").split(separator: "\n")
        let items = try ItemStore(database).items()
        let new = MasterKey(passphrase: "new", cost: Self.cheap)
        try database.rotateKey(to: new)
        #expect(try ItemStore(database).items() == items)
        let after = try query("SELECT hex(sealed) FROM item").split(separator: "\n")
        #expect(Set(before).isDisjoint(with: after) && after.count == 10)
        #expect(code { _ = try ItemStore(other).items() } == .wrongKey)
        #expect(code { try ItemStore(other).delete(matching: ItemQuery()) } == .wrongKey)
        #expect(code { _ = try open() } == .wrongKey)
        #expect(try ItemStore(open(new)).items() == items)
        // After a rotation back to the first master key, the other connection works again.
        try database.rotateKey(to: key())
        #expect(try ItemStore(other).items() == items)
        try query("UPDATE item SET sealed = zeroblob(40) WHERE id = 5")
        #expect(code { try database.rotateKey(to: new) } == .alteredItem)
        #expect(try ItemStore(open()).items(matching: ItemQuery(account: "3")).count == 1)
    }

    @Test("an item with changed attributes or data, or one copied from another store, is an error")
    func altered() throws {
        // Each check opens the store again, because a connection would not notice the restored
        // file.
        func store() throws -> ItemStore { ItemStore(try open()) }
        try fill(open())
        let changes = [
            "service = CAST('other' AS BLOB)", "account = x''", "synchronizable = 1",
            "label = x'41'", "comment = x''", "creator = 5", "generic = x''", "invisible = 1",
            "negative = 1", "accessibility = CAST('dk' AS BLOB)", "created = created + 1",
            "modified = 0", "sealed = substr(sealed, 1, length(sealed) - 1)",
            "sealed = x''", "sealed = (SELECT sealed FROM item WHERE id = 2)",
        ]
        for change in changes {
            let copy = try Data(contentsOf: URL(filePath: file))
            try query("UPDATE item SET \(change) WHERE id = 1")
            let error = #expect(throws: StoreError.self) { try store().items() }
            #expect(error?.code == .alteredItem, "\(change)")
            #expect(try store().items(matching: ItemQuery(account: "7")).count == 1)
            try copy.write(to: URL(filePath: file))
        }
        try query("UPDATE item SET invisible = 2 WHERE id = 1")
        #expect(code { _ = try store().items() } == .alteredItem)
        try store().transaction { try $0.remove(ItemIdentity(service: "service", account: "0")) }
        #expect(try store().items().count == 9)
        // A row copied from another store with the same key is refused.
        let other = folder("other")
        try fill(EncryptedItemDatabase(file: other, accessGroup: "group", key: key()))
        try query(
            "ATTACH '\(other)' AS other; DELETE FROM item; INSERT INTO item SELECT * FROM other.item"
        )
        #expect(code { _ = try store().items() } == .alteredItem)
    }

    @Test("a tampered item can be replaced, restored and deleted, but not updated")
    func discardingAlteredItems() throws {
        let store = ItemStore(try open())
        let item = Item(service: "service", account: "a", password: "secret")
        let query = ItemQuery(item.attributes.identity)
        let changes = ["sealed = x''", "label = x'ff'", "invisible = 2", "accessibility = x'00'"]
        for change in changes {
            func alter() throws {
                try store.save(item)
                try self.query("UPDATE item SET \(change)")
                #expect(code { _ = try store.items() } == .alteredItem, "\(change)")
            }
            try alter()
            try store.save(item)
            let backup = try store.backup()
            #expect(try store.item(matching: query).password == "secret")
            try alter()
            #expect(try store.restore(backup) == 1)
            #expect(try store.item(matching: query).password == "secret")
            try alter()
            #expect(code { try store.update(matching: query) { $0.data = [] } } == .alteredItem)
            #expect(try store.delete(matching: query) == 1)
            #expect(try store.items() == [])
        }
        #expect(code { try store.delete(matching: query) } == .itemNotFound)
    }

    @Test("a restore never replaces a this-device-only item, even a tampered one")
    func alteredItemOfThisDevice() throws {
        let store = ItemStore(try open())
        var item = Item(service: "service", account: "a", password: "backup")
        try store.save(item)
        let backup = try store.backup()
        item.attributes.accessibility = .whenUnlockedThisDeviceOnly
        item.data = Array("mine".utf8)
        for change in ["sealed = zeroblob(40)", "label = x'41'", "invisible = 2"] {
            try store.save(item)
            try query("UPDATE item SET \(change)")
            let rows = try query("SELECT hex(sealed), accessibility FROM item")
            #expect(try store.restore(backup) == 0, "\(change)")
            #expect(try query("SELECT hex(sealed), accessibility FROM item") == rows)
        }
        #expect(try store.delete(matching: ItemQuery(service: "service")) == 1)
        #expect(try store.restore(backup) == 1)
        #expect(try store.item(matching: ItemQuery(service: "service")).password == "backup")
    }

    @Test(
        "an SQLite error within a transaction becomes a StoreError, and the transaction is undone")
    func errorsInTransactions() throws {
        let database = try open()
        let store = ItemStore(database)
        try store.add(Item(service: "kept", account: "", password: "kept"))
        let large = Item(service: "large", account: "", data: [UInt8](repeating: 1, count: 100_000))
        try database.queue.inDatabase { try $0.execute(sql: "PRAGMA max_page_count = 8") }
        let uses: [(any ItemTransaction) throws -> Void] = [
            { try $0.insert(large) }, { try $0.add(large) }, { try $0.save(large) },
            { try $0.replace(ItemIdentity(service: "kept", account: ""), with: large) },
            {
                _ = try $0.update(matching: ItemQuery(service: "kept")) { $0.data = large.data }
            },
            { transaction in try transaction.savepoint { try transaction.insert(large) } },
        ]
        for (number, use) in uses.enumerated() {
            var inner: (any Error)?
            let outer = code {
                try store.transaction { transaction in
                    do { try use(transaction) } catch {
                        inner = error
                        throw error
                    }
                }
            }
            #expect((inner as? StoreError)?.code == .outOfSpace, "use \(number)")
            #expect((inner as? StoreError)?.file == file, "use \(number)")
            #expect(outer == .outOfSpace, "use \(number)")
            #expect(try store.items().map(\.password) == ["kept"])
            // If the caller ignores the error, the transaction is committed or fails as a whole.
            do {
                try store.transaction { transaction in
                    try transaction.add(Item(service: "before", account: "", data: []))
                    try? use(transaction)
                    try transaction.add(Item(service: "after", account: "", data: []))
                }
                #expect(try store.items().count == 3)
            } catch {
                #expect(error is StoreError, "use \(number): \(error)")
                #expect(try store.items().count == 1)
            }
            _ = try? store.delete(matching: ItemQuery(service: "before"))
            _ = try? store.delete(matching: ItemQuery(service: "after"))
        }
        // Errors from the caller are passed on unchanged.
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.transaction { try $0.savepoint { throw Stop() } }
        }
        try query("DROP TABLE item")
        try store.transaction { transaction in
            let reads: [() throws -> Void] = [
                { _ = try transaction.items(matching: ItemQuery(), limit: 1) },
                { try transaction.remove(ItemIdentity(service: "a", account: "b")) },
                { _ = try transaction.delete(matching: ItemQuery()) },
            ]
            for read in reads { #expect(code(read) == .invalidDatabase) }
        }
    }

    @Test("a dictionary in a tampered item is an error, or is reported and reset")
    func alteredDictionary() throws {
        let store = ItemStore(try open())
        let strict = ArchivedDictionary(in: store, service: "app", account: "values")
        let errors = Guarded<[StoreError.Code?]>([])
        let tolerant = ArchivedDictionary(
            in: store, service: "app", account: "values",
            onCorruption: .reset { error, _ in
                errors.withLock { $0.append((error as? StoreError)?.code) }
            })
        for _ in 0..<2 {
            try strict.set(1, forKey: "a")
            try query("UPDATE item SET label = x'41'")
            #expect(code { _ = try strict.dictionary() } == .alteredItem)
            #expect(code { try strict.set(2, forKey: "a") } == .alteredItem)
            #expect(try tolerant.dictionary().isEmpty)
            #expect(code { _ = try strict.dictionary() } == .alteredItem)
            try tolerant.set(1, forKey: "a")
            try query("UPDATE item SET sealed = zeroblob(40)")
            try tolerant.set(2, forKey: "b")
            #expect(try strict.dictionary().keys == ["b"])
            try strict.reset()
        }
        #expect(errors.withLock { $0 } == Array(repeating: .alteredItem, count: 6))
    }

    @Test("no trace of deleted items or rotated keys remains in the file")
    func secureDeletion() throws {
        func bytes(_ column: String) throws -> [Data] {
            try query("SELECT hex(\(column)) FROM \(column == "sealed" ? "item" : "store")")
                .split(separator: "\n").map { line in
                    let digits = Array(line)
                    return Data(
                        stride(from: 0, to: digits.count, by: 2).compactMap {
                            UInt8(String(digits[$0...$0 + 1]), radix: 16)
                        })
                }
        }
        let database = try open()
        try fill(database)
        let old = try bytes("sealed") + bytes("dataKey")
        #expect(old.count == 11)
        let before = try Data(contentsOf: URL(filePath: file))
        for secret in old { #expect(before.range(of: secret) != nil) }
        try database.rotateKey(to: MasterKey(passphrase: "new", cost: Self.cheap))
        let deleted = try bytes("sealed")
        try ItemStore(database).delete(matching: ItemQuery(service: "service"))
        let after = try Data(contentsOf: URL(filePath: file))
        for secret in old + deleted { #expect(after.range(of: secret) == nil) }
    }

    @Test("a rotation overwrites residues of earlier changes in unused parts of pages")
    func residues() throws {
        var random = SplitMix64(seed: 19)
        func sealed() throws -> Set<Data> {
            try DatabaseQueue(path: file).read {
                Set(try Data.fetchAll($0, sql: "SELECT sealed FROM item"))
            }
        }
        func hasAny(of values: Set<Data>) throws -> Bool {
            let bytes = try Data(contentsOf: URL(filePath: file))
            return values.contains { bytes.range(of: $0) != nil }
        }
        let database = try open()
        let store = ItemStore(database)
        try store.transaction { transaction in
            for number in 0..<600 {
                try transaction.add(Item(service: "s", account: "\(number)", data: [1]))
            }
        }
        var old: Set<Data> = []
        var isLeft = false
        for _ in 0..<40 where !isLeft {
            let before = try sealed()
            try store.transaction { transaction in
                for number in 0..<600 where Int.random(in: 0..<3, using: &random) == 0 {
                    let size = Int.random(in: 0..<1500, using: &random)
                    try transaction.update(
                        matching: ItemQuery(service: "s", account: "\(number)")
                    ) { $0.data = [UInt8](repeating: 1, count: size) }
                }
            }
            let replaced = before.subtracting(try sealed())
            old.formUnion(replaced)
            isLeft = try hasAny(of: replaced)
        }
        #expect(isLeft, "the changes left no residues, so the test proves nothing")
        old.formUnion(try sealed())
        try database.rotateKey(to: key("new"))
        #expect(try !hasAny(of: old))
    }

    @Test("files that are not stores, and stores of other groups, are refused and left unchanged")
    func foreign() throws {
        _ = try key()
        let store = try open()
        try query("UPDATE store SET version = 3")
        #expect(code { _ = try ItemStore(store).items() } == .unsupportedVersion)
        try FileManager.default.removeItem(atPath: file)
        func refused(_ expected: StoreError.Code, _ comment: Comment) throws {
            let before = try Data(contentsOf: URL(filePath: file))
            #expect(code { _ = try open() } == expected, comment)
            #expect(try Data(contentsOf: URL(filePath: file)) == before, comment)
            try FileManager.default.removeItem(atPath: file)
        }
        _ = try key()
        for junk in [[], Array("junk".utf8), [UInt8](repeating: 0, count: 100_000)] {
            try Data(junk).write(to: URL(filePath: file))
            try refused(.invalidDatabase, "\(junk.count) bytes of junk")
        }
        try query("CREATE TABLE notes (text)")
        try refused(.invalidDatabase, "another program's database")
        _ = try open()
        try query("CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM item; END")
        try refused(.invalidDatabase, "a trigger")
        _ = try open()
        try query("UPDATE store SET version = 3")
        try refused(.unsupportedVersion, "a later version")
        _ = try open()
        try query("DELETE FROM store")
        try refused(.invalidDatabase, "no header")
        _ = try open(group: "another")
        try refused(.unknownAccessGroup, "another group")
        #expect(code { _ = try open(creating: false) } == .fileMissing)
        try FileManager.default.createDirectory(
            atPath: file, withIntermediateDirectories: false)
        #expect(code { _ = try open() } == .invalidDatabase)
    }

    @Test("a lookup by service and account uses the index")
    func index() throws {
        let database = try open()
        let plans = try database.queryPlans {
            _ = try ItemStore(database).password(service: "s", account: "a")
        }
        let search = "SEARCH item USING INDEX itemIdentity (service=? AND account=?)"
        #expect(plans.count == 1 && plans.joined().contains(search), "\(plans)")
    }

    @Test("a change during another program's transaction fails as busy after the timeout")
    func busy() throws {
        let store = ItemStore(try open())
        let hasty = ItemStore(
            try EncryptedItemDatabase(file: file, accessGroup: "group", key: key(), timeout: 0.05))
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", data: []))
            #expect(code { try hasty.add(Item(service: "s", account: "b", data: [])) } == .busy)
            #expect(try hasty.items() == [])
        }
        #expect(try hasty.items().count == 1)
    }

    @Test("an open store refuses a header that was copied from another store")
    func headerOfAnotherStore() throws {
        let database = try open()
        try fill(database)
        let store = ItemStore(database)
        let others = ["group", "other"].map { ($0, folder("\($0).items")) }
        for (group, path) in others {
            _ = try EncryptedItemDatabase(file: path, accessGroup: group, key: key())
            let row = try DatabaseQueue(path: path).read { database in
                try Row.fetchOne(database, sql: "SELECT * FROM store")
            }
            let columns = try #require(row).map { $0.1 }
            let before = try Data(contentsOf: URL(filePath: file))
            try DatabaseQueue(path: file).write { database in
                try database.execute(sql: "DELETE FROM store")
                try database.execute(
                    sql: "INSERT INTO store VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    arguments: StatementArguments(columns))
            }
            let new = Item(service: "service", account: "new", password: "secret")
            #expect(code { try store.add(new) } == .invalidDatabase, "\(group)")
            #expect(code { _ = try store.items() } == .invalidDatabase, "\(group)")
            #expect(code { try database.rotateKey(to: self.key()) } == .invalidDatabase)
            try before.write(to: URL(filePath: file))
            #expect(try open().items(matching: ItemQuery(), limit: .max).count == 10)
            #expect(try store.items().count == 10)
        }
    }

    @Test("the message about a duplicate item names the service, not the account or the secret")
    func messages() throws {
        let store = ItemStore(try open())
        let item = Item(service: "the-service", account: "the-account", password: "the-secret")
        try store.add(item)
        let error = #expect(throws: StoreError.self) { try store.add(item) }
        let text = "\(try #require(error))"
        #expect(text.contains("the-service"))
        #expect(!text.contains("the-account") && !text.contains("the-secret"))
    }

    @Test("a sealed backup needs its passphrase, and detects any change")
    func sealedBackup() throws {
        let store = ItemStore(try open())
        try fill(open())
        let backup = try store.backup()
        let bytes = try backup.sealed(passphrase: "p", cost: Self.cheap)
        #expect(try ItemBackup(opening: bytes, passphrase: "p") == backup)
        #expect(code { _ = try ItemBackup(opening: bytes, passphrase: "q") } == .wrongKey)
        for place in 0..<bytes.count where place < 60 || place % 97 == 0 {
            var changed = bytes
            changed[place] ^= 0x10
            #expect(throws: StoreError.self) { try ItemBackup(opening: changed, passphrase: "p") }
            #expect(throws: StoreError.self) {
                try ItemBackup(opening: bytes[..<place], passphrase: "p")
            }
        }
    }

    /// Runs SQL statements with another copy of SQLite, as another program would.
    @discardableResult
    private func query(_ sql: String) throws -> String {
        let (status, output) = try Program.run(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", Self.shell, file, sql], in: [:])
        #expect(status == 0, "\(output)")
        return output
    }

    // CPython's module is used because the SQLite shell is not installed everywhere.
    private static let shell = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        *first, last = sys.argv[2].split("; ", 2) if "TRIGGER" not in sys.argv[2] else [sys.argv[2]]
        for statement in first:
            database.execute(statement)
        for row in database.execute(last):
            print(*row, sep="|")
        database.commit()
        """
}

extension EncryptedItemDatabase {
    /// Returns the query plans of the statements by which an operation reads items.
    func queryPlans(of operation: () throws -> Void) throws -> [String] {
        let statements = Guarded<[String]>([])
        queue.unsafeRead { database in
            database.trace { event in
                let sql = event.description
                statements.withLock { $0.append(sql) }
            }
        }
        try operation()
        return try queue.unsafeRead { database in
            database.trace(options: [])
            return try statements.copy.filter { $0.hasPrefix("SELECT * FROM item") }.map { sql in
                // The plan depends only on the text of the statement. The arguments are arbitrary.
                let arguments = [Int](repeating: 0, count: sql.filter { $0 == "?" }.count)
                let steps = try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN " + sql,
                    arguments: StatementArguments(arguments))
                return steps.map(\.description).joined(separator: "\n")
            }
        }
    }
}

#endif
