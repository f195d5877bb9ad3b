// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// A property list as `plutil -p` prints it:
///
///     {
///       "key" => "value"
///       "list" => [
///         0 => 1
///       ]
///     }
///
/// Keys are sorted without regard to case, and numbers in them by their value.
struct PlutilPrinter {
    private let document: PropertyListDocument
    private var walk: DocumentWalk
    private let budget: ParsingBudget
    private var positions: [Int] = []
    private var size = 0

    init(_ document: PropertyListDocument, limits: ParsingLimits) {
        self.document = document
        budget = document.budget(limits)
        walk = DocumentWalk(
            document.root, budget: budget, arrangement: PlutilText.arrangement)
    }

    /// Prints the document; what a terminal would obey is escaped on one.
    ///
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`, `sizeLimitExceeded`.
    mutating func print(to console: Console) throws(PropertyListError) {
        while let step = try walk.next() {
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
            size += line.utf8.count
            try budget.emit(size: size)
            console.print(console.isTerminal ? TerminalText.escaped(line) : line)
        }
    }

    private mutating func label(_ key: UInt32?) -> String {
        if let key { return "\"\(document.node(key).string ?? "")\" => " }
        guard let last = positions.indices.last else { return "" }
        positions[last] += 1
        return "\(positions[last] - 1) => "
    }
}

/// Values as `plutil` writes them.
enum PlutilText {
    /// A scalar, or the beginning of a container, as `-p` prints it.
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

    /// `2020-01-02 03:04:05 +0000`
    private static func date(_ date: PropertyListDate) -> String {
        let text = date.description
        guard let middle = text.firstIndex(of: "T"), text.hasSuffix("Z") else { return text }
        let time = text[text.index(after: middle)...].dropLast().prefix { $0 != "." }
        return "\(text[..<middle]) \(time) +0000"
    }

    /// `{length = 3, bytes = 0x000102}`; of more than 24 bytes, the first 16 and the last 8.
    private static func data(_ bytes: ArraySlice<UInt8>) -> String {
        let text: String
        if bytes.count <= 24 {
            text = bytes.map(ValueText.hex).joined()
        } else {
            text = groups(bytes.prefix(16)) + " ... " + groups(bytes.suffix(8)) + " "
        }
        return "{length = \(bytes.count), bytes = 0x\(text)}"
    }

    private static func groups(_ bytes: ArraySlice<UInt8>) -> String {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 4)
            .map { bytes[$0..<min($0 + 4, bytes.endIndex)].map(ValueText.hex).joined() }
            .joined(separator: " ")
    }

    /// A value as `-extract … raw` prints it: of a dictionary the keys, of an array the count.
    static func raw(_ node: PropertyListNode) -> String {
        switch node.kind {
        case .dictionary:
            return (node.dictionary.map(Array.init) ?? []).map(\.key).sorted(by: precedes)
                .joined(separator: "\n")
        case .array, .set: return String(node.childNodes.count)
        case .real: return node.real.map { fixedPointText($0.value) } ?? ""
        default: return (try? node.value().plainText) ?? ""
        }
    }

    /// The entries of a dictionary in the order of ``precedes(_:_:)``.
    static func arrangement(of node: PropertyListNode) -> [Int]? {
        guard let entries = node.dictionary else { return nil }
        let keys = entries.map(\.key)
        return keys.indices.sorted { precedes(keys[$0], keys[$1]) }
    }

    /// The order of keys: without regard to case, runs of digits by their value.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var (first, second) = (left.lowercased()[...], right.lowercased()[...])
        while let one = first.first, let other = second.first {
            if ("0"..."9").contains(one), ("0"..."9").contains(other) {
                let (digits, others) = (takeDigits(&first), takeDigits(&second))
                if digits.count != others.count { return digits.count < others.count }
                if digits != others { return digits < others }
            } else {
                if one != other { return one < other }
                first.removeFirst()
                second.removeFirst()
            }
        }
        if first.isEmpty != second.isEmpty { return first.isEmpty }
        return left < right
    }

    /// A run of digits without leading zeros.
    private static func takeDigits(_ text: inout Substring) -> Substring {
        let digits = text.prefix { ("0"..."9").contains($0) }
        text = text[digits.endIndex...]
        return digits.drop { $0 == "0" }
    }
}
