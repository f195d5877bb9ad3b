// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
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
        #expect(error?.path?.description == #"values["ok"]"#)
        try dictionary.reset()
        try dictionary.reset()
        #expect(try store.items() == [])
    }

    @Test("removing an entry does not create a missing item, and removing the last keeps the item")
    func removalFromMissingItem() throws {
        try dictionary.removeValue(forKey: "a")
        try dictionary.set(String?.none, forKey: "a")
        #expect(try store.items().isEmpty)
        try dictionary.set(1, forKey: "a")
        try dictionary.removeValue(forKey: "a")
        #expect(try store.items().count == 1 && dictionary.dictionary().isEmpty)
    }

    @Test("an archive with other roots is read, but not replaced")
    func otherRoots() throws {
        try dictionary.set(1, forKey: "a")
        let archiver = KeyedArchiver()
        archiver.roots.encode(["a": 1], forKey: "values")
        archiver.roots.encode(2, forKey: "version")
        let data = try archiver.finish()
        _ = try store.update(matching: ItemQuery()) { $0.data = data }
        #expect(try dictionary.value(Int.self, forKey: "a") == 1)
        let error = #expect(throws: StoreError.self) { try dictionary.set(2, forKey: "b") }
        #expect(error?.code == .unsupportedChange)
        #expect(error?.what.contains("found 2 roots, among them `version`") == true)
        #expect(try store.items().map(\.data) == [data])
    }

    @Test("the subscript sets values of any allowed type, and reports values that it cannot set")
    func subscripts() throws {
        let failures = Guarded<[String]>([])
        let dictionary = ArchivedDictionary(
            in: store, service: "app", account: "values",
            onFailure: FailureHandler { error in failures.withLock { $0.append("\(error)") } })
        dictionary["name"] = "Anna"
        dictionary["age"] = 36
        dictionary["when"] = Date(timeIntervalSinceReferenceDate: 5)
        dictionary["any"] = AnyArchived(true)
        #expect(try dictionary.value(Int.self, forKey: "age") == 36)
        #expect(try dictionary["name"]?.value(as: String.self) == "Anna")
        dictionary["age"] = Int?.none
        #expect(try dictionary.dictionary().keys == ["any", "name", "when"])
        #expect(failures.copy.isEmpty)
        dictionary["name"] = ["a", "b"]
        #expect(failures.copy.count == 1 && failures.copy.first?.contains("NSArray") == true)
        #expect(failures.copy.first?.contains("service `app`") == true)
        #expect(try dictionary.value(forKey: "name") == "Anna")
        try dictionary.update {
            $0["name"] = "Berta"
            $0["more"] = 1.5
            #expect($0["name"] == "Berta" && $0["more"] == 1.5)
            #expect($0["name"] as Int? == nil)
            $0["when"] = nil
        }
        #expect(try dictionary.dictionary().keys == ["any", "more", "name"])
    }

    @Test("UUIDs and URLs are refused by default, and stored if a preset allows them")
    func identifiers() throws {
        let id = UUID()
        #expect(throws: KeyedArchiveError.self) { try dictionary.set(id, forKey: "id") }
        let wider = ArchivedDictionary(
            in: store, service: "app", account: "values",
            allowing: .commonClasses.merging(.identifierClasses))
        try wider.set(id, forKey: "id")
        try wider.set(URL(fileURLWithPath: "/a"), forKey: "url")
        #expect(try wider.value(UUID.self, forKey: "id") == id)
        #expect(try wider.value(URL.self, forKey: "url")?.path == "/a")
        #expect(throws: KeyedArchiveError.self) { try wider.set(["a"], forKey: "list") }
    }

    @Test("errors name the item")
    func items() throws {
        try dictionary.set(1, forKey: "a")
        let type = #expect(throws: StoreError.self) {
            try dictionary.value(String.self, forKey: "a")
        }
        let name = "item of the service `app` for the account `values`"
        #expect(type?.description.contains(name) == true)
        try store.save(Item(service: "app", account: "values", data: Array("bplist00".utf8)))
        let data = #expect(throws: KeyedArchiveError.self) { try dictionary.dictionary() }
        #expect(data?.source == name && data?.description.contains(", \(name)") == true)
        let other = try KeyedArchiver.archive(["a": 1])
        try store.save(Item(service: "app", account: "values", data: other))
        let root = #expect(throws: KeyedArchiveError.self) { try dictionary.dictionary() }
        #expect(root?.source == name && root?.description.contains(name) == true)
    }

    @Test(
        "a value of a class that is not allowed is refused with its path before anything is written"
    )
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
        #expect(error?.path?.description == #"values["list"]"#)
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

    @Test("values that could not be read back are refused before anything is written")
    func unreadable() throws {
        let reports = Reports()
        let dictionary = ArchivedDictionary(
            in: store, service: "app", account: "values", allowing: .propertyList,
            onCorruption: .reset { reports.add($0, $1) })
        try dictionary.set("kept", forKey: "name")
        let before = try store.items()
        var nested: PropertyListValue = []
        for _ in 0..<1000 { nested = [nested] }
        let error = #expect(throws: KeyedArchiveError.self) {
            try dictionary.set(nested, forKey: "nested")
        }
        #expect(error?.code == .depthLimitExceeded)
        #expect(try store.items() == before)
        #expect(try dictionary.value(String.self, forKey: "name") == "kept")
        #expect(reports.data.isEmpty)
    }

    /// A dictionary that replaces corrupt data.
    private func tolerant(_ reports: Reports) -> ArchivedDictionary {
        ArchivedDictionary(
            in: store, service: "app", account: "values",
            onCorruption: .reset { reports.add($0, $1) })
    }

    /// Data that is not a valid archive: empty, malformed, truncated, with a root that refers to a
    /// missing object, and with an object that has a key twice.
    private func corrupt() throws -> [[UInt8]] {
        let good = try KeyedArchiver.archive(["a": 1])
        let dangling = try PropertyListDocument([
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$objects": ["$null"],
            "$top": ["values": .uid(PropertyListUID(9))],
        ])
        let duplicate = BinaryAssembler([
            .dictionary([1, 2, 3, 4], [5, 6, 7, 10]), .ascii("$version"), .ascii("$archiver"),
            .ascii("$top"), .ascii("$objects"), .integer(100_000, width: 4),
            .ascii("NSKeyedArchiver"), .dictionary([8], [9]), .ascii("values"), .uid(1),
            .array([11, 12, 17]), .ascii("$null"), .dictionary([13, 14, 14], [15, 16, 16]),
            .ascii("$class"), .ascii("a"), .uid(2), .boolean(true),
            .dictionary([18, 19], [20, 21]), .ascii("$classname"), .ascii("$classes"),
            .ascii("NSDictionary"), .array([20]),
        ])
        return [
            [], Array("bplist00junk".utf8), good.dropLast(3),
            try BinaryPropertyList.serialize(dangling), duplicate.bytes,
        ]
    }

    @Test("corrupt data is an error, or is passed to the handler before a change replaces it")
    func corruption() throws {
        for junk in try corrupt() {
            let reports = Reports()
            let tolerant = tolerant(reports)
            try store.save(Item(service: "app", account: "values", data: junk))
            #expect(throws: KeyedArchiveError.self) { try dictionary.dictionary() }
            #expect(throws: KeyedArchiveError.self) { try dictionary.set(1, forKey: "a") }
            #expect(try tolerant.dictionary().isEmpty)
            // Reading changes nothing.
            #expect(try store.items().map(\.data) == [junk])
            try tolerant.set(1, forKey: "a")
            #expect(try dictionary.value(Int.self, forKey: "a") == 1)
            #expect(reports.data == [junk, junk])
        }
    }

    @Test("valid data that this program cannot decode is never replaced")
    func validDataIsKept() throws {
        let reports = Reports()
        let otherClass = ArchivedDictionary(
            in: store, service: "app", account: "values", allowing: .propertyList)
        try otherClass.set(["a list"], forKey: "list")
        let unknownClass = try store.items()[0].data
        let archiver = KeyedArchiver()
        archiver.roots.encode("text", forKey: ArchivedDictionary.defaultKey)
        let rows: [(data: [UInt8], code: KeyedArchiveError.Code)] = [
            (unknownClass, .classNotAllowed),
            (try KeyedArchiver.archive(["a": 1]), .missingValue),
            (try BinaryPropertyList.serialize(PropertyListDocument(["a": 1])), .notAnArchive),
            (try archiver.finish(), .wrongType),
        ]
        for (data, code) in rows {
            try store.save(Item(service: "app", account: "values", data: data))
            for dictionary in [dictionary, tolerant(reports)] {
                let error = #expect(throws: KeyedArchiveError.self) { try dictionary.dictionary() }
                #expect(error?.code == code)
                #expect(throws: KeyedArchiveError.self) { try dictionary.set(1, forKey: "a") }
            }
            #expect(try store.items().map(\.data) == [data], "\(code)")
        }
        #expect(reports.data.isEmpty)
    }

    @Test("valid data that a Swift type cannot represent is never replaced")
    func valuesOfOtherShapes() throws {
        let reports = Reports()
        let registry = ClassRegistry.commonClasses.adding(Table.self).adding([String: Int].self)
        let tolerant = ArchivedDictionary(
            in: store, item: ItemAttributes(service: "app", account: "values"), allowing: registry,
            onCorruption: .reset { reports.add($0, $1) })
        let archiver = KeyedArchiver(allowing: registry.adding(TwinTable.self))
        archiver.roots.encode(
            ArchivedPairs([("table", TwinTable())]), forKey: ArchivedDictionary.defaultKey)
        let data = try archiver.finish()
        try store.save(Item(service: "app", account: "values", data: data))
        let error = #expect(throws: KeyedArchiveError.self) { try tolerant.dictionary() }
        #expect(error?.code == .malformedObject)
        #expect(throws: KeyedArchiveError.self) { try tolerant.set(1, forKey: "a") }
        #expect(try store.items().map(\.data) == [data] && reports.data.isEmpty)
    }

    @Test("data that exceeds the limits is never replaced")
    func limitsAreNotCorruption() throws {
        try dictionary.set(String(repeating: "x", count: 10_000), forKey: "a")
        let before = try store.items()
        let reports = Reports()
        var limits = ParsingLimits.untrusted
        limits.inputSize = 1000
        let small = ArchivedDictionary(
            in: store, item: ItemAttributes(service: "app", account: "values"), limits: limits,
            onCorruption: .reset { reports.add($0, $1) })
        #expect(throws: KeyedArchiveError.self) { try small.dictionary() }
        #expect(throws: KeyedArchiveError.self) { try small.set(1, forKey: "a") }
        #expect(try store.items() == before && reports.data.isEmpty)
    }

    @Test("a corrupt item is kept if the handler throws")
    func handlerThatThrows() throws {
        struct Keep: Error {}
        let junk = Array("bplist00junk".utf8)
        try store.save(Item(service: "app", account: "values", data: junk))
        let careful = ArchivedDictionary(
            in: store, service: "app", account: "values",
            onCorruption: .reset { _, _ in throw Keep() })
        #expect(throws: Keep.self) { try careful.set(1, forKey: "a") }
        #expect(throws: Keep.self) { try careful.dictionary() }
        #expect(try store.items().map(\.data) == [junk])
    }

    @Test("canonically equivalent keys are two entries")
    func exactKeys() throws {
        try dictionary.set(1, forKey: "e\u{301}")
        try dictionary.set(2, forKey: "\u{E9}")
        #expect(try dictionary.value(Int.self, forKey: "e\u{301}") == 1)
        #expect(try dictionary.value(Int.self, forKey: "\u{E9}") == 2)
        let entries = try dictionary.dictionary()
        #expect(entries.count == 2)
        #expect(entries.map { Array($0.key.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9]])
    }

    @Test("keys of combining marks take time linear in their length")
    func combiningMarks() throws {
        func seconds(_ count: Int) throws -> Double {
            let marks = String(repeating: "\u{301}\u{323}", count: count)
            let key = "a" + marks
            let time = try ProcessorTime.seconds {
                try dictionary.set(1, forKey: key)
                #expect(try dictionary.value(Int.self, forKey: key) == 1)
            }
            try dictionary.reset()
            return time
        }
        _ = try seconds(1000)
        // The long key takes 320 KB. In quadratic time, `long` would be 64 times `short`.
        let (short, long) = (try seconds(10_000), try seconds(80_000))
        #expect(long < 24 * short + 0.2, "\(short) s, \(long) s")
    }

    @Test("this library and Foundation's archiver read each other's items")
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

    @Test("many tasks that change one dictionary lose no change")
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

/// An object with a Swift dictionary.
private struct Table: KeyedCodable {
    static let archivedClass: ArchivedClass = "Table"
    let counts: [String: Int]

    init(coder: KeyedDecoder) throws { counts = try coder.decode(forKey: "counts") }
    func encode(with coder: KeyedEncoder) { coder.encode(counts, forKey: "counts") }
}

/// A ``Table`` of another program version, with two keys that a Swift dictionary considers equal.
private struct TwinTable: KeyedCodable {
    static let archivedClass: ArchivedClass = "Table"
    let counts: ArchivedPairs<String, Int>

    init() { counts = ArchivedPairs([("e\u{301}", 1), ("\u{E9}", 2)]) }
    init(coder: KeyedDecoder) throws { counts = try coder.decode(forKey: "counts") }
    func encode(with coder: KeyedEncoder) { coder.encode(counts, forKey: "counts") }
}

/// Collects the corrupt data that was reported.
private final class Reports: Sendable {
    private let reports = Guarded<[[UInt8]?]>([])
    var data: [[UInt8]?] { reports.withLock { $0 } }
    func add(_ error: any Error, _ data: [UInt8]?) { reports.withLock { $0.append(data) } }
}
