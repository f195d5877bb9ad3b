// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

extension EditTree {
    /// A container and the list of its children. The list begins with the original children, which
    /// are those of the source or of a new value. Children that edits add follow. A position is an
    /// index into that list. The current order of the children is stored separately.
    ///
    /// Edits may open every container of a file. A child therefore takes only 16 bytes, and an
    /// unchanged order takes none.
    struct Container: Sendable {
        /// The key of a child.
        enum Key: Sendable {
            /// The key of the source, by its record.
            case source(UInt32)
            /// A new key, by its index among the new keys of the tree.
            case text(UInt32)
        }

        /// A value with its key.
        struct Child: Sendable {
            var key: Key?
            var content: Content
        }

        let kind: PropertyListKind
        /// The record in the source; nil for a new container.
        let origin: UInt32?
        /// The record of the key of the container in the source; nil for a container without a key
        /// there.
        var key: UInt32?
        let depth: Int
        var children: [Child]
        /// The number of children that the container has in the source.
        let originalCount: Int
        /// The positions of the elements of an array or a set, in order.
        private(set) var elements = BlockList()
        // The positions of the entries of a dictionary.
        private var entries = EntryOrder()
        /// The original keys of a new dictionary.
        var keys: DictionaryKeys?
        /// The positions of keys that were added since the dictionary was opened, also by renaming;
        /// nil for keys that were removed or renamed.
        private(set) var places: [ExactText: Int?] = [:]

        init(kind: PropertyListKind, origin: UInt32?, depth: Int, _ children: [Child]) {
            self.kind = kind
            self.origin = origin
            self.depth = depth
            self.children = children
            originalCount = origin == nil ? 0 : children.count
            if kind == .dictionary {
                entries = EntryOrder(count: children.count)
            } else {
                elements = BlockList(count: children.count)
            }
        }

        /// Returns the number of bytes charged for a container: a fixed overhead and its children.
        static func size(count: Int) -> Int {
            256 &+ TreeExtent.product(count, MemoryLayout<Child>.stride)
        }

        /// The positions of the current children, in order. Linear.
        var live: LivePositions { kind == .dictionary ? entries.all : elements.all }

        /// Inserts an entry after the one at `position`, or at the end.
        mutating func add(
            _ key: Key, _ text: String, _ content: Content, after position: Int? = nil
        ) {
            places[ExactText(text)] = .some(children.count)
            entries.insert(after: position)
            children.append(Child(key: key, content: content))
        }

        /// Inserts an element before the one at `index`, or at the end.
        mutating func insert(_ content: Content, at index: Int) {
            elements.insert(children.count, at: index)
            children.append(Child(key: nil, content: content))
        }

        /// Adds an element at the end.
        mutating func append(_ content: Content) { insert(content, at: elements.count) }

        /// Adds new values as elements at the end.
        ///
        /// - Parameter places: The indices of the values among the new values of the tree.
        mutating func append(values places: Range<UInt32>) {
            children.reserveCapacity(children.count + places.count)
            for place in places { append(.value(place)) }
        }

        /// Removes the element at `index`.
        mutating func removeElement(at index: Int) { _ = elements.remove(at: index) }

        /// Removes the entry with the key `key` at a position.
        mutating func removeEntry(_ position: Int, key: String) {
            entries.remove(position)
            places[ExactText(key)] = .some(nil)
        }

        /// Changes the key of the entry at a position.
        mutating func rename(_ position: Int, from old: String, to new: String, _ key: Key) {
            children[position].key = key
            places[ExactText(old)] = .some(nil)
            places[ExactText(new)] = .some(position)
        }
    }
}
