// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The description of a class in a keyed archive: an entry of `$objects` of its own.
///
/// | key | value |
/// |---|---|
/// | `$classname` | string: the name the objects were archived under |
/// | `$classes` | array of strings: the class and its superclasses, up to `NSObject`; absent for a class that was archived under another name |
/// | `$classhints` | array of strings: classes to try where the first is unknown; mostly absent |
public struct ArchivedClass: Sendable, Hashable {
    /// The name, as it stands in the archive.
    public var name: String
    /// The class and its superclasses, from the class itself on; nil where the archive has none.
    public var chain: [String]?
    /// Classes to try where ``name`` is not known; nil where the archive has none.
    public var hints: [String]?
    // The keys of the description in order, with the values of those that are none of the three;
    // of the three all stand in it, with null.
    private var layout = usualLayout

    /// Describes a class by its name, its superclasses from the next on, and `NSObject`.
    public init(_ name: String, _ superclasses: String...) {
        self.init(name: name, chain: [name] + superclasses + ["NSObject"])
    }

    /// Describes a class by its name and, unless it stands for another, its superclasses.
    public init(name: String, chain: [String]? = nil, hints: [String]? = nil) {
        self.name = name
        self.chain = chain
        self.hints = hints
    }

    static let nameKey = "$classname"
    static let chainKey = "$classes"
    static let hintsKey = "$classhints"

    // Made once: most descriptions have one of these.
    private static let usualLayout = layout(of: [nameKey, chainKey])
    private static let otherLayout = layout(of: [chainKey, nameKey])

    /// The layout of a description with these keys, and no others than the three.
    private static func layout(of keys: [String]) -> PropertyListDictionary {
        var layout = PropertyListDictionary()
        for key in keys + [nameKey, chainKey, hintsKey] { layout[key] = .null }
        return layout
    }

    /// A class that inherits from this one.
    public func subclass(_ name: String) -> ArchivedClass {
        ArchivedClass(name: name, chain: [name] + (chain ?? [self.name, "NSObject"]))
    }

    /// Whether the class is `name` or inherits from it, as far as the archive says.
    public func isKind(of name: String) -> Bool {
        self.name == name || chain?.contains(name) == true
    }
}

extension ArchivedClass {
    /// Reads a description; nil where the value is none (it has no `$classname`).
    ///
    /// - Throws: `malformedClass` for a name, chain or hints that are not strings.
    init?(_ node: PropertyListNode, _ object: PropertyListUID) throws(KeyedArchiveError) {
        guard let nameNode = node[Self.nameKey] else { return nil }
        guard let name = nameNode.string else {
            throw Self.malformed("`$classname` is of kind \(nameNode.kind)", object)
        }
        self.name = name
        chain = try Self.names(node[Self.chainKey], Self.chainKey, object)
        hints = try Self.names(node[Self.hintsKey], Self.hintsKey, object)
        if let fields = node.dictionary { layout = try Self.layout(of: fields) }
    }

    /// The keys of a description in order, with the values of those that are none of the three.
    private static func layout(
        of fields: PropertyListNode.DictionaryView
    ) throws(KeyedArchiveError) -> PropertyListDictionary {
        switch fields.map(\.key) {
        case [nameKey, chainKey]: return usualLayout
        case [chainKey, nameKey]: return otherLayout
        default: break
        }
        var layout = PropertyListDictionary()
        for entry in fields { layout[entry.key] = try otherValue(entry) }
        for key in usualLayout.keys { layout[key] = .null }
        return layout
    }

    /// The value of a key that is none of the three; null for those.
    private static func otherValue(
        _ entry: PropertyListNode.DictionaryView.Element
    ) throws(KeyedArchiveError) -> PropertyListValue {
        if [nameKey, chainKey, hintsKey].contains(entry.key) { return .null }
        do { return try entry.value.value() } catch { throw KeyedArchiveError(error) }
    }

    private static func names(
        _ node: PropertyListNode?, _ key: String, _ object: PropertyListUID
    ) throws(KeyedArchiveError) -> [String]? {
        guard let node else { return nil }
        guard let elements = node.array else {
            throw malformed("`\(key)` is of kind \(node.kind), not an array", object)
        }
        var names: [String] = []
        for element in elements {
            guard let name = element.string else {
                throw malformed("`\(key)` holds a value of kind \(element.kind)", object)
            }
            names.append(name)
        }
        return names
    }

    private static func malformed(_ what: String, _ object: PropertyListUID) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedClass, what: "class description \(object.value): \(what)", object: object,
            path: ArchiveContents.path(of: object))
    }

    /// Whether the names are the same scalars; `==` takes canonically equivalent ones too.
    func isLiterally(_ other: ArchivedClass) -> Bool {
        func scalars(_ names: [String]?) -> [[UInt8]]? { names?.map { Array($0.utf8) } }
        return name.utf8.elementsEqual(other.name.utf8) && scalars(chain) == scalars(other.chain)
            && scalars(hints) == scalars(other.hints)
    }

    /// The description as an entry of `$objects`.
    var value: PropertyListValue {
        var fields = layout
        fields[Self.nameKey] = .string(name)
        fields[Self.chainKey] = chain.map(Self.array)
        fields[Self.hintsKey] = hints.map(Self.array)
        return .dictionary(fields)
    }

    private static func array(_ names: [String]) -> PropertyListValue {
        .array(PropertyListArray(names.map { .string($0) }))
    }
}

extension ArchivedClass: ExpressibleByStringLiteral {
    /// A class that inherits from `NSObject`.
    public init(stringLiteral name: String) { self.init(name) }
}
