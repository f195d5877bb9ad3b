// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import KeyedArchive
import TestSupport
import Testing

/// Secrets must not appear in printed values.
@Suite("Redaction")
struct RedactionTests {
    private static let secret = "hunter2"
    private static let secretBytes = "\(Array(secret.utf8))"

    /// All descriptions that Swift prints for a value.
    private func shown(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value)\n\(String(reflecting: value))\n\([value])\n\(dumped)"
    }

    private func expectNoSecret(_ value: Any, showing name: String) {
        let text = shown(value)
        #expect(!text.contains(Self.secret), "\(text)")
        #expect(!text.contains(Self.secretBytes), "\(text)")
        // `dump` prints each byte of an array on a line like this.
        #expect(!text.contains("- 104\n"), "\(text)")
        #expect(text.contains(name), "\(text)")
    }

    @Test("items, backups and stores show attributes, never data")
    func items() throws {
        let item = Item(service: "example.com", account: "anna", password: Self.secret)
        expectNoSecret(item, showing: "example.com")
        #expect("\(item)" == "Item of example.com, 7 bytes of data")
        let database = MemoryItemDatabase(accessGroup: "the group")
        let store = ItemStore(database)
        try store.add(item)
        expectNoSecret(try store.items(), showing: "example.com")
        expectNoSecret(try store.backup(), showing: "example.com")
        expectNoSecret(database, showing: "the group")
        expectNoSecret(store, showing: "the group")
        let dictionary = ArchivedDictionary(in: store, service: "s", account: "a")
        try dictionary.set(Self.secret, forKey: "name")
        expectNoSecret(try dictionary.dictionary(), showing: "name")
    }

    @Test("control characters are escaped in printed items")
    func escapes() {
        let item = Item(service: "\u{1B}[2J\n", account: "", data: [])
        #expect("\(item)".unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    #if Stores
    @Test("keys print only their origin")
    func keys() throws {
        expectNoSecret(MasterKey(passphrase: Self.secret), showing: "passphrase")
        let bytes = Array("hunter2 hunter2 hunter2 hunter2!".utf8)
        let key = try MasterKey(bytes: bytes)
        expectNoSecret(key, showing: "32 bytes")
        #expect(!shown(key).contains("104"))
        let folder = try TemporaryFolder()
        let database = try EncryptedItemDatabase(
            file: folder("items"), accessGroup: "the group", key: key)
        expectNoSecret(database, showing: "the group")
        let store = ItemStore(database)
        try store.transaction { transaction in
            try transaction.add(Item(service: "s", account: "a", password: Self.secret))
            let text = shown(transaction)
            #expect(text.contains("the group"), "\(text)")
            for name in ["ItemRows", "SymmetricKey", "rows", "connection"] {
                #expect(!text.contains(name), "\(text)")
            }
        }
    }
    #endif
}
