// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import Testing

@testable import ArchiveStore

@Suite("Preferences")
struct PreferencesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func preferences(_ domain: String = "com.example.App") throws -> Preferences {
        try Preferences(domain: domain, folder: folder.path)
    }

    @Test(
        "typed values are set, read and removed; defaults stand below them",
        arguments: [true, false])
    func values(inMemory: Bool) throws {
        let store: any KeyValueStore = inMemory ? MemoryCache() : try preferences()
        store.register(defaults: ["volume": 0.5, "name": "nobody"])
        #expect(store.double(forKey: "volume") == 0.5)
        store.set(0.75, forKey: "volume")
        #expect(store.double(forKey: "volume") == 0.75)
        store.removeValue(forKey: "volume")
        #expect(store.double(forKey: "volume") == 0.5)
        store["count"] = 3
        store["flag"] = true
        store["when"] = Date(timeIntervalSinceReferenceDate: 1.25)
        store["blob"] = Data([1, 2])
        store["names"] = ["a", "b"]
        store["sizes"] = ["a": 1, "b": 2]
        try store.set(["mixed": [1, "two"]], forKey: "tree")
        #expect(store.integer(forKey: "count") == 3)
        #expect(store.bool(forKey: "flag") == true)
        #expect(store.integer(forKey: "flag") == nil)
        #expect(store.string(forKey: "count") == nil)
        #expect(store.date(forKey: "when")?.timeIntervalSinceReferenceDate == 1.25)
        #expect(store.data(forKey: "blob") == Data([1, 2]))
        #expect(store.strings(forKey: "names") == ["a", "b"])
        #expect(store["sizes"] == ["a": 1, "b": 2])
        #expect(store.array(forKey: "names")?.count == 2)
        #expect(store.dictionary(forKey: "tree") == ["mixed": [1, "two"]])
        #expect(store.storedValues["name"] == nil)
        #expect(store.string(forKey: "name") == "nobody")
        try store.synchronize()
        #expect(store.integer(forKey: "count") == 3)
    }

    @Test("what is no property-list value is refused with its path")
    func refused() throws {
        let store = try preferences()
        let error = #expect(throws: StoreError.self) {
            try store.set([1, .null], forKey: "tree")
        }
        #expect(error?.code == .unsupportedValue && error?.path?.description == "[1]")
        #expect(store.value(forKey: "tree") == nil)
    }

    @Test("what was synchronized is there again; Foundation reads the file")
    func durable() throws {
        let first = try preferences()
        first["name"] = "Anna"
        first["unsaved"] = 1
        try first.synchronize()
        first["unsaved"] = 2
        let second = try preferences()
        #expect(second.string(forKey: "name") == "Anna")
        #expect(second.integer(forKey: "unsaved") == 1)
        let read = try unsafe PropertyListSerialization.propertyList(
            from: Data(contentsOf: URL(filePath: second.file)), format: nil)
        #expect((read as? [String: Any])?["name"] as? String == "Anna")
        #expect(second.file == folder("com.example.App.plist"))
    }

    @Test("of two programs the last writer of a key wins, and nothing else is lost")
    func merging() throws {
        let (one, other) = (try preferences(), try preferences())
        one["a"] = 1
        one["both"] = "one"
        one["gone"] = true
        other["b"] = 2
        other["both"] = "other"
        try one.synchronize()
        try other.synchronize()
        try one.synchronize()
        for store in [one, other] {
            #expect(store.integer(forKey: "a") == 1)
            #expect(store.integer(forKey: "b") == 2)
            #expect(store.string(forKey: "both") == "other")
        }
        other.removeValue(forKey: "gone")
        one["a"] = 10
        try other.synchronize()
        try one.synchronize()
        #expect(one.value(forKey: "gone") == nil)
        #expect(try preferences().storedValues == ["a": 10, "both": "other", "b": 2])
    }

    @Test("many threads and two programs lose no key")
    func concurrency() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<2 {
                let store = try preferences()
                for task in 0..<4 {
                    group.addTask {
                        for number in 0..<10 {
                            store["\(writer) \(task) \(number)"] = number
                            try store.synchronize()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try preferences().storedValues.count == 80)
    }

    @Test("changes are told: own ones at once, those of others when they are found")
    func changes() async throws {
        let (one, other) = (try preferences(), try preferences())
        var changes = one.changes.makeAsyncIterator()
        one["a"] = 1
        one["a"] = 1
        one["b"] = 2
        #expect(await changes.next() == ["a", "b"])
        other["c"] = 3
        try other.synchronize()
        one["d"] = 4
        #expect(await changes.next() == ["d"])
        try one.synchronize()
        #expect(await changes.next() == ["c"])
        one["a"] = 1
        one.removeValue(forKey: "b")
        #expect(await changes.next() == ["b"])
    }

    @Test("the sequence of changes ends with its store")
    func end() async throws {
        var cache: MemoryCache? = MemoryCache()
        let changes = try #require(cache).changes
        cache?["a"] = 1
        cache = nil
        var keys: [[String]] = []
        for await changed in changes { keys.append(changed) }
        #expect(keys == [["a"]])
    }

    @Test("a cache keeps nothing of keys that were removed")
    func cacheOfManyKeys() throws {
        let table = KeyValueTable(hasFile: false)
        for number in 0..<100 {
            table.set(1, "\(number)")
            table.set(nil, "\(number)")
        }
        #expect(table.pending.keys.isEmpty && table.stored.isEmpty)
    }

    @Test("a date that is no moment keeps nothing else from being there")
    func noMoment() throws {
        let store = try preferences()
        store["kept"] = 1
        try store.synchronize()
        let when = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(throws: StoreError.self) { try store.set([when.propertyListValue], forKey: "a") }
        store["when"] = when
        store["new"] = 2
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.code == .unsupportedValue && error?.path?.description == "when")
        #expect(try preferences().storedValues == ["kept": 1])
        store.removeValue(forKey: "when")
        try store.synchronize()
        #expect(try preferences().storedValues == ["kept": 1, "new": 2])
    }

    @Test("a damaged domain is an error, and stays as it is")
    func damaged() throws {
        let store = try preferences()
        store["a"] = 1
        try store.synchronize()
        let junk = Data("bplist00junk".utf8)
        try junk.write(to: URL(filePath: store.file))
        #expect(throws: StoreError.self) { try preferences() }
        store["b"] = 2
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.code == .invalidContents)
        #expect(error?.file == store.file)
        #expect(try Data(contentsOf: URL(filePath: store.file)) == junk)
        try FileManager.default.removeItem(atPath: store.file)
        try store.synchronize()
        #expect(try preferences().integer(forKey: "b") == 2)
    }

    @Test(
        "a domain that is no name of a file is refused",
        arguments: ["", ".", "../a", "a/b", "a\0b"])
    func domains(_ domain: String) {
        #expect(throws: StoreError.self) { try preferences(domain) }
    }

    @Test("keys that only look the same are two")
    func exactKeys() throws {
        let store = try preferences()
        store["e\u{301}"] = 1
        store["\u{E9}"] = 2
        try store.synchronize()
        #expect(try preferences().storedValues.count == 2)
    }
}
