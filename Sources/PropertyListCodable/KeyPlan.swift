// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The keys of one `CodingKey` type in a document, in the order in which they are requested.
///
/// A type encodes or decodes its keys in the same order every time, so the requested key is nearly
/// always the next one in the plan. Comparing the requested key with the expected one then replaces
/// a hash lookup. When decoding, a plan serves the dictionaries of one shape, in which each key has
/// the same position.
///
/// Non-ASCII keys are not in the plan, because `String` treats canonically equivalent strings as
/// equal and property lists do not. Key types with very many keys, such as those of dictionaries,
/// only have their first keys in the plan.
final class KeyPlan {
    private struct Entry {
        static let unknown = UInt32.max

        let name: String
        /// The length of the name in bytes.
        let count: Int
        /// When encoding, the node of the key. When decoding, its number in the document, or 0 if
        /// the document does not contain it.
        let value: UInt32
        /// When decoding, the position of the key in the dictionaries of the shape.
        var position = unknown
    }

    /// The position that marks a key as missing from the dictionaries of the shape.
    static let missing = Int(Int32.max)
    private static let capacity = 128

    /// A Boolean value that indicates whether the plan serves dictionaries of one shape and
    /// therefore stores positions.
    let hasShape: Bool

    // Dynamic exclusivity checks would cost as much as comparing the keys.
    @exclusivity(unchecked) private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    init(hasShape: Bool = false) { self.hasShape = hasShape }

    /// Returns the place of the key `name` in the plan, or nil if the plan cannot hold the key.
    ///
    /// `next` is the expected place of the key. If the key is found or added, `next` becomes the
    /// place after it. `resolve` returns the value of a key that is requested for the first time.
    @inline(__always)
    func place(of name: String, _ next: inout Int, resolve: (String) -> UInt32) -> Int? {
        if value(of: name, ifAt: next) == nil { return search(name, &next, resolve) }
        next &+= 1
        return next &- 1
    }

    /// Returns the value of the key at a place if that key is `name`.
    @inline(__always)
    func value(of name: String, ifAt place: Int) -> UInt32? {
        // SAFETY: only one thread uses a session, and comparing strings does not access it.
        guard unsafe place < entries.count, isName(name, at: place) else { return nil }
        return unsafe entries[place].value
    }

    /// Returns the value of the key at a place.
    @inline(__always)
    func value(at place: Int) -> UInt32 { unsafe entries[place].value }

    /// Returns the position of the key at a place if that key is `name` and its position is known.
    /// A missing key has the position ``missing``.
    @inline(__always)
    func position(of name: String, ifAt place: Int) -> Int? {
        guard unsafe place < entries.count, isName(name, at: place) else { return nil }
        return position(at: place)
    }

    /// Returns the position of the key at a place, or ``missing``. Returns nil if the key has not
    /// been looked up yet.
    @inline(__always)
    func position(at place: Int) -> Int? {
        let position = unsafe entries[place].position
        return position == Entry.unknown ? nil : Int(position)
    }

    /// Stores the position of the key at a place, if the plan is for one shape.
    func setPosition(_ position: Int, at place: Int) {
        if hasShape { unsafe entries[place].position = UInt32(truncatingIfNeeded: position) }
    }

    /// Returns whether the key at a place is `name`. A string that is canonically equivalent to an
    /// ASCII string but not identical has more UTF-8 bytes. An example is the kelvin sign, which
    /// `==` treats as a K. Comparing the lengths therefore suffices.
    @inline(__always)
    private func isName(_ name: String, at place: Int) -> Bool {
        unsafe entries[place].name == name && entries[place].count == name.utf8.count
    }

    @inline(never)
    private func search(
        _ name: String, _ next: inout Int, _ resolve: (String) -> UInt32
    ) -> Int? {
        // The same key again: `contains` and then a decoding call.
        if next > 0, unsafe next <= entries.count, isName(name, at: next &- 1) {
            return next &- 1
        }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        // SAFETY: as above; `resolve` accesses only the tables of the document.
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

    /// Once there are this many plans, no plan with a shape is added. Each further type then has
    /// one plan for dictionaries of all shapes.
    private static let capacity = 256

    private var plans: [Name: KeyPlan] = [:]
    private var last: (name: Name, plan: KeyPlan)?

    /// Returns the plan for the keys of a type in dictionaries of a shape; shape 0 means none.
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
