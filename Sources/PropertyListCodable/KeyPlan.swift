// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The keys of one `CodingKey` type in a document, in the order in which they are requested.
///
/// A type codes its keys in the same order every time, so the key after the last one is nearly always the next
/// in the plan: then one comparison of two words replaces hashing the key. When decoding, a plan is for the
/// dictionaries of one shape, in all of which a key has the same position.
///
/// Keys that are not ASCII have no place in the plan, because `String` takes canonically equivalent texts for
/// the same, and property lists do not; nor have those of a type with many, like a dictionary's.
final class KeyPlan {
    private struct Entry {
        static let unknown = UInt32.max

        let name: String
        /// The length of the name in bytes.
        let count: Int
        /// When encoding, the node of the key. When decoding, its number, 0 where the document does not have it.
        let value: UInt32
        /// When decoding, the position of the key in the dictionaries of the shape.
        var position = unknown
    }

    /// The position of a key that the dictionaries of the shape do not have.
    static let missing = Int(Int32.max)
    private static let capacity = 128

    /// A Boolean value that says whether the plan is for the dictionaries of one shape, so that it
    /// keeps positions.
    let hasShape: Bool

    // Checking that each access is exclusive would cost as much as the comparison of the keys.
    @exclusivity(unchecked) private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    init(hasShape: Bool = false) { self.hasShape = hasShape }

    /// The place of the key `name`; nil for a key that the plan has no place for.
    ///
    /// The key is expected at the place `next`, which becomes the one behind it. `resolve` returns the value of a key
    /// that is requested for the first time.
    @inline(__always)
    func place(of name: String, _ next: inout Int, resolve: (String) -> UInt32) -> Int? {
        if value(of: name, ifAt: next) == nil { return search(name, &next, resolve) }
        next &+= 1
        return next &- 1
    }

    /// The value of the key `name`, if it is the one at a place.
    @inline(__always)
    func value(of name: String, ifAt place: Int) -> UInt32? {
        // SAFETY: a session is used by one thread, and comparing strings does not come back here.
        guard unsafe place < entries.count, isName(name, at: place) else { return nil }
        return unsafe entries[place].value
    }

    /// The value of the key at a place.
    @inline(__always)
    func value(at place: Int) -> UInt32 { unsafe entries[place].value }

    /// The position of the key `name`, or ``missing``, if it is the one at a place and has been searched for.
    @inline(__always)
    func position(of name: String, ifAt place: Int) -> Int? {
        guard unsafe place < entries.count, isName(name, at: place) else { return nil }
        return position(at: place)
    }

    /// The position of the key at a place, or ``missing``; nil if it has not been searched for.
    @inline(__always)
    func position(at place: Int) -> Int? {
        let position = unsafe entries[place].position
        return position == Entry.unknown ? nil : Int(position)
    }

    /// Keeps the position of the key at a place, if the plan is for one shape.
    func setPosition(_ position: Int, at place: Int) {
        if hasShape { unsafe entries[place].position = UInt32(truncatingIfNeeded: position) }
    }

    /// Returns whether the key at a place is `name`. What is equivalent to a text of ASCII without being
    /// the same is longer, like the sign for kelvin, which `==` takes for a K.
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

/// The plans of one document, by `CodingKey` type and shape.
final class KeyPlans {
    private struct Name: Hashable {
        let type: ObjectIdentifier
        let shape: UInt16
    }

    /// The number of plans, beyond which types have one plan for the dictionaries of all shapes.
    private static let capacity = 256

    private var plans: [Name: KeyPlan] = [:]
    private var last: (name: Name, plan: KeyPlan)?

    /// The plan for the keys of a type, in dictionaries of a shape; 0 is none.
    func plan(of type: any CodingKey.Type, shape: UInt16 = 0) -> KeyPlan {
        let name = Name(type: ObjectIdentifier(type), shape: shape)
        if let last, last.name == name { return last.plan }
        let plan = plan(name)
        last = (name, plan)
        return plan
    }

    private func plan(_ name: Name) -> KeyPlan {
        if let known = plans[name] { return known }
        let hasShape = name.shape != 0
        if hasShape, plans.count >= Self.capacity { return plan(Name(type: name.type, shape: 0)) }
        let plan = KeyPlan(hasShape: hasShape)
        plans[name] = plan
        return plan
    }
}
