// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArchiveStore

/// Behavior that all item databases share.
@Suite("Item stores")
struct ItemStoreTests {
    /// The databases under test.
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case memory
        #if Stores
        case encrypted
        #endif

        var testDescription: String { "\(self)" }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func database(_ kind: Kind, _ group: String) throws -> any ItemDatabase {
        switch kind {
        case .memory: return MemoryItemDatabase(accessGroup: group)
        #if Stores
        case .encrypted:
            let key = try MasterKey(file: folder("key"), creatingIfMissing: true)
            return try EncryptedItemDatabase(file: folder(group), accessGroup: group, key: key)
        #endif
        }
    }

    private func store(_ kind: Kind) throws -> ItemStore {
        ItemStore(try database(kind, "first"), try database(kind, "second"))
    }

    private var full: Item {
        var attributes = ItemAttributes(service: "example.com", account: "anna\0ö")
        attributes.label = "Example"
        attributes.itemDescription = "login"
        attributes.comment = ""
        attributes.creator = FourCharacterCode("keyd")
        attributes.type = FourCharacterCode(rawValue: .max)
        attributes.generic = []
        attributes.isInvisible = true
        attributes.isNegative = true
        attributes.isSynchronizable = true
        attributes.accessibility = .afterFirstUnlockThisDeviceOnly
        return Item(attributes, data: [0, 1, 255])
    }

    @Test("the sizes of service and account are limited", arguments: Kind.allCases)
    func sizeOfIdentity(_ kind: Kind) throws {
        let store = try store(kind)
        let half = String(repeating: "ö", count: ItemIdentity.largestSize / 4)
        try store.add(Item(service: half, account: half, password: "largest"))
        let tooLarge = Item(service: half, account: half + "x", password: "too large")
        let changes: [() throws -> Void] = [
            { try store.add(tooLarge) }, { try store.save(tooLarge) },
            { try store.update(matching: ItemQuery()) { $0.attributes.account += "x" } },
        ]
        for change in changes {
            let error = #expect(throws: StoreError.self) { try change() }
            #expect(error?.code == .invalidName)
            #expect(error?.what.contains("expected at most 16384 bytes") == true)
        }
        #expect(try store.items().map(\.password) == ["largest"])
    }

    @Test(
        "looking up a password by service and account returns nil if there is none",
        arguments: Kind.allCases)
    func passwords(_ kind: Kind) throws {
        let store = try store(kind)
        try store.save(Item(service: "example.com", account: "anna", password: "secret"))
        #expect(try store.password(service: "example.com", account: "anna") == "secret")
        #expect(try store.password(service: "example.com", account: "berta") == nil)
        #expect(
            try store.password(service: "example.com", account: "anna", accessGroup: "second")
                == nil)
        try store.save(Item(service: "example.com", account: "anna", data: [0xFF]))
        let error = #expect(throws: StoreError.self) {
            try store.password(service: "example.com", account: "anna")
        }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.description.contains("service `example.com`") == true)
    }

    @Test("the items of a service are read and set by account", arguments: Kind.allCases)
    func serviceItems(_ kind: Kind) throws {
        let store = try store(kind)
        let items = store.items(service: "example.com")
        #expect(try items["anna"] == nil && items.accounts == [])
        var labeled = Item(service: "example.com", account: "anna", password: "old")
        labeled.attributes.label = "Anna's"
        labeled.attributes.accessGroup = "second"
        try store.add(labeled)
        try store.add(Item(service: "other", account: "anna", password: "other"))
        try items.setPassword("new", account: "anna")
        try items.setPassword("secret", account: "berta")
        #expect(try items["anna"]?.password == "new")
        #expect(try items["anna"]?.attributes.label == "Anna's")
        #expect(try items["anna"]?.attributes.accessGroup == "second")
        #expect(try items["berta"]?.attributes.accessGroup == "first")
        #expect(try Set(items.accounts) == ["anna", "berta"])
        #expect(try store.items(service: "example.com", accessGroup: "second").accounts == ["anna"])
        try items.setPassword(nil, account: "anna")
        try items.setPassword(nil, account: "anna")
        #expect(try items.accounts == ["berta"])
        #expect(try store.items().count == 2)
    }

    @Test("items are found by their labels", arguments: Kind.allCases)
    func labels(_ kind: Kind) throws {
        let store = try store(kind)
        for label in ["Example", "example", "e\u{301}", nil] {
            var item = Item(service: "s", account: label ?? "none", password: "p")
            item.attributes.label = label
            try store.add(item)
        }
        #expect(
            try store.items(matching: ItemQuery(label: "Example")).map(\.attributes.account) == [
                "Example"
            ])
        #expect(try store.items(matching: ItemQuery(label: "\u{E9}")).isEmpty)
        let error = #expect(throws: StoreError.self) {
            try store.item(matching: ItemQuery(label: "none"))
        }
        #expect(
            error?.description == "store: no item with the label `none` matches "
                + "(`items(matching:)` returns an empty result instead of an error)")
    }

    @Test("an item is read with all attributes that it was added with", arguments: Kind.allCases)
    func add(_ kind: Kind) throws {
        let store = try store(kind)
        let before = Date()
        try store.add(full)
        var item = try store.item(matching: ItemQuery(service: "example.com"))
        #expect(item.attributes.accessGroup == "first")
        #expect(item.attributes.created >= before && item.attributes.created <= Date())
        #expect(item.attributes.created == item.attributes.modified)
        item.attributes.accessGroup = nil
        item.attributes.created = full.attributes.created
        item.attributes.modified = full.attributes.modified
        #expect(item == full)
        try store.add(Item(service: "", account: "", data: []))
        #expect(try store.data(matching: ItemQuery(service: "", account: "")) == [])
        #expect(try store.attributes().map(\.service) == ["example.com", ""])
    }

    @Test(
        "a duplicate and a missing item have their own error codes",
        arguments: Kind.allCases)
    func errors(_ kind: Kind) throws {
        let store = try store(kind)
        try store.add(full)
        func code(_ body: () throws -> Void) -> StoreError.Code? {
            do { try body() } catch { return (error as? StoreError)?.code }
            return nil
        }
        #expect(code { try store.add(full) } == .duplicateItem)
        var other = full
        other.attributes.isSynchronizable = false
        #expect(code { try store.add(other) } == nil)
        #expect(
            code {
                try store.update(matching: ItemQuery(other.attributes.identity)) {
                    $0.attributes.isSynchronizable = true
                }
            } == .duplicateItem)
        let missing = ItemQuery(service: "nowhere")
        #expect(code { _ = try store.item(matching: missing) } == .itemNotFound)
        #expect(code { _ = try store.data(matching: missing) } == .itemNotFound)
        #expect(code { try store.update(matching: missing) { _ in } } == .itemNotFound)
        #expect(code { try store.delete(matching: missing) } == .itemNotFound)
        #expect(try store.items(matching: missing) == [])
        let elsewhere = ItemAttributes(service: "s", account: "a", accessGroup: "third")
        #expect(code { try store.add(Item(elsewhere, data: [])) } == .unknownAccessGroup)
        #expect(
            code { _ = try store.items(matching: ItemQuery(accessGroup: "third")) }
                == .unknownAccessGroup)
        #expect(
            code {
                try store.update(matching: ItemQuery(full.attributes.identity)) {
                    $0.attributes.accessGroup = "second"
                }
            } == .unsupportedChange)
        #expect(try store.items().count == 2)
    }

    @Test(
        "saving replaces the data and keeps the creation date and the order",
        arguments: Kind.allCases)
    func save(_ kind: Kind) throws {
        let store = try store(kind)
        try store.save(Item(service: "s", account: "a", password: "old"))
        try store.save(Item(service: "s", account: "b", password: "other"))
        let old = try store.item(matching: ItemQuery(service: "s", account: "a"))
        var new = Item(service: "s", account: "a", password: "new")
        new.attributes.label = "label"
        try store.save(new)
        let items = try store.items(matching: ItemQuery(service: "s"))
        #expect(items.map(\.password) == ["new", "other"])
        #expect(items[0].attributes.label == "label")
        #expect(items[0].attributes.created == old.attributes.created)
        #expect(items[0].attributes.modified >= old.attributes.modified)
    }

    @Test("update and delete apply to all matching items, in every group", arguments: Kind.allCases)
    func updates(_ kind: Kind) throws {
        let store = try store(kind)
        for group in ["first", "second"] {
            for account in ["a", "b"] {
                let attributes = ItemAttributes(
                    service: "s", account: account, accessGroup: group)
                try store.add(Item(attributes, data: [1]))
            }
        }
        let count = try store.update(matching: ItemQuery(account: "a")) {
            $0.attributes.account = "c"
            $0.data.append(2)
        }
        #expect(count == 2)
        #expect(
            try store.items(matching: ItemQuery(account: "c")).map(\.data) == [[1, 2], [1, 2]])
        #expect(try store.delete(matching: ItemQuery(account: "b", accessGroup: "second")) == 1)
        #expect(try store.items().count == 3)
        #expect(try store.items(limit: 2).count == 2)
        #expect(try store.delete(matching: ItemQuery()) == 3)
        #expect(try store.items() == [])
    }

    @Test("every attribute of a query is compared", arguments: Kind.allCases)
    func queries(_ kind: Kind) throws {
        let store = try store(kind)
        try store.add(full)
        try store.add(Item(service: "example.com", account: "bob", data: []))
        var queries = [ItemQuery(service: "example.com", account: "anna\0ö", accessGroup: "first")]
        func query(_ set: (inout ItemQuery) -> Void) {
            var query = ItemQuery()
            set(&query)
            queries.append(query)
        }
        query { $0.isSynchronizable = true }
        query { $0.label = "Example" }
        query { $0.creator = FourCharacterCode("keyd") }
        query { $0.type = FourCharacterCode(rawValue: .max) }
        query { $0.generic = [] }
        query { $0.accessibility = .afterFirstUnlockThisDeviceOnly }
        for query in queries {
            #expect(try store.items(matching: query).map(\.attributes.account) == ["anna\0ö"])
        }
        #expect(try store.items(matching: ItemQuery(service: "Example.com")) == [])
        #expect(try store.items(matching: ItemQuery(account: "anna")) == [])
        #expect(try store.items(matching: ItemQuery(account: "anna\0o\u{308}")) == [])
    }

    @Test("a limit of zero or less finds nothing", arguments: Kind.allCases)
    func limits(_ kind: Kind) throws {
        let database = try database(kind, "first")
        try ItemStore(database).add(full)
        for query in [ItemQuery(), ItemQuery(full.attributes.identity)] {
            for limit in [0, -1, .min] {
                #expect(try database.items(matching: query, limit: limit) == [])
                #expect(try ItemStore(database).items(matching: query, limit: limit) == [])
            }
            #expect(try database.items(matching: query, limit: .max).count == 1)
        }
    }

    @Test("items and queries compare their strings scalar by scalar, as stores do")
    func equality() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        func attributes(_ change: (inout ItemAttributes) -> Void) -> ItemAttributes {
            var attributes = ItemAttributes(service: "s", account: "a")
            change(&attributes)
            return attributes
        }
        let texts: [WritableKeyPath<ItemAttributes, String?>] = [
            \.accessGroup, \.label, \.itemDescription, \.comment,
        ]
        let required: [WritableKeyPath<ItemAttributes, String>] = [\.service, \.account]
        let pairs =
            texts.map { path in
                (
                    attributes { $0[keyPath: path] = composed },
                    attributes { $0[keyPath: path] = decomposed }
                )
            }
            + required.map { path in
                (
                    attributes { $0[keyPath: path] = composed },
                    attributes { $0[keyPath: path] = decomposed }
                )
            }
        for (one, other) in pairs {
            #expect(one != other && one == one)
            #expect(Set([one, other, one]).count == 2)
            #expect(Item(one, data: []) != Item(other, data: []))
            #expect(Set([Item(one, data: []), Item(other, data: [])]).count == 2)
        }
        // Each of the other attributes is compared, too.
        let changes: [(inout ItemAttributes) -> Void] = [
            { $0.isSynchronizable = true }, { $0.creator = FourCharacterCode(rawValue: 1) },
            { $0.type = FourCharacterCode(rawValue: 1) }, { $0.generic = [1] },
            { $0.isInvisible = true }, { $0.isNegative = true },
            { $0.accessibility = .afterFirstUnlock },
            { $0.created = Date(timeIntervalSinceReferenceDate: 1) },
            { $0.modified = Date(timeIntervalSinceReferenceDate: 1) }, { $0.label = "" },
        ]
        let all = changes.map(attributes) + [attributes { _ in }]
        #expect(Set(all).count == changes.count + 1)
        // The same text in another attribute makes a difference.
        #expect(
            attributes { $0.label = "x" } != attributes { $0.comment = "x" })
        for path in [\ItemQuery.service, \.account, \.accessGroup, \.label] {
            var (one, other) = (ItemQuery(), ItemQuery())
            one[keyPath: path] = composed
            other[keyPath: path] = decomposed
            #expect(one != other && Set([one, other]).count == 2)
        }
    }

    @Test("replacing an item that does not exist is an error", arguments: Kind.allCases)
    func replacing(_ kind: Kind) throws {
        let store = try store(kind)
        let third = Item(service: "s", account: "third", password: "third")
        try store.add(third)
        for new in [Item(service: "s", account: "new", password: "new"), third] {
            try store.transaction { transaction in
                let missing = ItemIdentity(service: "s", account: "missing")
                let error = #expect(throws: StoreError.self) {
                    try transaction.replace(missing, with: new)
                }
                #expect(error?.code == .itemNotFound)
                // The item `second` exists, but `third` already has the new identity.
                let error2 = #expect(throws: StoreError.self) {
                    try transaction.savepoint {
                        try transaction.add(Item(service: "s", account: "second", data: []))
                        try transaction.replace(
                            ItemIdentity(service: "s", account: "second"), with: third)
                    }
                }
                #expect(error2?.code == .duplicateItem)
            }
        }
        #expect(try store.items().map(\.password) == ["third"])
    }

    @Test(
        "an inserted item gets the access group of the transaction", arguments: Kind.allCases)
    func groupOfInsertedItems(_ kind: Kind) throws {
        let store = try store(kind)
        for group in [nil, "second"] as [String?] {
            let attributes = ItemAttributes(service: "s", account: "a", accessGroup: group)
            let item = Item(attributes, data: [1])
            try store.transaction(in: "first") { transaction in
                try transaction.insert(item)
                try transaction.replace(attributes.identity, with: item)
            }
            let found = try store.items(matching: ItemQuery(service: "s", accessGroup: "first"))
            #expect(found.map(\.attributes.accessGroup) == ["first"])
            try store.delete(matching: ItemQuery())
        }
    }

    @Test(
        "groups, services and accounts may contain a NUL", arguments: Kind.allCases)
    func namesWithNUL(_ kind: Kind) throws {
        func open(_ name: String, _ group: String) throws -> any ItemDatabase {
            switch kind {
            case .memory: return MemoryItemDatabase(accessGroup: group)
            #if Stores
            case .encrypted:
                let key = try MasterKey(file: folder("key"), creatingIfMissing: true)
                return try EncryptedItemDatabase(file: folder(name), accessGroup: group, key: key)
            #endif
            }
        }
        let store = ItemStore(try open("one", "group\0one"), try open("other", "group\0other"))
        for group in store.accessGroups {
            for name in ["a\0", "a\0b", "a"] {
                let attributes = ItemAttributes(service: name, account: name, accessGroup: group)
                try store.add(Item(attributes, data: Array(name.utf8)))
            }
        }
        #expect(try store.items().count == 6)
        for name in ["a\0", "a\0b", "a"] {
            let query = ItemQuery(service: name, account: name, accessGroup: "group\0other")
            #expect(try store.items(matching: query).map(\.password) == [name])
        }
        let cut = #expect(throws: StoreError.self) {
            try store.items(matching: ItemQuery(accessGroup: "group"))
        }
        #expect(cut?.code == .unknownAccessGroup)
        #if Stores
        if kind == .encrypted { #expect(throws: StoreError.self) { try open("one", "group") } }
        #endif
    }

    @Test("a transaction that throws changes nothing", arguments: Kind.allCases)
    func rollback(_ kind: Kind) throws {
        struct Stop: Error {}
        let store = try store(kind)
        try store.add(Item(service: "kept", account: "", password: "old"))
        #expect(throws: Stop.self) {
            try store.transaction { transaction in
                try transaction.save(Item(service: "kept", account: "", password: "new"))
                try transaction.add(Item(service: "added", account: "", data: []))
                try transaction.update(matching: ItemQuery(service: "added")) {
                    $0.attributes.service = "moved"
                }
                try transaction.delete(matching: ItemQuery(service: "kept"))
                throw Stop()
            }
        }
        #expect(try store.items().map(\.password) == ["old"])
        try store.transaction { try $0.save(Item(service: "kept", account: "", password: "new")) }
        #expect(try store.items().map(\.password) == ["new"])
    }

    @Test("using the store itself within its transaction is an error", arguments: Kind.allCases)
    func nesting(_ kind: Kind) throws {
        let store = try store(kind)
        let misuses: [() throws -> Void] = [
            { _ = try store.items() }, { try store.save(full) },
            { try store.transaction { _ in } },
        ]
        for misuse in misuses {
            let error = #expect(throws: StoreError.self) {
                try store.transaction { _ in try misuse() }
            }
            #expect(error?.code == .misuse)
        }
        try store.transaction { _ in try store.transaction(in: "second") { try $0.add(elsewhere) } }
        #expect(try store.items().count == 1)
    }

    private var elsewhere: Item {
        Item(ItemAttributes(service: "s", account: "a", accessGroup: "second"), data: [])
    }

    @Test(
        "an update that throws is undone, and the transaction continues", arguments: Kind.allCases)
    func partialUpdate(_ kind: Kind) throws {
        struct Stop: Error {}
        let store = try store(kind)
        for account in ["a", "b", "c"] {
            try store.add(Item(service: "s", account: account, password: "old"))
        }
        try store.transaction { transaction in
            try transaction.add(Item(service: "t", account: "", password: "before"))
            var count = 0
            #expect(throws: Stop.self) {
                try transaction.update(matching: ItemQuery(service: "s")) { item in
                    item.data = Array("new".utf8)
                    count += 1
                    if count == 3 { throw Stop() }
                }
            }
            // The second item would get the identity of the first.
            #expect(throws: StoreError.self) {
                try transaction.update(matching: ItemQuery(service: "s")) {
                    $0.attributes.account = "same"
                }
            }
            try transaction.add(Item(service: "u", account: "", password: "after"))
        }
        let items = try store.items(matching: ItemQuery(service: "s"))
        #expect(items.map(\.password) == ["old", "old", "old"])
        #expect(items.map(\.attributes.account) == ["a", "b", "c"])
        #expect(try store.items().count == 5)
    }

    /// Keeps a transaction beyond its closure, which the rules forbid.
    private final class Escaped: @unchecked Sendable {
        var transaction: (any ItemTransaction)?
    }

    @Test(
        "using a transaction on another thread, or after its end, is an error and changes nothing",
        arguments: Kind.allCases)
    func escaping(_ kind: Kind) throws {
        let store = try store(kind)
        let escaped = Escaped()
        func misuses() -> [StoreError.Code?] {
            let transaction = escaped.transaction
            let item = full
            let uses: [() throws -> Void] = [
                { _ = try transaction?.items(matching: ItemQuery(), limit: 1) },
                { try transaction?.add(item) }, { try transaction?.save(item) },
                { try transaction?.insert(item) },
                { try transaction?.replace(item.attributes.identity, with: item) },
                { try transaction?.remove(item.attributes.identity) },
                { _ = try transaction?.delete(matching: ItemQuery()) },
                { _ = try transaction?.update(matching: ItemQuery()) { _ in } },
            ]
            return uses.map { use in
                do { try use() } catch { return (error as? StoreError)?.code }
                return nil
            }
        }
        let expected = Array(repeating: StoreError.Code.misuse as StoreError.Code?, count: 8)
        try store.add(Item(service: "kept", account: "", password: "old"))
        try store.transaction { transaction in
            escaped.transaction = transaction
            var found: [StoreError.Code?] = []
            let done = DispatchSemaphore(value: 0)
            nonisolated(unsafe) let run = { found = misuses() }
            Thread.detachNewThread {
                unsafe run()
                done.signal()
            }
            done.wait()
            #expect(found == expected)
        }
        #expect(misuses() == expected)
        // A later transaction on the same thread does not revive the escaped one.
        try store.transaction { _ in #expect(misuses() == expected) }
        #expect(try store.items().map(\.password) == ["old"])
    }

    @Test(
        "the wrapper for one item has default attributes, adds, updates and resets",
        arguments: Kind.allCases)
    func wrapper(_ kind: Kind) throws {
        let store = try store(kind)
        var defaults = ItemAttributes(service: "login", account: "", accessGroup: "second")
        defaults.label = "Login"
        let wrapper = ItemWrapper("login", in: store, default: defaults)
        #expect(try wrapper.item().attributes.label == "Login")
        #expect(try store.items() == [])
        try wrapper.update {
            $0.attributes.account = "anna"; $0.data = Array("secret".utf8)
        }
        try wrapper.update { $0.attributes.account = "bob" }
        let item = try wrapper.item()
        #expect(item.attributes.account == "bob" && item.password == "secret")
        #expect(item.attributes.label == "Login")
        #expect(try store.items().count == 1)
        try wrapper.reset()
        try wrapper.reset()
        #expect(try wrapper.item().attributes.account == "" && store.items() == [])
        // If several services have an item with the identifier, the wrapper throws and changes
        // none.
        for service in ["one", "two"] {
            var attributes = ItemAttributes(service: service, account: "", accessGroup: "second")
            attributes.generic = Array("login".utf8)
            try store.add(Item(attributes, data: [1]))
        }
        for change in [{ try wrapper.update { $0.data = [2] } }, wrapper.reset] {
            let error = #expect(throws: StoreError.self) { try change() }
            #expect(error?.code == .duplicateItem)
        }
        #expect(try store.items().map(\.data) == [[1], [1]])
    }

    @Test(
        "a backup contains and restores all items except those for this device only",
        arguments: Kind.allCases)
    func backup(_ kind: Kind) throws {
        let store = try store(kind)
        for accessibility in Accessibility.allCases {
            var item = full
            item.attributes.service = accessibility.rawValue
            item.attributes.accessibility = accessibility
            item.attributes.accessGroup = "second"
            try store.add(item)
        }
        let backup = try store.backup()
        #expect(
            backup.items.map(\.attributes.accessibility) == [
                .whenUnlocked, .afterFirstUnlock, .always,
            ])
        let read = try ItemBackup(parsing: backup.archived())
        #expect(read == backup)
        let others = ItemStore(MemoryItemDatabase(accessGroup: "second"))
        try others.add(Item(service: "ak", account: "anna\0ö", password: "mine"))
        #expect(try others.restore(read) == 3)
        #expect(
            Set(try others.items())
                == Set(
                    backup.items
                        + (try others.items(matching: ItemQuery(service: "ak", account: "anna\0ö")))
                ))
        // An item for this device only is in no backup, and no restored item replaces it.
        let local = ItemStore(MemoryItemDatabase(accessGroup: "second"))
        var item = Item(service: "ak", account: "anna\0ö", password: "mine")
        item.attributes.isSynchronizable = true
        item.attributes.accessibility = .whenUnlockedThisDeviceOnly
        try local.add(item)
        #expect(try local.restore(read) == 2)
        #expect(try local.item(matching: ItemQuery(service: "ak")).password == "mine")
        let first = ItemStore(MemoryItemDatabase(accessGroup: "first"))
        #expect(throws: StoreError.self) { try first.restore(read) }
        #expect(throws: (any Error).self) { try ItemBackup(parsing: backup.archived().dropLast()) }
    }
}
