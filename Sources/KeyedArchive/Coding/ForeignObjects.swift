// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) package import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// Objects that another product of this package reads and writes through a protocol other than
// `KeyedCodable`. They pass the same checks, count against the same limits and keep their identity.

// MARK: - Reading

extension KeyedReference {
    /// The number of the object's class, which all objects of the class have in common. It is nil
    /// if the reference is nil, a class description or an inline plain value.
    package var classIndex: Int? {
        guard let object else { return nil }
        let number = reader.classNumber(of: object.value)
        return number.isObject ? Int(number.value) : nil
    }

    /// The type that the registry binds the object's class to. The outer optional is nil if the
    /// registry does not allow the class, the inner one if the class has no type.
    package var boundType: (any KeyedDecodable.Type)?? {
        archivedClass.flatMap { reader.registry.match(of: $0) }.map(\.type)
    }

    /// A Boolean value indicating whether the object is under construction.
    package var isUnderConstruction: Bool {
        object.map { reader.state.isUnderConstruction($0.value) } ?? false
    }

    /// Returns the error for a reference cycle through the object.
    package func cycle(recovery: String) -> KeyedArchiveError {
        let error = reader.cycle(object?.value ?? 0)
        return KeyedArchiveError(error.code, what: error.what, object: object, recovery: recovery)
    }

    /// Returns the object that `make` creates. `make` runs once for a shared object. The caller
    /// must have checked that the class is allowed.
    ///
    /// - Throws: `missingValue`, `wrongType`, `referenceCycle`, errors for exceeded limits, and the
    ///   errors of `make`.
    package func foreignObject(_ make: (KeyedDecoder) throws -> AnyObject) throws -> AnyObject {
        guard let object else { throw reader.wrongType(self, expected: "an object") }
        return try reader.foreignObject(object.value, make)
    }

    /// The node of the object or of the inline value. Several objects may have one node.
    package var node: UInt32 { object == nil ? number : reader.index.node(of: number) }

    /// The number of bytes of a string or data that is stored inline or as an object; 0 for other
    /// values.
    package var contentSize: Int {
        let record = reader.table[node]
        guard record.kind == .string || record.kind == .data else { return 0 }
        return reader.table.content(of: record).count
    }

    /// Returns the string, number, data or date that is stored inline or as an object; nil for other
    /// values. The caller must have checked that the class is allowed.
    ///
    /// - Throws: errors for exceeded limits.
    package func plainValue() throws -> PlainValue? {
        if object == nil { return reader.plainValue(at: number) }
        let leaf = reader.classNumber(of: number)
        guard leaf.isLeaf else { return nil }
        try reader.charge(1)
        return reader.plainValue(at: reader.index.node(of: number))
    }

    /// Charges a reference to nil, or an inline plain value.
    ///
    /// - Throws: `expansionLimitExceeded`.
    package func chargeElement() throws { try reader.chargeElement(self) }

    /// Returns the error for an object of a class that is not allowed.
    package func classNotAllowed(recovery: String) -> KeyedArchiveError {
        let error = KeyedArchiveError.notAllowed(
            archivedClass, object.map { "object \($0.value)" } ?? "a value", object)
        return KeyedArchiveError(error.code, what: error.what, object: object, recovery: recovery)
    }

    /// Returns the error for a value whose class or kind differs from the requested one.
    package func wrongType(expected: String) -> KeyedArchiveError {
        reader.wrongType(self, expected: expected)
    }

    /// The roots of the archive.
    package var roots: KeyedDecoder { KeyedDecoder(reader, object: nil) }

    /// A Boolean value indicating whether there is more than one reference to the object.
    package var isShared: Bool { object.map { reader.index.isShared($0.value) } ?? false }
}

/// A string, a number, data or a date of an archive.
package enum PlainValue {
    /// Text.
    case string(String)
    /// A number or a boolean.
    case number(ArchivedNumber)
    /// Bytes.
    case data(ArraySlice<UInt8>)
    /// A date. Archives from Apple's software contain dates as objects with fields.
    case date(PropertyListDate)
}

extension KeyedDecoder {
    /// The object that reads the archive through a protocol other than ``KeyedDecodable``, held
    /// weakly.
    package var companion: AnyObject? {
        get { reader.companion }
        nonmutating set { reader.companion = newValue }
    }

    /// Returns the string, number, data or date that a field contains or refers to; nil if there is
    /// none, or if its class is not allowed.
    package func plainValue(forKey key: String) -> PlainValue? {
        guard let field = reader.field(key, of: self),
            let node = reader.inlineOrPlainNode(at: field)
        else { return nil }
        return reader.plainValue(at: node)
    }

    /// Returns the node of the bytes of an `NSData` with fields. Several objects may share it.
    ///
    /// - Throws: the errors of ``decodeBytes(forKey:)``.
    package func nodeOfData() throws -> UInt32 { try Data.node(in: self) }

    /// A Boolean value that is true for the roots of the archive.
    package var isRoots: Bool { object == nil }

    /// Returns the integer of a field of an object; nil for other fields, and for integers that do
    /// not fit.
    package func plainInteger(forKey key: String) -> Int? {
        inlineOrPlainRecord(key).flatMap { $0.kind == .integer ? Int(exactly: $0) : nil }
    }

    /// Returns the boolean of a field of an object; nil for other fields.
    package func plainBoolean(forKey key: String) -> Bool? {
        inlineOrPlainRecord(key).flatMap { $0.kind == .boolean ? $0.payload != 0 : nil }
    }

    /// Returns the real of a field of an object; nil for other fields.
    package func plainReal(forKey key: String) -> Double? {
        inlineOrPlainRecord(key).flatMap {
            $0.kind == .real ? Double(bitPattern: $0.payload) : nil
        }
    }

    /// Calls `body` with each element of a collection. The elements are in the array `NS.objects`,
    /// or in the fields `NS.object.0`, `NS.object.1`, …
    package func forEachElement(_ body: (KeyedReference) throws -> Void) throws {
        guard let list = reader.field(FoundationField.objects, of: self) else {
            return try forEachIndexed(FoundationField.numberedObject, body)
        }
        try reader.forEachReference(in: list, body)
    }

    /// Reads a root in `body`, and resolves deferred references before it returns. Within an
    /// object, it only calls `body`.
    package func root<R>(_ body: () throws -> R) throws -> R {
        object == nil ? try reader.root([], body) : try body()
    }

    /// Returns an element of an inline array of references; nil if there is none at that index.
    package func element(at index: Int, ofList key: String) -> KeyedReference? {
        guard let node = reader.field(key, of: self) else { return nil }
        let list = reader.table[node]
        guard list.kind == .array, index >= 0, index < list.count else { return nil }
        return reader.reference(at: reader.table.child(list.valueRange.lowerBound &+ index))
    }

    /// Charges values that an object creates from one field.
    ///
    /// - Throws: `expansionLimitExceeded`.
    package func charge(_ count: Int) throws(KeyedArchiveError) { try reader.charge(count) }

    /// Reads a value whose class the archive chooses.
    package func any<R>(_ body: () throws -> R) rethrows -> R { try reader.any(body) }
}

extension ArchiveReader {
    /// Returns the plain value of a node; nil for other nodes.
    fileprivate func plainValue(at node: UInt32) -> PlainValue? {
        switch table[node].kind {
        case .string: .string(text(of: node))
        case .data: .data(table.content(of: table[node]))
        case .date: table.view(node).date.map { .date($0) }
        default: ArchivedNumber(node, table).map { .number($0) }
        }
    }
}

// MARK: - Writing

extension ArchiveWriter {
    /// Returns the index of a class among the written classes, for
    /// ``foreignInstance(_:ofClassAt:fields:)``.
    ///
    /// - Throws: `classNotAllowed`.
    package func classIndex(_ archivedClass: ArchivedClass) throws -> Int {
        try requireAllowed(archivedClass.name)
        return table.classIndex(of: archivedClass)
    }

    /// Writes an instance as an object, unless it has been written before. `fields` writes its
    /// fields.
    ///
    /// - Throws: errors for exceeded limits, and the errors of `fields`.
    package func foreignInstance(
        _ value: AnyObject, ofClassAt place: Int, fields: (KeyedEncoder) throws -> Void
    ) throws -> PropertyListUID {
        let number = try table.objectNumber(of: value)
        if table.isPromised(number) { try fill(number, place, fields) }
        return PropertyListUID(number)
    }

    /// Writes an object that consists of bytes, such as an `NSData`, unless the instance has been
    /// written before.
    ///
    /// - Throws: `classNotAllowed`, errors for exceeded limits.
    package func foreignData(
        _ value: AnyObject, _ bytes: () -> [UInt8]
    ) throws -> PropertyListUID {
        try requireDataAllowed()
        return PropertyListUID(try table.data(of: value, bytes))
    }
}

extension KeyedEncoder {
    /// Writes a reference to the object with the number `uid`.
    package func encode(_ uid: PropertyListUID, forKey key: String) {
        encodeReference(uid, forKey: key)
    }

    /// Writes a reference to the object that `archive` writes.
    package func encode(forKey key: String, _ archive: () throws -> PropertyListUID) {
        attempt(key) {
            let uid = try archive()
            writer.table.field(key, of: object) { $0.uid(uid.value) }
        }
    }

    /// Writes a reference without a key to the object that `archive` writes.
    package func encodeUnkeyed(_ archive: () throws -> PropertyListUID) {
        attempt("$\(writer.table.open.unkeyedCount)") {
            let uid = try archive()
            writer.table.unkeyedField(of: object) { $0.uid(uid.value) }
        }
    }

    /// Writes a reference to an instance without writing the instance. The reference is nil unless
    /// the instance is written elsewhere in the archive.
    package func encodeConditionalInstance(_ instance: AnyObject, forKey key: String) {
        attempt(key) {
            let uid = try writer.table.objectNumber(of: instance)
            writer.table.field(key, of: object) { $0.uid(uid) }
        }
    }

    /// Writes an inline array of references to the objects that `archive` writes for the elements.
    package func encodeReferences<T>(
        _ elements: [T], forKey key: String, _ archive: (T) throws -> PropertyListUID
    ) {
        encodeReferences(count: elements.count, forKey: key) { try archive(elements[$0]) }
    }

    /// Records an error of the archive, unless one is recorded already.
    package func fail(_ error: any Error) { writer.table.fail(error) }

    /// The first error of the archive.
    package var failure: (any Error)? { writer.table.failure }
}

extension KeyedEncoder {
    /// Returns the encoder of the roots of an archive.
    package static func roots(of writer: ArchiveWriter) -> KeyedEncoder {
        KeyedEncoder(writer, object: nil)
    }
}
