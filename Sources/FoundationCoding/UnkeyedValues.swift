// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

// Values without keys, with their Objective-C type encodings. Old classes such as `NSValue` and
// `NSAffineTransform` write them.
//
// | type | field |
// |---|---|
// | `c` `C` `s` `S` `i` `I` `l` `L` `q` `Q` `f` `d` `B` | `$0`, `$1`, …: a number in the object itself |
// | `@` | a reference to an object |
// | `#` `*` | a reference to a string: a class name (`#`) or text (`*`), not supported here |
// | `[6f]` | a reference to an object of the class below |
//
// | class | fields |
// |---|---|
// | `_NSKeyedCoderOldStyleArray` | `NS.count`, `NS.size`: integers; `NS.type`: the character of the type; the elements without keys |
//
// Source: swift-corelibs-foundation, and archives that Apple's software wrote.

/// An Objective-C type encoding.
enum ObjCType {
    /// One value, with the character of its type.
    case single(UInt8)
    /// An array of `count` values.
    case array(count: Int, element: UInt8)

    /// Parses a type encoding; nil for structures, unions, pointers, empty arrays, and arrays of
    /// anything but numbers.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.count == 1 {
            self = .single(bytes[0])
            return
        }
        guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else { return nil }
        let inner = bytes.dropFirst().dropLast()
        guard let element = inner.last, Self.size(element) != nil,
            let count = Int(String(decoding: inner.dropLast(), as: UTF8.self)), count > 0,
            // Foundation keeps each distinct encoding of an `NSValue` forever, so only one spelling
            // of each count is accepted.
            String(count).utf8.elementsEqual(inner.dropLast())
        else { return nil }
        self = .array(count: count, element: element)
    }

    /// Returns the size of a number in bytes; nil for other types.
    static func size(_ type: UInt8) -> Int? {
        switch Unicode.Scalar(type) {
        case "c", "C", "B": 1
        case "s", "S": 2
        case "i", "I", "l", "L", "f": 4
        case "q", "Q", "d": 8
        default: nil
        }
    }

    /// The maximum number of elements of an `NSValue`.
    static let mostElements = 1024

    static let arrayClass = ArchivedClass("_NSKeyedCoderOldStyleArray")

    /// Returns the error for a type encoding that the coders do not support.
    static func unsupported(_ type: String) -> KeyedArchiveError {
        KeyedArchiveError(
            .misuse,
            what:
                "expected the Objective-C type encoding of a number, an object or an array of "
                + "numbers, found \(KeyedArchiveError.printable(type))",
            recovery: "encode each field of a structure with its own key")
    }

    // MARK: Objects in memory

    // In Objective-C, a variable of type `@` is a pointer. In Swift on other platforms, it is an
    // `Any?`, which is larger.

    /// Stores an object in a variable of type `@`.
    ///
    /// SAFETY: `place` has room for such a variable.
    @unsafe static func store(_ object: Any?, at place: UnsafeMutableRawPointer) {
        #if canImport(Darwin)
        // The variable owns the object. As with Apple's coders, its old contents are not released.
        unsafe place.initializeMemory(
            as: AnyObject?.self, to: object.map { $0 as AnyObject })
        #else
        unsafe place.assumingMemoryBound(to: Any?.self).pointee = object
        #endif
    }

    /// Returns the object in a variable of type `@`.
    ///
    /// SAFETY: `place` holds such a variable.
    @unsafe static func object(at place: UnsafeRawPointer) -> Any? {
        #if canImport(Darwin)
        unsafe place.assumingMemoryBound(to: AnyObject?.self).pointee
        #else
        unsafe place.assumingMemoryBound(to: Any?.self).pointee
        #endif
    }
}

// MARK: - Reading

/// An array of numbers, which the coder reads once for all references to it.
private final class NumberArray {
    /// The character of the element type.
    let element: Int
    let values: [PlainValue?]

    init(_ decoder: KeyedDecoder) throws {
        element = try decoder.decodeInteger(forKey: "NS.type")
        let count = try decoder.decodeInteger(forKey: "NS.count")
        var values: [PlainValue?] = []
        while values.count < count, let value = decoder.nextUnkeyed() {
            try value.chargeElement()
            values.append(try value.plainValue())
        }
        self.values = values
    }
}

extension KeyedUnarchiverCoder {
    /// Reads a value without a key into memory. Stores zero, or nil for an object, if there is no
    /// such value.
    ///
    /// SAFETY: `place` has room for a value of `type`.
    @unsafe func decodeValues(_ type: UnsafePointer<CChar>, _ place: UnsafeMutableRawPointer) {
        let text = unsafe String(cString: type)
        switch ObjCType(text) {
        case .single(let type): unsafe decodeSingle(type, place)
        case .array(let count, let element): unsafe decodeArray(count, element, place)
        case nil: failWithError(ObjCType.unsupported(text))
        }
    }

    /// Reads an `NSValue` that holds a number or an array of numbers: first its type encoding, then
    /// its content. Foundation's own initializer allocates as much memory as the type asks for, and
    /// copies bytes beyond the end of an empty array.
    func concreteValue() -> NSValue? {
        guard case .string(let text)? = nextPlainValue() else { return nil }
        let count: Int
        switch ObjCType(text) {
        case .single(let type) where ObjCType.size(type) != nil: count = 1
        case .array(let elements, _) where elements <= ObjCType.mostElements: count = elements
        default:
            failWithError(
                KeyedArchiveError(
                    .malformedObject,
                    what: "expected the type encoding of a number, or of an array of at most "
                        + "\(ObjCType.mostElements) numbers, in an NSValue, found "
                        + KeyedArchiveError.printable(text)))
            return nil
        }
        // The memory is allocated even if the archive has no values for the array, so it is charged
        // first. Each element takes at most 8 bytes.
        let bytes = count &* 8
        guard attempt(nil, { try $0.decoder.charge(copied: bytes) }) != nil else { return nil }
        var words = [UInt64](repeating: 0, count: count)
        // SAFETY: the memory has room for `count` elements of every type.
        return unsafe words.withUnsafeMutableBytes { bytes in
            guard let place = bytes.baseAddress else { return nil }
            unsafe text.withCString { unsafe decodeValues($0, place) }
            return unsafe text.withCString { unsafe NSValue(bytes: place, objCType: $0) }
        }
    }

    @unsafe private func decodeSingle(_ type: UInt8, _ place: UnsafeMutableRawPointer) {
        switch Unicode.Scalar(type) {
        case "@":
            unsafe ObjCType.store(decodeObject(), at: place)
        case "#", "*", ":", "v", "?":
            failWithError(ObjCType.unsupported(String(Unicode.Scalar(type))))
        default:
            guard let size = ObjCType.size(type) else {
                return failWithError(ObjCType.unsupported(String(Unicode.Scalar(type))))
            }
            unsafe Self.store(nextPlainValue(), type, size, place)
        }
    }

    @unsafe private func decodeArray(
        _ count: Int, _ element: UInt8, _ place: UnsafeMutableRawPointer
    ) {
        guard let size = ObjCType.size(element) else { return }
        // Elements that the archive does not have are zeros.
        unsafe place.initializeMemory(as: UInt8.self, repeating: 0, count: count * size)
        guard let reference = current?.nextUnkeyed(), !reference.isNil,
            reference.archivedClass?.name == ObjCType.arrayClass.name
        else { return }
        do {
            let array = try reference.foreignObject { try NumberArray($0) } as? NumberArray
            guard let array, array.element == Int(element) else {
                throw reference.wrongType(expected: "an array of type \(Unicode.Scalar(element))")
            }
            for (index, value) in array.values.prefix(count).enumerated() {
                unsafe Self.store(value, element, size, place + index * size)
            }
        } catch { failWithError(error) }
    }

    /// Stores a number in the representation of `type`. An integer loses the bits that do not fit,
    /// as with Foundation. A value that is not a number is stored as zero.
    @unsafe private static func store(
        _ value: PlainValue?, _ type: UInt8, _ size: Int, _ place: UnsafeMutableRawPointer
    ) {
        var number = NSNumber(value: 0)
        if case .number(let found)? = value,
            let object = BuiltInClass.object(.number(found)) as? NSNumber
        {
            number = object
        }
        switch Unicode.Scalar(type) {
        case "f": unsafe place.storeBytes(of: number.floatValue, as: Float.self)
        case "d": unsafe place.storeBytes(of: number.doubleValue, as: Double.self)
        case "B": unsafe place.storeBytes(of: number.boolValue, as: Bool.self)
        default:
            // Narrowing the value before storing it is correct for either byte order.
            let bits = number.uint64Value
            switch size {
            case 1: unsafe place.storeBytes(of: UInt8(truncatingIfNeeded: bits), as: UInt8.self)
            case 2: unsafe place.storeBytes(of: UInt16(truncatingIfNeeded: bits), as: UInt16.self)
            case 4: unsafe place.storeBytes(of: UInt32(truncatingIfNeeded: bits), as: UInt32.self)
            default: unsafe place.storeBytes(of: bits, as: UInt64.self)
            }
        }
    }
}

// MARK: - Writing

extension KeyedArchiverCoder {
    /// Writes a value without a key, from memory.
    ///
    /// SAFETY: `place` holds a value of `type`.
    @unsafe func encodeValues(_ type: UnsafePointer<CChar>, _ place: UnsafeRawPointer) {
        let text = unsafe String(cString: type)
        switch ObjCType(text) {
        case .single(UInt8(ascii: "@")):
            encode(unsafe ObjCType.object(at: place))
        case .single(let type):
            guard let number = unsafe Self.load(type, place) else {
                return failWithError(ObjCType.unsupported(text))
            }
            current.encodeUnkeyed(number)
        case .array(let count, let element):
            // SAFETY: the array has `count` elements of this type.
            unsafe encodeArray(count, element, place)
        case nil: failWithError(ObjCType.unsupported(text))
        }
    }

    @unsafe private func encodeArray(_ count: Int, _ element: UInt8, _ place: UnsafeRawPointer) {
        guard let size = ObjCType.size(element) else { return }
        current.encodeUnkeyed {
            try self.current.writer.foreignInstance(
                NSObject(), ofClassAt: self.current.writer.classIndex(ObjCType.arrayClass)
            ) { encoder in
                encoder.encode(count, forKey: "NS.count")
                encoder.encode(size, forKey: "NS.size")
                encoder.encode(Int(element), forKey: "NS.type")
                for index in 0..<count {
                    if let number = unsafe Self.load(element, place + index * size) {
                        encoder.encodeUnkeyed(number)
                    }
                }
            }
        }
    }

    /// Loads a number of a type from memory; nil for a type that is not a number.
    @unsafe private static func load(_ type: UInt8, _ place: UnsafeRawPointer) -> ArchivedNumber? {
        switch Unicode.Scalar(type) {
        case "c": unsafe integer(place.loadUnaligned(as: Int8.self))
        case "C": unsafe integer(place.loadUnaligned(as: UInt8.self))
        case "s": unsafe integer(place.loadUnaligned(as: Int16.self))
        case "S": unsafe integer(place.loadUnaligned(as: UInt16.self))
        case "i", "l": unsafe integer(place.loadUnaligned(as: Int32.self))
        case "I", "L": unsafe integer(place.loadUnaligned(as: UInt32.self))
        case "q": unsafe integer(place.loadUnaligned(as: Int64.self))
        case "Q": unsafe integer(place.loadUnaligned(as: UInt64.self))
        case "f": unsafe .real(PropertyListReal(place.loadUnaligned(as: Float.self)))
        case "d": unsafe .real(PropertyListReal(place.loadUnaligned(as: Double.self)))
        case "B": unsafe .boolean(place.loadUnaligned(as: UInt8.self) != 0)
        default: nil
        }
    }

    private static func integer<Integer: FixedWidthInteger>(_ value: Integer) -> ArchivedNumber? {
        PropertyListInteger(exactly: value).map { .integer($0) }
    }
}
