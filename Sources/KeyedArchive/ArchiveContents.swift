// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

/// A property list that has the structure of a keyed archive. Its objects are read in place.
///
/// The root is a dictionary:
///
/// | key | value |
/// |---|---|
/// | `$version` | integer: 100000 |
/// | `$archiver` | string: the class that wrote the archive, usually `NSKeyedArchiver` |
/// | `$top` | dictionary: the roots, each a UID or a plain value; usually one, `root` |
/// | `$objects` | array: the objects, indexed by UIDs; the first is the string `$null`, which represents nil |
///
/// An object is a plain value (a string, number, boolean or data, or a date in archives of
/// GNUstep), a dictionary with a `$class` and fields, or the description of a class
/// (``ArchivedClass``).
public struct ArchiveContents: Sendable {
    /// The property list.
    public let document: PropertyListDocument
    /// The class that wrote the archive.
    public let archiver: String
    /// The roots by their keys: UIDs and plain values.
    public let top: PropertyListNode.DictionaryView
    /// The objects. The first represents nil.
    public let objects: PropertyListNode.ArrayView
    /// The node number of the `$top` dictionary.
    let topNumber: UInt32
    /// The node number of the `$objects` array.
    let objectsNumber: UInt32
    /// The numbers of the keys `$class` and `$classname` in the document; nil if no dictionary has
    /// the key.
    let classKey: UInt32?
    let classNameKey: UInt32?

    /// The format version of every known archive.
    public static let supportedVersion = 100_000

    /// Reads the root dictionary of a keyed archive. Constant time.
    ///
    /// - Throws: `notAnArchive`, `unsupportedVersion`.
    public init(_ document: PropertyListDocument) throws(KeyedArchiveError) {
        let root = document.root
        guard root.kind == .dictionary else {
            throw Self.notAnArchive("the root is of kind \(root.kind), not a dictionary")
        }
        self.document = document
        classKey = document.storage.number(of: ArchiveFormat.classKey)
        classNameKey = document.storage.number(of: ArchiveFormat.classNameKey)
        archiver = try Self.require(ArchiveFormat.archiverKey, in: root, "a string") { $0.string }
        let version = try Self.require(ArchiveFormat.versionKey, in: root, "an integer") {
            $0.integer
        }
        (top, topNumber) = try Self.require(ArchiveFormat.topKey, in: root, "a dictionary") {
            node in
            node.dictionary.map { ($0, UInt32(truncatingIfNeeded: node.number)) }
        }
        (objects, objectsNumber) = try Self.require(ArchiveFormat.objectsKey, in: root, "an array")
        { node in
            node.array.map { ($0, UInt32(truncatingIfNeeded: node.number)) }
        }
        guard version.value() == Self.supportedVersion else {
            throw KeyedArchiveError(
                .unsupportedVersion,
                what: "expected version \(Self.supportedVersion), found \(version)",
                recovery: "update the library, or archive the objects with a current system")
        }
        guard objects.first?.isString(ArchiveFormat.null) == true else {
            throw Self.notAnArchive("the first object is not `$null`")
        }
    }

    /// Parses a keyed archive.
    ///
    /// - Throws: `invalidPropertyList`, `duplicateKey`, `notAnArchive`, `unsupportedVersion`.
    public init(
        parsing bytes: some Sequence<UInt8>, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) {
        let bytes = Array(bytes)
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(parsing: bytes, options: options, limits: limits)
        } catch {
            throw Self.duplicateKey(error, in: bytes, limits) ?? KeyedArchiveError(error)
        }
        try self.init(document)
    }

    /// Returns an error that names the class of the object with a duplicate key. Returns nil for
    /// any other error, and for an archive that has other flaws too.
    private static func duplicateKey(
        _ error: PropertyListError, in bytes: [UInt8], _ limits: ParsingLimits
    ) -> KeyedArchiveError? {
        guard error.code == .duplicateKey, let path = error.path, path.components.count == 2,
            path.components[0] == .key(ArchiveFormat.objectsKey),
            case .index(let index) = path.components[1],
            let document = try? PropertyListDocument(
                parsing: bytes, options: .allDuplicateKeys, limits: limits),
            let contents = try? ArchiveContents(document), index < contents.objects.count,
            let fields = contents.objects[index].dictionary,
            let uid = contents.objects[index][ArchiveFormat.classKey]?.uid,
            let name = try? contents.archivedClass(uid).name
        else { return nil }
        var seen: Set<ExactText> = []
        let key = fields.first { !seen.insert(ExactText($0.key)).inserted }?.key ?? ""
        return KeyedArchiveError(
            .duplicateKey,
            what: "`\(KeyedArchiveError.printable(key))` occurs twice in an object of class "
                + KeyedArchiveError.printable(name),
            object: PropertyListUID(UInt32(truncatingIfNeeded: index)), path: path,
            recovery:
                "`ParsingOptions.duplicateKeys` takes the first value in a binary archive and the "
                + "last one in XML")
    }

    private static func require<Value>(
        _ key: String, in root: PropertyListNode, _ kind: String,
        _ read: (PropertyListNode) -> Value?
    ) throws(KeyedArchiveError) -> Value {
        guard let node = root[key] else { throw notAnArchive("the root has no `\(key)`") }
        guard let value = read(node) else {
            throw notAnArchive("`\(key)` is of kind \(node.kind), not \(kind)")
        }
        return value
    }

    private static func notAnArchive(_ what: String) -> KeyedArchiveError {
        KeyedArchiveError(
            .notAnArchive, what: "this is not a keyed archive: \(what)",
            recovery: "`PropertyListDocument` and `PlistDecoder` read other property lists")
    }

    /// Returns the path to an object from the root of the property list.
    static func path(of object: PropertyListUID) -> PropertyListPath {
        PropertyListPath([.key(ArchiveFormat.objectsKey), .index(Int(clamping: object.value))])
    }
}

// MARK: - Entries

extension ArchiveContents {
    /// An entry of `$objects`.
    public enum Entry: Sendable {
        /// Nil, stored as the string `$null`.
        case null
        /// A plain value: a string, number, boolean, data or date.
        case leaf(PropertyListNode)
        /// A dictionary with a `$class`: its fields, including `$class`, and the entry that
        /// describes the class.
        case object(PropertyListNode.DictionaryView, class: PropertyListUID)
        /// The description of a class, to be read with
        /// ``ArchiveContents/archivedClass(_:limits:)``.
        case classDescription(PropertyListNode)
        /// Any other value, with the reason why it is malformed.
        case malformed(PropertyListNode, KeyedArchiveError)
    }

    /// Returns the entry that a reference refers to. Constant time.
    ///
    /// - Throws: `danglingReference`.
    public func entry(_ reference: PropertyListUID) throws(KeyedArchiveError) -> Entry {
        guard let node = node(reference) else {
            throw Self.dangling(reference, count: objects.count)
        }
        let kind =
            node.kind == .dictionary
            ? dictionaryKind(node)
            : EntryKind.plain(node.kind) { node.isString(ArchiveFormat.null) }
        switch kind {
        case .null: return .null
        case .leaf: return .leaf(node)
        case .classDescription: return .classDescription(node)
        case .malformed(let flaw):
            return .malformed(node, flaw.error(of: reference, count: objects.count))
        case .object(let classReference):
            guard let fields = node.dictionary else { return .leaf(node) }
            return .object(fields, class: PropertyListUID(classReference))
        }
    }

    /// Returns the error for a reference that refers to none of the `count` objects.
    static func dangling(_ reference: PropertyListUID, count: Int) -> KeyedArchiveError {
        KeyedArchiveError(
            .danglingReference,
            what: "expected a reference to one of \(count) objects, found one to object "
                + "\(reference.value)",
            object: reference)
    }

    private func node(_ reference: PropertyListUID) -> PropertyListNode? {
        guard let number = Int(exactly: reference.value), number < objects.count else { return nil }
        return objects[number]
    }

    private func dictionaryKind(_ node: PropertyListNode) -> EntryKind {
        let record = node.record
        if describesClass(record) { return .classDescription }
        return .object(classValue: value(of: classKey, in: record), count: objects.count) {
            describesClass(objects[Int($0)].record)
        }
    }

    private func describesClass(_ record: NodeRecord) -> Bool {
        value(of: classNameKey, in: record) != nil
    }

    /// Returns the value of a key, given the key's number; nil if the record is not a dictionary or
    /// lacks the key.
    private func value(of key: UInt32?, in record: NodeRecord) -> NodeRecord? {
        let storage = document.storage
        guard record.kind == .dictionary, let key, let place = storage.place(of: key, in: record)
        else { return nil }
        let value = storage.store.children[record.valuePlace(ofKeyAt: place)]
        return storage.store.records[Int(value)]
    }

    /// Returns the class that an entry describes. Linear in the size of the description.
    ///
    /// - Parameters:
    ///   - reference: the number of the entry.
    ///   - limits: the limits for expanding the description.
    /// - Returns: The class.
    /// - Throws: `danglingReference`, `malformedClass`, `expansionLimitExceeded`;
    ///   `invalidPropertyList` for an additional key whose value cannot be read.
    public func archivedClass(
        _ reference: PropertyListUID, limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) -> ArchivedClass {
        var budget = DescriptionBudget(self, limits: limits)
        return try archivedClass(reference, within: &budget)
    }

    /// Returns the class that an entry describes. `budget` is shared by all classes read from an
    /// archive.
    ///
    /// - Throws: the errors of ``archivedClass(_:limits:)``.
    package func archivedClass(
        _ reference: PropertyListUID, within budget: inout DescriptionBudget
    ) throws(KeyedArchiveError) -> ArchivedClass {
        guard case .classDescription(let node) = try entry(reference) else {
            throw Self.malformed("it is not a class description", reference, .malformedClass)
        }
        return try archivedClass(
            reference, UInt32(truncatingIfNeeded: node.number), DocumentTable(of: node), &budget)
    }

    /// Returns the class that an entry describes, given the entry's node and document.
    ///
    /// - Throws: `malformedClass`, `expansionLimitExceeded`, `invalidPropertyList`.
    func archivedClass(
        _ reference: PropertyListUID, _ node: UInt32, _ table: DocumentTable,
        _ budget: inout DescriptionBudget
    ) throws(KeyedArchiveError) -> ArchivedClass {
        try budget.charge(node, of: table, reference)
        guard let description = try ArchivedClass(table, node, reference) else {
            throw Self.malformed("it is not a class description", reference, .malformedClass)
        }
        return description
    }

    /// Returns the error for a malformed entry.
    static func malformed(
        _ what: String, _ reference: PropertyListUID,
        _ code: KeyedArchiveError.Code = .malformedObject
    ) -> KeyedArchiveError {
        KeyedArchiveError(
            code, what: "object \(reference.value): \(what)", object: reference,
            path: path(of: reference))
    }
}
