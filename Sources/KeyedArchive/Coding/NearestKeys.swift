// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The keys that an error for a missing one offers instead.
///
/// Programs that go on without a field may make an error for each object of a file. So the work for one error
/// is bounded, and so is the number of errors with keys: ``ArchiveReader`` counts them.
enum NearestKeys {
    /// The number of keys that are looked at.
    static let mostKeys = 32
    /// The bytes of a key that is looked at.
    static let longestKey = 64
    /// The number of errors of one archive that offer keys.
    static let mostErrors = 256
    private static let mostNamed = 8

    /// Names keys for a message.
    ///
    /// - Parameters:
    ///   - key: the key that is missing.
    ///   - keys: some of those that are there, at most ``mostKeys`` of ``longestKey`` bytes.
    ///   - count: the number of all.
    /// - Returns: The keys, those nearest to `key` first, as in `"name", "age" and 3 more`; nil where there are
    ///   none.
    static func text(for key: String, among keys: [String], of count: Int) -> String? {
        if keys.isEmpty { return nil }
        let wanted = Array(key.utf8.prefix(longestKey))
        let nearest = keys.enumerated()
            .map { (distance: distance(wanted, Array($1.utf8)), place: $0, key: $1) }
            .sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }
            .prefix(mostNamed).map { KeyedArchiveError.quoted($0.key) }
        let rest = count - nearest.count
        return nearest.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// The number of bytes to insert, delete or replace that make one key of the other; a letter's case
    /// does not count.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let replaced = diagonal + (lowercased(byte) == lowercased(other) ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

extension ArchiveReader {
    /// The keys of an object, or of the roots, for an error that misses one; nil where there are none, and
    /// after many such errors.
    func keysInstead(of key: String, in decoder: KeyedDecoder) -> String? {
        let record = decoder.record
        guard record.kind == .dictionary, remainingHints > 0 else { return nil }
        remainingHints -= 1
        let isObject = decoder.object != nil
        let some = record.keyRange.prefix(NearestKeys.mostKeys).compactMap { place -> String? in
            let node = table.child(place)
            guard table.contentLength(of: table[node]) <= NearestKeys.longestKey else { return nil }
            let text = table.string(of: table[node])
            return ArchiveKey.unescaped(text)
                ?? (!isObject && ArchiveKey.isUnkeyed(text) ? text : nil)
        }
        return NearestKeys.text(
            for: key, among: some, of: record.keyRange.count - (isObject ? 1 : 0))
    }
}
