// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList

/// A property list as text, for comparison with other implementations: one line for each value, in
/// the order of the file, and dictionaries sorted by key.
///
///     ARRAY 2
///     INTEGER -1
///     STRING 616263
enum CanonicalText {
    /// Prints the path of a file, its value or the reason of its refusal, and an end marker.
    static func print(_ path: String) {
        var text = "FILE \(path)\n"
        do {
            let bytes = try Data(contentsOf: URL(filePath: path))
            append(try PropertyListValue(parsing: bytes), to: &text)
        } catch let error as PropertyListError {
            text += "REFUSED \(error.code)\n"
        } catch {
            text += "REFUSED unreadable\n"
        }
        // Written without buffering, so that a crash on the next file does not lose this result.
        FileHandle.standardOutput.write(Data((text + "END\n").utf8))
    }

    private static func append(_ value: PropertyListValue, to text: inout String) {
        switch value {
        case .null: text += "NULL\n"
        case .boolean(let value): text += value ? "TRUE\n" : "FALSE\n"
        case .integer(let value): text += "INTEGER \(value)\n"
        case .real(let value): text += "REAL \(real(value.value))\n"
        case .date(let value): text += "DATE \(milliseconds(value.secondsSince2001))\n"
        case .data(let value): text += "DATA \(hexadecimal(value))\n"
        case .string(let value): text += "STRING \(hexadecimal(Array(value.utf8)))\n"
        case .uid(let value): text += "UID \(value.value)\n"
        case .array(let elements): append(Array(elements), "ARRAY", to: &text)
        case .set(let elements): append(Array(elements), "SET", to: &text)
        case .dictionary(let entries):
            text += "DICTIONARY \(entries.count)\n"
            let pairs = entries.map { (hexadecimal(Array($0.key.utf8)), $0.value) }
            for (key, value) in pairs.sorted(by: { $0.0 < $1.0 }) {
                text += "KEY \(key)\n"
                append(value, to: &text)
            }
        }
    }

    private static func append(
        _ elements: [PropertyListValue], _ name: String, to text: inout String
    ) {
        text += "\(name) \(elements.count)\n"
        for element in elements { append(element, to: &text) }
    }

    /// Returns the text of a number. All zeros are equal, and so are all NaNs.
    private static func real(_ value: Double) -> String {
        if value.isNaN { return "nan" }
        return String(value == 0 ? 0 : value.bitPattern, radix: 16)
    }

    /// Returns a date in milliseconds, the finest precision that all implementations have.
    private static func milliseconds(_ seconds: Double) -> String {
        abs(seconds) < 1e12 ? "\(Int((seconds * 1000).rounded()))" : "far"
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
