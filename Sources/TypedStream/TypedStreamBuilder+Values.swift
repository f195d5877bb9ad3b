// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamBuilder {
    // MARK: - Checking

    /// Checks that a type can hold a value.
    static func check(_ value: Value, as type: TypeRecord) throws(TypedStreamError) {
        switch value {
        case .null: try checkNull(as: type)
        case .integer(let number): try checkInteger(number, as: type)
        case .unsigned(let number): try checkInteger(number, as: type)
        case .boolean:
            guard type.code == TypeCode.bool || type.code == TypeCode.char else {
                throw mismatch(type, "a Boolean")
            }
        case .real(let number): try checkReal(number, as: type)
        case .bytes(let bytes): try checkBytes(bytes, as: type)
        case .string(let text): try checkText(text, as: type)
        case .class(let chain):
            guard type.code == TypeCode.class else { throw mismatch(type, "a class") }
            try check(chain)
        case .object:
            guard type.code == TypeCode.object else { throw mismatch(type, "an object") }
        }
    }

    /// Checks the names of a class and its superclasses. Readers refuse names that contain NUL.
    static func check(_ chain: ClassChain) throws(TypedStreamError) {
        guard chain.levels.allSatisfy({ !$0.name.contains(0) }) else {
            throw TypedStreamError(.invalidString, "expected a class name without NUL")
        }
    }

    private static func checkNull(as type: TypeRecord) throws(TypedStreamError) {
        switch type.code {
        case TypeCode.object, TypeCode.class, TypeCode.cString, TypeCode.unsharedString,
            TypeCode.atom, TypeCode.selector:
            break
        default: throw mismatch(type, "nil")
        }
    }

    private static func checkInteger(
        _ number: some BinaryInteger, as type: TypeRecord
    ) throws(TypedStreamError) {
        let isInRange =
            switch type.code {
            case TypeCode.char: Int8(exactly: number) != nil
            case TypeCode.unsignedChar: UInt8(exactly: number) != nil
            case TypeCode.short: Int16(exactly: number) != nil
            case TypeCode.unsignedShort: UInt16(exactly: number) != nil
            case TypeCode.int, TypeCode.long: Int32(exactly: number) != nil
            case TypeCode.unsignedInt, TypeCode.unsignedLong: UInt32(exactly: number) != nil
            case TypeCode.longLong: Int64(exactly: number) != nil
            case TypeCode.unsignedLongLong: UInt64(exactly: number) != nil
            default: throw mismatch(type, "an integer")
            }
        guard isInRange else {
            throw TypedStreamError(
                .invalidNumber,
                "expected a number of type \(Unicode.Scalar(type.code)), found \(number)")
        }
    }

    private static func checkReal(_ number: Double, as type: TypeRecord) throws(TypedStreamError) {
        guard type.code == TypeCode.float || type.code == TypeCode.double else {
            throw mismatch(type, "a real number")
        }
        guard type.code == TypeCode.double || isSingle(number) else {
            throw TypedStreamError(
                .invalidNumber, "expected a number of type f, found one that loses precision")
        }
    }

    private static func checkBytes(_ bytes: [UInt8], as type: TypeRecord) throws(TypedStreamError) {
        if type.code == TypeCode.unsharedString { return }
        guard type.isBytes else { throw mismatch(type, "bytes") }
        guard bytes.count == Int(type.count) else {
            throw TypedStreamError(
                .invalidLength,
                "expected \(type.count) bytes in an array of characters, found \(bytes.count)")
        }
    }

    private static func checkText(_ text: String, as type: TypeRecord) throws(TypedStreamError) {
        switch type.code {
        case TypeCode.unsharedString, TypeCode.atom, TypeCode.selector: break
        case TypeCode.cString:
            guard !text.utf8.contains(0) else {
                throw TypedStreamError(.invalidString, "expected a C string without NUL")
            }
        default: throw mismatch(type, "text")
        }
    }

    // MARK: - Writing

    /// Writes a value in the form of a type that can hold it.
    mutating func write(_ value: Value, as type: TypeRecord) {
        switch value {
        case .null: writer.append(Tag.null)
        case .integer(let number): writeInteger(number, as: type)
        case .unsigned(let number): writeInteger(Int64(bitPattern: number), as: type)
        case .boolean(let flag): writer.append(flag ? 1 : 0)
        case .real(let number): writeReal(number, as: type)
        case .bytes(let bytes): writeBytes(bytes[...], as: type)
        case .string(let text): writeText(Array(text.utf8)[...], as: type)
        case .class(let chain): appendClass(chain)
        case .object(let object): writer.append(reference: object.number)
        }
    }

    /// Writes an integer. An unsigned number is stored as the signed number with the same bits.
    private mutating func writeInteger(_ number: Int64, as type: TypeRecord) {
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

    /// Writes a real number. Whole numbers that both `Float` and `Int32` represent exactly, except
    /// -0, are written as integers.
    private mutating func writeReal(_ number: Double, as type: TypeRecord) {
        if Self.isSingle(number), let whole = Self.whole(number) {
            writer.append(integer: whole)
        } else if type.code == TypeCode.float {
            writeReal(bits: UInt64(Float(number).bitPattern), width: 4)
        } else {
            writeReal(bits: number.bitPattern, width: 8)
        }
    }

    /// Returns whether `Float` represents a number exactly.
    private static func isSingle(_ number: Double) -> Bool {
        number.isNaN || Double(Float(number)) == number
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

    mutating func writeBytes(_ bytes: ArraySlice<UInt8>, as type: TypeRecord) {
        if type.code == TypeCode.unsharedString {
            writer.append(string: bytes)
        } else {
            writer.append(bytes)
        }
    }

    private mutating func writeText(_ text: ArraySlice<UInt8>, as type: TypeRecord) {
        switch type.code {
        case TypeCode.unsharedString: writer.append(string: text)
        case TypeCode.cString: names.appendCString(text, to: &writer)
        default: names.appendString(text, to: &writer)
        }
    }
}
