// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The values of a group, the elements of an array or the fields of a structure, in the order of
/// the file.
///
/// Iteration takes time linear in the size of the values, not counting the objects in them.
public struct TypedStreamValues: Sequence, Sendable {
    private let storage: TypedStreamDocument.Storage
    private let run: TypeRun
    private let start: Int

    init(_ storage: TypedStreamDocument.Storage, run: TypeRun, start: Int) {
        self.storage = storage
        self.run = run
        self.start = start
    }

    /// An iterator over values.
    public struct Iterator: IteratorProtocol, Sendable {
        fileprivate let storage: TypedStreamDocument.Storage
        fileprivate var run: TypeRun
        fileprivate var place: Int

        /// Returns the next value, or nil at the end.
        public mutating func next() -> TypedStreamValue? {
            guard let type = run.take(storage.tables.types),
                let end = storage.skip(type: type, at: place)
            else { return nil }
            defer { place = end }
            return TypedStreamValue(storage, type: type, places: place..<end)
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(storage: storage, run: run, place: start)
    }
}

/// The values of a group, with arrays and structures replaced by their elements and fields.
struct FlatValues: IteratorProtocol {
    private let storage: TypedStreamDocument.Storage
    private var walk: TypeWalk
    private var place: Int

    init(_ storage: TypedStreamDocument.Storage, run: TypeRun, start: Int) {
        self.storage = storage
        walk = TypeWalk(run)
        place = start
    }

    mutating func next() -> TypedStreamValue? {
        guard let type = walk.next(storage.tables.types),
            let end = storage.skip(type: type, at: place)
        else { return nil }
        defer { place = end }
        return TypedStreamValue(storage, type: type, places: place..<end)
    }
}

/// A value of a stream, with its type and location.
public struct TypedStreamValue: Sendable {
    /// The content of a value.
    public enum Content: Sendable {
        /// Nil in place of an object, a class or a string.
        case null
        /// A number of a signed type: `c`, `s`, `i`, `l`, `q`.
        case integer(Int64)
        /// A number of an unsigned type: `C`, `S`, `I`, `L`, `Q`.
        case unsigned(UInt64)
        /// A Boolean of type `B`.
        case boolean(Bool)
        /// A number of type `f`.
        case float(Float)
        /// A number of type `d`.
        case double(Double)
        /// The bytes of type `+`, or of an array of characters.
        case bytes(ArraySlice<UInt8>)
        /// An atom, `%`, or a selector, `:`.
        case string(TypedStreamString)
        /// The text of a C string, `*`.
        case cString(TypedStreamString)
        /// A class, `#`.
        case `class`(TypedStreamClass)
        /// An object, `@`, which the value contains or refers to.
        case object(TypedStreamObject)
        /// The elements of an array.
        case array(TypedStreamValues)
        /// The fields of a structure.
        case structure(TypedStreamValues)
    }

    let storage: TypedStreamDocument.Storage
    let type: Int

    /// The byte range of the value in the file, including the contents of an object.
    public let byteRange: Range<Int>

    init(_ storage: TypedStreamDocument.Storage, type: Int, places: Range<Int>) {
        self.storage = storage
        self.type = type
        byteRange = places
    }

    private var record: TypeRecord { storage.tables.types[type] }

    /// The first character of the value's type, such as `@`, `i`, `[` or `{`.
    public var typeCode: Unicode.Scalar { Unicode.Scalar(record.code) }

    /// The name of a structure, or nil for a structure without a name and for other types.
    public var structureName: String? {
        let start = Int(record.nameStart)
        guard record.code == TypeCode.structure, start > 0 else { return nil }
        let name = storage.source.bytes[start..<start + Int(record.nameLength)]
        return String(decoding: name, as: UTF8.self)
    }

    /// A Boolean value indicating whether the value refers to an object, a class or a string that
    /// is stored elsewhere.
    public var isReference: Bool {
        switch record.code {
        case TypeCode.object, TypeCode.class, TypeCode.cString, TypeCode.atom, TypeCode.selector:
            head != Tag.new && head != Tag.null
        default: false
        }
    }

    private var head: UInt8 { storage.source.byte(at: byteRange.lowerBound) ?? Tag.null }

    /// The content of the value. Takes constant time, or logarithmic time for a value that contains
    /// a new object, class or string.
    public var content: Content {
        switch record.code {
        case TypeCode.char: .integer(Int64(Int8(bitPattern: head)))
        case TypeCode.unsignedChar: .unsigned(UInt64(head))
        case TypeCode.bool: .boolean(head != 0)
        case TypeCode.float: .float(float)
        case TypeCode.double: .double(double)
        case TypeCode.unsharedString: unsharedString
        case TypeCode.atom, TypeCode.selector: string.map { .string($0) } ?? .null
        case TypeCode.cString, TypeCode.class, TypeCode.object: tableEntry
        case TypeCode.array where record.isBytes: .bytes(storage.source.bytes[byteRange])
        case TypeCode.array: .array(inner)
        case TypeCode.structure: .structure(inner)
        case TypeCode.unsignedShort: .unsigned(UInt64(UInt16(truncatingIfNeeded: integer)))
        case TypeCode.unsignedInt, TypeCode.unsignedLong:
            .unsigned(UInt64(UInt32(truncatingIfNeeded: integer)))
        case TypeCode.unsignedLongLong: .unsigned(UInt64(bitPattern: integer))
        default: .integer(integer)
        }
    }

    private var inner: TypedStreamValues {
        TypedStreamValues(
            storage, run: .content(of: type, storage.tables.types), start: byteRange.lowerBound)
    }

    private var integer: Int64 { storage.source.integer(at: byteRange.lowerBound)?.value ?? 0 }

    /// The integer that stores a real number, or nil if the number is stored as IEEE 754.
    var wholeNumber: Int64? { head == Tag.real ? nil : integer }

    private var float: Float { storage.source.float(at: byteRange.lowerBound)?.value ?? 0 }

    private var double: Double { storage.source.double(at: byteRange.lowerBound)?.value ?? 0 }

    private var unsharedString: Content {
        guard head != Tag.null, let length = storage.source.integer(at: byteRange.lowerBound) else {
            return .null
        }
        return .bytes(storage.source.bytes[length.end..<byteRange.upperBound])
    }

    private var string: TypedStreamString? {
        storage.string(at: byteRange.lowerBound).map { TypedStreamString(storage, number: $0) }
    }

    private var tableEntry: Content {
        guard let number = storage.entry(at: byteRange.lowerBound) else { return .null }
        let entry = storage.tables.entries[number]
        return switch entry.kind {
        case .object: .object(TypedStreamObject(storage, number: number))
        case .class: .class(TypedStreamClass(storage, number: number))
        case .cString: .cString(TypedStreamString(storage, cString: number))
        }
    }
}
