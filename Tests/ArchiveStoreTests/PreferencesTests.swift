// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import SystemFiles
import TestSupport
import Testing

@testable import ArchiveStore

@Suite("Preferences")
struct PreferencesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func preferences(_ domain: String = "com.example.App") throws -> Preferences {
        try Preferences(domain: domain, folder: folder.path, saving: .onRequest)
    }

    @Test(
        "typed values are set, read and removed; registered defaults are used where none is stored",
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

    @Test(
        "without a type, a value is read and set as a property list value, and nil removes it",
        arguments: [true, false])
    func untypedValues(inMemory: Bool) throws {
        let failures = Guarded<[String]>([])
        let onFailure = FailureHandler { error in failures.withLock { $0.append("\(error)") } }
        let store: any KeyValueStore =
            try inMemory
            ? MemoryCache(onFailure: onFailure)
            : Preferences(
                domain: "a", folder: folder.path, saving: .onRequest, onFailure: onFailure)
        store["a"] = 1
        store["b"] = ["mixed": [1, "two"], "none": []]
        #expect(store["a"] == .integer(1))
        let mixed = store["b"]
        #expect(mixed?.dictionary?["mixed"] == [1, "two"])
        store["b"] = PropertyListValue.uid(1)
        #expect(store["b"] == mixed && failures.withLock { $0.count } == 1)
        store["a"] = nil
        #expect(store["a"] == nil && store.storedValues.keys == ["b"])
    }

    @Test("a folder that was removed is an error, and the changes are kept")
    func removedFolder() throws {
        let inner = folder("inner")
        let store = try Preferences(domain: "a", folder: inner, saving: .onRequest)
        store["a"] = 1
        try FileManager.default.removeItem(atPath: inner)
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.code == .fileMissing)
        try FileManager.default.createDirectory(
            atPath: inner, withIntermediateDirectories: false)
        try store.synchronize()
        #expect(
            try Preferences(domain: "a", folder: inner, saving: .onRequest).storedValues == [
                "a": 1
            ])
    }

    @Test("changes by other programs are read even if nothing can be written or locked")
    func synchronizeWithoutChanges() throws {
        let (reader, writer) = (try preferences(), try preferences())
        writer["name"] = "Anna"
        try writer.synchronize()
        let lock = reader.file + ".lock"
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(
            atPath: lock, withIntermediateDirectories: false)
        try reader.synchronize()
        #expect(reader.string(forKey: "name") == "Anna")
        reader["name"] = "Berta"
        #expect(throws: StoreError.self) { try reader.synchronize() }
    }

    @Test("a value that is not a property list value is refused with its path")
    func refused() throws {
        let store = try preferences()
        let error = #expect(throws: StoreError.self) {
            try store.set([1, .null], forKey: "tree")
        }
        #expect(error?.code == .unsupportedValue && error?.path?.description == "[1]")
        #expect(store.value(forKey: "tree") == nil)
    }

    @Test("synchronized values persist, and Foundation reads the file")
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

    @Test("if two programs change one key, the last writer wins, and no other change is lost")
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

    @Test("a store reports its changes immediately, and those of other programs when it reads them")
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

    @Test("the sequence of changes ends when its store is released")
    func end() async throws {
        var cache: MemoryCache? = MemoryCache()
        let changes = try #require(cache).changes
        cache?["a"] = 1
        cache = nil
        var keys: [[String]] = []
        for await changed in changes { keys.append(changed) }
        #expect(keys == [["a"]])
    }

    @Test("a cache keeps no entry for a removed key")
    func cacheOfManyKeys() throws {
        let table = KeyValueTable(hasFile: false)
        for number in 0..<100 {
            table.set(1, "\(number)")
            table.set(nil, "\(number)")
        }
        #expect(table.pending.keys.isEmpty && table.stored.isEmpty)
    }

    @Test("a date that is not finite does not prevent other values from being written")
    func nonFiniteDate() throws {
        let store = try preferences()
        store["kept"] = 1
        try store.synchronize()
        let when = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(throws: StoreError.self) { try store.set([when.propertyListValue], forKey: "a") }
        store["when"] = when
        store["new"] = 2
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try store.synchronize() }
            #expect(error?.code == .unsupportedValue && error?.path?.description == "when")
            #expect(try preferences().storedValues == ["kept": 1, "new": 2])
            #expect(store.date(forKey: "when") != nil)
        }
        store.removeValue(forKey: "when")
        try store.synchronize()
        #expect(try preferences().storedValues == ["kept": 1, "new": 2])
    }

    @Test(
        "a value that XML cannot hold is not written, other values are, and the error names its key"
    )
    func controlCharacters() throws {
        let options = FileOptions(format: .xml)
        let store = try Preferences(
            domain: "a", folder: folder.path, options: options, saving: .onRequest)
        store["text"] = "old"
        try store.synchronize()
        for (number, key) in ["text", "b\u{1}"].enumerated() {
            store["other"] = number
            store[key] = "a\u{1}b"
            store["removed"] = 1
            let error = #expect(throws: StoreError.self) { try store.synchronize() }
            #expect(error?.code == .unsupportedValue)
            #expect(error?.path?.components == [.key(key)])
            #expect(error?.recovery?.contains("binary") == true)
            #expect(store.string(forKey: key) == "a\u{1}b")
            #expect(
                try preferences("a").storedValues
                    == ["text": "old", "other": PropertyListValue(number), "removed": 1])
            store.removeValue(forKey: "removed")
            store.set(number == 0 ? "old" : nil, forKey: key)
            try store.synchronize()
        }
        // A binary file can hold the value.
        let binary = try preferences("b")
        binary["text"] = "a\u{1}b"
        try binary.synchronize()
        #expect(try preferences("b").string(forKey: "text") == "a\u{1}b")
    }

    @Test(
        "a foreign value that XML cannot hold is kept, and turns the file binary")
    func foreignValuesBeyondXML() throws {
        let foreign: [PropertyListDictionary] = [
            ["text": "a\u{1}b"], ["b\u{1}": 1], ["tree": ["deep": ["a\u{0}b"]]],
            ["when": .date(PropertyListDate(secondsSince2001: 0.25))],
        ]
        for (number, values) in foreign.enumerated() {
            let store = try Preferences(
                domain: "\(number)", folder: folder.path, options: FileOptions(format: .xml),
                saving: .onRequest)
            store["first"] = 1
            try store.synchronize()
            #expect(try format(store.file) == .xml)
            let other = try preferences("\(number)")
            for (key, value) in values { try other.set(value, forKey: key) }
            try other.synchronize()
            store["second"] = 2
            try store.synchronize()
            #expect(try format(store.file) == .binary)
            let stored = try preferences("\(number)").storedValues
            #expect(stored["first"] == 1 && stored["second"] == 2 && stored.count == 3)
            for (key, value) in values { #expect(stored[key] == value) }
            // The file is XML again once that value is removed.
            for key in values.keys { store.removeValue(forKey: key) }
            store["second"] = 4
            try store.synchronize()
            #expect(try format(store.file) == .xml)
            #expect(try preferences("\(number)").storedValues == ["first": 1, "second": 4])
        }
    }

    private func format(_ path: String) throws -> PropertyListFormat {
        try Data(contentsOf: URL(filePath: path)).starts(with: Data("bplist".utf8))
            ? .binary : .xml
    }

    @Test(
        "if values exceed the limits only together, the smallest are written and the error names the next",
        arguments: [PropertyListFormat.binary, .xml])
    func tooManyValues(_ format: PropertyListFormat) throws {
        var limits = ParsingLimits.default
        limits.inputSize = 2000
        let store = try Preferences(
            domain: "a", folder: folder.path, options: FileOptions(format: format),
            limits: limits, saving: .onRequest)
        store["kept"] = 1
        store["removed"] = 1
        try store.synchronize()
        for number in 10..<30 {
            store["\(number)"] = "\(number)" + String(repeating: "x", count: 100 + number)
        }
        store["removed"] = nil as Int?
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.code == .unsupportedValue)
        let written = try preferences("a").storedValues
        #expect(written["kept"] == 1 && written["removed"] == nil)
        let count = written.count - 1
        #expect(count > 8)
        for number in 10..<10 + count {
            #expect(written["\(number)"] == store.value(forKey: "\(number)"))
        }
        #expect(error?.path?.components == [.key("\(10 + count)")])
        // The remaining values are written once there is room.
        for number in 10..<10 + count { store["\(number)"] = nil as Int? }
        for number in 20..<30 { store["\(number)"] = nil as Int? }
        try store.synchronize()
        #expect(try preferences("a").storedValues.count == max(1, 11 - count))
    }

    @Test(
        "a value that fits only without the others does not prevent the others from being written")
    func valueBesideOthers() throws {
        var limits = ParsingLimits.default
        limits.inputSize = 2000
        let store = try Preferences(
            domain: "a", folder: folder.path, limits: limits, saving: .onRequest)
        store["old"] = String(repeating: "o", count: 1000)
        try store.synchronize()
        store["a large one"] = String(repeating: "l", count: 1500)
        store["small"] = 1
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("a large one")])
        #expect(try preferences("a").storedValues.keys == ["old", "small"])
        #expect(store.string(forKey: "a large one")?.count == 1500)
    }

    /// Preferences with a limit on the size of the file, in bytes.
    private func limited(
        _ domain: String, _ size: Int, _ format: PropertyListFormat = .binary,
        searchTime: Double = 600
    ) throws -> Preferences {
        var limits = ParsingLimits.default
        limits.inputSize = size
        // The default search time is longer than any test, which makes results deterministic.
        return try Preferences(
            domain, folder.path, FileOptions(format: format), limits, 30, searchTime: searchTime)
    }

    @Test("a replacement that is too large does not prevent small values from being written")
    func growingReplacement() throws {
        // A binary file contains equal strings once.
        let text = String(repeating: "t", count: 5000)
        let store = try limited("a", 6000)
        store["x"] = text
        store["y"] = text
        try store.synchronize()
        store["x"] = String(repeating: "u", count: 5000)
        for number in 0..<5 { store["small \(number)"] = number }
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("x")])
        let written = try preferences("a").storedValues
        #expect(written.count == 7 && written["x"] == .string(text))
    }

    @Test("keys are removed together if removing only one of them would leave the file too large")
    func removalsTogether() throws {
        // Other programs may write XML without white space, which is shorter than this library's
        // layout.
        let entries = (10..<20).map { "<key>\($0)</key><integer>\($0)</integer>" }.joined()
        let text = "<plist version=\"1.0\"><dict>\(entries)</dict></plist>"
        try Data(text.utf8).write(to: URL(filePath: folder("a.plist")))
        let store = try limited("a", text.utf8.count + 20, .xml)
        for number in 10..<19 { store["\(number)"] = nil as Int? }
        store["large"] = String(repeating: "l", count: 300)
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("large")])
        #expect(try preferences("a").storedValues == ["19": 19])
    }

    @Test(
        "a removal that would turn the file into an XML file over the limit does not block other changes"
    )
    func removalOfForeignValue() throws {
        var foreign: PropertyListDictionary = ["c": "\u{1}"]
        foreign["n"] = .array(PropertyListArray((0..<3000).map { PropertyListValue($0 % 200) }))
        try foreign.write(
            toFile: folder("a.plist"), options: FileOptions(format: .binary))
        let store = try limited("a", 20_000, .xml)
        store["c"] = nil as Int?
        store["small"] = 1
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("c")])
        #expect(try preferences("a").storedValues.keys == ["c", "n", "small"])
    }

    @Test(
        "the error about a value that is too large by itself names its key",
        arguments: [PropertyListFormat.binary, .xml])
    func valueTooLargeAlone(_ format: PropertyListFormat) throws {
        let store = try limited("a", 2000, format)
        store["small"] = 1
        store["large"] = String(repeating: "l", count: 3000)
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("large")])
        #expect(try preferences("a").storedValues == ["small": 1])
    }

    @Test("small values are eventually written beside many values that do not fit")
    func manyLargeValues() throws {
        let store = try limited("a", 3000, searchTime: 10)
        for number in 0..<Exhaustive.size(2000, inDebug: 500) {
            store["\(number)"] = "\(number)" + String(repeating: "x", count: 1000)
        }
        store["small"] = 1
        var written = PropertyListDictionary()
        for _ in 0..<20 where written["small"] == nil {
            #expect(throws: StoreError.self) { try store.synchronize() }
            written = try preferences("a").storedValues
        }
        #expect(written["small"] == 1 && written.count == 3)
    }

    @Test("a replacement that makes room is written even if many other values do not fit")
    func shrinkingReplacement() throws {
        let store = try limited("a", 60_000)
        store["large"] = String(repeating: "l", count: 55_000)
        try store.synchronize()
        store["large"] = String(repeating: "l", count: 40_000)
        for number in 0..<150 {
            store["\(number)"] = "\(number)" + String(repeating: "x", count: 1500)
        }
        #expect(throws: StoreError.self) { try store.synchronize() }
        let written = try preferences("a").storedValues
        #expect(written["large"] == .string(String(repeating: "l", count: 40_000)))
        #expect(written.count > 8)
    }

    @Test("a change that fits is eventually tried, even if one call has no time to try all changes")
    func laterTurn() throws {
        // A binary file contains equal strings once.
        let text = String(repeating: "t", count: 59_000)
        let store = try limited("a", 60_000, searchTime: 0)
        store["long"] = text
        store["removed"] = 1
        try store.synchronize()
        for number in 0..<10 {
            store["\(number)"] = "\(number)" + String(repeating: "x", count: 1500)
        }
        store["same"] = text
        store["removed"] = nil as Int?
        var count = 0
        while store.value(forKey: "same") != nil, count < 20 {
            let error = #expect(throws: StoreError.self) { try store.synchronize() }
            count += 1
            let written = try preferences("a").storedValues
            // Removals are written with the first call.
            #expect(written["removed"] == nil)
            if written["same"] == .string(text) { break }
            #expect(error?.what.contains("further change") == true)
        }
        #expect(count < 15)
    }

    @Test("the time spent on values that XML cannot hold counts against the search time")
    func refusedInTime() throws {
        let store = try limited("a", 60_000, .xml, searchTime: 0)
        for number in 0..<50 { store["\(number)"] = "\(number)\u{1}" }
        store["plain"] = 1
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("0")])
        for _ in 0..<60 where try preferences("a").storedValues.isEmpty {
            #expect(throws: StoreError.self) { try store.synchronize() }
        }
        #expect(try preferences("a").storedValues == ["plain": 1])
    }

    @Test("one refused change does not delay many other changes to a large file")
    func oneOfManyRefused() throws {
        let store = try preferences("a")
        try store.set(.data([UInt8](repeating: 7, count: 20_000_000)), forKey: "old")
        try store.synchronize()
        store["never"] = Date(timeIntervalSinceReferenceDate: .nan)
        for number in 0..<100 { store["\(number)"] = number }
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("never")])
        #expect(error?.what.contains("further") == false)
        #expect(try preferences("a").storedValues.count == 101)
    }

    @Test("changes that fit do not wait for many changes that are refused on their own")
    func manyRefused() throws {
        let first = try preferences("a")
        try first.set(.data([UInt8](repeating: 7, count: 60_000_000)), forKey: "old")
        try first.synchronize()
        // The search time is enough for only a few attempts to serialize the file.
        let store = try limited("a", ParsingLimits.default.inputSize, searchTime: 0.3)
        for number in 0..<30 {
            store["never \(number)"] = Date(timeIntervalSinceReferenceDate: .nan)
        }
        for number in 0..<10 { store["\(number)"] = number }
        var calls = 0
        while try preferences("a").storedValues.count < 11, calls < 20 {
            #expect(throws: StoreError.self) { try store.synchronize() }
            calls += 1
        }
        #expect(calls <= 5)
    }

    @Test("an error names neither a value that waits nor one that was written")
    func pathOfRefused() throws {
        var foreign: PropertyListDictionary = ["c": "\u{1}"]
        foreign["n"] = 1
        try foreign.write(
            toFile: folder("a.plist"), options: FileOptions(format: .binary))
        let store = try limited("a", 60_000, .xml, searchTime: 0)
        store["a"] = 1
        store["b"] = "\u{2}"
        store["c"] = 5
        var calls = 0
        var expected = ["c", "n", "a", "b"]
        while calls < 10 {
            calls += 1
            do throws(StoreError) {
                try store.synchronize()
                break
            } catch {
                // No change has been refused on its own yet. Each call writes a further change.
                if error.path == nil {
                    #expect(error.what.contains("for the next call"))
                    continue
                }
                // All changes were tried. Without the old value of `c` the file is XML again, so
                // `b` is refused.
                #expect(error.path?.components == [.key("b")])
                expected.removeLast()
                break
            }
        }
        #expect(try preferences("a").storedValues.keys == expected)
        #expect(calls <= 3)
    }

    @Test("a change that is first refused and later chosen is not the reason for the error")
    func refusedFirst() throws {
        let deadline = Environment.uptime + 0.5
        let refused = StoreError(.unsupportedValue, what: "no room")
        let fitting = try FittingKeys(
            removals: [ExactText("removed")], additions: [ExactText("new"), ExactText("large")],
            areRefusedTogether: true, until: deadline
        ) { keys throws(StoreError) in
            let names = Set(keys.map(\.text))
            if names == ["new", "removed"] {
                // This choice uses up the remaining time.
                while Environment.uptime < deadline { usleep(1000) }
            } else if names != ["new"] {
                throw refused
            }
        }
        #expect(fitting.chosen == [ExactText("new"), ExactText("removed")])
        #expect(fitting.untried.isEmpty)
        #expect(fitting.refusal?.path?.components == [.key("large")])
    }

    @Test(
        "changes that are known not to fit together are not tried together again",
        arguments: [0, 1, 4], [false, true])
    func refusedTogether(removalCount: Int, areRefusedTogether: Bool) throws {
        let keys = ["a", "b", "c", "d"].map { ExactText($0) }
        var attempts = 0
        let fitting = try FittingKeys(
            removals: Array(keys.prefix(removalCount)),
            additions: Array(keys.dropFirst(removalCount)),
            areRefusedTogether: areRefusedTogether, until: Environment.uptime + 60
        ) { tried throws(StoreError) in
            if tried.count == keys.count { attempts += 1 }
            if tried.count > 2 { throw StoreError(.unsupportedValue, what: "no room") }
        }
        #expect(fitting.chosen == Array(keys.prefix(2)))
        #expect(attempts == (areRefusedTogether ? 0 : 1))
    }

    @Test("a value that only a binary file can hold is written while the file must stay binary")
    func valueOfKeptFormat() throws {
        func numbers(_ count: Int) -> PropertyListValue {
            .array(PropertyListArray((0..<count).map { PropertyListValue($0 % 200) }))
        }
        var foreign: PropertyListDictionary = ["c": "\u{1}"]
        foreign["n"] = numbers(5000)
        try foreign.write(
            toFile: folder("a.plist"), options: FileOptions(format: .binary))
        let store = try limited("a", 20_000, .xml)
        store["c"] = nil as Int?
        try store.set(numbers(2000), forKey: "m")
        store["x"] = "\u{2}"
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("c")])
        #expect(try preferences("a").storedValues.keys == ["c", "n", "m", "x"])
    }

    @Test("if several values cannot be written, the error names the key that sorts first")
    func firstRefused() throws {
        let store = try limited("a", 2000, .xml)
        for key in ["d", "b", "a", "c", "e"] { store[key] = key + "\u{1}" }
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.path?.components == [.key("a")])
    }

    @Test(
        "synchronizing with a file that changes after every read ends in an error, not in an endless search"
    )
    func changedEachTime() throws {
        let store = try limited("a", 60_000)
        store["long"] = String(repeating: "o", count: 50_000)
        try store.synchronize()
        for number in 0..<100 {
            store["\(number)"] = "\(number)" + String(repeating: "x", count: 1500)
        }
        let file = store.file
        let isOver = Guarded(false)
        let toucher = Thread {
            while !isOver.withLock({ $0 }) {
                unsafe _ = utimes(file, nil)
                usleep(100)
            }
        }
        toucher.start()
        defer { isOver.withLock { $0 = true } }
        let start = ContinuousClock.now
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        // Either error appears after at most one search and a few rounds of reading.
        #expect(error?.code == .busy || error?.code == .unsupportedValue)
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("a file that another program replaced since the last read is not overwritten")
    func replacedMeanwhile() throws {
        let store = try preferences("a")
        store["first"] = 1
        try store.synchronize()
        let known = try FileMode(of: store.file)
        let other = try preferences("a")
        other["second"] = 2
        try other.synchronize()
        let before = try Data(contentsOf: URL(filePath: store.file))
        let isReplaced = try WholeFile.replace(
            store.file, ifStill: known, with: [1], isPrivate: false, lock: { nil })
        #expect(!isReplaced)
        let isCreated = try WholeFile.replace(
            store.file, ifStill: nil, with: [1], isPrivate: false, lock: { nil })
        #expect(!isCreated)
        #expect(try Data(contentsOf: URL(filePath: store.file)) == before)
        #expect(
            try WholeFile.replace(
                store.file, ifStill: FileMode(of: store.file), with: Array(before),
                isPrivate: false, lock: { nil }))
    }

    @Test("a file that another program replaces while its lock is awaited is not overwritten")
    func replacedDuringWait() throws {
        let store = try preferences("a")
        store["first"] = 1
        try store.synchronize()
        let other = try preferences("a")
        other["second"] = 2
        // The new contents are complete when the lock is taken, so no program holds it for long.
        let isReplaced = try WholeFile.replace(
            store.file, ifStill: FileMode(of: store.file), with: [1], isPrivate: false
        ) {
            #expect(throws: Never.self) { try other.synchronize() }
            return nil
        }
        #expect(!isReplaced)
        #expect(try preferences("a").storedValues == ["first": 1, "second": 2])
    }

    // MARK: The lock

    private func lockMode() throws -> Int? {
        let path = folder("com.example.App.plist.lock")
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a user who may only read the preferences cannot lock them")
    func modeOfLock() throws {
        func change(_ preferences: Preferences) throws {
            preferences["round"] = Int.random(in: 0 ... .max)
            try preferences.synchronize()
        }
        try change(preferences())
        #expect(try lockMode() == 0o622 & ~(try umask()))
        // A lock file that an earlier version created loses the read access of other users.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: folder("com.example.App.plist.lock"))
        try change(preferences())
        #expect(try lockMode() == 0o622)
        try change(
            Preferences(
                domain: "private", folder: folder.path, options: FileOptions(isPrivate: true)))
        let path = folder("private.plist.lock")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        "a lock file created by root belongs to the owner of the preferences",
        .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"))
    func ownerOfLock() throws {
        let store = try preferences()
        store["a"] = 1
        try store.synchronize()
        let lock = store.file + ".lock"
        try FileManager.default.removeItem(atPath: lock)
        try #require(unsafe chown(store.file, 65534, 65533) == 0)
        store["a"] = 2
        try store.synchronize()
        for path in [store.file, lock] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == 65534, "\(path)")
            #expect(attributes[.groupOwnerAccountID] as? Int == 65533, "\(path)")
        }
        // Without a preferences file, the lock file belongs to the folder's owner.
        try #require(unsafe chown(folder.path, 65532, 65531) == 0)
        let new = try preferences("new")
        new["a"] = 1
        try new.synchronize()
        let attributes = try FileManager.default.attributesOfItem(atPath: new.file + ".lock")
        #expect(attributes[.ownerAccountID] as? Int == 65532)
    }

    /// The process's umask, as the system applies it.
    private func umask() throws -> Int {
        let probe = folder("probe")
        try #require(FileManager.default.createFile(atPath: probe, contents: nil))
        let attributes = try FileManager.default.attributesOfItem(atPath: probe)
        return 0o666 & ~(try #require(attributes[.posixPermissions] as? Int))
    }

    @Test("synchronizing fails as busy after the timeout if another program keeps the lock")
    func timeout() throws {
        let hasty = try Preferences(
            domain: "a", folder: folder.path, timeout: 0.2, saving: .onRequest)
        hasty["a"] = 1
        let holder = try HeldLock(folder("a.plist.lock"))
        let clock = ContinuousClock()
        let time = clock.measure {
            let error = #expect(throws: StoreError.self) { try hasty.synchronize() }
            #expect(error?.code == .busy)
            #expect(error?.file == folder("a.plist.lock"))
        }
        #expect(time >= .seconds(0.2) && time < .seconds(20))
        holder.release()
        try hasty.synchronize()
        #expect(try preferences("a").integer(forKey: "a") == 1)
    }

    @Test(
        "the error about a held lock file names its foreign owner, and its size if it is not empty",
        .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"))
    func lockOfAnotherUser() throws {
        let hasty = try Preferences(
            domain: "a", folder: folder.path, timeout: 0, saving: .onRequest)
        hasty["a"] = 1
        try Data("text".utf8).write(to: URL(filePath: folder("a.plist.lock")))
        try #require(unsafe chown(folder("a.plist.lock"), 65534, 65534) == 0)
        let holder = try HeldLock(folder("a.plist.lock"))
        let error = #expect(throws: StoreError.self) { try hasty.synchronize() }
        #expect(error?.code == .busy && error?.file == folder("a.plist.lock"))
        #expect(error?.what.contains("user 65534") == true, "\(error?.what ?? "")")
        #expect(error?.what.contains("4 bytes") == true, "\(error?.what ?? "")")
        holder.release()
        try hasty.synchronize()
    }

    @Test(
        "a negative or NaN timeout expires immediately",
        arguments: [Double.nan, -1, -Double.infinity, 0])
    func oddTimeouts(_ timeout: Double) throws {
        let store = try Preferences(
            domain: "a", folder: folder.path, timeout: timeout, saving: .onRequest)
        store["a"] = 1
        try store.synchronize()
        store["a"] = 2
        let holder = try HeldLock(folder("a.plist.lock"))
        // Ends an endless wait, so that the test fails instead of hanging.
        let rescue = DispatchWorkItem { holder.release() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 20, execute: rescue)
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.code == .busy)
        rescue.cancel()
        holder.release()
        try store.synchronize()
    }

    @Test("an infinite timeout waits until the lock is free")
    func endlessTimeout() throws {
        let store = try Preferences(
            domain: "a", folder: folder.path, timeout: .infinity, saving: .onRequest)
        let holder = try HeldLock(folder("a.plist.lock"))
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { holder.release() }
        store["a"] = 1
        try store.synchronize()
        #expect(try preferences("a").integer(forKey: "a") == 1)
    }

    @Test("a released lock is free immediately, even if a child process still has its descriptor")
    func copiedLock() throws {
        let path = folder("a.plist.lock")
        let lock = try FileLock(creating: path, mode: 0o600, for: path, deadline: 0)
        // A forked child holds such copies until it calls `exec`.
        let copies = (0..<256).filter { hasOpen($0, path) }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        lock.release()
        try FileLock(creating: path, mode: 0o600, for: path, deadline: 0).release()
    }

    /// Returns whether a descriptor of this process refers to the file.
    private func hasOpen(_ descriptor: Int32, _ path: String) -> Bool {
        var (found, named) = (stat(), stat())
        return unsafe fstat(descriptor, &found) == 0 && stat(path, &named) == 0
            && found.st_ino == named.st_ino && found.st_dev == named.st_dev
    }

    @Test("a file that is hard-linked as the lock file keeps its mode")
    func linkedLock() throws {
        let victim = folder("victim")
        try Data("text".utf8).write(to: URL(filePath: victim))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: victim)
        try FileManager.default.linkItem(atPath: victim, toPath: folder("a.plist.lock"))
        let store = try preferences("a")
        store["a"] = 1
        try store.synchronize()
        let attributes = try FileManager.default.attributesOfItem(atPath: victim)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
        #expect(try Data(contentsOf: URL(filePath: victim)) == Data("text".utf8))
    }

    @Test(
        "a symbolic link or pipe in place of the lock file is an error and is not followed"
    )
    func foreignLock() throws {
        let store = try preferences("a")
        store["a"] = 1
        try FileManager.default.createSymbolicLink(
            atPath: folder("a.plist.lock"), withDestinationPath: folder("victim"))
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.what.contains("symbolic link") == true)
        #expect(folder.names == ["a.plist.lock"])
        try FileManager.default.removeItem(atPath: folder("a.plist.lock"))
        #expect(unsafe mkfifo(folder("a.plist.lock"), 0o600) == 0)
        #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(folder.names == ["a.plist.lock"])
    }

    @Test("a dangling symbolic link in place of the preferences file is an error, and is kept")
    func danglingDomain() throws {
        let store = try preferences("a")
        try FileManager.default.createSymbolicLink(
            atPath: folder("a.plist"), withDestinationPath: folder("nothing"))
        let opening = #expect(throws: StoreError.self) { try preferences("a") }
        let reading = #expect(throws: StoreError.self) { try store.synchronize() }
        store["a"] = 1
        let writing = #expect(throws: StoreError.self) { try store.synchronize() }
        for error in [opening, reading, writing] {
            #expect(error?.what.contains("symbolic link") == true)
        }
        #expect(folder.names == ["a.plist", "a.plist.lock"])
    }

    @Test("another user who locks the readable preferences file cannot block a change")
    func lockedContents() throws {
        let store = try preferences("a")
        store["a"] = 1
        try store.synchronize()
        let stranger = try HeldLock(folder("a.plist"), O_RDONLY)
        store["a"] = 2
        try store.synchronize()
        #expect(try preferences("a").integer(forKey: "a") == 2)
        stranger.release()
    }

    @Test("no key is lost if another program removes the lock file repeatedly")
    func removedLock() throws {
        let isDone = Guarded(false)
        let lock = folder("com.example.App.plist.lock")
        let remover = Thread {
            while !isDone.withLock({ $0 }) {
                unsafe unlink(lock)
                usleep(50)
            }
        }
        remover.start()
        defer { isDone.withLock { $0 = true } }
        let stores = try (0..<3).map { _ in try preferences() }
        // Tasks would be queued behind all tests that are ready to run. Until they start, the
        // thread above would keep a processor busy.
        DispatchQueue.concurrentPerform(iterations: stores.count) { writer in
            #expect(throws: Never.self) {
                for number in 0..<60 {
                    stores[writer]["\(writer) \(number)"] = number
                    try stores[writer].synchronize()
                }
            }
        }
        isDone.withLock { $0 = true }
        #expect(try preferences().storedValues.count == 180)
    }

    @Test("a damaged preferences file is an error, and is left unchanged")
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
        "a domain that cannot be a file name is refused",
        arguments: ["", ".", "../a", "a/b", "a\0b", ".\u{301}a", "a/\u{301}b"])
    func domains(_ domain: String) {
        #expect(throws: StoreError.self) { try preferences(domain) }
    }

    @Test("canonically equivalent keys are two keys")
    func exactKeys() throws {
        let store = try preferences()
        store["e\u{301}"] = 1
        store["\u{E9}"] = 2
        try store.synchronize()
        #expect(try preferences().storedValues.count == 2)
    }
}

/// Another program's lock on a file.
private final class HeldLock: Sendable {
    private let descriptor: Guarded<Int32?>

    init(_ path: String, _ access: Int32 = O_WRONLY | O_CREAT) throws {
        let opened = unsafe open(path, access, 0o600)
        try #require(opened >= 0 && flock(opened, LOCK_EX) == 0)
        descriptor = Guarded(opened)
    }

    deinit { release() }

    /// Releases the lock explicitly. Closing is not enough, because a process that another test
    /// starts may have a copy of the descriptor.
    func release() {
        descriptor.withLock { held in
            guard let descriptor = held else { return }
            flock(descriptor, LOCK_UN)
            close(descriptor)
            held = nil
        }
    }
}
