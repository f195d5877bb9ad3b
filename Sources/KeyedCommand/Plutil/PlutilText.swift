// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Prints a property list like `plutil -p`:
///
///     {
///       "key" => "value"
///       "list" => [
///         0 => 1
///       ]
///     }
///
/// Keys are sorted without regard to case, and numbers in them by value.
struct PlutilPrinter {
    private let document: PropertyListDocument
    private var walk: DocumentWalk
    private var positions: [Int] = []

    init(_ document: PropertyListDocument) {
        self.document = document
        walk = DocumentWalk(document.root, arrangement: PlutilText.arrangement)
    }

    /// Prints the document within the console's budget. On a terminal, control characters are
    /// escaped.
    ///
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`, `sizeLimitExceeded`.
    mutating func print(to console: Console) throws(PropertyListError) {
        while let step = try walk.next(&console.budget) {
            var line: String
            switch step {
            case .enter(let number, let key):
                let node = document.node(number)
                let depth = walk.depth - (node.kind.isContainer ? 1 : 0)
                line = String(repeating: "  ", count: depth) + label(key) + PlutilText.printed(node)
                if node.kind.isContainer { positions.append(0) }
            case .leave(let number):
                positions.removeLast()
                line = String(repeating: "  ", count: walk.depth)
                line += document.node(number).kind == .dictionary ? "}" : "]"
            }
            try console.print(console.isTerminal ? TerminalText.escaped(line) : line)
        }
    }

    private mutating func label(_ key: UInt32?) -> String {
        if let key { return "\"\(document.node(key).string ?? "")\" => " }
        guard let last = positions.indices.last else { return "" }
        positions[last] += 1
        return "\(positions[last] - 1) => "
    }
}

/// Functions that format values like `plutil`.
enum PlutilText {
    /// Returns a scalar or the opening bracket of a container, as printed by `-p`.
    static func printed(_ node: PropertyListNode) -> String {
        switch node.kind {
        case .dictionary: "{"
        case .array, .set: "["
        case .string: "\"\(node.string ?? "")\""
        case .date: node.date.map(date) ?? ""
        case .data: data(node.data ?? [])
        case .real: node.real?.description ?? ""
        case .uid: "<CFKeyedArchiverUID>{value = \(node.uid?.value ?? 0)}"
        case .integer: node.integer?.description ?? ""
        case .boolean: node.boolean?.description ?? ""
        case .null, .unreadable: "<null>"
        }
    }

    /// Formats a date as `2020-01-02 03:04:05 +0000`.
    private static func date(_ date: PropertyListDate) -> String {
        let text = date.description
        guard let middle = text.firstIndex(of: "T"), text.hasSuffix("Z") else { return text }
        let time = text[text.index(after: middle)...].dropLast().prefix { $0 != "." }
        return "\(text[..<middle]) \(time) +0000"
    }

    /// Formats data as `{length = 3, bytes = 0x000102}`. For more than 24 bytes, shows only the
    /// first 16 and the last 8.
    private static func data(_ bytes: ArraySlice<UInt8>) -> String {
        let text: String
        if bytes.count <= 24 {
            text = ValueText.hex(bytes)
        } else {
            text = groups(bytes.prefix(16)) + " ... " + groups(bytes.suffix(8)) + " "
        }
        return "{length = \(bytes.count), bytes = 0x\(text)}"
    }

    private static func groups(_ bytes: ArraySlice<UInt8>) -> String {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 4)
            .map { ValueText.hex(bytes[$0..<min($0 + 4, bytes.endIndex)]) }
            .joined(separator: " ")
    }

    /// Returns a value as printed by `-extract … raw`: the keys of a dictionary, the count of an
    /// array, or the text of a scalar.
    static func raw(_ node: PropertyListNode) -> String {
        switch node.kind {
        case .dictionary:
            return (node.dictionary.map(Array.init) ?? []).map { PlutilOrder($0.key) }.sorted()
                .map(\.key.text).joined(separator: "\n")
        case .array, .set: return String(node.childNodes.count)
        case .real: return node.real.map { fixedPointText($0.value) } ?? ""
        default: return (try? node.value().plainText) ?? ""
        }
    }

    /// Returns the positions of a dictionary's entries in the order of ``PlutilOrder``.
    static func arrangement(of node: PropertyListNode) -> [Int]? {
        guard let entries = node.dictionary else { return nil }
        let keys = entries.map { PlutilOrder($0.key) }
        return keys.indices.sorted { keys[$0] < keys[$1] }
    }
}

/// The sort order of a key: without regard to case, with runs of digits ordered by value.
private struct PlutilOrder: Comparable {
    let key: ExactText
    // The scalars in lower case. A run of digits becomes U+0030, the number of its digits without
    // leading zeros, and those digits.
    private let order: [UInt32]

    init(_ text: String) {
        key = ExactText(text)
        var order: [UInt32] = []
        order.reserveCapacity(text.utf8.count)
        // The index in `order` at which the digits of the current run begin, after U+0030 and their
        // count.
        var digits: Int?
        for scalar in text.lowercased().unicodeScalars {
            guard (0x30...0x39).contains(scalar.value) else {
                digits = nil
                order.append(scalar.value)
                continue
            }
            if digits == nil {
                order += [0x30, 0]
                digits = order.count
            }
            guard let start = digits, scalar != "0" || order.count > start else { continue }
            order.append(scalar.value)
            order[start - 1] += 1
        }
        self.order = order
    }

    static func < (left: PlutilOrder, right: PlutilOrder) -> Bool {
        if left.order == right.order { return left.key < right.key }
        return left.order.lexicographicallyPrecedes(right.order)
    }
}
