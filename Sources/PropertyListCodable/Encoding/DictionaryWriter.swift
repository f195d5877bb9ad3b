// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Sets the entries of one dictionary: nearly always the key of each is the next in the plan of its type.
///
/// What a ``KeyedValueContainer`` is without the type of its keys: one reference, and code that the
/// compiler need not make again for each type.
final class DictionaryWriter {
    let session: EncodingSession
    let value: OpenValue
    private let plan: KeyPlan
    // The place in the plan of the next key.
    private var next = 0

    init(_ session: EncodingSession, _ value: OpenValue, keys type: any CodingKey.Type) {
        self.session = session
        self.value = value
        plan = session.plan(of: type)
    }

    /// The node of a key.
    @inline(__always)
    func node(of key: String) -> UInt32 {
        // A copy, because passing the property itself would be checked for exclusive access.
        var next = next
        let place = plan.place(of: key, &next, resolve: session.makeKey)
        self.next = next
        return place.map(plan.value(at:)) ?? session.makeKey(key)
    }

    /// Sets the value of a key.
    func set(_ node: UInt32, forKey key: String) { value.set(node, forKey: self.node(of: key)) }

    /// The encoder of a nested value: the one of a key that has been asked for already goes on.
    func encoder(_ key: UInt32, _ path: CodingPath) -> ValueEncoder {
        if let open = value.nestedValue(forKey: key) {
            return ValueEncoder(session: session, value: open)
        }
        let open = session.makeNestedValue(path)
        value.set(open, forKey: key)
        return ValueEncoder(session: session, value: open)
    }
}
