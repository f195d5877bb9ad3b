// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A JSON object on one line, written entry by entry.
///
/// Dates, data, UIDs and special numbers are represented as with
/// ``JSONPropertyList/Mapping/coerce``. All characters are safe for a terminal.
package struct JSONLine {
    private static let scalars: JSONScalarWriter = {
        var options = JSONPropertyList.Options()
        options.mapping = .coerce
        options.layout = .compact
        return JSONScalarWriter(options: options)
    }()

    private var bytes = [UInt8(ascii: "{")]

    package init() {}

    /// Appends an entry with a scalar. Containers become null.
    package mutating func append(_ key: String, _ value: PropertyListValue) {
        append(key)
        if case .string(let text) = value { return append(text: text) }
        let start = bytes.count
        do { try Self.scalars.append(value, to: &bytes) } catch {
            bytes.removeSubrange(start...)
            bytes.append(contentsOf: "null" as StaticString)
        }
    }

    private mutating func append(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        append(text: key)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(text: String) {
        bytes.append(UInt8(ascii: "\""))
        JSONScalarWriter.appendEscaped(ArraySlice(text.utf8), to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// The line without a line terminator.
    package var text: String {
        TerminalText.escapedInJSON(String(decoding: bytes, as: UTF8.self) + "}")
    }
}
