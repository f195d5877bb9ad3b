// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList

extension Family {
    static let dictionaries = Family(
        "dictionaries", "2,000 dictionaries of 16 texts, archived in 1 KB each", seed: 47
    ) { builder, random, scale in
        builder.beginArray()
        for _ in 0..<count(2_000, scale) {
            builder.data((try? StoredItems.archivedDictionary(&random)) ?? [])
        }
        builder.end()
    }

    static let items = Family("items", "20,000 items of 100 bytes; saving writes a tenth", seed: 53)
    {
        builder, random, scale in
        builder.beginArray()
        for _ in 0..<count(20_000, scale) {
            builder.data((0..<100).map { _ in UInt8(random.below(256)) })
        }
        builder.end()
    }
}

/// Helpers that the rows about stores share.
enum StoredItems {
    /// The number of items that are written together.
    static let batchSize = 200
    /// The key of the entry that is read from each dictionary.
    static let key = "key 7"

    /// Returns an archived dictionary for an item.
    static func archivedDictionary(_ random: inout Random) throws -> [UInt8] {
        let store = ItemStore(MemoryItemDatabase(accessGroup: "benchmark"))
        var texts: [String] = []
        for _ in 0..<16 { texts.append(random.words(4)) }
        try ArchivedDictionary(in: store, service: "dictionary", account: "").update { entries in
            for (place, text) in texts.enumerated() { entries["key \(place)"] = AnyArchived(text) }
        }
        return try store.data(matching: ItemQuery())
    }

    static func service(_ number: Int) -> String { "service \(number % 100)" }

    static func account(_ number: Int) -> String { "account \(number)" }

    static func item(_ number: Int, _ data: [UInt8]) -> Item {
        Item(service: service(number), account: account(number), data: data)
    }

    /// Returns the items to write: the first tenth of all. Even for these, Foundation's archiver
    /// needs seconds.
    static func written(_ items: [[UInt8]]) -> [[UInt8]] {
        Array(items.prefix(max(1, items.count / 10)))
    }

    /// Returns the range of item numbers of each batch.
    static func batches(_ count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: batchSize).map { $0..<min($0 + batchSize, count) }
    }

    /// Returns the numbers of the items to look up, chosen at random with replacement.
    static func lookedUp(_ count: Int, _ scale: Double) -> [Int] {
        var random = Random(seed: 59)
        return (0..<Family.count(1_000, scale)).map { _ in random.below(count) }
    }

    /// Returns the checksum of texts in order.
    static func checksum(texts: some Sequence<String>) -> UInt64 {
        texts.reduce(0) { Checksum.appending(Checksum.string($1), to: $0) }
    }

    /// Returns the checksum of data in order.
    static func checksum(data: some Sequence<some ContiguousBytes>) -> UInt64 {
        data.reduce(0) { sum, bytes in
            Checksum.appending(bytes.withUnsafeBytes { Checksum.data($0) }, to: sum)
        }
    }
}

/// A folder beside the inputs, on the same disk, that is removed with this object.
final class WorkFolder: Sendable {
    private let url: URL

    init() throws {
        url = Input.folder.appending(path: "work-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func url(_ name: String) -> URL { url.appending(path: name) }
}
