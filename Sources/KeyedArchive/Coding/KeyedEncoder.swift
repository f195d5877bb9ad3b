// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

/// One object of an archive, whose fields a value writes in `encode(with:)`.
///
/// The verbs are those of `NSCoder`, and none of them throws. The archive keeps the first error, with the path
/// to the field, and throws it when it is finished: `KeyedArchiver.archive(_:)`, ``KeyedArchiver/finish(as:)``.
/// Nothing is archived after an error, and nothing is output.
///
/// Numbers and booleans stand in the object itself; everything else becomes an object that it refers
/// to. A key that is given twice, and an encoder that is used when its object is complete, are errors too.
public struct KeyedEncoder {
    /// The archive that is written.
    public let writer: ArchiveWriter
    // The number of the object; nil for the roots.
    let object: UInt32?

    init(_ writer: ArchiveWriter, object: UInt32?) {
        self.writer = writer
        self.object = object
    }

    /// The values that the program has set in ``KeyedArchiver/userInfo``.
    public var userInfo: [CodingUserInfoKey: any Sendable] { writer.userInfo }
}

// MARK: - Values

extension KeyedEncoder {
    /// Writes a value as an object of its own, or a reference to the object that it is already; nil
    /// as a reference to nothing.
    ///
    /// The archive may keep `classNotAllowed`, `undeclaredSubclass`, `depthLimitExceeded`, or the error that the
    /// value's own `encode(with:)` throws.
    public func encode(_ value: some KeyedEncodable, forKey key: String) {
        encodeObject(value, forKey: key)
    }

    @inline(__always)
    func encodeObject(_ value: some KeyedEncodable, forKey key: String) {
        attempt(key) {
            if object == nil, let root = value as? AnyArchived, root.isInline {
                return encodeInline(try root.propertyListValue(), forKey: key)
            }
            let uid = try number(of: value)
            writer.table.field(key, of: object) { $0.uid(uid.value) }
        }
    }

    /// Writes an element of a collection that has a key for each. The path of an error has the index.
    func encodeElement(_ value: some KeyedEncodable, forKey key: String, at index: Int) {
        if writer.table.isClosed { return }
        do {
            let uid = try number(of: value)
            writer.table.field(key, of: object) { $0.uid(uid.value) }
        } catch { writer.table.fail(error, inside: [.index(index)]) }
    }

    /// The number of the object that a value is written as.
    private func number(of value: some KeyedEncodable) throws -> PropertyListUID {
        if object != nil { return try value.archive(in: writer) }
        return try writer.root(type(of: value)) { try value.archive(in: writer) }
    }

    /// Writes a reference to an instance that is written in full only if it is elsewhere in the
    /// archive, before or after this; otherwise it is read as nil. For references to a parent, say.
    public func encodeConditionalObject(
        _ value: (some KeyedEncodable & AnyObject)?, forKey key: String
    ) {
        attempt(key) {
            let uid = try value.map { try writer.table.objectNumber(of: $0) } ?? 0
            writer.table.field(key, of: object) { $0.uid(uid) }
        }
    }

    /// Writes references that stand in the object itself, as those of an array do in `NS.objects`.
    public func encodeReferences(
        _ elements: some Sequence<any KeyedEncodable>, forKey key: String
    ) {
        encodeReferences(elements, forKey: key) { try $0.archive(in: writer) }
    }

    /// Writes references to what `archive` makes of each element. `steps` is the way to an element in the
    /// path of an error; by default the key and the index.
    func encodeReferences<S: Sequence>(
        _ elements: S, forKey key: String,
        at steps: ((Int) -> [PropertyListPath.Component])? = nil,
        _ archive: (S.Element) throws -> PropertyListUID
    ) {
        if writer.table.isClosed { return }
        var uids: [UInt32] = []
        uids.reserveCapacity(elements.underestimatedCount)
        for element in elements {
            do { uids.append(try archive(element).value) } catch {
                return writer.table.fail(
                    error, inside: steps?(uids.count) ?? [.key(key), .index(uids.count)])
            }
        }
        encodeReferences(uids, forKey: key)
    }

    /// Writes references to objects that have their numbers.
    func encodeReferences(_ uids: [UInt32], forKey key: String) {
        writer.table.field(key, of: object) { assembler in
            assembler.array(uids.map { assembler.uid($0) })
        }
    }

    /// Writes a reference to an object that has its number.
    func encodeReference(_ uid: PropertyListUID, forKey key: String) {
        writer.table.field(key, of: object) { $0.uid(uid.value) }
    }

    /// Writes bytes that stand in the object itself.
    public func encodeBytes(_ bytes: some Sequence<UInt8>, forKey key: String) {
        // The sequence may be a program's own, which must not run while the table is changed.
        let bytes = Array(bytes)
        writer.table.field(key, of: object) { $0.data(bytes) }
    }

    /// Writes a tree of plain values that stands in the object itself. Apple's own classes do so with
    /// single values only.
    ///
    /// The archive may keep `invalidPropertyList`.
    public func encodeInline(_ value: PropertyListValue, forKey key: String) {
        attempt(key) {
            let tree = try writer.table.tree(value, writer.limits)
            writer.table.field(key, of: object) { _ in tree }
        }
    }

    /// Writes a field, unless the archive has failed. Keeps the error, with the key.
    @inline(__always)
    func attempt(_ key: String, _ body: () throws -> Void) {
        if writer.table.isClosed { return }
        do { try body() } catch { writer.table.fail(error, inside: [.key(key)]) }
    }
}

// MARK: - Numbers

extension KeyedEncoder {
    /// Writes a boolean.
    public func encode(_ value: Bool, forKey key: String) {
        writer.table.field(key, of: object) { $0.boolean(value) }
    }

    /// Writes a number of 64 bits.
    public func encode(_ value: Double, forKey key: String) {
        writer.table.field(key, of: object) { $0.real(PropertyListReal(value)) }
    }

    /// Writes a number of 32 bits.
    public func encode(_ value: Float, forKey key: String) {
        writer.table.field(key, of: object) { $0.real(PropertyListReal(value)) }
    }

    /// Writes an integer.
    public func encode(_ value: Int, forKey key: String) { encode(PropertyListInteger(value), key) }
    /// Writes an integer.
    public func encode(_ value: Int8, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: Int16, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: Int32, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: Int64, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer. One above 2⁶³−1 is stored in 16 bytes.
    public func encode(_ value: UInt, forKey key: String) { encode(UInt64(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: UInt8, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: UInt16, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: UInt32, forKey key: String) { encode(UInt64(value), forKey: key) }
    /// Writes an integer. One above 2⁶³−1 is stored in 16 bytes.
    public func encode(_ value: UInt64, forKey key: String) {
        encode(PropertyListInteger(value), key)
    }

    private func encode(_ value: PropertyListInteger, _ key: String) {
        writer.table.field(key, of: object) { $0.integer(value) }
    }
}

// MARK: - Unkeyed values

extension KeyedEncoder {
    /// Writes a value without a key, under `$0`, `$1`, … in the order of the calls, as old classes of
    /// Apple's do.
    public func encodeUnkeyed(_ value: some KeyedEncodable) {
        attempt(ArchiveFormat.unkeyedField(writer.table.open.unkeyedCount)) {
            let uid = try number(of: value)
            writer.table.unkeyedField(of: object) { $0.uid(uid.value) }
        }
    }

    /// Writes a number without a key, in the object itself.
    public func encodeUnkeyed(_ value: ArchivedNumber) {
        writer.table.unkeyedField(of: object) { $0.number(value) }
    }
}
