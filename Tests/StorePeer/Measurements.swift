// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import ArchiveStore
import Foundation
import KeyedArchive

/// How long reading and writing takes, beside Foundation's archiver doing the same to a file: the median
/// of several runs, which take turns.
struct Measurements {
    private let count: Int
    private let folder: String
    private static let runs = 7

    init(count: Int) {
        self.count = count
        folder = "\(NSTemporaryDirectory())store-measurements-\(UUID().uuidString)"
    }

    func run() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try measureReading()
        try measureWriting()
        try measureLookUp()
    }

    // MARK: Reading and writing 1 KB

    /// 1 KB of values: 16 texts of about 50 bytes.
    private var values: [String: String] {
        var values: [String: String] = [:]
        for number in 0..<16 {
            values["key \(number)"] = String(repeating: "value \(number) ", count: 5)
        }
        return values
    }

    private func measureReading() throws {
        let memory = ItemStore(MemoryItemDatabase(accessGroup: "group"))
        let file = ItemStore(try database("reading"))
        let archive = "\(folder)/foundation.archive"
        let object = NSMutableDictionary(dictionary: values)
        for store in [memory, file] {
            try ArchivedDictionary(in: store, service: "s", account: "a").update { entries in
                for (key, value) in values { entries[key] = AnyArchived(value) }
            }
        }
        try foundationWrite(object, archive)
        try report(
            [
                ("get of 1 KB, in memory", { try get(memory) }),
                ("get of 1 KB, encrypted file", { try get(file) }),
                ("get of 1 KB, Foundation, file", { try foundationRead(archive) }),
            ], times: 500)
        try report(
            [
                ("set in 1 KB, in memory", { try set(memory) }),
                ("set in 1 KB, encrypted file, durable", { try set(file) }),
                ("set in 1 KB, Foundation, file, not flushed", { try foundationSet(archive) }),
            ], times: 50)
    }

    private func get(_ store: ItemStore) throws {
        let dictionary = ArchivedDictionary(in: store, service: "s", account: "a")
        guard try dictionary.value(String.self, forKey: "key 7") != nil else {
            throw Finding(description: "no value")
        }
    }

    private func set(_ store: ItemStore) throws {
        try ArchivedDictionary(in: store, service: "s", account: "a").set("v", forKey: "key 7")
    }

    private func foundationWrite(_ object: NSDictionary, _ path: String) throws {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            .write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func foundationRead(_ path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let object = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSMutableDictionary.self, NSString.self], from: data)
        guard (object as? NSDictionary)?["key 7"] != nil else {
            throw Finding(description: "no value")
        }
    }

    private func foundationSet(_ path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let object = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSMutableDictionary.self, NSString.self], from: data)
        guard let dictionary = object as? NSMutableDictionary else {
            throw Finding(description: "no dictionary")
        }
        dictionary["key 7"] = "v"
        try foundationWrite(dictionary, path)
    }

    // MARK: Many items

    private func measureWriting() throws {
        let store = ItemStore(try database("writing"))
        let batch = 200
        var written = 0
        let seconds = try time {
            for start in stride(from: 0, to: count, by: batch) {
                try store.transaction { transaction in
                    for number in start..<min(start + batch, count) {
                        try transaction.save(item(number))
                        written += 1
                    }
                }
            }
        }
        print("durable writes in batches of \(batch): \(Int(Double(written) / seconds)) items/s")
    }

    private func measureLookUp() throws {
        let store = ItemStore(try database("writing"))
        for number in [0, count / 2, count - 1] {
            try report(
                [
                    (
                        "look-up of 1 in \(count), item \(number)",
                        {
                            let query = ItemQuery(
                                service: "service \(number % 100)", account: "\(number)")
                            _ = try store.item(matching: query)
                        }
                    )
                ], times: 200)
        }
    }

    private func item(_ number: Int) -> Item {
        Item(
            service: "service \(number % 100)", account: "\(number)",
            data: [UInt8](repeating: 1, count: 100))
    }

    private func database(_ name: String) throws -> EncryptedItemDatabase {
        let key = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        return try EncryptedItemDatabase(
            file: "\(folder)/\(name)", accessGroup: "group", key: key)
    }

    // MARK: Time

    /// Prints how long each takes: the median of the runs, and the fastest and slowest.
    private func report(_ rows: [(name: String, body: () throws -> Void)], times: Int) throws {
        var results = [[Double]](repeating: [], count: rows.count)
        for _ in 0..<Self.runs {
            for (index, row) in rows.enumerated() {
                let seconds = try time { for _ in 0..<times { try row.body() } }
                results[index].append(seconds / Double(times) * 1e6)
            }
        }
        for (row, result) in zip(rows, results) {
            let sorted = result.sorted()
            let texts = [sorted[Self.runs / 2], sorted[0], sorted[Self.runs - 1]].map {
                String(format: "%.1f", $0)
            }
            print("\(row.name): \(texts[0]) µs (\(texts[1]) … \(texts[2]))")
        }
    }

    private func time(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        let elapsed = ContinuousClock.now - start
        return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    }
}

#endif
