// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import Foundation
import GRDB
import SystemFiles
import TestSupport
import Testing

@testable import ArchiveStore

/// Truncated and bit-flipped databases. Opening or reading one fails, or all items are unchanged.
@Suite("Damaged databases")
struct DamagedDatabaseTests {
    private let folder: TemporaryFolder
    private let key: MasterKey
    private let bytes: [UInt8]
    private let items: [Item]

    init() throws {
        folder = try TemporaryFolder()
        key = try MasterKey(file: folder("key"), creatingIfMissing: true)
        let database = try EncryptedItemDatabase(
            file: folder("items"), accessGroup: "group", key: key)
        let store = ItemStore(database)
        try store.transaction { transaction in
            for number in 0..<60 {
                var item = Item(
                    service: "service \(number % 7)", account: "account \(number)",
                    data: [UInt8](repeating: UInt8(number), count: 150))
                item.attributes.label = "label"
                item.attributes.creator = FourCharacterCode("keyd")
                try transaction.add(item)
            }
            // These items are deleted, so that the database has free pages.
            for number in 60..<100 {
                try transaction.add(
                    Item(
                        service: "gone", account: "\(number)",
                        data: [UInt8](repeating: 0, count: 900)))
            }
        }
        try store.delete(matching: ItemQuery(service: "gone"))
        items = try store.items()
        bytes = Array(try Data(contentsOf: URL(filePath: folder("items"))))
    }

    /// A store with additional inner pages, each with one child, above the root of its largest
    /// table.
    private func deepened(by levels: Int) throws -> [UInt8] {
        let root = try DatabaseQueue(path: folder("items")).read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'item'")
        }
        let place = (try #require(root) - 1) * 4096
        let count = bytes.count / 4096
        var deep = bytes
        for level in 0..<levels {
            let child = DatabaseAssembler.integer(count + level + 1, 4)
            let page = [5, 0, 0, 0, 0, 0x10, 0, 0] + child
            let whole = page + [UInt8](repeating: 0, count: 4096 - page.count)
            if level == 0 {
                deep.replaceSubrange(place..<place + 4096, with: whole)
            } else {
                deep += whole
            }
        }
        deep += bytes[place..<place + 4096]
        deep.replaceSubrange(28..<32, with: DatabaseAssembler.integer(count + levels, 4))
        return deep
    }

    @Test("a tree with too many levels is refused")
    func deepTree() throws {
        for levels in [20, 30, 300] {
            try Data(deepened(by: levels)).write(to: URL(filePath: folder("damaged")))
            let error = #expect(throws: StoreError.self) {
                try EncryptedItemDatabase(
                    file: folder("damaged"), accessGroup: "group", key: key)
            }
            #expect(error?.code == .invalidDatabase)
            #expect(error?.what.contains("at most 20 levels") == true, "\(error?.what ?? "")")
        }
    }

    /// Changes the original store with an SQL statement, and returns the error of opening it.
    private func errorAfter(
        _ sql: String, _ arguments: StatementArguments = [], accessGroup: String = "group"
    ) throws -> StoreError? {
        try Data(bytes).write(to: URL(filePath: folder("items")))
        try DatabaseQueue(path: folder("items")).write {
            try $0.execute(sql: sql, arguments: arguments)
        }
        return #expect(throws: StoreError.self) {
            try EncryptedItemDatabase(
                file: folder("items"), accessGroup: accessGroup, key: key)
        }
    }

    @Test("large index entries are refused before the index is searched for rows")
    func largeEntries() throws {
        let insert = """
            INSERT INTO item (service, account, synchronizable, invisible, negative, accessibility,
            created, modified, sealed) VALUES (?, ?, 0, 0, 0, x'', 0, 0, x'')
            """
        for row in [("m", ItemIdentity.largestSize + 100), ("a", 1 << 20)] {
            let error = try errorAfter(
                insert, [Data(row.0.utf8), Data(repeating: 1, count: row.1)])
            #expect(error?.code == .invalidDatabase)
            #expect(error?.what.contains("expected entries of at most") == true)
            try DatabaseQueue(path: folder("items")).write {
                try $0.execute(sql: "DELETE FROM item WHERE length(account) > 1000")
            }
        }
        #expect(
            try ItemStore(
                EncryptedItemDatabase(file: folder("items"), accessGroup: "group", key: key)
            ).items().count == items.count)
    }

    @Test("header fields of an unexpected size are refused before a key is derived")
    func sizesInHeader() throws {
        let changes = [
            ("salt", "zeroblob(17), rounds = 2, blockSize = 8, parallelism = 1"),
            ("identifier", "zeroblob(15)"), ("dataKey", "zeroblob(61)"),
            ("accessGroup", "zeroblob(16385)"),
        ]
        for (column, value) in changes {
            let error = try errorAfter("UPDATE store SET \(column) = \(value)")
            #expect(error?.code == .invalidDatabase, "\(column)")
            #expect(error?.what.contains("`\(column)` has a value that no store writes") == true)
        }
    }

    @Test("a store whose identifier, data key or access group was replaced does not open")
    func authenticatedHeader() throws {
        let changes = [
            ("identifier = zeroblob(16)", "group"), ("dataKey = zeroblob(60)", "group"),
            ("accessGroup = CAST('other' AS BLOB)", "other"),
        ]
        for (change, group) in changes {
            let error = try errorAfter("UPDATE store SET \(change)", accessGroup: group)
            #expect(error?.code == .wrongKey, "\(change)")
            #expect(error?.what.contains("header was altered") == true, "\(error?.what ?? "")")
        }
    }

    /// A store whose schema is in a leaf with `references` references from the first page.
    private func schemaBelow(_ references: Int) -> [UInt8] {
        let assembler = DatabaseAssembler(pageSize: 4096)
        let leaf = bytes.count / 4096 + 1
        // The page header moves from offset 100 to 0. The rows keep their offsets.
        let schema = bytes[100..<1100] + bytes[1000..<4096]
        let cell = DatabaseAssembler.integer(leaf, 4) + [1]
        let first = assembler.treePage(
            kind: 5, Array(repeating: cell, count: references - 1), last: leaf, header: 100)
        var result = bytes + schema
        result.replaceSubrange(100..<4096, with: first[100...])
        result.replaceSubrange(28..<32, with: DatabaseAssembler.integer(leaf, 4))
        return result
    }

    private func errorOfOpening(_ name: String) -> StoreError? {
        #expect(throws: StoreError.self) {
            try EncryptedItemDatabase(file: folder(name), accessGroup: "group", key: key)
        }
    }

    @Test("a schema whose pages have several references is refused before SQLite reads it")
    func sharedSchemaPages() throws {
        // A schema below the first page is valid if each page has a single reference.
        #expect(try succeeds(schemaBelow(1), "one reference"))
        for references in [2, 3, 300] {
            try Data(schemaBelow(references)).write(to: URL(filePath: folder("damaged")))
            let error = errorOfOpening("damaged")
            #expect(error?.code == .invalidDatabase)
            #expect(
                error?.what.contains("is referred to more than once") == true,
                "\(error?.what ?? "")")
        }
    }

    @Test(
        "the store reads the text encoding as SQLite does", arguments: [2, 3, 6, 7, 0xFF, 0xFE])
    func encodings(_ number: Int) throws {
        var damaged = bytes
        damaged[59] = UInt8(number)
        try Data(damaged).write(to: URL(filePath: folder("damaged")))
        // The store decodes the UTF-8 schema as UTF-16, as SQLite would, so the schema is not the
        // expected one. If the two disagreed, SQLite would parse a schema that nothing has checked.
        #expect(errorOfOpening("damaged")?.what.contains("other tables") == true)
    }

    @Test("the schema of a file that is not a store is neither parsed nor quoted in the error")
    func schemaOfNoStore() throws {
        try DatabaseQueue(path: folder("foreign")).write { database in
            try database.execute(sql: "PRAGMA application_id = \(0x6B65_7964)")
            try database.execute(sql: "CREATE TABLE t(a)")
            try database.execute(sql: "PRAGMA writable_schema = ON")
            try database.execute(
                sql: "UPDATE sqlite_schema SET name = ?, sql = 'create nonsense'",
                arguments: ["\u{1B}[31m" + String(repeating: "n", count: 100_000)])
        }
        let error = try #require(errorOfOpening("foreign"))
        #expect(error.code == .invalidDatabase)
        #expect(error.what.contains("other tables"), "\(error.what.prefix(200))")
        for quotation in ["[31m", "nnn", "nonsense"] {
            #expect(!error.description.contains(quotation))
        }
    }

    @Test("no other program can change the store while its size is read")
    func sizeUnderLock() throws {
        let file = folder("locked")
        try Data(bytes).write(to: URL(filePath: file))
        let writer = try DatabaseQueue(path: file)
        try DatabaseQueue(path: file).read { database in
            try StoreSchema.require(database) {
                #expect(throws: DatabaseError.self) {
                    try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
                }
                return try FileMode(of: file)
            }
        }
    }

    @Test("a store with an additional table or view is refused")
    func furtherTable() throws {
        for statement in ["CREATE TABLE t(a)", "CREATE VIEW v AS SELECT 1", "ANALYZE"] {
            try Data(bytes).write(to: URL(filePath: folder("more")))
            try DatabaseQueue(path: folder("more")).write { try $0.execute(sql: statement) }
            #expect(errorOfOpening("more")?.what.contains("other tables") == true)
        }
    }

    @Test(
        "a large sparse store is refused before its pages are counted and its schema is read",
        arguments: [0, 3])
    func sparseStore(_ references: Int) throws {
        var sparse = references == 0 ? bytes : schemaBelow(references)
        let size = 1 << 36
        sparse.replaceSubrange(28..<32, with: DatabaseAssembler.integer(size / 4096, 4))
        let file = folder("sparse")
        try Data(sparse).write(to: URL(filePath: file))
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
        let error = #expect(throws: StoreError.self) {
            try EncryptedItemDatabase(file: file, accessGroup: "group", key: key)
        }
        #expect(error?.code == .invalidDatabase)
        #expect(error?.what.contains("bytes allocated") == true, "\(error?.what ?? "")")
    }

    /// Opens `bytes` as a database, reads all items, and looks up each of them.
    ///
    /// - Returns: Whether that succeeded. Items that differ from the stored ones are a test
    ///   failure.
    private func succeeds(_ bytes: [UInt8], _ comment: Comment) throws -> Bool {
        let file = folder("damaged")
        defer {
            try? FileManager.default.removeItem(atPath: file)
            try? FileManager.default.removeItem(atPath: file + "-journal")
        }
        try Data(bytes).write(to: URL(filePath: file))
        do {
            let store = ItemStore(
                try EncryptedItemDatabase(
                    file: file, accessGroup: "group", key: key, creatingIfMissing: false))
            #expect(try store.items() == items, comment)
            for item in items {
                #expect(
                    try store.item(matching: ItemQuery(item.attributes.identity)) == item, comment)
            }
            return true
        } catch let error as StoreError {
            #expect(!error.what.isEmpty)
            return false
        }
    }

    @Test("a flipped bit anywhere is an error, or changes no stored item")
    func flips() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        // The test flips one bit in each byte of the header, and in a sample of the others.
        let count =
            ProcessInfo.processInfo.environment["STORE_FLIPS"].flatMap { Int($0) }
            ?? Exhaustive.size(200, inDebug: 100)
        let places = Array(0..<110) + (0..<count).map { _ in random.below(bytes.count) }
        var failures = 0
        for place in places {
            var damaged = bytes
            let bit = UInt8(1) << UInt8(random.below(8))
            damaged[place] ^= bit
            if try !succeeds(damaged, "byte \(place), bit \(bit), seed \(seed)") { failures += 1 }
        }
        #expect(failures > places.count / 5)
    }

    @Test("every truncation is an error")
    func truncations() throws {
        for size in stride(from: 0, to: bytes.count, by: 509) {
            #expect(try !succeeds(Array(bytes[..<size]), "\(size) bytes"))
        }
        #expect(try !succeeds(Array(bytes.dropLast()), "one byte less"))
        #expect(try succeeds(bytes, "as it was"))
    }

    @Test(
        "a store file longer than its database is refused, and opens after `VACUUM`"
    )
    func longerFile() throws {
        let file = folder("longer")
        let page = [UInt8](repeating: 0xA5, count: 4096)
        try Data(bytes + page).write(to: URL(filePath: file))
        func store() throws -> ItemStore {
            ItemStore(try EncryptedItemDatabase(file: file, accessGroup: "group", key: key))
        }
        let error = #expect(throws: StoreError.self) { try store() }
        #expect(error?.code == .invalidDatabase)
        #expect(error?.recovery?.contains("`VACUUM`") == true)
        try DatabaseQueue(path: file).vacuum()
        let open = try store()
        #expect(try open.items() == items)
        // The same happens while the store is open.
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(page))
        try handle.close()
        let item = Item(service: "new", account: "new", data: [1])
        let second = #expect(throws: StoreError.self) { try open.add(item) }
        #expect(second?.recovery?.contains("`VACUUM`") == true)
        try DatabaseQueue(path: file).vacuum()
        try open.add(item)
        #expect(try open.items().count == items.count + 1)
    }

    @Test("a store with auto-vacuum is refused, and opens after auto-vacuum is turned off")
    func automaticVacuum() throws {
        let file = folder("vacuum")
        try Data(bytes).write(to: URL(filePath: file))
        func store() throws -> ItemStore {
            ItemStore(try EncryptedItemDatabase(file: file, accessGroup: "group", key: key))
        }
        func run(_ pragma: String) throws {
            try DatabaseQueue(path: file).writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA auto_vacuum = \(pragma); VACUUM")
            }
        }
        for mode in ["FULL", "INCREMENTAL"] {
            try run(mode)
            let error = #expect(throws: StoreError.self) { try store() }
            #expect(error?.code == .invalidDatabase)
            #expect(error?.recovery?.contains("PRAGMA auto_vacuum = NONE; VACUUM") == true)
        }
        try run("NONE")
        #expect(try store().items() == items)
    }

    @Test("zeroed, overwritten or duplicated pages are an error, or change nothing")
    func pages() throws {
        let size = 4096
        for start in stride(from: 0, to: bytes.count, by: size) {
            var zeros = bytes
            zeros.replaceSubrange(start..<start + size, with: [UInt8](repeating: 0, count: size))
            _ = try succeeds(zeros, "zeros at \(start)")
            var junk = bytes
            junk.replaceSubrange(start..<start + size, with: [UInt8](repeating: 0xA5, count: size))
            _ = try succeeds(junk, "junk at \(start)")
            guard start > 0 else { continue }
            var copied = bytes
            copied.replaceSubrange(start..<start + size, with: bytes[(bytes.count - size)...])
            _ = try succeeds(copied, "the last page at \(start)")
        }
    }
}

#endif
