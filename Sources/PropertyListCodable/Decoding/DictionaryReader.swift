// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// Looks up the keys of one dictionary as they are requested.
///
/// The lookup uses the ``KeyPlan`` for the key type and the shape of the dictionary, which is the
/// sequence of its keys. A requested key is nearly always the next one in the plan. The plan also
/// stores the position of each key in dictionaries of that shape.
///
/// This is the part of a ``KeyedNodeContainer`` that does not depend on the key type. Copying the
/// container costs one retain, and the compiler does not specialize the class for each key type.
final class DictionaryReader {
    let session: DecodingSession
    let path: CodingPath?
    let node: UInt32
    private let first: Int
    let count: Int
    private let plan: KeyPlan
    private let hasDuplicateKeys: Bool
    // The place of the next key in the plan.
    private var next = 0
    // The entry after the last one found without the plan.
    private var following = 0
    private var hasChargedKeys = false
    // The first position of each short key, by canonical equivalence, and the positions of the long
    // keys. Built by the second search for an equivalent key, unless the dictionary is small.
    private var equivalents: (short: [String: Int], long: [Int])?
    private var hasMissed = false

    init(
        _ session: DecodingSession, _ path: CodingPath?, _ node: UInt32,
        keys type: any CodingKey.Type
    ) throws {
        let record = session.record(node)
        guard record.kind == .dictionary else {
            throw session.containerRefusal([String: Any].self, node, path)
        }
        self.session = session
        self.path = path
        self.node = node
        first = record.keyRange.lowerBound
        count = record.count
        plan = session.plan(of: type, shape: record.shape)
        hasDuplicateKeys = session.table.hasDuplicateKeys
        if let key = session.nonStringKey(of: node) {
            throw session.refusal(String.self, key, path)
        }
    }

    /// Counts all keys as visited, once for the container. Each reference to a shared dictionary
    /// has its own container.
    func chargeKeys() {
        if hasChargedKeys { return }
        hasChargedKeys = true
        session.note(visits: count)
    }

    /// Makes the next search outside the plan start at the first entry.
    func rewind() { following = 0 }

    /// Returns the text of the key at a position.
    func text(at position: Int) -> String {
        let node = session.children[first &+ position]
        return session.key(node, session.records[Int(node)])
    }

    /// Returns the value of the entry at a position.
    func child(at position: Int) -> UInt32 { session.children[first &+ position &+ count] }

    /// Returns the value of a key, or nil if the key is missing.
    func find(_ name: String) -> UInt32? {
        let place = next
        guard let position = plan.position(of: name, ifAt: place) else { return findByPlan(name) }
        next = place &+ 1
        return value(at: position)
    }

    /// Returns the value of the entry at a position, or nil for the position ``KeyPlan/missing``.
    @inline(__always)
    private func value(at position: Int) -> UInt32? {
        position == KeyPlan.missing ? nil : child(at: position)
    }

    /// Returns the value of a key that is not the expected one, or that has not been looked up yet.
    @inline(never)
    private func findByPlan(_ name: String) -> UInt32? {
        // A copy, because passing the property itself would incur exclusivity checks.
        var next = next
        let place = plan.place(of: name, &next) { session.table.keyNumber(of: $0) ?? 0 }
        self.next = next
        guard let place else { return search(name) }
        if let known = plan.position(at: place) { return value(at: known) }
        let number = plan.value(at: place)
        let position = number == 0 ? nil : position(of: number)
        plan.setPosition(position ?? KeyPlan.missing, at: place)
        return position.map(child)
    }

    private func position(of number: UInt32) -> Int? {
        session.table.place(ofKey: number, in: session.record(node)).map { $0 &- first }
    }

    /// Returns the value of a key without using the plan. Tries the next entry, then a lookup, then
    /// canonically equivalent keys.
    @inline(never)
    func search(_ name: String) -> UInt32? {
        if !hasDuplicateKeys, following < count, isKey(name, at: following) {
            following &+= 1
            return child(at: following &- 1)
        }
        if let number = session.table.keyNumber(of: name), let position = position(of: number) {
            following = position &+ 1
            return child(at: position)
        }
        return searchEquivalent(name)
    }

    private func isKey(_ name: String, at position: Int) -> Bool {
        session.table.view(session.children[first &+ position]).isString(name)
    }

    /// Returns the value of a canonically equivalent key, as Foundation does: file systems and
    /// editors may have decomposed a key that the program spells in composed form. A name in ASCII
    /// is not searched for, although three other characters are equivalent to `K`, `;` and `` ` ``.
    private func searchEquivalent(_ name: String) -> UInt32? {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
        let search = DecodingSession.MissedKey(name: ExactText(name), dictionary: node)
        if session.missedKeys.contains(search) { return nil }
        // A miss in a small dictionary is not cached: searching it again costs no more.
        let isSmall = count <= 8
        let position =
            hasMissed && !isSmall
            ? indexedEquivalent(name) : firstEquivalent(name, among: 0..<count)
        hasMissed = true
        if position == nil, !isSmall { session.missedKeys.insert(search) }
        return position.map { child(at: $0) }
    }

    private func firstEquivalent(_ name: String, among positions: some Sequence<Int>) -> Int? {
        // A string and its canonical decomposition differ in length by at most a factor of three,
        // so the lengths of two equivalent strings differ by a factor of at most nine. The limit
        // also keeps `==` from comparing long runs of combining marks.
        let longest = name.utf8.count &* 9
        return positions.first { contentLength(at: $0) <= longest && text(at: $0) == name }
    }

    private func contentLength(at position: Int) -> Int {
        session.table.contentLength(of: session.table[session.children[first &+ position]])
    }

    /// Returns the position of a canonically equivalent key, like a search of all keys. The first
    /// call indexes the short keys. Long keys are not in the index, because many dictionaries may
    /// share them, and each container has its own index.
    private func indexedEquivalent(_ name: String) -> Int? {
        let index = equivalents ?? makeEquivalents()
        equivalents = index
        let long = firstEquivalent(name, among: index.long)
        guard let short = index.short[name] else { return long }
        return long.map { min($0, short) } ?? short
    }

    private func makeEquivalents() -> (short: [String: Int], long: [Int]) {
        var index: (short: [String: Int], long: [Int]) = ([:], [])
        index.short.reserveCapacity(count)
        for position in 0..<count {
            if contentLength(at: position) >= LongContents.shortest {
                index.long.append(position)
            } else {
                let text = text(at: position)
                if index.short[text] == nil { index.short[text] = position }
            }
        }
        return index
    }
}
