// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue: Hashable {
    /// Returns whether two values are the same property list.
    ///
    /// Numbers and dates are compared by kind, width and bits, and text scalar by scalar. The order
    /// matters in arrays and sets, but not in dictionaries. Linear in the memory of both values;
    /// not recursive.
    public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        var known: Set<LongPair> = []
        if left.storage == nil || right.storage == nil { return isSameScalar(left, right, &known) }
        var containers: Set<ContainerPair> = []
        var pairs = [(left: left, right: right, hasSiblings: false)]
        while let (first, second, hasSiblings) = pairs.popLast() {
            guard let firstStorage = first.storage, let secondStorage = second.storage else {
                if !isSameScalar(first, second, &known) { return false }
                continue
            }
            guard first.kind == second.kind,
                firstStorage.values.count == secondStorage.values.count
            else { return false }
            if firstStorage === secondStorage { continue }
            // A pair can come up again only through a container with several children, so only such
            // containers and their children are remembered. The loop ends at the first difference,
            // so a known pair need not be compared again.
            if hasSiblings || firstStorage.values.count > 1,
                !containers.insert(ContainerPair(firstStorage, secondStorage)).inserted
            {
                continue
            }
            guard pushChildren(of: firstStorage, secondStorage, first.kind, onto: &pairs) else {
                return false
            }
        }
        return true
    }

    /// Appends the pairs of children to compare. Both containers have the same number of children.
    /// Returns false if their keys differ.
    private static func pushChildren(
        of left: ContainerStorage, _ right: ContainerStorage, _ kind: PropertyListKind,
        onto pairs: inout [(left: PropertyListValue, right: PropertyListValue, hasSiblings: Bool)]
    ) -> Bool {
        for (place, value) in left.values.enumerated() {
            var other = place
            if kind == .dictionary {
                guard let match = right.keys.place(of: left.keys.texts[place]) else { return false }
                other = match
            }
            pairs.append((value, right.values[other], left.values.count > 1))
        }
        return true
    }

    /// A pair of containers, one from each tree. The trees keep them alive.
    private struct ContainerPair: Hashable {
        let left: ObjectIdentifier
        let right: ObjectIdentifier

        init(_ left: ContainerStorage, _ right: ContainerStorage) {
            self.left = ObjectIdentifier(left)
            self.right = ObjectIdentifier(right)
        }
    }

    /// A pair of long strings or data, one from each tree, identified by address.
    private struct LongPair: Hashable {
        let left: ContentIdentity
        let right: ContentIdentity
    }

    /// Compares two scalars. `known` caches pairs of equal long strings and data, which may occur
    /// many times.
    private static func isSameScalar(
        _ left: PropertyListValue, _ right: PropertyListValue, _ known: inout Set<LongPair>
    ) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let first), .boolean(let second)): first == second
        case (.integer(let first), .integer(let second)): first == second
        case (.real(let first), .real(let second)): first == second
        case (.date(let first), .date(let second)): first == second
        case (.data(let first), .data(let second)):
            isSame(ContentIdentity(first), ContentIdentity(second), &known) { first == second }
        case (.string(let first), .string(let second)):
            isSame(ContentIdentity(first), ContentIdentity(second), &known) {
                first.isLiterally(second)
            }
        case (.uid(let first), .uid(let second)): first == second
        default: false
        }
    }

    private static func isSame(
        _ left: ContentIdentity?, _ right: ContentIdentity?, _ known: inout Set<LongPair>,
        _ compare: () -> Bool
    ) -> Bool {
        guard let left, let right else { return compare() }
        let pair = LongPair(left: left, right: right)
        if left == right || known.contains(pair) { return true }
        let isSame = compare()
        if isSame { known.insert(pair) }
        return isSame
    }

    /// Hashes the value and everything in it. Linear in the memory of the value; not recursive.
    public func hash(into hasher: inout Hasher) {
        var hashes = TreeHashes()
        guard let storage else { return hashScalar(into: &hasher, &hashes.contents) }
        hasher.combine(hashes.hash(of: storage, kind))
    }

    /// The hashes of the containers of one tree, computed from the inside out. The tree keeps the
    /// containers alive.
    private struct TreeHashes {
        /// The hashes of long strings and data, cached because they may occur many times.
        var contents: [ContentIdentity: UInt64] = [:]
        // The hashes of containers with several children, and of those children. All others are
        // reached only once.
        private var containers: [ContainerIdentity: Int] = [:]

        /// A container whose children are being hashed.
        private struct OpenContainer {
            let storage: ContainerStorage
            let kind: PropertyListKind
            /// The position of the next child.
            var next = 0
            var ordered = Hasher()
            // A sum, because the order of a dictionary does not matter.
            var unordered = 0

            init(_ storage: ContainerStorage, _ kind: PropertyListKind) {
                self.storage = storage
                self.kind = kind
            }

            mutating func add(_ child: Int, _ contents: inout [ContentIdentity: UInt64]) {
                defer { next &+= 1 }
                if kind != .dictionary { return ordered.combine(child) }
                var entry = Hasher()
                PropertyListValue.string(storage.keys.texts[next]).hashScalar(
                    into: &entry, &contents)
                entry.combine(child)
                unordered &+= entry.finalize()
            }

            var hash: Int {
                var hasher = ordered
                hasher.combine(kind)
                hasher.combine(storage.values.count)
                hasher.combine(unordered)
                return hasher.finalize()
            }
        }

        mutating func hash(of root: ContainerStorage, _ kind: PropertyListKind) -> Int {
            var result = 0
            var open = [OpenContainer(root, kind)]
            while var container = open.popLast() {
                if let inner = addChildren(to: &container) {
                    open.append(container)
                    open.append(inner)
                    continue
                }
                result = container.hash
                let siblings = open.last?.storage.values.count ?? 0
                if siblings > 1 || container.storage.values.count > 1 {
                    containers[ContainerIdentity(container.storage, container.kind)] = result
                }
                if let last = open.indices.last { open[last].add(result, &contents) }
            }
            return result
        }

        /// Adds children up to the first container without a hash, which is returned.
        private mutating func addChildren(to container: inout OpenContainer) -> OpenContainer? {
            let values = container.storage.values
            while container.next < values.count {
                let value = values[container.next]
                if let storage = value.storage {
                    guard let known = containers[ContainerIdentity(storage, value.kind)] else {
                        return OpenContainer(storage, value.kind)
                    }
                    container.add(known, &contents)
                } else {
                    var hasher = Hasher()
                    value.hashScalar(into: &hasher, &contents)
                    container.add(hasher.finalize(), &contents)
                }
            }
            return nil
        }
    }

    private func hashScalar(
        into hasher: inout Hasher, _ known: inout [ContentIdentity: UInt64]
    ) {
        hasher.combine(kind)
        switch self {
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .uid(let value): hasher.combine(value)
        case .data(let value):
            hasher.combine(
                Self.hash(ContentIdentity(value), &known) { $0.hash(value.span, salt: 0) })
        case .string(let value):
            hasher.combine(
                Self.hash(ContentIdentity(value), &known) { seeded in
                    value.withUTF8Span { seeded.hash($0, salt: 0) }
                })
        case .null, .array, .set, .dictionary: break
        }
    }

    private static func hash(
        _ identity: ContentIdentity?, _ known: inout [ContentIdentity: UInt64],
        _ hash: (SeededHash) -> UInt64
    ) -> UInt64 {
        if let identity, let hash = known[identity] { return hash }
        let hash = hash(SeededHash())
        if let identity { known[identity] = hash }
        return hash
    }
}
