// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

/// A decoder for the fields of one object of an archive, used in `init(coder:)`.
///
/// The method names are those of `NSCoder`. Where `NSCoder` returns nil or 0 on an error, these
/// methods throw a ``KeyedArchiveError``. By default, a number that does not fit is an error; it is
/// not truncated. See ``KeyedUnarchiver/convertsNumbers``.
public struct KeyedDecoder {
    /// The reader of the archive.
    let reader: ArchiveReader
    // The number of the object; nil for the roots.
    let object: UInt32?
    // The record of its node.
    let record: NodeRecord

    init(_ reader: ArchiveReader, object: UInt32?) {
        self.reader = reader
        self.object = object
        record = reader.record(of: object)
    }

    /// The values that the program has set as ``KeyedUnarchiver/userInfo``.
    public var userInfo: [CodingUserInfoKey: any Sendable] { reader.userInfo }

    /// The object's class as the archive describes it; nil at the roots.
    public var archivedClass: ArchivedClass? {
        object.flatMap { reader.archivedClass(of: $0) }
    }

    /// The object's number in `$objects`; nil at the roots.
    public var uid: PropertyListUID? { object.map { PropertyListUID($0) } }

    /// The reference to the object, for a type that delegates its decoding; nil at the roots.
    public var reference: KeyedReference? {
        object.map { KeyedReference(reader, object: $0) }
    }

    /// Returns the reference to the object.
    ///
    /// - Throws: `misuse` at the roots.
    func objectReference() throws(KeyedArchiveError) -> KeyedReference {
        if let reference { return reference }
        throw KeyedArchiveError(
            .misuse, what: "expected an object, found the roots",
            recovery: "decode one of the roots by its key")
    }

    /// The string keys of the fields, in order, without keys of the format, such as `$class`.
    ///
    /// The keys of unkeyed values, `$0`, `$1`, …, are included only for the roots.
    /// `decode(_:forKey:)` reads them, and `KeyedEncoder.encode(_:forKey:)` writes them.
    public var keys: [String] { reader.keys(of: self) }

    /// Returns whether the object has a field; its value may be nil.
    public func containsValue(forKey key: String) -> Bool {
        reader.field(key, of: self) != nil
    }

    /// Returns the value of a field; nil if there is no such field.
    public func reference(forKey key: String) -> KeyedReference? {
        guard let node = reader.field(key, of: self) else { return nil }
        return reader.reference(at: node)
    }
}

// MARK: - Values

extension KeyedDecoder {
    /// Returns the value of a field.
    ///
    /// - Throws: `missingValue` if there is no field or it is nil, unless `T` is an optional type;
    ///   `classNotAllowed`, `wrongType`, `valueOutOfRange`, `referenceCycle`, errors for exceeded
    ///   limits.
    public func decode<T: KeyedDecodable>(
        _ type: T.Type = T.self, forKey key: String
    ) throws -> T {
        try value(type, reference(forKey: key), key)
    }

    /// Returns the value of a field, or `fallback` if there is no field or it is nil. The fallback
    /// may read another field, such as one with an older key.
    ///
    /// - Throws: the errors of `decode(_:forKey:)` for an existing value, and the errors of
    ///   `fallback`.
    public func decode<T: KeyedDecodable>(
        _ type: T.Type = T.self, forKey key: String, default fallback: @autoclosure () throws -> T
    ) throws -> T {
        try decodeObject(of: type, forKey: key) ?? fallback()
    }

    /// Returns the value of a field; nil if there is no field or it is nil.
    ///
    /// - Throws: the errors of `decode(_:forKey:)` for an existing value.
    public func decodeObject<T: KeyedDecodable>(
        of type: T.Type = T.self, forKey key: String
    ) throws -> T? {
        guard let reference = reference(forKey: key), !reference.isNil else { return nil }
        return try value(type, reference, key)
    }

    /// Returns the replacement for the object of a field. All references to the object get the same
    /// replacement.
    ///
    /// - Throws: the errors of `decode(_:forKey:)`, and the errors of `replacement`.
    func decode<T: KeyedDecodable, Replacement>(
        _ type: T.Type, forKey key: String, replacedBy replacement: (T) throws -> Replacement
    ) throws -> Replacement {
        try located(key) {
            guard let reference = reference(forKey: key) else { throw missing(key) }
            return try reference.object(as: type, replacedBy: replacement)
        }
    }

    /// Returns the value of a field, as a value of the first of `types` that can be read from the
    /// object's class. Returns nil if there is no field or it is nil. No value of another type is
    /// created, whatever the registry allows.
    ///
    /// - Throws: `wrongType` if none of the types can be read from the class; the other errors of
    ///   `decode(_:forKey:)` for an existing value.
    public func decodeObject(
        ofAny types: [any KeyedDecodable.Type], forKey key: String
    ) throws -> (any KeyedDecodable)? {
        guard let reference = reference(forKey: key), !reference.isNil else { return nil }
        return try located(key) {
            try reader.root(isRoot ? types : []) { try reference.value(ofAny: types) }
        }
    }

    /// Returns the references in a field that is an inline array, such as `NS.objects` of an
    /// `NSArray`.
    ///
    /// - Throws: `missingValue`, `wrongType`, `expansionLimitExceeded`.
    public func decodeReferences(forKey key: String) throws -> [KeyedReference] {
        guard let node = reader.field(key, of: self) else { throw missing(key) }
        return try located(key) { try reader.references(in: node) }
    }

    private var isRoot: Bool { object == nil }

    private func value<T: KeyedDecodable>(
        _ type: T.Type, _ reference: KeyedReference?, _ key: String
    ) throws -> T {
        do {
            guard let reference else { return try absent(type, key) }
            if isRoot { return try reader.root([type]) { try T.unarchive(reference) } }
            return try T.unarchive(reference)
        } catch {
            throw KeyedArchiveError.located(error, .key(key))
        }
    }

    /// Returns nil as the value of a field that does not exist, if the type is optional.
    ///
    /// - Throws: `missingValue` for other types.
    private func absent<T: KeyedDecodable>(_ type: T.Type, _ key: String) throws -> T {
        if let optional = type as? any OptionalValue.Type, let value = optional.absent as? T {
            return value
        }
        throw missing(key)
    }

    /// Returns the error for a field, or a root, that does not exist.
    func missing(_ key: String) -> KeyedArchiveError {
        let keys = reader.suggestedKeys(of: key, in: self)
        let name = KeyedArchiveError.quoted(key)
        guard let uid else {
            return KeyedArchiveError(
                .missingValue, what: "there is no root \(name)",
                recovery: keys.map { "the roots are \($0)" })
        }
        let owner = KeyedArchiveError.printable(archivedClass?.name ?? "")
        return KeyedArchiveError(
            .missingValue, what: "\(owner) (object \(uid.value)) has no key \(name)", object: uid,
            recovery: (keys.map { "its keys are \($0); " }
                ?? (hasNoFields ? "it has no keys; " : ""))
                + "`default:` reads older archives without it")
    }

    /// A Boolean value indicating whether the object has no key but `$class`.
    private var hasNoFields: Bool { record.kind == .dictionary && record.keyRange.count <= 1 }

    func located<R>(_ key: String, _ body: () throws -> R) throws -> R {
        try located(.key(key), body)
    }

    func located<R>(
        _ component: PropertyListPath.Component, _ body: () throws -> R
    ) throws -> R {
        do { return try body() } catch { throw KeyedArchiveError.located(error, component) }
    }
}

extension ArchiveReader {
    /// Returns the record of an inline array.
    ///
    /// - Throws: `wrongType` for other values.
    func listRecord(_ node: UInt32) throws(KeyedArchiveError) -> NodeRecord {
        let record = table[node]
        if record.kind == .array { return record }
        let isReference = record.kind == .uid
        let found =
            isReference ? "a reference to an object" : "a plain value of kind \(record.kind)"
        throw KeyedArchiveError(
            .wrongType, what: "expected an inline array of references, found \(found)",
            recovery: isReference ? "`decode([T].self, forKey:)` reads an array object" : nil)
    }

    /// Returns the references in an inline array.
    func references(in node: UInt32) throws(KeyedArchiveError) -> [KeyedReference] {
        let record = try listRecord(node)
        try charge(record.count)
        return record.valueRange.map { reference(at: table.child($0)) }
    }
}

extension KeyedReference {
    /// Returns the value as the first of `types` that can be read from the class of the object.
    func value(ofAny types: [any KeyedDecodable.Type]) throws -> any KeyedDecodable {
        guard let object else { throw reader.wrongType(self, expected: "an object") }
        for type in types where reader.reads(type, object.value) {
            return try type.unarchive(self)
        }
        try reader.requireAllowed(object.value)
        let names = types.map { "\($0)" }.joined(separator: " or ")
        throw reader.wrongType(self, expected: names)
    }
}

// MARK: - Fast paths for numbers and text

extension KeyedDecoder {
    /// Returns the integer of a field.
    ///
    /// - Throws: `missingValue`, `wrongType`, `valueOutOfRange`, `classNotAllowed`.
    public func decode(_ type: Int.Type = Int.self, forKey key: String) throws -> Int {
        if let value = plainInteger(forKey: key) { return value }
        return try decodeAny(type, key)
    }

    /// Returns the boolean of a field.
    ///
    /// - Throws: `missingValue`, `wrongType`, `classNotAllowed`.
    public func decode(_ type: Bool.Type = Bool.self, forKey key: String) throws -> Bool {
        if let value = plainBoolean(forKey: key) { return value }
        return try decodeAny(type, key)
    }

    /// Returns the number of a field.
    ///
    /// - Throws: `missingValue`, `wrongType`, `valueOutOfRange`, `classNotAllowed`.
    public func decode(_ type: Double.Type = Double.self, forKey key: String) throws -> Double {
        if let value = plainReal(forKey: key) { return value }
        return try decodeAny(type, key)
    }

    /// Returns the text of a field.
    ///
    /// - Throws: `missingValue`, `wrongType`, `classNotAllowed`.
    public func decode(_ type: String.Type = String.self, forKey key: String) throws -> String {
        if let node = reader.inlineOrPlainNode(forKey: key, of: self),
            reader.table[node].kind == .string
        {
            return reader.text(of: node)
        }
        return try decodeAny(type, key)
    }

    /// Returns the record of a field that is stored inline or is a plain value; nil for other
    /// fields, and at the roots.
    @inline(__always)
    func inlineOrPlainRecord(_ key: String) -> NodeRecord? {
        reader.inlineOrPlainNode(forKey: key, of: self).map { reader.table[$0] }
    }

    /// Decodes a field by the general path, which handles all forms and reports all errors.
    private func decodeAny<T: KeyedDecodable>(_ type: T.Type, _ key: String) throws -> T {
        try value(type, reference(forKey: key), key)
    }
}

extension Int {
    /// Creates an `Int` from the record of an integer; nil if it does not fit.
    init?(exactly record: NodeRecord) {
        guard record.isNegative || record.payload <= UInt64(Int64.max) else { return nil }
        self.init(exactly: Int64(bitPattern: record.payload))
    }
}

// MARK: - Cocoa's method names for plain values

extension KeyedDecoder {
    /// Returns the boolean of a field.
    ///
    /// - Throws: `missingValue`, `wrongType`, `classNotAllowed`.
    public func decodeBool(forKey key: String) throws -> Bool { try decode(forKey: key) }

    /// Returns the integer of a field.
    ///
    /// - Throws: `missingValue`, `wrongType`, `valueOutOfRange`, `classNotAllowed`.
    public func decodeInteger(forKey key: String) throws -> Int { try decode(forKey: key) }

    /// Returns the integer of a field, if it fits in 32 bits.
    ///
    /// - Throws: `missingValue`, `wrongType`, `valueOutOfRange`, `classNotAllowed`.
    public func decodeInt32(forKey key: String) throws -> Int32 { try decode(forKey: key) }

    /// Returns the integer of a field.
    ///
    /// - Throws: `missingValue`, `wrongType`, `valueOutOfRange`, `classNotAllowed`.
    public func decodeInt64(forKey key: String) throws -> Int64 { try decode(forKey: key) }

    /// Returns the number of a field, if a `Float` represents it exactly.
    ///
    /// - Throws: `missingValue`, `wrongType`, `valueOutOfRange`, `classNotAllowed`.
    public func decodeFloat(forKey key: String) throws -> Float { try decode(forKey: key) }

    /// Returns the number of a field.
    ///
    /// - Throws: `missingValue`, `wrongType`, `valueOutOfRange`, `classNotAllowed`.
    public func decodeDouble(forKey key: String) throws -> Double { try decode(forKey: key) }

    /// Returns the bytes of a field, which are stored inline or as an `NSData`.
    ///
    /// - Throws: `missingValue`, `wrongType`, `classNotAllowed`.
    public func decodeBytes(forKey key: String) throws -> ArraySlice<UInt8> {
        reader.table.content(of: reader.table[try dataNode(key)])
    }

    /// Returns the node of a field's data, which is stored inline or as an object.
    func dataNode(_ key: String) throws -> UInt32 {
        guard let reference = reference(forKey: key) else { throw missing(key) }
        return try located(key) {
            guard let node = try reference.leaf(), reader.table[node].kind == .data else {
                throw reader.wrongType(reference, expected: "Data")
            }
            return node
        }
    }
}

// MARK: - Deferred references

extension KeyedDecoder {
    /// Resolves a reference after everything else is complete. This is how to read a graph with
    /// cycles, such as a child's reference to its parent, which is still being decoded.
    ///
    /// `completion` runs at the end of the call that reads the root. It does not run if there is
    /// no value or it is nil. At the roots, it runs before this call returns. Long chains of such
    /// references do not nest calls. `completion` should capture the requesting object weakly,
    /// because the program may have discarded that object by the time `completion` runs.
    ///
    /// ```swift
    /// init(coder: KeyedDecoder) throws {
    ///     children = try coder.decode([Node].self, forKey: "children")
    ///     try coder.decodeReference(to: Node.self, forKey: "parent") { [weak self] in self?.parent = $0 }
    /// }
    /// ```
    ///
    /// - Throws: `classNotAllowed`. The other errors of `decode(_:forKey:)`, and those of
    ///   `completion`, are thrown by the call that reads the root; at the roots, by this call.
    public func decodeReference<T: KeyedDecodable>(
        to type: T.Type = T.self, forKey key: String,
        completion: @escaping (T) throws -> Void
    ) throws {
        guard let reference = reference(forKey: key), !reference.isNil else { return }
        if let object = reference.object {
            try located(key) { try reader.requireAllowed(object.value, requested: type) }
        }
        if isRoot { return try completion(value(type, reference, key)) }
        reader.deferResolution(key) { try completion(T.unarchive(reference)) }
    }
}

// MARK: - Unkeyed values

extension KeyedDecoder {
    /// Returns the next value that was written without a key, in the order of writing. Old archives
    /// store such values under `$0`, `$1`, …
    ///
    /// - Throws: `missingValue` if there are no more, unless `T` is an optional type; the errors of
    ///   `decode(_:forKey:)`.
    public func decodeUnkeyed<T: KeyedDecodable>(_ type: T.Type = T.self) throws -> T {
        let key = ArchiveFormat.unkeyedField(reader.state.progress.unkeyedCount)
        return try value(type, nextUnkeyed(), key)
    }

    /// Returns the next value that was written without a key; nil if there are no more.
    public func nextUnkeyed() -> KeyedReference? {
        reader.nextUnkeyed(of: self).map(reader.reference)
    }
}
