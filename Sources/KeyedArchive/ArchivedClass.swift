// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

/// The description of a class in a keyed archive. It is a separate entry of `$objects`.
///
/// | key | value |
/// |---|---|
/// | `$classname` | string: the name the objects were archived under |
/// | `$classes` | array of strings: the class and its superclasses, up to `NSObject`; absent for a class that was archived under another name |
/// | `$classhints` | array of strings: fallback classes for readers that do not know the class; usually absent |
public struct ArchivedClass: Sendable {
    /// The name in the archive.
    public var name: String
    /// The class itself, then its superclasses; nil if the archive does not list them.
    public var chain: [String]?
    /// Fallback classes for readers that do not know ``name``; nil if the archive has none.
    public var hints: [String]?
    private var layout = Layout.nameFirst

    /// The order of the keys in a description.
    private enum Layout: Sendable, Hashable {
        /// The name, the chain, the hints.
        case nameFirst
        /// The chain, the name, the hints.
        case chainFirst
        /// Another order, or additional keys. The dictionary has all keys in order. The values of
        /// the three usual keys are null.
        case other(PropertyListDictionary)

        /// All keys in order, with the values of additional keys. The values of the three usual
        /// keys are null.
        var keys: PropertyListDictionary {
            switch self {
            case .nameFirst:
                [
                    ArchiveFormat.classNameKey: .null, ArchiveFormat.classChainKey: .null,
                    ArchiveFormat.classHintsKey: .null,
                ]
            case .chainFirst:
                [
                    ArchiveFormat.classChainKey: .null, ArchiveFormat.classNameKey: .null,
                    ArchiveFormat.classHintsKey: .null,
                ]
            case .other(let keys): keys
            }
        }

        private var isUsual: Bool { if case .other = self { false } else { true } }

        // The order of the usual keys is formatting and does not affect equality.
        static func == (left: Layout, right: Layout) -> Bool {
            left.isUsual && right.isUsual || left.keys == right.keys
        }

        // Layouts with only the three usual keys are equal in any order, so they need equal hashes.
        func hash(into hasher: inout Hasher) {
            if case .other(let keys) = self, keys.count > 3 { hasher.combine(keys) }
        }
    }

    /// Creates the description of a class. `superclasses` are listed from the nearest one up,
    /// without `NSObject`.
    public init(_ name: String, _ superclasses: String...) {
        var chain: [String] = []
        chain.reserveCapacity(superclasses.count &+ 2)
        chain.append(name)
        chain.append(contentsOf: superclasses)
        chain.append(FoundationClass.object)
        self.init(name: name, chain: chain)
    }

    /// Creates the description of a class. Pass nil as `chain` for a class that is archived under
    /// another name.
    public init(name: String, chain: [String]? = nil, hints: [String]? = nil) {
        self.name = name
        self.chain = chain
        self.hints = hints
    }

    /// Returns the description of a class that inherits from this one.
    public func subclass(_ name: String) -> ArchivedClass {
        ArchivedClass(name: name, chain: [name] + (chain ?? [self.name, FoundationClass.object]))
    }

    /// Returns whether the class is `name` or inherits from it, according to the archive.
    public func isKind(of name: String) -> Bool {
        self.name.isLiterally(name) || chain?.contains { $0.isLiterally(name) } == true
    }
}

extension ArchivedClass {
    /// Reads a description. Returns nil for a value without a `$classname`.
    ///
    /// - Throws: `malformedClass` for a name that is not a string, or a chain or hints that are not
    ///   arrays of strings; `invalidPropertyList` for an additional key whose value cannot be read.
    init?(
        _ table: DocumentTable, _ node: UInt32, _ object: PropertyListUID
    ) throws(KeyedArchiveError) {
        let record = table[node]
        guard record.kind == .dictionary,
            let nameOffset = Self.offset(of: ArchiveFormat.classNameKey, in: record, table)
        else { return nil }
        func value(at offset: Int) -> UInt32 {
            table.child(record.valueRange.lowerBound &+ offset)
        }
        let nameRecord = table[value(at: nameOffset)]
        guard nameRecord.kind == .string else {
            throw Self.malformed(
                "`$classname` is of kind \(nameRecord.kind), not a string", object)
        }
        name = table.string(of: nameRecord)
        let chainOffset = Self.offset(of: ArchiveFormat.classChainKey, in: record, table)
        if let chainOffset {
            chain = try Self.names(
                table, value(at: chainOffset), ArchiveFormat.classChainKey, object)
        }
        // Most descriptions have only a name and a chain.
        switch (record.count, nameOffset, chainOffset) {
        case (1, _, _), (2, 0, 1): return
        case (2, 1, 0): layout = .chainFirst
        default:
            if let offset = Self.offset(of: ArchiveFormat.classHintsKey, in: record, table) {
                hints = try Self.names(
                    table, value(at: offset), ArchiveFormat.classHintsKey, object)
            }
            if let entries = table.view(node).dictionary { layout = try Self.layout(of: entries) }
        }
    }

    /// Returns the index of a key among those of a description; nil if the description lacks it.
    private static func offset(
        of key: String, in description: NodeRecord, _ table: DocumentTable
    ) -> Int? {
        description.keyRange.first { table.isString(table[table.child($0)], key) }
            .map { $0 &- description.keyRange.lowerBound }
    }

    private static func layout(
        of entries: PropertyListNode.DictionaryView
    ) throws(KeyedArchiveError) -> Layout {
        var keys = PropertyListDictionary()
        for position in entries.indices {
            let entry = entries[position]
            keys[entry.key] = try otherValue(entry)
        }
        for key in Layout.nameFirst.keys.keys where keys[key] == nil { keys[key] = .null }
        let order = keys.keys.map { ExactText($0) }
        let (name, chain, hints) = (
            ExactText(ArchiveFormat.classNameKey), ExactText(ArchiveFormat.classChainKey),
            ExactText(ArchiveFormat.classHintsKey)
        )
        if order == [name, chain, hints] { return .nameFirst }
        return order == [chain, name, hints] ? .chainFirst : .other(keys)
    }

    /// Returns the value of an additional key; null for the three usual ones.
    private static func otherValue(
        _ entry: PropertyListNode.DictionaryView.Element
    ) throws(KeyedArchiveError) -> PropertyListValue {
        if [ArchiveFormat.classNameKey, ArchiveFormat.classChainKey, ArchiveFormat.classHintsKey]
            .contains(where: entry.key.isLiterally)
        {
            return .null
        }
        do { return try entry.value.value() } catch { throw KeyedArchiveError(error) }
    }

    private static func names(
        _ table: DocumentTable, _ list: UInt32, _ key: String, _ object: PropertyListUID
    ) throws(KeyedArchiveError) -> [String] {
        let record = table[list]
        guard record.kind == .array else {
            throw malformed("`\(key)` is of kind \(record.kind), not an array", object)
        }
        var names: [String] = []
        names.reserveCapacity(record.count)
        for place in record.valueRange {
            let element = table[table.child(place)]
            guard element.kind == .string else {
                throw malformed(
                    "`\(key)` contains a value of kind \(element.kind), not a string", object)
            }
            names.append(table.string(of: element))
        }
        return names
    }

    private static func malformed(_ what: String, _ object: PropertyListUID) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedClass, what: "class description \(object.value): \(what)", object: object,
            path: ArchiveContents.path(of: object))
    }

    /// A Boolean value indicating whether the chain precedes the name; nil for a description with
    /// additional keys or in another order.
    var listsChainFirst: Bool? {
        switch layout {
        case .nameFirst: false
        case .chainFirst: true
        case .other: nil
        }
    }

    /// The description as an entry of `$objects`.
    var value: PropertyListValue {
        var fields = layout.keys
        fields[ArchiveFormat.classNameKey] = .string(name)
        fields[ArchiveFormat.classChainKey] = chain.map(Self.array)
        fields[ArchiveFormat.classHintsKey] = hints.map(Self.array)
        return .dictionary(fields)
    }

    private static func array(_ names: [String]) -> PropertyListValue {
        .array(PropertyListArray(names.map { .string($0) }))
    }
}

extension ArchivedClass: Hashable {
    /// Returns whether both descriptions have equal names, superclasses, hints and additional keys.
    /// Text is compared scalar by scalar.
    public static func == (left: ArchivedClass, right: ArchivedClass) -> Bool {
        left.name.isLiterally(right.name) && isSame(left.chain, right.chain)
            && isSame(left.hints, right.hints) && left.layout == right.layout
    }

    private static func isSame(_ left: [String]?, _ right: [String]?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.elementsEqual(right) { $0.isLiterally($1) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        hasher.combine(chain?.map { ExactText($0) })
        hasher.combine(hints?.map { ExactText($0) })
        hasher.combine(layout)
    }
}

extension ArchivedClass: ExpressibleByStringLiteral {
    /// Creates the description of a class that directly inherits from `NSObject`.
    public init(stringLiteral name: String) { self.init(name) }
}
