// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Finds the keys of one dictionary as they are asked for: nearly always each is the next in the plan
/// of its type, and the next in the document.
///
/// What a ``KeyedNodeContainer`` is without the type of its keys: one reference to copy, and code that
/// the compiler need not make again for each type.
final class DictionaryReader {
    let session: DecodingSession
    let path: CodingPath?
    let node: UInt32
    private let first: Int
    let count: Int
    private let plan: KeyPlan
    private let hasDuplicateKeys: Bool
    // The place in the plan of the next key, and in the dictionary of the next entry.
    private var next = 0
    private var position = 0

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
        first = Int(record.low)
        count = Int(record.high)
        plan = session.plan(of: type)
        hasDuplicateKeys = session.table.hasDuplicateKeys
    }

    /// Begins with the first entry again.
    func rewind() { position = 0 }

    /// The text of a key; nil for one that is no string.
    func text(at position: Int) -> String? {
        let key = session.records[Int(session.children[first &+ position])]
        return key.kind == .string ? session.table.string(of: key) : nil
    }

    /// The value of the entry at a position.
    func child(at position: Int) -> UInt32 { session.children[first &+ position &+ count] }

    /// The value of a key, or nil.
    func find(_ name: String) -> UInt32? {
        // A copy, because passing the property itself would be checked for exclusive access.
        var next = next
        let number = plan.value(of: name, &next) { session.table.keyNumber(of: $0) ?? 0 }
        self.next = next
        guard let number else { return search(name) }
        if number == 0 { return nil }
        if position < count, isKey(number, at: position), !hasDuplicateKeys {
            return value(at: position)
        }
        return place(of: number)
    }

    @inline(__always)
    private func isKey(_ number: UInt32, at position: Int) -> Bool {
        let key = session.records[Int(session.children[first &+ position])]
        return key.kind == .string && key.high == number
    }

    @inline(__always)
    private func value(at position: Int) -> UInt32 {
        self.position = position &+ 1
        return session.children[first &+ position &+ count]
    }

    private func place(of number: UInt32) -> UInt32? {
        let place = session.table.place(ofKey: number, in: session.record(node))
        return place.map { value(at: $0 &- first) }
    }

    /// The value of a key that the plan has no place for: by its text.
    @inline(never)
    func search(_ name: String) -> UInt32? {
        if position < count, !hasDuplicateKeys, isKey(name, at: position) {
            return value(at: position)
        }
        if let number = session.table.keyNumber(of: name), let value = place(of: number) {
            return value
        }
        return searchEquivalent(name)
    }

    private func isKey(_ name: String, at position: Int) -> Bool {
        session.table.view(session.children[first &+ position]).isString(name)
    }

    /// The value of a key that is canonically equivalent, as Foundation finds it: file systems and
    /// editors may have decomposed what the program spells composed.
    private func searchEquivalent(_ name: String) -> UInt32? {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
        return (0..<count).first { text(at: $0) == name }.map { value(at: $0) }
    }
}
