// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList

/// The types of values on the command line, by their common names.
enum ValueType: String, ExpressibleByArgument, CaseIterable {
    case string, integer, int, real, float, double, single, boolean, bool, date, data, hex, uid
    case null, array, set, dictionary, dict, plist

    /// Creates the type of a value.
    init?(_ value: PropertyListValue) {
        switch value {
        case .null: self = .null
        case .boolean: self = .boolean
        case .integer: self = .integer
        case .real(let real): self = real.width == .single ? .single : .real
        case .date: self = .date
        case .data: self = .data
        case .string: self = .string
        case .uid: self = .uid
        case .array: self = .array
        case .set: self = .set
        case .dictionary: self = .dictionary
        }
    }

    /// Creates the default type of a value that replaces a value of this kind.
    init(_ kind: PropertyListKind) {
        switch kind {
        case .boolean: self = .boolean
        case .integer: self = .integer
        case .real: self = .real
        case .date: self = .date
        case .data: self = .data
        case .uid: self = .uid
        case .array, .set, .dictionary: self = .plist
        case .string, .null, .unreadable: self = .string
        }
    }

    /// A Boolean value that says whether the type alone determines the value.
    var needsNoText: Bool { [.null, .array, .set, .dictionary, .dict].contains(self) }

    static let help = ArgumentHelp(
        "The type of VALUE: string, integer, real, single, boolean, date, data (base64), hex, "
            + "uid, null, array, set or dictionary (empty), plist (a property list as text).")
}

extension ValueType {
    /// Parses a text as a value of this type, or returns nil. Property lists are parsed by
    /// ``ValueArgument/propertyList(_:_:_:)`` instead, within the budget of the run.
    func value(_ text: String) -> PropertyListValue? {
        switch self {
        case .string: .string(text)
        case .integer, .int: Self.integer(text).map(PropertyListValue.integer)
        case .real, .float, .double: Self.real(text).map { .real(PropertyListReal($0)) }
        case .single: Self.single(text).map { .real(PropertyListReal($0)) }
        case .boolean, .bool: Self.boolean(text).map(PropertyListValue.boolean)
        case .date: Self.date(text).map { .date(PropertyListDate(secondsSince2001: $0)) }
        case .data: Self.data(text).map(PropertyListValue.data)
        case .hex: Self.hex(text).map(PropertyListValue.data)
        case .uid: Self.integer(text)?.value(as: UInt32.self).map { .uid(PropertyListUID($0)) }
        case .plist: nil
        case .null: text.isEmpty ? .null : nil
        case .array: text.isEmpty ? [] : nil
        case .set: text.isEmpty ? .set([]) : nil
        case .dictionary, .dict: text.isEmpty ? [:] : nil
        }
    }

    /// Parses a 32-bit real. Returns nil for an out-of-range number, which would otherwise become
    /// infinity or 0.
    private static func single(_ text: String) -> Float? {
        guard let value = real(text) else { return nil }
        let rounded = Float(value)
        let isInRange = rounded.isInfinite == value.isInfinite && rounded.isZero == value.isZero
        return isInRange ? rounded : nil
    }

    private static func integer(_ text: String) -> PropertyListInteger? {
        guard case .value(let magnitude, let isNegative) = IntegerText.parse(Array(text.utf8).span)
        else { return nil }
        return isNegative
            ? PropertyListInteger(exactly: Int64(truncatingIfNeeded: 0 &- magnitude))
            : PropertyListInteger(magnitude)
    }

    /// Parses a real. Returns nil for an out-of-range number, which would otherwise become infinity
    /// or 0.
    private static func real(_ text: String) -> Double? {
        RealText.parseInRange(Array(text.utf8).span)
    }

    private static func boolean(_ text: String) -> Bool? {
        if text.utf8.count > 5 { return nil }
        return switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    /// Parses an ISO 8601 date in UTC, with or without a fraction of a second.
    private static func date(_ text: String) -> Double? {
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")), text.literallyEnds(with: "Z")
        else {
            return CivilDate.parse(Array(text.utf8).span, lenient: false)
        }
        let digits = text[point...].dropLast()
        guard digits.count > 1, digits.dropFirst().allSatisfy({ ("0"..."9").contains($0) }),
            let fraction = real("0" + digits),
            let whole = CivilDate.parse(Array((text[..<point] + "Z").utf8).span, lenient: false)
        else { return nil }
        return whole + fraction
    }

    private static func data(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        do { try Base64.decode(Array(text.utf8).span, lenient: false, into: &bytes) } catch {
            return nil
        }
        return bytes
    }

    private static func hex(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != 0x20 }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[place..<place + 2], as: UTF8.self)
            guard pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}

extension PropertyListValue {
    /// The text of a scalar, in the syntax that `ValueType` parses; empty for null and containers.
    var plainText: String {
        switch self {
        case .string(let text): text
        case .integer(let value): value.description
        case .real(let value): value.description
        case .boolean(let value): value.description
        case .date(let value): value.description
        case .uid(let value): String(value.value)
        case .data(let bytes): Self.base64(bytes)
        case .null, .array, .set, .dictionary: ""
        }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64.append(bytes.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
