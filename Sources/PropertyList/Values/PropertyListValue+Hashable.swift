// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue: Hashable {
    /// Whether both are the same property list: kinds, widths and bits of numbers and dates, text
    /// scalar by scalar, arrays and sets in order, dictionaries in any order. Linear; not recursive.
    public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        var known: Set<LongPair> = []
        if left.storage == nil || right.storage == nil { return isSameScalar(left, right, &known) }
        var pairs = [(left, right)]
        while let (first, second) = pairs.popLast() {
            guard let firstStorage = first.storage, let secondStorage = second.storage else {
                if !isSameScalar(first, second, &known) { return false }
                continue
            }
            if firstStorage === secondStorage && first.kind == second.kind { continue }
            guard first.kind == second.kind,
                pushChildren(of: firstStorage, secondStorage, first.kind, onto: &pairs)
            else { return false }
        }
        return true
    }

    /// Appends the children to compare; false where the containers differ by themselves.
    private static func pushChildren(
        of left: ContainerStorage, _ right: ContainerStorage, _ kind: PropertyListKind,
        onto pairs: inout [(PropertyListValue, PropertyListValue)]
    ) -> Bool {
        guard left.values.count == right.values.count else { return false }
        for (place, value) in left.values.enumerated() {
            var other = place
            if kind == .dictionary {
                guard let match = right.keys.place(of: left.keys.texts[place]) else { return false }
                other = match
            }
            pairs.append((value, right.values[other]))
        }
        return true
    }

    /// A long text or data of each of two trees, by their places in memory.
    private struct LongPair: Hashable {
        let left: ContentIdentity
        let right: ContentIdentity
    }

    /// - Parameter known: long texts and data that are the same. Many places may have one of them.
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

    /// Feeds the value to `hasher`: a scalar whole; of a container its size and its own scalars,
    /// so that the work does not depend on the depth.
    public func hash(into hasher: inout Hasher) {
        var known: [ContentIdentity: UInt64] = [:]
        guard let storage else { return hashScalar(into: &hasher, &known) }
        hasher.combine(kind)
        hasher.combine(storage.values.count)
        if kind == .dictionary { return hasher.combine(Self.unorderedHash(of: storage, &known)) }
        for value in storage.values { value.hashShallow(into: &hasher, &known) }
    }

    /// - Parameter known: the hashes of long texts and data. Many places may have one of them.
    private func hashShallow(
        into hasher: inout Hasher, _ known: inout [ContentIdentity: UInt64]
    ) {
        guard let storage else { return hashScalar(into: &hasher, &known) }
        hasher.combine(storage.values.count)
    }

    /// A sum, because dictionaries are equal in any order.
    private static func unorderedHash(
        of storage: ContainerStorage, _ known: inout [ContentIdentity: UInt64]
    ) -> Int {
        var sum = 0
        for (key, value) in zip(storage.keys.texts, storage.values) {
            var hasher = Hasher()
            PropertyListValue.string(key).hashScalar(into: &hasher, &known)
            value.hashShallow(into: &hasher, &known)
            sum &+= hasher.finalize()
        }
        return sum
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
