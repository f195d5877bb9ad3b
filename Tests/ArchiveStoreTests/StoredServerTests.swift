// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import Foundation
import GRDB
import TestSupport
import Testing

@testable import ArchiveStore

@Suite("Internet passwords in encrypted stores")
struct StoredServerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func database() throws -> EncryptedItemDatabase {
        let key = try MasterKey(file: folder("key"), creatingIfMissing: true)
        return try EncryptedItemDatabase(file: folder("items"), accessGroup: "group", key: key)
    }

    @Test("a store of version 1 keeps that version until an internet password is added")
    func earlierVersion() throws {
        for name in ["items", "key"] {
            try FileManager.default.copyItem(
                atPath: Corpus.fixtures.appending(path: "stores/version-1/\(name)").path,
                toPath: folder(name))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: folder(name))
        }
        let database = try database()
        let store = ItemStore(database)
        #expect(try store.password(service: "s", account: "a") == "7")
        try store.save(Item(service: "t", account: "a", password: "8"))
        #expect(try version(database) == 1)
        try database.rotateKey(to: MasterKey(file: folder("other"), creatingIfMissing: true))
        #expect(try version(database) == 1)
        #expect(try store.items().map(\.password) == ["7", "8"])
    }

    private func version(_ database: EncryptedItemDatabase) throws -> Int? {
        try database.queue.read { try Int.fetchOne($0, sql: "SELECT version FROM store") }
    }

    @Test("adding an internet password gives the store a version that earlier libraries refuse")
    func laterVersion() throws {
        let database = try database()
        let other = try self.database()
        let store = ItemStore(database)
        try store.save(Item(service: "s", account: "a", password: "1"))
        #expect(try version(database) == 1)
        let server = Item(ServerAddress("s"), account: "a", password: "2")
        // A transaction that is rolled back does not change the version.
        #expect(throws: CancellationError.self) {
            try store.transaction {
                try $0.add(server)
                throw CancellationError()
            }
        }
        #expect(try version(database) == 1)
        try store.add(server)
        #expect(try version(database) == 2)
        // A connection that read the earlier header rotates the key.
        try other.rotateKey(to: MasterKey(file: folder("other"), creatingIfMissing: true))
        #expect(try version(other) == 2)
        #expect(try ItemStore(other).items().map(\.password) == ["1", "2"])
        try other.queue.write { try $0.execute(sql: "UPDATE store SET version = 3") }
        let key = try MasterKey(file: folder("other"))
        let error = #expect(throws: StoreError.self) {
            try EncryptedItemDatabase(file: folder("items"), accessGroup: "group", key: key)
        }
        #expect(error?.code == .unsupportedVersion)
    }

    @Test("a server is looked up through the index")
    func index() throws {
        let database = try database()
        let store = ItemStore(database)
        try store.add(Item(ServerAddress("s"), account: "a", password: "1"))
        let plans = try database.queryPlans {
            _ = try store.items(matching: ItemQuery(server: "s"))
        }
        let search = "SEARCH item USING INDEX itemIdentity (service>? AND service<?)"
        #expect(plans.count == 1 && plans.joined().contains(search), "\(plans)")
    }

    @Test(
        "an address that was tampered with is not read, and can be deleted"
    )
    func altered() throws {
        let database = try database()
        let store = ItemStore(database)
        try store.add(Item(ServerAddress("s"), account: "a", password: "1"))
        try store.add(Item(ServerAddress("t"), account: "a", password: "2"))
        // The first row gets another port, then a truncated address.
        let other = ItemSubject.server(ServerAddress("s", port: 1)).bytes
        for (number, bytes) in [other, Array(other.dropLast())].enumerated() {
            try database.queue.write { connection in
                try connection.execute(
                    sql: "UPDATE item SET service = ? WHERE id = 1", arguments: [Data(bytes)])
            }
            let error = #expect(throws: StoreError.self) {
                try store.items(matching: ItemQuery(server: "s"))
            }
            #expect(error?.code == .alteredItem)
            #expect(error?.what.contains("server `s`") == (number == 0))
            #expect(try store.items(matching: ItemQuery(server: "t")).count == 1)
        }
        #expect(try store.delete(matching: ItemQuery(account: "a")) == 2)
    }

    @Test(
        "deleting the items of a server also deletes an item with a malformed address",
        arguments: [true, false])
    func malformed(_ hasIntactItem: Bool) throws {
        let database = try database()
        let store = ItemStore(database)
        try store.add(Item(ServerAddress("s", path: "/"), account: "a", password: "1"))
        try store.add(Item(ServerAddress("t"), account: "a", password: "2"))
        if hasIntactItem { try store.add(Item(ServerAddress("s"), account: "a", password: "3")) }
        let bytes = ItemSubject.server(ServerAddress("s", path: "/")).bytes
        try database.queue.write { connection in
            try connection.execute(
                sql: "UPDATE item SET service = ? WHERE id = 1",
                arguments: [Data(bytes.dropLast())])
        }
        let query = ItemQuery(server: "s")
        let error = #expect(throws: StoreError.self) { try store.items(matching: query) }
        #expect(error?.code == .alteredItem)
        #expect(try store.delete(matching: query) == (hasIntactItem ? 2 : 1))
        #expect(try store.items().map(\.password) == ["2"])
    }
}

#endif
