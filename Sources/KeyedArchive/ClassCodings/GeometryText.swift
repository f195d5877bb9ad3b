// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Numbers in braces or brackets, the textual form of geometry in Apple's frameworks: `{1, 2.5}`,
/// `{{0, 0}, {3, 4}}` or `[1, 0, 0, 1, 0, 0]`.
///
/// A shape is such text with an `n` in place of each number. Numbers are written like C's `%.17g`,
/// as in all archives of 64-bit systems (`677.66666666666663`). Numbers in archives of older
/// systems have six digits. Both forms are read, with any number of spaces before, between and
/// after the parts. Other text after a number, as in `2x`, is rejected, and so is other text after
/// the end of the shape.
package enum GeometryText {
    /// Parses the numbers in a text. Returns nil if the text does not have this shape. Linear.
    static func numbers(in text: String, of shape: String) -> [Double]? {
        let bytes = Array(text.utf8)
        var position = 0
        var numbers: [Double] = []
        for part in shape.utf8 where part != space {
            while position < bytes.count, bytes[position] == space { position &+= 1 }
            if part == number {
                let start = position
                while position < bytes.count, !isSeparator(bytes[position]) { position &+= 1 }
                guard let value = value(of: Array(bytes[start..<position])) else { return nil }
                numbers.append(value)
            } else {
                guard position < bytes.count, bytes[position] == part else { return nil }
                position &+= 1
            }
        }
        return bytes[position...].allSatisfy { $0 == space } ? numbers : nil
    }

    /// Returns a shape with its `n`s replaced by `numbers`. The shape must have an `n` for each
    /// number.
    package static func text(_ numbers: [Double], of shape: String) -> String {
        var bytes: [UInt8] = []
        var rest = numbers[...]
        for part in shape.utf8 {
            if part == number {
                append(rest.popFirst() ?? 0, to: &bytes)
            } else {
                bytes.append(part)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let number = UInt8(ascii: "n")
    private static let space = UInt8(ascii: " ")

    private static func isSeparator(_ byte: UInt8) -> Bool {
        [space, UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(byte)
    }

    private static func append(_ value: Double, to bytes: inout [UInt8]) {
        if value == 0 {
            bytes.append(contentsOf: (value.sign == .minus ? "-0" : "0").utf8)
        } else if value.isFinite {
            RealText.append(value, style: .seventeenDigits, to: &bytes)
        } else {
            bytes.append(contentsOf: (value.isNaN ? "nan" : value < 0 ? "-inf" : "inf").utf8)
        }
    }

    private static func value(of literal: [UInt8]) -> Double? {
        switch literal {
        case Array("inf".utf8): return .infinity
        case Array("-inf".utf8): return -.infinity
        case Array("nan".utf8), Array("-nan".utf8): return .nan
        default:
            guard let value = RealText.parse(literal.span), value.isFinite else { return nil }
            return value
        }
    }
}
