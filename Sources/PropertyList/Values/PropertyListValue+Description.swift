// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue: CustomStringConvertible {
    /// The value on one line for debugging, such as `{name: "Anna", ages: [7, 8]}`. Data appears as
    /// its size.
    ///
    /// In strings, quotation marks and backslashes are escaped. Descriptions longer than 1 MiB in
    /// UTF-8 are truncated to that size and end in `…`, because values may repeat one long string.
    /// Linear; not recursive.
    public var description: String {
        var text = ""
        var pending: [Piece] = [.value(self)]
        while let piece = pending.popLast() {
            switch piece {
            case .text(let part): text += part
            case .key(let key): text += Self.printable(key) + ": "
            case .value(let value): value.describe(into: &text, &pending)
            }
            if text.utf8.count > Self.longestDescription {
                return Self.beginning(of: text, Self.longestDescription) + "…"
            }
        }
        return text
    }

    private static let longestDescription = 1 << 20

    /// Returns text that is safe to print. A long text is cut to a few bytes more than the longest
    /// description, so that `description` notices the excess and adds `…`.
    private static func printable(_ text: String, quoting: Bool = false) -> String {
        TerminalText.escaped(beginning(of: text, longestDescription + 4), quoting: quoting)
    }

    /// Returns the scalars of a text that end within its first `size` bytes.
    private static func beginning(of text: String, _ size: Int) -> String {
        guard
            let end = text.utf8.index(
                text.startIndex, offsetBy: size, limitedBy: text.endIndex)
        else { return text }
        // The subscript rounds an index within a scalar down.
        return String(text.unicodeScalars[..<end])
    }

    /// A piece that is still to be written. The last piece in the array is written first.
    private enum Piece {
        case text(String)
        case key(String)
        case value(PropertyListValue)
    }

    private func describe(into text: inout String, _ pending: inout [Piece]) {
        guard let storage else {
            text += scalarDescription
            return
        }
        let brackets = kind == .array ? ("[", "]") : kind == .set ? ("{(", ")}") : ("{", "}")
        text += brackets.0
        pending.append(.text(brackets.1))
        for place in storage.values.indices.reversed() {
            pending.append(.value(storage.values[place]))
            if kind == .dictionary {
                pending.append(.key(storage.keys.texts[place]))
            }
            if place > 0 { pending.append(.text(", ")) }
        }
    }

    private var scalarDescription: String {
        switch self {
        case .boolean(let value): value.description
        case .integer(let value): value.description
        case .real(let value): value.description
        case .date(let value): value.description
        case .data(let value): "<\(value.count) bytes>"
        case .string(let value): "\"\(Self.printable(value, quoting: true))\""
        case .uid(let value): value.description
        case .null, .array, .set, .dictionary: "null"
        }
    }
}

extension PropertyListArray: CustomStringConvertible {
    /// The elements on one line, in the form of ``PropertyListValue/description``.
    public var description: String { PropertyListValue.array(self).description }
}

extension PropertyListDictionary: CustomStringConvertible {
    /// The entries on one line, in the form of ``PropertyListValue/description``.
    public var description: String { PropertyListValue.dictionary(self).description }
}
