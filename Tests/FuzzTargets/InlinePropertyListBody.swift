// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import InlinePropertyList

/// Reads the input as a property list of version 15, 16 or 17.
///
/// The first byte is skipped, and the second selects the limits. The input follows. Property lists
/// of versions 16 and 17 without references are also rebuilt with a builder.
public func fuzzInlinePropertyList(_ bytes: [UInt8]) throws {
    let depth = [128, 512, 3][Int(bytes.dropFirst().first ?? 0) % 3]
    try checkInlinePropertyList(
        Array(bytes.dropFirst(2)), limits: .init(depth: depth, inputSize: 1 << 20))
}

/// Checks the properties that hold for any input.
public func checkInlinePropertyList(
    _ input: [UInt8], limits: InlinePropertyListLimits = .default
) throws {
    try checkImport(input)
    let document: InlinePropertyListDocument
    do {
        document = try InlinePropertyListDocument(parsing: input, limits: limits)
    } catch {
        guard let place = error.byteOffset else {
            return try BrokenProperty.check(
                error.code == .sizeLimitExceeded, "an error has no location")
        }
        return try BrokenProperty.check(
            place >= 0 && place <= input.count && !error.description.isEmpty,
            "an error is at byte \(place) of \(input.count)")
    }
    let lines = InlinePropertyListDump.lines(document)
    try BrokenProperty.check(
        document.nodeCount <= input.count && lines.count <= 2 * document.nodeCount,
        "\(lines.count) items in \(input.count) bytes")
    guard document.version != .fifteen, !lines.contains(where: { $0.hasPrefix("REFERENCE") }) else {
        return
    }
    var builder = InlinePropertyListBuilder(usesVersion16: document.version == .sixteen)
    try builder.append(contentsOf: document.root)
    let built = try BrokenProperty.require("what was built cannot be read") {
        try InlinePropertyListDocument(parsing: builder.finish(), limits: limits)
    }
    try BrokenProperty.check(
        InlinePropertyListDump.lines(built) == lines, "building changes values")
    try BrokenProperty.check(built.bytes.count <= input.count, "building makes a message longer")
}

/// Lists the values of a property list as lines of text, without following references.
public enum InlinePropertyListDump {
    /// Returns a line for each value, and one for the end of each container.
    public static func lines(_ document: InlinePropertyListDocument) -> [String] {
        var lines: [String] = []
        var levels: [InlinePropertyListNodes.Iterator] = []
        var next: InlinePropertyListNode? = document.root
        while true {
            if let node = next {
                let (line, children) = item(node)
                lines.append(line)
                if let children { levels.append(children.makeIterator()) }
            } else {
                levels.removeLast()
                lines.append("END")
            }
            guard !levels.isEmpty else { return lines }
            next = levels[levels.count - 1].next()
        }
    }

    private static func item(
        _ node: InlinePropertyListNode
    ) -> (line: String, children: InlinePropertyListNodes?) {
        if node.isReference { return ("REFERENCE \(node.target.index)", nil) }
        switch node.content {
        case .null: return ("NULL", nil)
        case .boolean(let flag): return ("BOOLEAN \(flag)", nil)
        case .integer(let number): return ("INTEGER \(number)", nil)
        case .unsigned(let number): return ("UNSIGNED \(number)", nil)
        case .float(let number): return ("FLOAT \(number.bitPattern)", nil)
        case .double(let number): return ("DOUBLE \(number.bitPattern)", nil)
        case .date(let seconds): return ("DATE \(seconds.bitPattern)", nil)
        case .data(let data): return ("DATA \(TypedStreamDump.hex(data))", nil)
        case .string(let text): return ("STRING \(TypedStreamDump.hex(text.utf8))", nil)
        case .array(let children): return ("ARRAY", children)
        case .orderedSet(let children): return ("ORDERED SET", children)
        case .set(let children): return ("SET", children)
        case .dictionary(let children): return ("DICTIONARY", children)
        }
    }
}
