// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values that Foundation reads from property lists, as text that the tests can compare.
enum CanonicalText {
    /// Prints the path of a file, its value or `REFUSED`, and an end marker.
    static func print(_ path: String) {
        var text = "FILE \(path)\n"
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let value = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
            append(value, to: &text)
        } catch {
            text += "REFUSED\n"
        }
        // Written without buffering, because the next file may crash the process.
        FileHandle.standardOutput.write(Data((text + "END\n").utf8))
    }

    private static func append(_ value: Any, to text: inout String) {
        switch value {
        case let value as String: text += "STRING \(hexadecimal(Data(value.utf8)))\n"
        case let value as NSNumber: text += number(value)
        case let value as Data: text += "DATA \(hexadecimal(value))\n"
        case let value as Date: text += "DATE \(milliseconds(value))\n"
        case let elements as [Any]:
            text += "ARRAY \(elements.count)\n"
            for element in elements { append(element, to: &text) }
        case let entries as [String: Any]:
            text += "DICTIONARY \(entries.count)\n"
            let pairs = entries.map { (hexadecimal(Data($0.key.utf8)), $0.value) }
            for (key, value) in pairs.sorted(by: { $0.0 < $1.0 }) {
                text += "KEY \(key)\n"
                append(value, to: &text)
            }
        default: text += "UNKNOWN\n"
        }
    }

    private static func number(_ value: NSNumber) -> String {
        // SAFETY: `objCType` is a C string of one character that the number owns.
        switch unsafe String(cString: value.objCType) {
        case "c", "B": return value.boolValue ? "TRUE\n" : "FALSE\n"
        case "f", "d":
            let real = value.doubleValue
            let bits = real == 0 ? 0 : real.bitPattern
            return "REAL \(real.isNaN ? "nan" : String(bits, radix: 16))\n"
        default: return "INTEGER \(value)\n"
        }
    }

    private static func milliseconds(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        return abs(seconds) < 1e12 ? "\(Int((seconds * 1000).rounded()))" : "far"
    }

    private static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
