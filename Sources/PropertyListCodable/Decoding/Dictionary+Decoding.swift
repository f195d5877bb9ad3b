// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A dictionary with string keys. It is decoded entry by entry, whereas the standard library's
/// initializer looks up each key by name.
protocol StringKeyedDictionary {
    /// Decodes all entries of the dictionary `node`.
    static func decode<T>(
        _ session: DecodingSession, _ node: UInt32, _ path: CodingPath?, as type: T.Type
    ) throws -> T
}

extension Dictionary: StringKeyedDictionary where Key == String, Value: Decodable {
    static func decode<T>(
        _ session: DecodingSession, _ node: UInt32, _ path: CodingPath?, as type: T.Type
    ) throws -> T {
        try session.enter(path)
        let reader = try DictionaryReader(session, path, node, keys: PathKey.self)
        // Charge for all entries before reserving memory for them.
        try session.charge(reader.count) { path }
        var entries: [String: Value] = [:]
        entries.reserveCapacity(reader.count)
        var step: CodingPath?
        for position in 0..<reader.count {
            let key = reader.text(at: position)
            let count = entries.count
            let value = try session.value(Value.self, reader.child(at: position)) {
                CodingPath.advance(&step, path, to: .entry(key))
                return step
            }
            // `updateValue` with `consume` avoids the copies that the subscript would make.
            entries.updateValue(consume value, forKey: key)
            // Documents with duplicate keys do not get here; see `DecodingSession`. Distinct keys
            // that are equal as `String` are an error, so that no value is lost.
            if entries.count == count, let place = entries.index(forKey: key),
                !entries[place].key.isLiterally(key)
            {
                throw session.equivalentKeys(entries[place].key, key, in: node, path)
            }
        }
        return same(entries, as: type)
    }
}
