// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The last step of every parser and builder. The pass numbers the keys and shapes of all
/// dictionaries, and handles duplicate and non-string keys.
///
/// A dictionary of the expected shape needs only one comparison with that shape. In other
/// dictionaries, the pass finds duplicates without hashing: it remembers for each key number the
/// last dictionary that contained the key. Linear in the number of pairs.
struct DictionaryPass {
    let options: ParsingOptions
    let format: PropertyListFormat?
    let root: UInt32
    var used: ParsingOptions = []
    /// The errors for non-string keys that only ``ParsingOptions/salvage`` accepts.
    private(set) var problems: [PropertyListError] = []
    /// The keys and shapes found so far.
    private(set) var keys: NumberedKeys
    // By key number: the last dictionary that contained the key, as its record number plus one.
    private var lastOwner: [UInt32]
    /// The number of keys per block when the keys of a larger dictionary are numbered.
    private static let blockSize = 64

    /// Creates the pass. The keys in the table already have their numbers.
    init(
        options: ParsingOptions, format: PropertyListFormat?, root: UInt32 = 0,
        keys: KeyTable = KeyTable()
    ) {
        self.options = options
        self.format = format
        self.root = root
        // Enough capacity for the keys of a small document.
        let room = max(keys.count &+ 1, 32)
        lastOwner = []
        lastOwner.reserveCapacity(room)
        lastOwner.append(contentsOf: repeatElement(0, count: keys.count &+ 1))
        self.keys = NumberedKeys(table: keys)
        self.keys.homes.reserveCapacity(room)
        self.keys.homes.append(contentsOf: repeatElement(.none, count: keys.count &+ 1))
    }

    /// Visits every dictionary of `store`, or only those marked in `reachable`.
    ///
    /// ``ParsingOptions/unusedGarbage`` accepts a dictionary with an invalid key in a binary file
    /// if the root does not reach the dictionary.
    ///
    /// - Throws: `invalidKey`, `duplicateKey`.
    mutating func run(
        _ store: inout NodeStore, only reachable: [Bool]? = nil
    ) throws(PropertyListError) {
        var reachable = reachable
        var node = 0
        while true {
            if reachable == nil { node = keys.shapes.assignLikely(from: node, &store) }
            guard node < store.records.count else { return }
            let record = store.records[node]
            if record.kind == .dictionary, reachable?[node] == false {
                keys.hasShapeless = true
            } else if record.kind == .dictionary, !record.isEmpty {
                do {
                    store.records[node].shape = try shape(of: node, &store)
                } catch {
                    reachable = try reachableNodes(reachable, notIncluding: node, error, store)
                    keys.hasShapeless = true
                }
            }
            node &+= 1
        }
    }

    /// Returns, for each node, whether the root reaches it. Throws `error` if the root reaches
    /// `node`, or if the options do not accept malformed unused objects.
    private mutating func reachableNodes(
        _ reachable: [Bool]?, notIncluding node: Int, _ error: PropertyListError,
        _ store: NodeStore
    ) throws(PropertyListError) -> [Bool] {
        guard format == .binary, options.contains(.unusedGarbage) else { throw error }
        let reachable = reachable ?? ReferencePass.reachable(from: root, in: store)
        if reachable[node] { throw error }
        used.insert(.unusedGarbage)
        return reachable
    }

    /// Numbers the keys of a dictionary, handles duplicates, and returns the dictionary's shape.
    private mutating func shape(
        of node: Int, _ store: inout NodeStore
    ) throws(PropertyListError) -> UInt16 {
        var (hasDuplicates, areNumbered) = try visit(node, &store)
        if hasDuplicates, !options.contains(.allDuplicateKeys) {
            removeDuplicates(node, &store)
            hasDuplicates = false
        }
        let shape =
            areNumbered && !hasDuplicates
            ? keys.shapes.number(store.records[node].keyRange, in: store) : 0
        if shape == 0 { keys.hasShapeless = true }
        return shape
    }

    /// Numbers the keys of a dictionary. Returns whether a key occurs twice, and whether all keys
    /// have a number.
    private mutating func visit(
        _ node: Int, _ store: inout NodeStore
    ) throws(PropertyListError) -> (hasDuplicates: Bool, areNumbered: Bool) {
        let record = store.records[node]
        let places = record.keyRange
        if record.count > Self.blockSize { numberKeys(at: places, &store) }
        let owner = UInt32(truncatingIfNeeded: node) &+ 1
        var hasDuplicates = false
        var areNumbered = true
        for place in places {
            let key = store.children[place]
            var number = store.records[Int(key)].keyNumber
            if number == 0 {
                number = try self.number(of: key, owner: node, &store)
                if number == 0 {
                    areNumbered = false
                    continue
                }
            }
            let last = lastOwner[Int(number)]
            if last == owner {
                try allowDuplicate(store.children[place], of: node, store)
                hasDuplicates = true
            } else if last == 0 {
                keys.homes[Int(number)] = .init(
                    place: UInt32(truncatingIfNeeded: place),
                    offset: UInt32(truncatingIfNeeded: place &- places.lowerBound))
            }
            lastOwner[Int(number)] = owner
        }
        return (hasDuplicates, areNumbered)
    }

    /// Numbers the keys of a large dictionary in blocks.
    private mutating func numberKeys(at places: Range<Int>, _ store: inout NodeStore) {
        var count = 0
        for place in places where isUnnumbered(store.children[place], store) { count &+= 1 }
        if count == 0 { return }
        // The number of records is a bound, because a file may refer to one key a million times.
        keys.table.makeRoom(for: min(count, store.records.count))
        var block: [UInt32] = []
        block.reserveCapacity(Self.blockSize)
        for place in places {
            let key = store.children[place]
            if isUnnumbered(key, store) { block.append(key) }
            if block.count == Self.blockSize {
                keys.table.intern(block: block, in: &store)
                block.removeAll(keepingCapacity: true)
            }
        }
        keys.table.intern(block: block, in: &store)
        makeRoomForKeys()
    }

    private func isUnnumbered(_ key: UInt32, _ store: NodeStore) -> Bool {
        let record = store.records[Int(key)]
        return record.kind == .string && record.keyNumber == 0
    }

    private mutating func makeRoomForKeys() {
        let missing = keys.table.count &+ 1 &- lastOwner.count
        if missing <= 0 { return }
        lastOwner.makeRoom(for: missing)
        keys.homes.makeRoom(for: missing)
        // Usually one key is missing. Appending it as a sequence would take ten times as long.
        for _ in 0..<missing {
            lastOwner.append(0)
            keys.homes.append(.none)
        }
    }

    /// Assigns and returns the number of a key that has none yet, or returns 0 for a non-string
    /// key.
    private mutating func number(
        of key: UInt32, owner: Int, _ store: inout NodeStore
    ) throws(PropertyListError) -> UInt32 {
        let record = store.records[Int(key)]
        guard record.kind == .string else {
            try allowNonString(key, of: owner, store)
            return 0
        }
        let number = keys.table.intern(key, in: store)
        store.records[Int(key)].setKeyNumber(number)
        makeRoomForKeys()
        return number
    }

    private mutating func allowNonString(
        _ key: UInt32, of owner: Int, _ store: NodeStore
    ) throws(PropertyListError) {
        let kind = store.records[Int(key)].kind
        if options.contains(.nonStringKeys), !kind.isContainer {
            used.insert(.nonStringKeys)
        } else if options.contains(.salvage) {
            used.insert(.salvage)
            // The problems have no paths and their number is limited, because finding a path takes
            // a traversal of the document.
            if problems.count < PropertyListDocument.problemLimit {
                problems.append(nonString(key, kind, nil, store))
            }
        } else {
            let path = PathSearch.path(
                to: UInt32(truncatingIfNeeded: owner), from: root, in: store)
            throw nonString(key, kind, path, store)
        }
    }

    private func nonString(
        _ key: UInt32, _ kind: PropertyListKind, _ path: PropertyListPath?, _ store: NodeStore
    ) -> PropertyListError {
        PropertyListError(
            .invalidKey, format: format, what: kind.keyMismatch,
            location: SourceText.location(Int(store.records[Int(key)].offset), store, format),
            path: path,
            recovery: kind.isContainer ? nil : ParsingOptions.nonStringKeys.advice)
    }

    private mutating func allowDuplicate(
        _ key: UInt32, of owner: Int, _ store: NodeStore
    ) throws(PropertyListError) {
        if options.contains(.allDuplicateKeys) {
            used.insert(.allDuplicateKeys)
        } else if options.contains(.duplicateKeys) {
            used.insert(.duplicateKeys)
        } else {
            let text = store.string(of: store.records[Int(key)])
            let name = TerminalText.escaped(String(text.unicodeScalars.prefix(64)))
            throw error(
                .duplicateKey, "the key `\(name)` occurs twice in a dictionary", key,
                owner, store,
                .init(allowing: .duplicateKeys, orInstead: .allDuplicateKeys))
        }
    }

    private func error(
        _ code: PropertyListError.Code, _ what: String, _ key: UInt32, _ owner: Int,
        _ store: NodeStore, _ recovery: PropertyListError.Recovery?
    ) -> PropertyListError {
        PropertyListError(
            code, format: format, what: what,
            location: SourceText.location(Int(store.records[Int(key)].offset), store, format),
            path: PathSearch.path(to: UInt32(truncatingIfNeeded: owner), from: root, in: store),
            recovery: recovery)
    }

    // MARK: Removing duplicates

    /// Keeps one pair for each key, like Apple's parsers: the first in binary, the last in text
    /// formats. The pair takes the position of the first occurrence.
    private mutating func removeDuplicates(_ node: Int, _ store: inout NodeStore) {
        let record = store.records[node]
        let first = record.keyRange.lowerBound
        var positions: [UInt32: Int] = [:]
        var keys: [UInt32] = []
        var values: [UInt32] = []
        for (keyPlace, valuePlace) in zip(record.keyRange, record.valueRange) {
            let key = store.children[keyPlace]
            let value = store.children[valuePlace]
            let number = store.records[Int(key)].keyNumber
            if number != 0, let earlier = positions[number] {
                if format?.isText == true { values[earlier] = value }
                continue
            }
            if number != 0 { positions[number] = keys.count }
            keys.append(key)
            values.append(value)
        }
        store.children.replaceSubrange(first..<(first &+ keys.count), with: keys)
        store.children.replaceSubrange(
            (first &+ keys.count)..<(first &+ 2 &* keys.count), with: values)
        store.records[node].setCount(keys.count)
    }
}

/// The keys and shapes that ``DictionaryPass`` has numbered.
package struct NumberedKeys: Sendable {
    /// The distinct keys.
    var table: KeyTable
    /// By key number: the position of the first occurrence.
    var homes: [DictionaryIndex.KeyHome] = []
    /// The distinct sequences of keys.
    var shapes = ShapeTable()
    /// A Boolean value that is true if a non-empty dictionary has no shape.
    var hasShapeless = false
}
