// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// What the keys of one `CodingKey` type are in a document, in the order in which they are asked for.
///
/// A type codes its keys in the same order every time, so that the key after the last one is nearly
/// always the next in the plan: then one comparison of two words replaces hashing the key. Keys
/// that are not ASCII have no place in it, because `String` takes canonically equivalent texts for
/// the same, and property lists do not; nor have those of a type with many, like a dictionary's.
final class KeyPlan {
    private struct Entry {
        let name: String
        /// What the key is: when decoding its number, 0 where the document does not have it; when
        /// encoding its node.
        let value: UInt32
    }

    private static let capacity = 128

    // Checking that each access is exclusive would cost as much as the comparison of the keys.
    @exclusivity(unchecked) private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    /// What the key `name` is, found out by `resolve` the first time; nil for a key that the plan
    /// has no place for.
    ///
    /// - Parameter next: where the key is expected, and then the one after it.
    @inline(__always)
    func value(of name: String, _ next: inout Int, resolve: (String) -> UInt32) -> UInt32? {
        // SAFETY: a session is used by one thread, and comparing strings does not come back here.
        if unsafe next < entries.count, unsafe entries[next].name == name {
            let value = unsafe entries[next].value
            next &+= 1
            return value
        }
        return search(name, &next, resolve)
    }

    @inline(never)
    private func search(
        _ name: String, _ next: inout Int, _ resolve: (String) -> UInt32
    ) -> UInt32? {
        // Asked for once more, by `contains` and then to decode.
        if next > 0, unsafe next <= entries.count, unsafe entries[next &- 1].name == name {
            return unsafe entries[next &- 1].value
        }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        // SAFETY: as above; `resolve` looks at the tables of the document only.
        if let place = places[name] {
            next = place &+ 1
            return unsafe entries[place].value
        }
        let place = unsafe entries.count
        guard place < Self.capacity else { return nil }
        let value = resolve(name)
        places[name] = place
        unsafe entries.append(Entry(name: name, value: value))
        next = place &+ 1
        return value
    }
}

/// The plans of one document, by `CodingKey` type.
final class KeyPlans {
    private var plans: [ObjectIdentifier: KeyPlan] = [:]
    private var last: (type: ObjectIdentifier, plan: KeyPlan)?

    /// The plan for the keys of a type.
    func plan(of type: any CodingKey.Type) -> KeyPlan {
        let identity = ObjectIdentifier(type)
        if let last, last.type == identity { return last.plan }
        let plan = plans[identity] ?? KeyPlan()
        plans[identity] = plan
        last = (identity, plan)
        return plan
    }
}
