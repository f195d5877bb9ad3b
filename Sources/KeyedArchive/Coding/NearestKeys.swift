// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The existing keys that an error for a missing key suggests.
///
/// Programs that continue without a field may create an error for each object of a file. So the
/// work for one error is bounded, and so is the number of errors with suggestions, which
/// ``ArchiveReader`` counts.
enum NearestKeys {
    /// The maximum number of keys to compare.
    static let mostKeys = 32
    /// The maximum length in bytes of a key to compare.
    static let longestKey = 64
    /// The maximum number of errors with suggestions for one archive.
    static let mostErrors = 256
    private static let mostNamed = 8

    /// Formats keys for a message.
    ///
    /// - Parameters:
    ///   - key: the missing key.
    ///   - keys: some of the existing keys, at most ``mostKeys``, each of at most ``longestKey``
    ///     bytes.
    ///   - count: the number of existing keys.
    /// - Returns: The keys, those nearest to `key` first, as in `"name", "age" and 3 more`; nil if
    ///   there are none.
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

    /// Returns the edit distance between two keys, counted in bytes. The case of ASCII letters is
    /// ignored.
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
    /// Returns the keys of an object, or of the roots, for an error about a missing key. Keys that
    /// are not strings are left out. Returns nil if there are no other keys, and after many such
    /// errors.
    func suggestedKeys(of key: String, in decoder: KeyedDecoder) -> String? {
        let record = decoder.record
        guard record.kind == .dictionary, remainingSuggestions > 0 else { return nil }
        remainingSuggestions -= 1
        let isObject = decoder.object != nil
        let some = record.keyRange.prefix(NearestKeys.mostKeys).compactMap { place -> String? in
            let key = table[table.child(place)]
            guard key.kind == .string, table.contentLength(of: key) <= NearestKeys.longestKey else {
                return nil
            }
            let text = table.string(of: key)
            return ArchiveKey.unescaped(text)
                ?? (!isObject && ArchiveKey.isUnkeyed(text) ? text : nil)
        }
        return NearestKeys.text(
            for: key, among: some, of: record.keyRange.count - (isObject ? 1 : 0))
    }
}
