// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A dictionary with string keys. It is encoded without a container: the standard library would
/// create a coding key for each entry, and a ``KeyPlan`` has room for a limited number of keys.
protocol StringKeyedEncodable {
    /// Encodes all entries.
    func encodeEntries(to encoder: ValueEncoder) throws
}

extension Dictionary: StringKeyedEncodable where Key == String, Value: Encodable {
    func encodeEntries(to encoder: ValueEncoder) throws {
        let session = encoder.session
        let open = encoder.opened(as: .dictionary)
        var step: CodingPath?
        for (key, value) in self {
            let node = try session.node(value) {
                CodingPath.advance(&step, open.path, to: .entry(key))
                return step
            }
            open.set(node ?? session.emptyDictionary, forKey: session.makeKey(key))
        }
    }
}
