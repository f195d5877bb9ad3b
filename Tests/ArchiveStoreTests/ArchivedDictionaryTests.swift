// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import Synchronization
import Testing

@Suite("Archived dictionaries")
struct ArchivedDictionaryTests {
    private let store = ItemStore(MemoryItemDatabase(accessGroup: "group"))

    private var dictionary: ArchivedDictionary {
        ArchivedDictionary(in: store, service: "app", account: "values")
    }

    @Test("values of all common classes are set, read and removed")
    func values() throws {
        #expect(try dictionary.dictionary().isEmpty)
        #expect(try dictionary["a"] == nil)
        try dictionary.set("Anna", forKey: "name")
        try dictionary.set(36, forKey: "age")
        try dictionary.update {
            $0["ok"] = AnyArchived(true)
            $0["when"] = AnyArchived(Date(timeIntervalSinceReferenceDate: 5))
            $0["blob"] = AnyArchived(Data([1]))
            $0["note"] = AnyArchived(Mutable("n"))
        }
        #expect(try dictionary.value(forKey: "name") == "Anna")
        #expect(try dictionary.value(Int.self, forKey: "age") == 36)
        #expect(try dictionary.value(Bool.self, forKey: "ok") == true)
        #expect(try dictionary["when"]?.value(as: Date.self)?.timeIntervalSinceReferenceDate == 5)
        #expect(try dictionary.value(String.self, forKey: "note") == "n")
        try dictionary.set(String?.none, forKey: "name")
        try dictionary.removeValue(forKey: "age")
        #expect(Set(try dictionary.dictionary().keys) == ["ok", "when", "blob", "note"])
        let error = #expect(throws: StoreError.self) {
            try dictionary.value(Int.self, forKey: "ok")
        }
        #expect(error?.path?.description == "values.ok")
        try dictionary.reset()
        try dictionary.reset()
        #expect(try store.items() == [])
    }

    @Test("what is not allowed is refused with its path before anything is written")
    func refused() throws {
        try dictionary.set("kept", forKey: "name")
        let before = try store.items()
        let error = #expect(throws: KeyedArchiveError.self) {
            try dictionary.update {
                $0["name"] = AnyArchived("changed")
                $0["list"] = AnyArchived(["a", "b"])
            }
        }
        #expect(error?.code == .classNotAllowed)
        #expect(error?.path?.description.hasPrefix("values.NS.objects[") == true)
        #expect(throws: KeyedArchiveError.self) {
            try dictionary.set(["nested": 1], forKey: "dictionary")
        }
        #expect(try store.items() == before)
        let wider = ArchivedDictionary(
            in: store, service: "app", account: "values", allowing: .propertyList)
        try wider.set([AnyArchived(["nested": 1])], forKey: "list")
        #expect(try wider["list"] != nil)
        let readError = #expect(throws: KeyedArchiveError.self) { try dictionary.dictionary() }
        #expect(readError?.code == .classNotAllowed)
        let strings = ArchivedDictionary(
            in: store, service: "app", account: "values",
            allowing: ClassRegistry.commonClasses.adding([String].self))
        #expect(throws: KeyedArchiveError.self) {
            try strings.set(["allowed", "still"], forKey: "list")
        }
    }

    @Test("values that could not be read again are refused before anything is written")
    func unreadable() throws {
        let reports = Reports()
        let dictionary = ArchivedDictionary(
            in: store, service: "app", account: "values", allowing: .propertyList,
            onCorruption: .reset { reports.add($0) })
        try dictionary.set("kept", forKey: "name")
        let before = try store.items()
        // Archived once, and referred to more often than limits for untrusted input allow.
        let error = #expect(throws: KeyedArchiveError.self) {
            try dictionary.set([Bool](repeating: true, count: 200_000), forKey: "flags")
        }
        #expect(error?.code == .expansionLimitExceeded)
        #expect(try store.items() == before)
        #expect(try dictionary.value(String.self, forKey: "name") == "kept")
        #expect(reports.count == 0)
    }

    @Test("corrupt data are an error, or reported and reset, as the policy says")
    func corruption() throws {
        let reports = Reports()
        let tolerant = ArchivedDictionary(
            in: store, service: "app", account: "values",
            onCorruption: .reset { reports.add($0) })
        for junk: [UInt8] in [[], Array("junk".utf8), try KeyedArchiver.archive(["a": 1])] {
            try store.save(Item(service: "app", account: "values", data: junk))
            #expect(throws: KeyedArchiveError.self) { try dictionary.dictionary() }
            #expect(throws: KeyedArchiveError.self) { try dictionary.set(1, forKey: "a") }
            #expect(try store.items().map(\.data) == [junk])
            #expect(try tolerant.dictionary().isEmpty)
            #expect(try store.items() == [])
            try store.save(Item(service: "app", account: "values", data: junk))
            try tolerant.set(1, forKey: "a")
            #expect(try dictionary.value(Int.self, forKey: "a") == 1)
        }
        #expect(reports.count == 6)
    }

    @Test("an item that Foundation's archiver wrote is read, and what is written Foundation reads")
    func foundation() throws {
        let theirs = NSMutableDictionary(dictionary: [
            "name": "Anna", "age": 36, "real": 2.5, "ok": true, "blob": Data([1, 2]),
            "when": Date(timeIntervalSinceReferenceDate: 7),
            "note": NSMutableString(string: "mutable"),
        ])
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(theirs, forKey: "MyValues")
        archiver.finishEncoding()
        try store.add(Item(service: "app", account: "theirs", data: archiver.encodedData))
        let dictionary = ArchivedDictionary(
            in: store, service: "app", account: "theirs", key: "MyValues")
        #expect(try dictionary.value(forKey: "name") == "Anna")
        #expect(try dictionary.value(Int.self, forKey: "age") == 36)
        #expect(try dictionary.value(Double.self, forKey: "real") == 2.5)
        #expect(try dictionary.value(Bool.self, forKey: "ok") == true)
        #expect(try dictionary.value(Data.self, forKey: "blob") == Data([1, 2]))
        #expect(
            try dictionary.value(Date.self, forKey: "when")
                == Date(timeIntervalSinceReferenceDate: 7))
        #expect(try dictionary.value(String.self, forKey: "note") == "mutable")
        try dictionary.set("Bob", forKey: "name")

        let data = Data(try store.data(matching: ItemQuery(account: "theirs")))
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        let back =
            unarchiver.decodeObject(
                of: [
                    NSMutableDictionary.self, NSString.self, NSNumber.self, NSData.self,
                    NSDate.self,
                    NSMutableString.self,
                ], forKey: "MyValues") as? NSMutableDictionary
        theirs["name"] = "Bob"
        #expect(back == theirs)
    }

    @Test("many tasks that change one dictionary lose nothing")
    func concurrency() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { [store] in
                    let dictionary = ArchivedDictionary(in: store, service: "app", account: "sum")
                    for number in 0..<20 {
                        try dictionary.update { entries in
                            let sum = entries["sum"]?.value(as: Int.self) ?? 0
                            entries["sum"] = AnyArchived(sum + 1)
                            entries["\(task)"] = AnyArchived(number)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let dictionary = ArchivedDictionary(in: store, service: "app", account: "sum")
        #expect(try dictionary.value(Int.self, forKey: "sum") == 160)
    }
}

/// Counts what was reported.
private final class Reports: Sendable {
    private let errors = Mutex(0)
    var count: Int { errors.withLock { $0 } }
    func add(_ error: any Error) { errors.withLock { $0 += 1 } }
}
