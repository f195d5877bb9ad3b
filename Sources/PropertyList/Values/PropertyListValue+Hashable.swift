// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue: Hashable {
    /// Returns whether two values are the same property list.
    ///
    /// Numbers and dates are compared by kind, width and bits, and text scalar by scalar. The order
    /// matters in arrays and sets, but not in dictionaries. Not recursive. Nearly linear in the
    /// memory of both values, however they share parts.
    public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        var contents = EqualParts<ContentIdentity>()
        if left.storage == nil || right.storage == nil {
            return isSameScalar(left, right, &contents)
        }
        var containers = EqualParts<ContainerIdentity>()
        var longKeys = LongKeys()
        var pairs = [(left, right)]
        while let (first, second) = pairs.popLast() {
            guard let firstStorage = first.storage, let secondStorage = second.storage else {
                if !isSameScalar(first, second, &contents) { return false }
                continue
            }
            guard first.kind == second.kind,
                firstStorage.values.count == secondStorage.values.count
            else { return false }
            if firstStorage === secondStorage { continue }
            // The loop ends at the first difference, so containers that it has begun to compare
            // count as equal.
            let isNew = containers.join(
                ContainerIdentity(firstStorage, first.kind),
                ContainerIdentity(secondStorage, second.kind))
            guard
                !isNew
                    || pushChildren(
                        of: firstStorage, secondStorage, first.kind, &longKeys, onto: &pairs)
            else { return false }
        }
        return true
    }

    /// Appends the pairs of children to compare. Both containers have the same number of children.
    /// Returns false if their keys differ.
    private static func pushChildren(
        of left: ContainerStorage, _ right: ContainerStorage, _ kind: PropertyListKind,
        _ longKeys: inout LongKeys, onto pairs: inout [(PropertyListValue, PropertyListValue)]
    ) -> Bool {
        var longPlaces: [Int: Int] = [:]
        for (place, value) in left.values.enumerated() {
            var other = place
            if kind == .dictionary {
                guard
                    let match = longKeys.place(
                        of: left.keys.texts[place], at: place, in: right.keys, &longPlaces)
                else { return false }
                other = match
            }
            pairs.append((value, right.values[other]))
        }
        return true
    }

    /// The numbers of long keys. Many dictionaries may have the same long key, whose text is then
    /// hashed and compared only once.
    private struct LongKeys {
        private var known: [ContentIdentity: Int] = [:]
        private var numbers: [ExactText: Int] = [:]

        /// Returns the number of a long key, or nil for a short key. Equal keys have one number.
        private mutating func number(of key: String) -> Int? {
            if key.utf8.count < NodeRecord.longLength { return nil }
            let identity = ContentIdentity(key)
            if let identity, let number = known[identity] { return number }
            let number = numbers[ExactText(key)] ?? numbers.count
            numbers[ExactText(key)] = number
            if let identity { known[identity] = number }
            return number
        }

        /// Returns the position of a key in a dictionary, or nil. Looks for a long key at `place`
        /// first. `places` contains the positions of the dictionary's long keys by number. It is
        /// empty until they are needed.
        mutating func place(
            of key: String, at place: Int, in keys: DictionaryKeys, _ places: inout [Int: Int]
        ) -> Int? {
            guard let number = self.number(of: key) else { return keys.place(of: key) }
            if self.number(of: keys.texts[place]) == number { return place }
            if places.isEmpty {
                for (place, text) in keys.texts.enumerated() {
                    if let number = self.number(of: text) { places[number] = place }
                }
            }
            return places[number]
        }
    }

    /// Classes of equal parts of two trees: a union-find structure. The trees keep the parts alive.
    ///
    /// Classes bound the work: n parts can form n² pairs, but are joined at most n − 1 times.
    private struct EqualParts<Part: Hashable> {
        // The next part on the path to the representative. A representative has no entry.
        private var parents: [Part: Part] = [:]

        /// Joins the classes of two parts. Returns false if they are in one class already.
        mutating func join(_ left: Part, _ right: Part) -> Bool {
            let (first, second) = (representative(of: left), representative(of: right))
            if first == second { return false }
            parents[first] = second
            return true
        }

        /// Returns whether two parts are in one class.
        mutating func areJoined(_ left: Part, _ right: Part) -> Bool {
            representative(of: left) == representative(of: right)
        }

        private mutating func representative(of part: Part) -> Part {
            var part = part
            while let parent = parents[part] {
                guard let next = parents[parent] else { return parent }
                // Halves the path, so that later searches are short.
                parents[part] = next
                part = next
            }
            return part
        }
    }

    /// Compares two scalars. `known` contains equal long strings and data, which may occur many
    /// times.
    private static func isSameScalar(
        _ left: PropertyListValue, _ right: PropertyListValue,
        _ known: inout EqualParts<ContentIdentity>
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
        _ left: ContentIdentity?, _ right: ContentIdentity?,
        _ known: inout EqualParts<ContentIdentity>, _ compare: () -> Bool
    ) -> Bool {
        guard let left, let right else { return compare() }
        if known.areJoined(left, right) { return true }
        return compare() && known.join(left, right)
    }

    /// Hashes the value and everything in it. Not recursive. Linear in the memory of the value.
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
                containers[ContainerIdentity(container.storage, container.kind)] = result
                if let last = open.indices.last { open[last].add(result, &contents) }
            }
            return result
        }

        /// Adds the children before the first container without a hash. Returns that container, or
        /// nil if no child is left.
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
