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
        static let unknown = UInt32.max

        let name: String
        /// The length of the name in bytes.
        let count: Int
        /// What the key is: when decoding its number, 0 where the document does not have it; when
        /// encoding its node.
        let value: UInt32
        /// When decoding: how far from the first the key was in the dictionary in which it was found
        /// first.
        var offset = unknown
    }

    private static let capacity = 128

    // Checking that each access is exclusive would cost as much as the comparison of the keys.
    @exclusivity(unchecked) private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    /// The place of the key `name`, whose value is found out by `resolve` the first time; nil for a key
    /// that the plan has no place for.
    ///
    /// `next` says where the key is expected, and then the one after it.
    @inline(__always)
    func place(of name: String, _ next: inout Int, resolve: (String) -> UInt32) -> Int? {
        if value(of: name, ifAt: next) == nil { return search(name, &next, resolve) }
        next &+= 1
        return next &- 1
    }

    /// What the key `name` is, if it is the one at a place.
    @inline(__always)
    func value(of name: String, ifAt place: Int) -> UInt32? {
        // SAFETY: a session is used by one thread, and comparing strings does not come back here.
        guard unsafe place < entries.count, isName(name, at: place) else { return nil }
        return unsafe entries[place].value
    }

    /// What the key at a place is.
    @inline(__always)
    func value(at place: Int) -> UInt32 { unsafe entries[place].value }

    /// What the key `name` is, and how far from the first it was in the dictionary where it was found
    /// first, if it is the one at a place and has been found.
    @inline(__always)
    func found(_ name: String, ifAt place: Int) -> (value: UInt32, offset: Int)? {
        guard unsafe place < entries.count, isName(name, at: place),
            unsafe entries[place].offset != Entry.unknown
        else { return nil }
        return unsafe (entries[place].value, Int(entries[place].offset))
    }

    /// How far from the first the key at a place was, in the dictionary where it was found first.
    @inline(__always)
    func offset(at place: Int) -> Int? {
        let offset = unsafe entries[place].offset
        return offset == Entry.unknown ? nil : Int(offset)
    }

    /// Keeps where a key was found first.
    func setOffset(_ offset: Int, at place: Int) {
        unsafe entries[place].offset = UInt32(truncatingIfNeeded: offset)
    }

    /// Whether the key at a place is `name`. What is equivalent to a text of ASCII without being the same
    /// is longer, like the sign for kelvin, which `==` takes for a K.
    @inline(__always)
    private func isName(_ name: String, at place: Int) -> Bool {
        unsafe entries[place].name == name && entries[place].count == name.utf8.count
    }

    @inline(never)
    private func search(
        _ name: String, _ next: inout Int, _ resolve: (String) -> UInt32
    ) -> Int? {
        // Asked for once more, by `contains` and then to decode.
        if next > 0, unsafe next <= entries.count, isName(name, at: next &- 1) {
            return next &- 1
        }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        // SAFETY: as above; `resolve` looks at the tables of the document only.
        if let place = places[name] {
            next = place &+ 1
            return place
        }
        let place = unsafe entries.count
        guard place < Self.capacity else { return nil }
        let value = resolve(name)
        places[name] = place
        unsafe entries.append(Entry(name: name, count: name.utf8.count, value: value))
        next = place &+ 1
        return place
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
