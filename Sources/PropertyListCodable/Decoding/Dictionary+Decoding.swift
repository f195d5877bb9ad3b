// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A dictionary with strings as keys, which is read without asking for each key by its name again, as the
/// standard library's initializer has to.
protocol StringKeyedDictionary {
    /// Reads all entries of the dictionary `node`.
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
        // All at once, before there is room for them.
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
            // Not by the subscript, which would copy the value; nor is it copied to be handed over.
            entries.updateValue(consume value, forKey: key)
            // A key that occurs twice was allowed when the file was read; another is not to be lost.
            if entries.count == count, let place = entries.index(forKey: key),
                !entries[place].key.isLiterally(key)
            {
                throw session.equivalentKeys(entries[place].key, key, in: node, path)
            }
        }
        return same(entries, as: type)
    }
}
