// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

/// An encoder for the fields of one object of an archive, used in `encode(with:)`.
///
/// The method names are those of `NSCoder`, and none of them throws. The archiver records the first
/// error, with the path to the field. `KeyedArchiver.archive(_:)` and ``KeyedArchiver/finish(as:)``
/// throw it. After an error nothing more is archived, and nothing is output.
///
/// `encode(_:forKey:)` stores Swift's numbers and booleans inline. Every other value becomes an
/// object, to which the field refers. It is an error to use a key twice, or an encoder after its
/// object is complete.
public struct KeyedEncoder {
    /// The writer of the archive.
    public let writer: ArchiveWriter
    // The number of the object; nil for the roots.
    let object: UInt32?

    init(_ writer: ArchiveWriter, object: UInt32?) {
        self.writer = writer
        self.object = object
    }

    /// The values that the program has set as ``KeyedArchiver/userInfo``.
    public var userInfo: [CodingUserInfoKey: any Sendable] { writer.userInfo }
}

// MARK: - Values

extension KeyedEncoder {
    /// Writes a value as an object, and the field as a reference to it. An instance that was
    /// written before is not written again. Nil is written as a reference to `$null`.
    ///
    /// The archiver may record `classNotAllowed`, `undeclaredSubclass`, `depthLimitExceeded`, or an
    /// error of the value's own `encode(with:)`.
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

    /// Writes an element of a collection that stores each element under a key of its own, such as
    /// `NS.object.0`. Error paths show the index instead of the key.
    func encodeElement(_ value: some KeyedEncodable, forKey key: String, at index: Int) {
        if writer.table.isClosed { return }
        do {
            let uid = try number(of: value)
            writer.table.field(key, of: object) { $0.uid(uid.value) }
        } catch { writer.table.fail(error, inside: [.index(index)]) }
    }

    /// Returns the number of the object that a value is written as.
    private func number(of value: some KeyedEncodable) throws -> PropertyListUID {
        if object != nil { return try value.archive(in: writer) }
        return try writer.root(type(of: value)) { try value.archive(in: writer) }
    }

    /// Writes a reference to an instance without writing the instance, for example to a parent. The
    /// reference is read as nil unless the instance is written elsewhere in the archive, before or
    /// after this call.
    public func encodeConditionalObject(
        _ value: (some KeyedEncodable & AnyObject)?, forKey key: String
    ) {
        attempt(key) {
            let uid = try value.map { try writer.table.objectNumber(of: $0) } ?? 0
            writer.table.field(key, of: object) { $0.uid(uid) }
        }
    }

    /// Writes an inline array of references, such as `NS.objects` of an array.
    public func encodeReferences(
        _ elements: some Sequence<any KeyedEncodable>, forKey key: String
    ) {
        if writer.table.isClosed { return }
        let elements = Array(elements)
        encodeReferences(count: elements.count, forKey: key) {
            try elements[$0].archive(in: writer)
        }
    }

    /// Writes an inline array of references to `count` objects. `archive` writes the object at an
    /// index. `steps` returns the path to that element for errors; the default path is the key and
    /// the index.
    ///
    /// This method takes indexes instead of a sequence, because code that is not specialized for
    /// the element type would call the sequence's iterator through its witness table.
    func encodeReferences(
        count: Int, forKey key: String,
        at steps: ((Int) -> [PropertyListPath.Component])? = nil,
        _ archive: (Int) throws -> PropertyListUID
    ) {
        if writer.table.isClosed { return }
        var uids: [UInt32] = []
        uids.reserveCapacity(count)
        for index in 0..<count {
            do { uids.append(try archive(index).value) } catch {
                return writer.table.fail(
                    error, inside: steps?(index) ?? [.key(key), .index(index)])
            }
        }
        encodeReferences(uids, forKey: key)
    }

    /// Writes an inline array of references to the objects with the numbers `uids`.
    func encodeReferences(_ uids: [UInt32], forKey key: String) {
        writer.table.field(key, of: object) { assembler in
            assembler.array(uids.map { assembler.uid($0) })
        }
    }

    /// Writes a reference to the object with the number `uid`.
    func encodeReference(_ uid: PropertyListUID, forKey key: String) {
        writer.table.field(key, of: object) { $0.uid(uid.value) }
    }

    /// Writes bytes inline.
    public func encodeBytes(_ bytes: some Sequence<UInt8>, forKey key: String) {
        // The sequence may be of a program's own type, whose code must not run during changes of
        // the table.
        let bytes = Array(bytes)
        writer.table.field(key, of: object) { $0.data(bytes) }
    }

    /// Writes a tree of plain values inline. Apple's own classes do so only with single values.
    ///
    /// The archiver may record `invalidPropertyList`.
    public func encodeInline(_ value: PropertyListValue, forKey key: String) {
        attempt(key) {
            let tree = try writer.table.tree(value, writer.limits)
            writer.table.field(key, of: object) { _ in tree }
        }
    }

    /// Calls `body`, which writes a field, unless the archive is finished or has failed. Records an
    /// error with the key.
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

    /// Writes a 64-bit floating-point number.
    public func encode(_ value: Double, forKey key: String) {
        writer.table.field(key, of: object) { $0.real(PropertyListReal(value)) }
    }

    /// Writes a 32-bit floating-point number.
    public func encode(_ value: Float, forKey key: String) {
        writer.table.field(key, of: object) { $0.real(PropertyListReal(value)) }
    }

    /// Writes an integer.
    public func encode(_ value: Int, forKey key: String) {
        encode(PropertyListInteger(value), forKey: key)
    }
    /// Writes an integer.
    public func encode(_ value: Int8, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: Int16, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: Int32, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: Int64, forKey key: String) {
        encode(PropertyListInteger(value), forKey: key)
    }
    /// Writes an integer. A value above 2⁶³−1 is stored in 16 bytes.
    public func encode(_ value: UInt, forKey key: String) { encode(UInt64(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: UInt8, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: UInt16, forKey key: String) { encode(Int(value), forKey: key) }
    /// Writes an integer.
    public func encode(_ value: UInt32, forKey key: String) { encode(UInt64(value), forKey: key) }
    /// Writes an integer. A value above 2⁶³−1 is stored in 16 bytes.
    public func encode(_ value: UInt64, forKey key: String) {
        encode(PropertyListInteger(value), forKey: key)
    }

    /// Writes an integer. A value above 2⁶³−1 is stored in 16 bytes.
    public func encode(_ value: PropertyListInteger, forKey key: String) {
        writer.table.field(key, of: object) { $0.integer(value) }
    }
}

// MARK: - Unkeyed values

extension KeyedEncoder {
    /// Writes a value without a key, as some older classes of Apple's do. It is stored under `$0`,
    /// `$1`, … in the order of the calls.
    public func encodeUnkeyed(_ value: some KeyedEncodable) {
        attempt(ArchiveFormat.unkeyedField(writer.table.open.unkeyedCount)) {
            let uid = try number(of: value)
            writer.table.unkeyedField(of: object) { $0.uid(uid.value) }
        }
    }

    /// Writes a number inline and without a key.
    public func encodeUnkeyed(_ value: ArchivedNumber) {
        writer.table.unkeyedField(of: object) { $0.number(value) }
    }
}
