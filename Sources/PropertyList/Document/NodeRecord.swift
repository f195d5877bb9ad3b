// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// One value of a document, in 16 bytes.
///
///     0          1          2                 4            8                     16
///     ┌──────────┬──────────┬─────────────────┬────────────┬──────────────────────┐
///     │ kind     │ flags    │ header          │ offset     │ payload              │
///     └──────────┴──────────┴─────────────────┴────────────┴──────────────────────┘
///
/// | kind | header | payload |
/// |---|---|---|
/// | boolean | – | 0 or 1 |
/// | integer | stored width in bytes, 0 if none | the low 64 bits; the sign is in the flags |
/// | real | stored width: 4 or 8 | the bits of the `Double` |
/// | date | – | the bits of the seconds since 2001 |
/// | uid | stored width in bytes, 0 if none | the value |
/// | string | bytes from `offset` to the text | low: length in bytes; high: key number, 0 if none |
/// | data | bytes from `offset` to the data | low: length in bytes |
/// | array, set | – | low: first child; high: number of elements |
/// | dictionary | its shape, 0 if none | low: first child (keys first); high: number of pairs |
///
/// `offset` is the position of the value in the source, in bytes. Text and data that differ from
/// their source, for example because of entities or Base64, are in a side buffer. The flag
/// `decoded` is then set, and the low half of the payload is an index in
/// ``NodeStore/decodedRanges``.
///
/// Other modules of the package use this type. It is public because the compiler does not inline
/// less visible declarations across modules, and each member is only an instruction or two.
@_spi(Tables) public struct NodeRecord: BitwiseCopyable, Sendable {
    /// The kind of the value.
    public let kind: PropertyListKind
    @usableFromInline package var flags: UInt8
    @usableFromInline package var header: UInt16
    package var offset: UInt32
    @usableFromInline package var payload: UInt64

    /// The encoding of a string's bytes. Equal strings have the same encoding within a document:
    /// ASCII if possible, otherwise the one non-ASCII encoding of the document.
    package enum TextEncoding: UInt8 { case ascii, utf8, utf16 }

    private static let encodingMask: UInt8 = 0b0000_0011
    @usableFromInline package static let decodedFlag: UInt8 = 0b0000_0100
    @usableFromInline package static let negativeFlag: UInt8 = 0b0000_1000

    package init(kind: PropertyListKind, offset: UInt32, header: UInt16 = 0, payload: UInt64 = 0) {
        self.kind = kind
        flags = 0
        self.header = header
        self.offset = offset
        self.payload = payload
    }

    @inline(__always)
    package var encoding: TextEncoding {
        get { TextEncoding(rawValue: flags & Self.encodingMask) ?? .ascii }
        set { flags = flags & ~Self.encodingMask | newValue.rawValue }
    }

    /// A Boolean value that is true if the content is in the side buffer.
    @inline(__always)
    var isDecoded: Bool {
        get { flags & Self.decodedFlag != 0 }
        set { flags = newValue ? flags | Self.decodedFlag : flags & ~Self.decodedFlag }
    }

    /// The minimum length in bytes of the contents that ``LongContents`` caches.
    @usableFromInline package static let longLength = 128

    /// A Boolean value that is true if text or data may be long enough for the cache in
    /// ``LongContents``.
    @inlinable
    public var mayBeLong: Bool { length >= Self.longLength || flags & Self.decodedFlag != 0 }

    /// A Boolean value that is true if an integer is negative.
    @inlinable
    public internal(set) var isNegative: Bool {
        get { flags & Self.negativeFlag != 0 }
        set { flags = newValue ? flags | Self.negativeFlag : flags & ~Self.negativeFlag }
    }

    /// The low half of the payload. Other files use the named properties below.
    @usableFromInline var low: UInt32 {
        @inlinable @inline(__always) get { UInt32(truncatingIfNeeded: payload) }
    }

    /// The high half of the payload. Other files use the named properties below.
    @usableFromInline var high: UInt32 {
        @inlinable @inline(__always) get { UInt32(truncatingIfNeeded: payload >> 32) }
    }

    /// The length in bytes of text or data that is not in the side buffer.
    @inlinable @inline(__always)
    public var length: UInt32 { low }

    /// The index in ``NodeStore/decodedRanges`` of text or data in the side buffer.
    @inline(__always)
    var decodedNumber: UInt32 { low }

    /// The value of a record of the kind `integer`.
    @inline(__always)
    package var integer: PropertyListInteger {
        PropertyListInteger(bits: payload, isNegative: isNegative)
    }

    /// The value of a record of the kind `date`.
    @inline(__always)
    var date: PropertyListDate {
        PropertyListDate(secondsSince2001: Double(bitPattern: payload))
    }

    /// The value of a record of the kind `uid`.
    @inline(__always)
    package var uid: PropertyListUID { PropertyListUID(UInt32(truncatingIfNeeded: payload)) }

    /// The value of a record of the kind `real`.
    @inline(__always)
    package var real: PropertyListReal {
        PropertyListReal(Double(bitPattern: payload), width: header == 4 ? .single : .double)
    }

    /// The number of a key; 0 for other kinds and for a string that is not (yet) a key.
    @inlinable @inline(__always)
    public var keyNumber: UInt32 { kind == .string ? high : 0 }

    /// Sets the key number of a string. The number 0 marks a string that is not a key.
    @inline(__always)
    package mutating func setKeyNumber(_ number: UInt32) { setHigh(number) }

    /// The number of the shape in a record of the kind `dictionary`; 0 for none. See
    /// ``ShapeTable``.
    @inlinable
    public internal(set) var shape: UInt16 {
        get { header }
        set { header = newValue }
    }

    @inline(__always)
    private mutating func setHigh(_ value: UInt32) { payload = UInt64(low) | UInt64(value) << 32 }

    @inline(__always)
    package static func payload(low: UInt32, high: UInt32 = 0) -> UInt64 {
        UInt64(low) | UInt64(high) << 32
    }

    /// A Boolean value that is true if the value is a container.
    @inlinable
    public var isContainer: Bool { kind.isContainer }

    /// The number of elements or pairs of a container.
    @inlinable @inline(__always)
    public var count: Int { Int(high) }

    /// A Boolean value that is true if a container has no elements or pairs.
    @inlinable @inline(__always)
    public var isEmpty: Bool { high == 0 }

    /// Changes the number of elements or pairs.
    @inline(__always)
    mutating func setCount(_ count: Int) { setHigh(UInt32(truncatingIfNeeded: count)) }

    /// Sets the index of the first child of a container.
    @inline(__always)
    package mutating func setFirstChild(_ first: UInt32) {
        payload = Self.payload(low: first, high: high)
    }

    /// The positions of a dictionary's keys in ``NodeStore/children``.
    @inlinable @inline(__always)
    public var keyRange: Range<Int> { Int(low)..<(Int(low) &+ Int(high)) }

    /// The indices of a dictionary's keys as 32-bit integers, the form in which tables store them.
    @inline(__always)
    var keyPlaces: Range<UInt32> { low..<(low &+ high) }

    /// Returns the index of the value that belongs to the key at an index.
    @inlinable @inline(__always)
    public func valuePlace(ofKeyAt place: Int) -> Int { place &+ Int(high) }

    /// The indices of the elements, or of a dictionary's values.
    @inlinable @inline(__always)
    public var valueRange: Range<Int> {
        let first = kind == .dictionary ? Int(low) &+ Int(high) : Int(low)
        return first..<(first &+ Int(high))
    }

    /// The indices of the children: elements, or keys and then values.
    @inlinable @inline(__always)
    public var childRange: Range<Int> {
        let first = Int(low)
        let number = Int(high)
        return first..<(first &+ (kind == .dictionary ? number &* 2 : number))
    }
}
