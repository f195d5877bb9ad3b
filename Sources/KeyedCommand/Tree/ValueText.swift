// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Formats scalars for the tree, on one line and without terminal control characters.
struct ValueText {
    /// The maximum number of Unicode scalars shown of a string. If it is nil, strings and data are
    /// shown in full. Otherwise, data is truncated to a fixed number of bytes.
    let previewLength: Int?

    static let usualPreview = 200
    static let usual = ValueText(previewLength: usualPreview)
    private static let dataPreview = 16

    /// Returns the text of a scalar, or nil for a container.
    func text(of node: PropertyListNode) -> String? {
        switch node.kind {
        case .string: quoted(node)
        case .integer: node.integer?.description
        case .real: node.real?.description
        case .boolean: node.boolean?.description
        case .date: node.date?.description
        case .data: node.data.map(data)
        case .uid: node.uid?.description
        case .null: "null"
        case .unreadable: "<unreadable>"
        case .array, .set, .dictionary: nil
        }
    }

    /// Returns the text of the value of an object.
    func text(of content: TreeForm.Content) -> String {
        switch content {
        case .node(let node): text(of: node) ?? ""
        case .text(kind: "uuid", let text): text
        case .text(_, let text): "\"\(TerminalText.escaped(text, quoting: true))\""
        case .string(_, let node): quoted(node)
        case .date(let date): date.description
        case .data(let bytes): data(bytes)
        }
    }

    /// Returns a string in quotes, truncated if it is long.
    private func quoted(_ node: PropertyListNode) -> String {
        let head = beginning(of: node)
        let text = "\"\(TerminalText.escaped(head.text, quoting: true))\""
        return head.isWhole ? text : text + "… (\(node.contentSize) bytes)"
    }

    /// Returns a name from a file, truncated if it is long. An empty name is quoted.
    func name(_ node: PropertyListNode) -> String {
        let head = beginning(of: node)
        if head.text.isEmpty { return "\"\"" }
        return TerminalText.escaped(head.text) + (head.isWhole ? "" : "…")
    }

    /// Returns the kind and the text of a key that is not a string, in parentheses.
    func oddKey(_ key: PropertyListNode) -> String {
        "(\(key.kind)" + (text(of: key).map { " \($0)" } ?? "") + ")"
    }

    private func beginning(of node: PropertyListNode) -> (text: String, isWhole: Bool) {
        previewLength.flatMap(node.beginning) ?? (node.string ?? "", true)
    }

    /// Returns a text from a file, escaped for a terminal, and truncated if it is long.
    static func shortened(_ text: String, to length: Int = usualPreview) -> String {
        let scalars = text.unicodeScalars
        guard
            let end = scalars.index(
                scalars.startIndex, offsetBy: length, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return TerminalText.escaped(text) }
        return TerminalText.escaped(String(scalars[..<end])) + "…"
    }

    /// Returns the size of data, its apparent format and its first bytes.
    func data(_ bytes: ArraySlice<UInt8>) -> String {
        var text = "\(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
        if let name = Self.contentName(bytes) { text += " (\(name))" }
        let shown = bytes.prefix(previewLength == nil ? bytes.count : Self.dataPreview)
        if !shown.isEmpty { text += ": " + Self.hex(shown) }
        return text + (shown.count < bytes.count ? "…" : "")
    }

    static func hex(_ byte: UInt8) -> String { hex([byte]) }

    /// Returns two hexadecimal digits for each byte.
    static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the name of the format that the first bytes of data indicate.
    static func contentName(_ bytes: ArraySlice<UInt8>) -> String? {
        magic.first { bytes.starts(with: $0.0) }?.1
    }

    private static let magic: [([UInt8], String)] = [
        (Array("bplist15".utf8), "bplist15"), (Array("bplist16".utf8), "bplist16"),
        (Array("bplist17".utf8), "bplist17"),
        (Array("bplist".utf8), "binary property list"), (Array("<?xml".utf8), "XML"),
        (Array("NIBArchive".utf8), "NIBArchive"),
        ([0x04, 0x0B] + Array("streamtyped".utf8), "typedstream"),
        ([0x04, 0x0B] + Array("typedstream".utf8), "typedstream"),
        ([0x03, 0x0B] + Array("streamtyped".utf8), "typedstream"),
        ([0x03, 0x0B] + Array("typedstream".utf8), "typedstream"), (Array("%PDF".utf8), "PDF"),
        ([0x89] + Array("PNG".utf8), "PNG"), ([0xFF, 0xD8, 0xFF], "JPEG"),
        (Array("GIF8".utf8), "GIF"), (Array("II*\0".utf8), "TIFF"), (Array("MM\0*".utf8), "TIFF"),
        (Array("TZif".utf8), "time zone"), (Array("SQLite format 3".utf8), "SQLite"),
        (Array("PK\u{3}\u{4}".utf8), "ZIP"), ([0x1F, 0x8B], "gzip"), (Array("{\\rtf".utf8), "RTF"),
        (Array("book".utf8), "bookmark"),
    ]
}
