// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

/// A keyed archive as a graph of objects, for inspecting and changing objects of any class.
///
/// Nothing is dropped: unreferenced objects, unknown classes, all fields and their order are kept.
/// Objects are identified by number, so that shared objects stay shared and cycles need no special
/// treatment.
///
/// ```swift
/// var graph = try ArchiveGraph(parsing: bytes)
/// if let root = graph.roots["root"]?.uid, case .object(var save) = graph[root] {
///     save["age"] = 8
///     graph[root] = .object(save)
/// }
/// let changed = try graph.serialized(as: .binary)
/// ```
public struct ArchiveGraph: Sendable {
    /// The class that wrote the archive.
    public var archiver: String
    /// The roots by their keys: UIDs and plain values.
    public var roots: PropertyListDictionary
    /// All entries by their numbers; the first represents nil.
    public var objects: [ArchivedEntry]
    /// The errors of an archive that was read with `keepingMalformed: true`; otherwise empty.
    public private(set) var problems: [KeyedArchiveError] = []
    // The keys of the root dictionary, in order. The four keys of the format have null as a
    // placeholder; other keys have their values.
    private var layout: PropertyListDictionary = Self.newLayout

    private static let newLayout: PropertyListDictionary = [
        ArchiveFormat.versionKey: .null, ArchiveFormat.archiverKey: .null,
        ArchiveFormat.topKey: .null, ArchiveFormat.objectsKey: .null,
    ]

    /// Creates an archive without objects, as `archiver` would write it.
    public init(archiver: String = KeyedArchiver.Options().archiver) {
        self.archiver = archiver
        roots = PropertyListDictionary()
        objects = [.null]
    }

    /// Reads the graph of an archive. Linear.
    ///
    /// - Parameters:
    ///   - contents: the archive.
    ///   - keepingMalformed: whether malformed entries and dangling references are kept and listed
    ///     in ``problems`` instead of thrown.
    ///   - limits: the limits for expanding the archive.
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`, `invalidPropertyList`,
    ///   `expansionLimitExceeded`.
    public init(
        _ contents: ArchiveContents, keepingMalformed: Bool = false,
        limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) {
        archiver = contents.archiver
        let root: PropertyListDictionary
        do {
            root = try contents.document.root.value(limits: limits).dictionary ?? [:]
        } catch {
            throw KeyedArchiveError(error)
        }
        roots = root[ArchiveFormat.topKey]?.dictionary ?? [:]
        objects = []
        layout = root
        for key in Self.newLayout.keys { layout[key] = .null }
        var budget = DescriptionBudget(contents, limits: limits)
        try readObjects(
            root[ArchiveFormat.objectsKey]?.array ?? [], contents, &budget, keepingMalformed)
        try checkReferences(keepingMalformed)
    }

    /// Parses a keyed archive and reads its graph.
    ///
    /// - Throws: the errors of ``ArchiveContents/init(parsing:options:limits:)`` and
    ///   ``init(_:keepingMalformed:limits:)``.
    public init(
        parsing bytes: some Sequence<UInt8>, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) {
        try self.init(
            ArchiveContents(parsing: bytes, options: options, limits: limits), limits: limits)
    }
}

// MARK: - Reading

extension ArchiveGraph {
    private mutating func readObjects(
        _ values: PropertyListArray, _ contents: ArchiveContents,
        _ budget: inout DescriptionBudget, _ keepsMalformed: Bool
    ) throws(KeyedArchiveError) {
        objects.reserveCapacity(values.count)
        for (number, value) in values.enumerated() {
            let reference = PropertyListUID(UInt32(truncatingIfNeeded: number))
            do {
                objects.append(try Self.entry(reference, value, contents, &budget))
            } catch {
                guard keepsMalformed, !error.isLimit else { throw error }
                problems.append(error)
                objects.append(.malformed(value))
            }
        }
    }

    private static func entry(
        _ reference: PropertyListUID, _ value: PropertyListValue, _ contents: ArchiveContents,
        _ budget: inout DescriptionBudget
    ) throws(KeyedArchiveError) -> ArchivedEntry {
        switch try contents.entry(reference) {
        case .null: .null
        case .leaf: .leaf(value)
        case .object: .object(ArchivedObject(checked: value.dictionary ?? [:]))
        case .classDescription:
            .classDescription(try contents.archivedClass(reference, within: &budget))
        case .malformed(_, let error): throw error
        }
    }

    private mutating func checkReferences(_ keepsMalformed: Bool) throws(KeyedArchiveError) {
        try checkReferences(
            in: .dictionary(roots), [.key(ArchiveFormat.topKey)], nil, keepsMalformed)
        for (number, entry) in objects.enumerated() {
            guard case .object(let object) = entry else { continue }
            let reference = PropertyListUID(UInt32(truncatingIfNeeded: number))
            let path = ArchiveContents.path(of: reference).components
            try checkReferences(in: .dictionary(object.fields), path, reference, keepsMalformed)
        }
    }

    /// Checks the UIDs in one container, with an explicit stack. It builds paths only for dangling
    /// references. Building one for each value would take time proportional to the depth times the
    /// size.
    private mutating func checkReferences(
        in value: PropertyListValue, _ path: [PropertyListPath.Component],
        _ object: PropertyListUID?, _ keepsMalformed: Bool
    ) throws(KeyedArchiveError) {
        var frames = [(container: value, next: 0)]
        while let (container, position) = frames.last {
            guard let (step, child) = Self.child(of: container, at: position) else {
                frames.removeLast()
                continue
            }
            frames[frames.count - 1].next = position + 1
            switch child {
            case .uid(let uid) where UInt64(uid.value) >= UInt64(objects.count):
                let steps = frames.dropLast().compactMap {
                    Self.child(of: $0.container, at: $0.next - 1)?.step
                }
                let error = KeyedArchiveError(
                    .danglingReference,
                    what:
                        "expected a reference to one of \(objects.count) objects, found one to object "
                        + "\(uid.value)",
                    object: object, path: PropertyListPath(path + steps + [step]))
                guard keepsMalformed else { throw error }
                problems.append(error)
            case .array, .set, .dictionary: frames.append((child, 0))
            default: break
            }
        }
    }

    private static func child(
        of container: PropertyListValue, at position: Int
    ) -> (step: PropertyListPath.Component, value: PropertyListValue)? {
        switch container {
        case .array(let elements), .set(let elements):
            return position < elements.count ? (.index(position), elements[position]) : nil
        case .dictionary(let entries):
            if position >= entries.count { return nil }
            let (key, value) = entries[position]
            return (.key(key), value)
        default: return nil
        }
    }
}

// MARK: - Reading and changing entries

extension ArchiveGraph {
    /// The entry that `reference` refers to; nil if there is none. Setting nil, or an entry outside
    /// ``objects``, has no effect.
    public subscript(reference: PropertyListUID) -> ArchivedEntry? {
        get {
            guard let number = Int(exactly: reference.value), number < objects.count else {
                return nil
            }
            return objects[number]
        }
        set {
            guard let number = Int(exactly: reference.value), number < objects.count, let newValue
            else { return }
            objects[number] = newValue
        }
    }

    /// Returns the class of the object that `reference` refers to; nil if the entry is not an
    /// object, or its class is not described.
    public func archivedClass(of reference: PropertyListUID) -> ArchivedClass? {
        guard case .object(let object) = self[reference],
            case .classDescription(let description) = self[object.classReference]
        else { return nil }
        return description
    }

    /// Adds an entry and returns its number.
    public mutating func append(_ entry: ArchivedEntry) -> PropertyListUID {
        objects.append(entry)
        return PropertyListUID(UInt32(truncatingIfNeeded: objects.count - 1))
    }
}

// MARK: - Writing

extension ArchiveGraph {
    /// Returns the archive as a property list. Linear.
    ///
    /// - Throws: `danglingReference`; `invalidPropertyList` for values that a property list cannot
    ///   represent.
    public func document(limits: ParsingLimits = .default) throws(KeyedArchiveError)
        -> PropertyListDocument
    {
        var checked = self
        try checked.checkReferences(false)
        var root = layout
        let version = PropertyListInteger(ArchiveContents.supportedVersion)
        root[ArchiveFormat.versionKey] = .integer(version)
        root[ArchiveFormat.archiverKey] = .string(archiver)
        root[ArchiveFormat.topKey] = .dictionary(roots)
        root[ArchiveFormat.objectsKey] = .array(PropertyListArray(objects.map(\.value)))
        do {
            return try PropertyListDocument(.dictionary(root), limits: limits)
        } catch {
            throw KeyedArchiveError(error)
        }
    }

    /// Returns the serialized archive.
    ///
    /// - Throws: the errors of ``document(limits:)``; `invalidPropertyList` for values that the
    ///   format cannot represent.
    public func serialized(
        as format: PropertyListFormat = .binary, limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) -> [UInt8] {
        let document = try document(limits: limits)
        do {
            return try document.serialized(as: format, limits: limits)
        } catch {
            throw KeyedArchiveError(error)
        }
    }
}
