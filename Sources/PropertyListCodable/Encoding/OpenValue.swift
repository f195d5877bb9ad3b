// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A value that is being encoded and has not yet become a node of the document.
///
/// Containers are views of an open value, so several containers may be in use at the same time, in
/// any order. A container stores only a reference to the open value, which knows the session and
/// predicts the next key. The session reuses the `OpenValue` of a completed value.
final class OpenValue {
    /// The kind of value that has been encoded so far.
    enum Form {
        /// Nothing has been encoded yet.
        case nothing
        /// A complete node.
        case single
        /// An array of ``elements``.
        case array
        /// A dictionary of ``entries``.
        case dictionary
    }

    /// A key and its value, by their nodes.
    typealias Entry = (key: UInt32, value: UInt32)

    let session: EncodingSession
    /// The coding path.
    private(set) var path: CodingPath?
    private(set) var form = Form.nothing
    /// The node of a value of the form `single`, or of a completed value.
    var node: UInt32 = 0
    // Dynamic exclusivity checks would cost as much as adding an entry.
    @exclusivity(unchecked) private var uncheckedElements: [UInt32] = []
    @exclusivity(unchecked) private var uncheckedEntries: [Entry] = []
    // The nested open values, by their places among the elements or entries.
    private var nestedByPlace = NestedValues()

    // SAFETY: only one thread uses a value, and operations on the arrays do not access the value.
    var elements: [UInt32] {
        @inline(__always) get { unsafe uncheckedElements }
        @inline(__always) _modify { yield unsafe &uncheckedElements }
    }

    var entries: [Entry] {
        @inline(__always) get { unsafe uncheckedEntries }
        @inline(__always) _modify { yield unsafe &uncheckedEntries }
    }

    // The plan of the last key type, and the place of the next expected key in it.
    private var plan: KeyPlan
    private var next = 0
    // The largest key so far. Keys are numbered in the order of their first use, so the keys of a
    // dictionary nearly always ascend. Only a key that is not larger can be present already.
    private var lastKey = -1
    // The places of the keys, built when a linear search would be slow.
    private var places: [UInt32: Int]?
    private static let searchLimit = 32

    init(_ session: EncodingSession, _ path: CodingPath?) {
        self.session = session
        self.path = path
        plan = session.noPlan
    }

    /// Begins a new value with a coding path.
    func begin(_ path: CodingPath?) { self.path = path }

    /// Prepares for another value.
    func reset() {
        path = nil
        form = .nothing
        if !elements.isEmpty { elements.removeAll(keepingCapacity: true) }
        if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
        if hasNested { nestedByPlace.removeAll() }
        lastKey = -1
        if places != nil { places = nil }
    }

    /// Sets the form of the value.
    ///
    /// - Returns: false if the value already has a different form, or is already a complete node.
    @inline(__always)
    func become(_ form: Form) -> Bool {
        if self.form == form { return form != .single }
        guard self.form == .nothing else { return false }
        self.form = form
        return true
    }
}

// MARK: - Reopening and completing

extension OpenValue {
    /// Reopens a complete container so that more can be merged into it. Linear in its size.
    ///
    /// - Returns: false if the value is not complete, or is not a container of that form, or if
    ///   encoding has ended.
    func reopen(as form: Form) -> Bool {
        guard self.form == .single, !session.isFinished else { return false }
        if form == .array, let elements = session.elements(of: node) {
            self.elements = elements
        } else if form == .dictionary, let entries = session.entries(of: node) {
            self.entries = entries
            lastKey = entries.reduce(-1) { max($0, Int($1.key)) }
        } else {
            return false
        }
        self.form = form
        return true
    }

    /// Completes the value with a node.
    func complete(as node: UInt32) {
        form = .single
        self.node = node
    }
}

// MARK: - Adding

extension OpenValue {
    /// The placeholder for the node of an open value.
    private static let unknown = UInt32.max

    /// Appends an element.
    @inline(__always)
    func append(_ node: UInt32) { elements.append(node) }

    /// Appends an open element.
    func append(_ value: OpenValue) {
        nest(value, at: elements.count)
        elements.append(Self.unknown)
    }

    private func nest(_ value: OpenValue, at place: Int) {
        // Values added after encoding has ended are dropped.
        if !session.isFinished { nestedByPlace.append(value, at: place) }
    }

    /// Prepares for the keys of a type, beginning with the first.
    func expectKeys(of type: any CodingKey.Type) {
        plan = session.plan(of: type)
        next = 0
    }

    /// Returns the node of a key. Nearly always the key is the next one in the plan of its type.
    @inline(__always)
    func node(ofKey key: String) -> UInt32 {
        guard let node = plan.value(of: key, ifAt: next) else { return search(key) }
        next &+= 1
        return node
    }

    @inline(never)
    private func search(_ key: String) -> UInt32 {
        // A copy, because passing the property itself would incur exclusivity checks.
        var next = next
        let place = plan.place(of: key, &next, resolve: session.makeKey)
        self.next = next
        return place.map(plan.value(at:)) ?? session.makeKey(key)
    }

    /// Sets the value of a key, replacing an earlier value.
    func set(_ node: UInt32, forKey key: String) { set(node, forKey: self.node(ofKey: key)) }

    /// Sets the value of a key, by the key's node.
    @inline(__always)
    func set(_ node: UInt32, forKey key: UInt32) {
        if Int(key) > lastKey {
            lastKey = Int(key)
            insert((key, node))
        } else {
            replace((key, node))
        }
    }

    /// Sets the value of a key to an open value.
    func set(_ value: OpenValue, forKey key: UInt32) {
        set(Self.unknown, forKey: key)
        if let place = place(of: key) { nest(value, at: place) }
    }

    /// Returns the node of a key's value, or nil if the key has no complete value.
    func node(forKey key: UInt32) -> UInt32? {
        guard Int(key) <= lastKey, let place = place(of: key) else { return nil }
        let node = entries[place].value
        return node == Self.unknown ? nil : node
    }

    /// Returns the open value of a key, or nil if it has none.
    func nestedValue(forKey key: UInt32) -> OpenValue? {
        guard hasNested, let place = place(of: key) else { return nil }
        return nestedByPlace.value(at: place)
    }

    @inline(__always)
    private func insert(_ entry: Entry) {
        if entries.count > Self.searchLimit { notePlace(of: entry.key) }
        entries.append(entry)
    }

    /// Records the place of a key that is about to be added.
    @inline(never)
    private func notePlace(of key: UInt32) { places?[key] = entries.count }

    @inline(never)
    private func replace(_ entry: Entry) {
        guard let place = place(of: entry.key) else { return insert(entry) }
        entries[place] = entry
        nestedByPlace.remove(at: place)
    }

    private func place(of key: UInt32) -> Int? {
        if entries.count <= Self.searchLimit { return entries.firstIndex { $0.key == key } }
        if places == nil {
            places = Dictionary(
                entries.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        }
        return places?[key]
    }
}

// MARK: - Completing

extension OpenValue {
    /// A Boolean value that indicates whether values have been nested in this one.
    var hasNested: Bool { !nestedByPlace.isEmpty }

    /// The nested open values, in the order in which they were added.
    var nested: [OpenValue] { nestedByPlace.all.compactMap(\.value) }

    /// Stores the nodes of the nested values, which must be complete, in their places.
    func resolveNested() {
        for (place, value) in nestedByPlace.all {
            guard let node = value?.node else { continue }
            if form == .array {
                elements[place] = node
            } else {
                entries[place].value = node
            }
        }
        nestedByPlace.removeAll()
    }

    /// Sorts the entries of a dictionary by their keys.
    func sortEntries(_ precedes: (UInt32, UInt32) -> Bool) {
        entries.sort { precedes($0.key, $1.key) }
    }

    /// Drops the nested values, so that values that retain each other are released.
    func releaseNested() { nestedByPlace = NestedValues() }
}

/// The nested open values of one value, by place. At most one is at each place.
private struct NestedValues {
    /// The values in the order in which they were added; nil for removed ones.
    private(set) var all: [(place: Int, value: OpenValue?)] = []
    // The index in `all` of each place, built when a linear search would be slow.
    private var positions: [Int: Int]?
    private static let searchLimit = 32

    var isEmpty: Bool { all.isEmpty }

    /// Adds a value at a place that has none.
    mutating func append(_ value: OpenValue, at place: Int) {
        positions?[place] = all.count
        all.append((place, value))
    }

    mutating func value(at place: Int) -> OpenValue? {
        position(of: place).flatMap { all[$0].value }
    }

    mutating func remove(at place: Int) {
        if let position = position(of: place) { all[position].value = nil }
    }

    mutating func removeAll() {
        all.removeAll(keepingCapacity: true)
        positions = nil
    }

    private mutating func position(of place: Int) -> Int? {
        if all.count <= Self.searchLimit { return all.lastIndex { $0.place == place } }
        if positions == nil {
            positions = Dictionary(
                all.enumerated().map { ($1.place, $0) }, uniquingKeysWith: { _, last in last })
        }
        return positions?[place]
    }
}
