// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList

/// The verb `keyed inspect`.
struct Inspect: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the structure of a file: trailer, widths, object table.",
        discussion: """
            For a binary file, prints the trailer, and the number, byte offset, marker and value \
            of each object; unreferenced objects are marked with *. For text, prints each value \
            with its line. For a typedstream, a NIBArchive and bplist15 to 17, prints the \
            versions, and each value with its location.
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Option(help: "The limits for a file: untrusted, default or trusted.")
    var limits = LimitsName.default

    @OptionGroup var text: TextOptions

    var parsingLimits: ParsingLimits { limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            return try inspect(console)
        } catch {
            return console.report(error)
        }
    }

    private func inspect(_ console: Console) throws(Failure) -> ExitStatus {
        let bytes = try Input.bytes(file, limits.limits)
        let input: Input
        do {
            input = try Input(
                file, bytes, options: .forensic, limits: limits.limits, text: text.reading, console)
        } catch {
            throw Failure(error, in: file, source: bytes, leniently: nil)
        }
        input.reportLeniencies(console)
        let document = input.document
        do {
            if let origin = document.origin {
                try printImported(document, origin, console)
            } else if document.format == .binary {
                try printBinary(document, console)
            } else {
                try printText(document, console)
            }
        } catch {
            throw Failure(error, in: file, source: nil)
        }
        for problem in document.problems.prefix(20) {
            console.complain(
                "\(input.printableName): \(TerminalText.escaped(problem.message(leniently: nil)))")
        }
        return document.problems.isEmpty ? .fine : .partial
    }

    // MARK: Imported formats

    /// Prints facts about an imported file, and its values in file order.
    private func printImported(
        _ document: PropertyListDocument, _ origin: DocumentOrigin, _ console: Console
    ) throws(PropertyListError) {
        try console.print("\(origin.format), \(origin.bytes.count) bytes")
        for fact in origin.facts {
            let space = String(repeating: " ", count: max(17 - fact.name.utf8.count, 1))
            try console.print("  \(fact.name)\(space)\(TerminalText.escaped(fact.text))")
        }
        let places = document.allNodes.compactMap { node in
            origin.range(of: UInt32(truncatingIfNeeded: node.number)).map { (node, $0) }
        }
        try console.print("values:")
        try console.print("   number    offset    length")
        for (node, range) in places.sorted(by: { $0.1.lowerBound < $1.1.lowerBound }) {
            try console.print(
                " \(padded(node.number, 8))  \(padded(range.lowerBound, 8))  \(padded(range.count, 8))  "
                    + description(of: node))
        }
    }

    // MARK: Binary

    private func printBinary(
        _ document: PropertyListDocument, _ console: Console
    ) throws(PropertyListError) {
        let trailer = try Trailer.salvaged(from: document.source.span).0
        try console.print("binary property list, \(document.byteCount) bytes")
        try console.print("trailer:  at byte \(document.byteCount - Trailer.size)")
        try console.print("  offset width     \(trailer.offsetWidth)")
        try console.print("  reference width  \(trailer.referenceWidth)")
        try console.print("  objects          \(trailer.objectCount)")
        try console.print("  top object       \(trailer.topObject)")
        try console.print("  offset table     at byte \(trailer.tableOffset)")
        try console.print("  sort version     \(trailer.sortVersion)")
        try printObjects(document, trailer, console)
    }

    private func printObjects(
        _ document: PropertyListDocument, _ trailer: Trailer, _ console: Console
    ) throws(PropertyListError) {
        let used = document.usedNodes
        try console.print("objects:")
        try console.print("   number    offset  marker")
        for node in document.allNodes.prefix(trailer.objectCount) {
            let offset = node.sourceOffset ?? 0
            let marker = offset < document.byteCount ? ValueText.hex(document.source[offset]) : "--"
            let mark = used[node.number] ? " " : "*"
            try console.print(
                "\(mark)\(padded(node.number, 8))  \(padded(offset, 8))  \(marker)      "
                    + description(of: node))
        }
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    private func description(of node: PropertyListNode) -> String {
        let text = ValueText(previewLength: 60)
        guard node.kind.isContainer else {
            return "\(node.kind) " + (text.text(of: node) ?? "")
        }
        let children = node.childNodes.map { "\($0.number)" }
        let keys = node.dictionary?.map { "\($0.keyNode.number)" } ?? []
        let pairs = keys.isEmpty ? children : zip(keys, children).map { "\($0)=\($1)" }
        let shown = pairs.prefix(12).joined(separator: " ")
        return "\(node.kind) of \(children.count): \(shown)" + (pairs.count > 12 ? " …" : "")
    }

    // MARK: Text

    /// Returns whether the byte at a position ends a line: an LF, or a CR not followed by an LF.
    private func endsLine(_ position: Int, _ text: [UInt8]) -> Bool {
        if text[position] == 0x0A { return true }
        let next = position + 1 < text.count ? text[position + 1] : 0
        return text[position] == 0x0D && next != 0x0A
    }

    private func printText(
        _ document: PropertyListDocument, _ console: Console
    ) throws(PropertyListError) {
        let format = document.format.map { "\($0)" } ?? ""
        try console.print("\(format) property list, \(document.byteCount) bytes of text")
        if let identifier = document.xmlHeader?.publicIdentifier {
            try console.print("public identifier:  \(TerminalText.escaped(identifier))")
        }
        if let identifier = document.xmlHeader?.systemIdentifier {
            try console.print("system identifier:  \(TerminalText.escaped(identifier))")
        }
        try console.print("values:")
        try console.print("   number      line")
        var line = 1
        var position = 0
        for node in document.allNodes {
            let offset = node.sourceOffset ?? 0
            // Values are in text order, so each line is counted once.
            while position < min(offset, document.byteCount) {
                line += endsLine(position, document.source) ? 1 : 0
                position += 1
            }
            try console.print(
                " \(padded(node.number, 8))  \(padded(line, 8))  \(description(of: node))")
        }
    }
}
