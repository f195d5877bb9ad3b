// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An object of an archive: its class and its keyed values.
public struct NIBArchiveObject: Sendable {
    let storage: NIBArchiveDocument.Storage

    /// The index of the object in the archive. References to the object contain this index.
    public let index: Int

    private var record: ObjectRecord { storage.tables.objects[index] }

    /// The class of the object.
    public var `class`: NIBArchiveClass {
        NIBArchiveClass(storage: storage, index: Int(record.class))
    }

    /// The values, in the order of the file.
    public var values: NIBArchiveValues {
        NIBArchiveValues(storage: storage, indices: record.values)
    }

    /// The value for a key, or nil if the object has none. If several values have the key, the
    /// result is the first. The elements of an array, for example, all have the key
    /// `UINibEncoderEmptyKey`.
    ///
    /// - Complexity: Linear in the number of values.
    public subscript(key: String) -> NIBArchiveValue? {
        values.first { $0.keyBytes.elementsEqual(key.utf8) }
    }
}

extension NIBArchiveObject: Hashable {
    /// Returns whether both are the same object of the same document.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage && left.index == right.index
    }

    /// Hashes the identity of the document and the index of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(storage))
        hasher.combine(index)
    }
}

/// The values of an object, in the order of the file.
public struct NIBArchiveValues: RandomAccessCollection, Sendable {
    let storage: NIBArchiveDocument.Storage
    /// The indices of the object's values among all values of the archive.
    public let indices: Range<Int>

    /// The index of the object's first value among all values of the archive.
    public var startIndex: Int { indices.lowerBound }
    /// The index after the last value.
    public var endIndex: Int { indices.upperBound }
    /// The value at an index among all values of the archive.
    public subscript(position: Int) -> NIBArchiveValue {
        NIBArchiveValue(storage: storage, index: position)
    }
}

/// A value of an object, with its key.
public struct NIBArchiveValue: Sendable {
    /// The content of a value.
    public enum Content: Sendable {
        /// A whole number. Its stored width has no meaning.
        case integer(Int64)
        /// A Boolean.
        case boolean(Bool)
        /// A real number of 4 bytes.
        case float(Float)
        /// A real number of 8 bytes.
        case double(Double)
        /// Bytes: text, geometry, or an embedded file.
        case data(ArraySlice<UInt8>)
        /// Nil, in place of an object.
        case null
        /// A reference to an object.
        case object(NIBArchiveObject)
    }

    let storage: NIBArchiveDocument.Storage

    /// The index of the value in the archive.
    public let index: Int

    private var start: Int { Int(storage.tables.values[index]) }

    /// The byte range of the value in the file. It begins with the index of the key.
    public var byteRange: Range<Int> {
        let values = storage.tables.values
        let end = index + 1 < values.count ? Int(values[index + 1]) : storage.tables.valuesEnd
        return start..<end
    }

    /// The index of the key, and the offset of the type.
    private var head: (key: Int, end: Int) {
        storage.source.variable(at: start, limit: storage.source.bytes.count) ?? (0, start)
    }

    /// The index of the key among the keys of the archive.
    public var keyIndex: Int { head.key }

    /// The bytes of the key.
    var keyBytes: ArraySlice<UInt8> {
        storage.source.bytes[storage.tables.keys[head.key].range]
    }

    /// The key.
    public var key: String { String(decoding: keyBytes, as: UTF8.self) }

    var type: ValueType { ValueType(rawValue: storage.source.bytes[head.end]) ?? .null }

    /// The stored width of an integer in bytes (1, 2, 4 or 8), or nil for other values.
    public var integerWidth: Int? {
        switch type {
        case .int8, .int16, .int32, .int64: type.width
        default: nil
        }
    }

    /// The content of the value.
    ///
    /// - Complexity: Constant.
    public var content: Content {
        let payload = head.end + 1
        let bits = storage.source.number(at: payload, width: type.width ?? 0) ?? 0
        switch type {
        case .int8: return .integer(Int64(Int8(truncatingIfNeeded: bits)))
        case .int16: return .integer(Int64(Int16(truncatingIfNeeded: bits)))
        case .int32: return .integer(Int64(Int32(truncatingIfNeeded: bits)))
        case .int64: return .integer(Int64(bitPattern: bits))
        case .false: return .boolean(false)
        case .true: return .boolean(true)
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case .double: return .double(Double(bitPattern: bits))
        case .null: return .null
        case .reference: return .object(NIBArchiveObject(storage: storage, index: Int(bits)))
        case .data:
            let end = byteRange.upperBound
            let length = storage.source.variable(at: payload, limit: end)
            return .data(storage.source.bytes[(length?.end ?? end)..<end])
        }
    }
}
