// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamBuilder {
    /// Writes a value in the form of its type.
    mutating func write(_ value: Value, as type: TypeRecord) throws(TypedStreamError) {
        switch value {
        case .null: try writeNull(as: type)
        case .integer(let number): try writeInteger(number, as: type)
        case .unsigned(let number): try writeUnsigned(number, as: type)
        case .boolean(let flag):
            guard type.code == TypeCode.bool || type.code == TypeCode.char else {
                throw Self.mismatch(type, "a Boolean")
            }
            writer.append(flag ? 1 : 0)
        case .real(let number): try writeReal(number, as: type)
        case .bytes(let bytes): try writeBytes(bytes[...], as: type)
        case .string(let text): try writeText(Array(text.utf8)[...], as: type)
        case .class(let chain):
            guard type.code == TypeCode.class else { throw Self.mismatch(type, "a class") }
            appendClass(chain)
        case .object(let object):
            guard type.code == TypeCode.object else { throw Self.mismatch(type, "an object") }
            writer.append(reference: object.number)
        }
    }

    private mutating func writeNull(as type: TypeRecord) throws(TypedStreamError) {
        switch type.code {
        case TypeCode.object, TypeCode.class, TypeCode.cString, TypeCode.unsharedString,
            TypeCode.atom, TypeCode.selector:
            writer.append(Tag.null)
        default: throw Self.mismatch(type, "nil")
        }
    }

    private mutating func writeUnsigned(
        _ number: UInt64, as type: TypeRecord
    ) throws(TypedStreamError) {
        if let number = Int64(exactly: number) { return try writeInteger(number, as: type) }
        guard type.code == TypeCode.unsignedLongLong else {
            throw Self.outOfRange(number, type)
        }
        writer.append(integer: Int64(bitPattern: number))
    }

    private mutating func writeInteger(
        _ number: Int64, as type: TypeRecord
    ) throws(TypedStreamError) {
        let bounds: ClosedRange<Int64> =
            switch type.code {
            case TypeCode.char: Int64(Int8.min)...Int64(Int8.max)
            case TypeCode.unsignedChar: 0...Int64(UInt8.max)
            case TypeCode.short: Int64(Int16.min)...Int64(Int16.max)
            case TypeCode.unsignedShort: 0...Int64(UInt16.max)
            case TypeCode.int, TypeCode.long: Int64(Int32.min)...Int64(Int32.max)
            case TypeCode.unsignedInt, TypeCode.unsignedLong: 0...Int64(UInt32.max)
            case TypeCode.longLong: .min ... .max
            case TypeCode.unsignedLongLong: 0 ... .max
            default: throw Self.mismatch(type, "an integer")
            }
        guard bounds.contains(number) else { throw Self.outOfRange(number, type) }
        // An unsigned number is stored as the signed number with the same bits.
        switch type.code {
        case TypeCode.char, TypeCode.unsignedChar:
            writer.append(UInt8(truncatingIfNeeded: number))
        case TypeCode.unsignedShort:
            writer.append(integer: Int64(Int16(truncatingIfNeeded: number)))
        case TypeCode.unsignedInt, TypeCode.unsignedLong:
            writer.append(integer: Int64(Int32(truncatingIfNeeded: number)))
        default: writer.append(integer: number)
        }
    }

    private static func outOfRange(
        _ number: some BinaryInteger, _ type: TypeRecord
    ) -> TypedStreamError {
        TypedStreamError(
            .invalidNumber,
            "expected a number of type \(Unicode.Scalar(type.code)), found \(number)")
    }

    /// Writes a real number. Whole numbers that both `Float` and `Int32` represent exactly, except
    /// -0, are written as integers.
    private mutating func writeReal(
        _ number: Double, as type: TypeRecord
    ) throws(TypedStreamError) {
        guard type.code == TypeCode.float || type.code == TypeCode.double else {
            throw Self.mismatch(type, "a real number")
        }
        let isSingle = type.code == TypeCode.float
        let isExact = number.isNaN || Double(Float(number)) == number
        guard isExact || !isSingle else {
            throw TypedStreamError(
                .invalidNumber, "expected a number of type f, found one that loses precision")
        }
        if isExact, let whole = Self.whole(number) { return writer.append(integer: whole) }
        let bits = isSingle ? UInt64(Float(number).bitPattern) : number.bitPattern
        writeReal(bits: bits, width: isSingle ? 4 : 8)
    }

    /// Returns the 32-bit integer with the value of a number, or nil if there is none. Returns nil
    /// for −0 as well.
    ///
    /// `Int32(exactly: number)` would call the C math library, which this library does not link.
    private static func whole(_ number: Double) -> Int64? {
        guard abs(number) <= 0x8000_0000 else { return nil }
        let whole = Int64(number)
        let isSame = Double(whole) == number && Int32(exactly: whole) != nil
        return isSame && (whole != 0 || number.sign == .plus) ? whole : nil
    }

    mutating func writeReal(bits: UInt64, width: Int) {
        writer.append(Tag.real)
        writer.append(bits: bits, width: width)
    }

    mutating func writeBytes(
        _ bytes: ArraySlice<UInt8>, as type: TypeRecord
    ) throws(TypedStreamError) {
        if type.code == TypeCode.unsharedString { return writer.append(string: bytes) }
        guard type.isBytes else { throw Self.mismatch(type, "bytes") }
        guard bytes.count == Int(type.count) else {
            throw TypedStreamError(
                .invalidLength,
                "expected \(type.count) bytes in an array of characters, found \(bytes.count)")
        }
        writer.append(bytes)
    }

    private mutating func writeText(
        _ text: ArraySlice<UInt8>, as type: TypeRecord
    ) throws(TypedStreamError) {
        switch type.code {
        case TypeCode.unsharedString: writer.append(string: text)
        case TypeCode.atom, TypeCode.selector: names.appendString(text, to: &writer)
        case TypeCode.cString:
            guard !text.contains(0) else {
                throw TypedStreamError(.invalidString, "expected a C string without NUL")
            }
            names.appendCString(text, to: &writer)
        default: throw Self.mismatch(type, "text")
        }
    }
}
