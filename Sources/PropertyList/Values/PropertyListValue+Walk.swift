// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue {
    /// The value and everything in it, each container before its contents. Copies of a container
    /// that share storage all occur, but their contents occur once. Linear in the memory of the
    /// value; not recursive.
    package var walk: Walk { Walk(self) }

    /// A sequence of the values of a tree.
    package struct Walk: Sequence, IteratorProtocol {
        // Keeps all containers alive, so that the identifiers in `entered` stay unique.
        private let root: PropertyListValue
        private var pending: [PropertyListValue]
        private var entered: Set<ObjectIdentifier> = []

        fileprivate init(_ root: PropertyListValue) {
            self.root = root
            pending = [root]
        }

        package mutating func next() -> PropertyListValue? {
            guard let value = pending.popLast() else { return nil }
            if let storage = value.storage, entered.insert(ObjectIdentifier(storage)).inserted {
                pending += storage.values
            }
            return value
        }
    }
}
