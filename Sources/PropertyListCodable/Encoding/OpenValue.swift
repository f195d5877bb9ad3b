// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A value that is being encoded: what it is so far, until it becomes a node of the document.
///
/// Containers are handed out as views of one, so that several may be open at once, in any order.
/// When the value is complete the object is used again for the next.
final class OpenValue {
    enum Shape {
        /// Nothing has been encoded yet.
        case nothing
        /// A complete node.
        case single
        /// The elements are ``values``.
        case array
        /// The entries are ``keys`` and ``values``.
        case dictionary
    }

    private(set) var shape = Shape.nothing
    /// The node that a value of the shape `single` is, or that the value has become.
    var node: UInt32 = 0
    // Checking that each access is exclusive would cost as much as adding an entry.
    @exclusivity(unchecked) private var uncheckedKeys: [UInt32] = []
    @exclusivity(unchecked) private var uncheckedValues: [UInt32] = []
    /// The values that are open themselves, each at its place in ``values``.
    private(set) var nested: [(place: Int, value: OpenValue)] = []

    private(set) var path: CodingPath?

    // SAFETY: a value is used by one thread, and what is done with the arrays does not come back.
    var keys: [UInt32] {
        @inline(__always) get { unsafe uncheckedKeys }
        @inline(__always) _modify { yield unsafe &uncheckedKeys }
    }

    var values: [UInt32] {
        @inline(__always) get { unsafe uncheckedValues }
        @inline(__always) _modify { yield unsafe &uncheckedValues }
    }

    // The largest key so far. Keys are numbered as they are first met, so that those of a dictionary
    // nearly always rise; one that does not may be there already.
    private var lastKey = -1
    // The places of the keys, once there are too many to be searched.
    private var places: [UInt32: Int]?
    private static let searchLimit = 32

    /// Prepares for another value.
    func reset(path: CodingPath?) {
        self.path = path
        shape = .nothing
        keys.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        nested.removeAll(keepingCapacity: true)
        lastKey = -1
        places = nil
    }

    /// Makes the value one of `shape`.
    ///
    /// - Returns: false where it is something else already.
    @inline(__always)
    func become(_ shape: Shape) -> Bool {
        if self.shape == shape { return shape != .single }
        guard self.shape == .nothing else { return false }
        self.shape = shape
        return true
    }
}

// MARK: - Adding

extension OpenValue {
    /// The place of an open value whose node is not known yet.
    private static let unknown = UInt32.max

    /// Adds an element.
    @inline(__always)
    func append(_ node: UInt32) { values.append(node) }

    /// Adds an element that is open.
    func append(_ value: OpenValue) {
        nested.append((values.count, value))
        values.append(Self.unknown)
    }

    /// Sets the value of a key; of two the last one counts.
    @inline(__always)
    func set(_ node: UInt32, forKey key: UInt32) {
        if Int(key) > lastKey {
            lastKey = Int(key)
            insert(node, key)
        } else {
            replace(node, key)
        }
    }

    /// Sets the value of a key to one that is open.
    func set(_ value: OpenValue, forKey key: UInt32) {
        set(Self.unknown, forKey: key)
        guard let place = place(of: key) else { return }
        nested.append((place, value))
    }

    /// The open value of a key, if it has one.
    func nestedValue(forKey key: UInt32) -> OpenValue? {
        guard !nested.isEmpty, let place = place(of: key) else { return nil }
        return nested.last { $0.place == place }?.value
    }

    @inline(__always)
    private func insert(_ node: UInt32, _ key: UInt32) {
        if keys.count > Self.searchLimit { places?[key] = keys.count }
        keys.append(key)
        values.append(node)
    }

    @inline(never)
    private func replace(_ node: UInt32, _ key: UInt32) {
        guard let place = place(of: key) else { return insert(node, key) }
        values[place] = node
        nested.removeAll { $0.place == place }
    }

    private func place(of key: UInt32) -> Int? {
        if keys.count <= Self.searchLimit { return keys.firstIndex(of: key) }
        if places == nil {
            places = Dictionary(
                zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
        }
        return places?[key]
    }
}

// MARK: - Completing

extension OpenValue {
    /// Puts the nodes of the nested values, which must be complete, in their places.
    func resolveNested() {
        for (place, value) in nested { values[place] = value.node }
        nested.removeAll(keepingCapacity: true)
    }

    /// Sorts the entries of a dictionary by their keys.
    func sortEntries(_ precedes: (UInt32, UInt32) -> Bool) {
        let order = keys.indices.sorted { precedes(keys[$0], keys[$1]) }
        keys = order.map { keys[$0] }
        values = order.map { values[$0] }
    }

    /// Forgets what is nested, so that values that refer to each other are released.
    func releaseNested() { nested = [] }
}
