// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
import ArgumentParser
import KeyedArchive
import PropertyList
import PropertyListTools
import SystemFiles

/// The verb `keyed get`.
struct Get: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the value at a key path.",
        discussion: """
            Prints a string unchanged (escaped on a terminal), a date in ISO 8601, data in base64 \
            and a container as a tree. In a keyed archive, references are followed to their \
            objects, and a path may begin with the key of a root, such as root.title.
            """)

    /// The form of a printed value.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case text, xml, binary, bytes, type, count, keys
    }

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Argument(help: KeyPathArgument.help)
    var path: String

    @Option(
        name: .customLong("as"),
        help: """
            text, xml or binary (the value as a property list), bytes (the contents of data or a \
            string), type, count, or keys (one per line).
            """)
    var form = Form.text

    @Option(name: [.short, .long], help: "Write to this file.", completion: .file())
    var output: String?

    @OptionGroup var reading: ReadingOptions

    var parsingLimits: ParsingLimits { reading.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            try get(console)
            return .fine
        } catch {
            return console.report(error)
        }
    }

    private func get(_ console: Console) throws(Failure) {
        var path = try KeyPathArgument.path(path)
        let limits = reading.limits.limits
        let input = try Input(
            file, options: reading.options, limits: limits, text: reading.text,
            console)
        path = whole(path, in: input.document)
        let node: PropertyListNode
        do {
            node = try input.document.value(at: path, options: reading.options, limits: limits)
        } catch {
            throw KeyPathArgument.failure(error, path, in: file)
        }
        let isCaptured = output.map { $0 != FileAccess.standardInput } ?? false
        let target = isCaptured ? console.capturing() : console
        if form == .binary { try target.requireNoTerminal() }
        do { try print(node, at: path, target, losses: console) } catch {
            throw Failure(error, in: file, source: nil)
        }
        guard let output, isCaptured else { return }
        try FileOutput.replace(output, with: target.output, console)
    }

    /// Returns the whole path of a value. In an archive, a path may begin with the key of a root,
    /// because `keyed show` and `keyed check` print such paths.
    private func whole(
        _ path: PropertyListKeyPath, in document: PropertyListDocument
    ) -> PropertyListKeyPath {
        let top = PropertyListKeyPath.Step.key(ArchiveFormat.topKey)
        guard document.looksLikeKeyedArchive, let first = path.steps.first,
            (try? document.value(at: [first])) == nil,
            (try? document.value(at: [top, first])) != nil
        else { return path }
        return PropertyListKeyPath([top] + path.steps)
    }

    /// Returns the target of a reference in an archive. Returns any other value unchanged.
    private static func followed(_ node: PropertyListNode) -> PropertyListNode {
        guard let reference = node.uid, node.document.looksLikeKeyedArchive else { return node }
        let object = PropertyListKeyPath([.object(reference.value)])
        return (try? node.document.value(at: object)) ?? node
    }

    /// Prints a value. Reports losses on `losses`, because `console` may capture its output.
    private func print(
        _ node: PropertyListNode, at path: PropertyListKeyPath, _ console: Console, losses: Console
    ) throws(PropertyListError) {
        let node = form == .text ? node : Self.followed(node)
        switch form {
        case .text: try printText(node, at: path, console)
        case .type: console.say("\(node.kind)")
        case .count:
            guard node.kind.isContainer else {
                throw Self.refusal("a container for --as count", node)
            }
            console.say("\(node.childNodes.count)")
        case .keys:
            guard let entries = node.dictionary else {
                throw Self.refusal("a dictionary for --as keys", node)
            }
            for entry in entries {
                let key = entry.keyNode
                try console.print(
                    key.string.map { TerminalText.escaped($0) } ?? ValueText.usual.oddKey(key))
            }
        case .bytes:
            guard let bytes = node.data.map(Array.init) ?? node.string.map({ Array($0.utf8) })
            else { throw Self.refusal("data or a string for --as bytes", node) }
            console.write(bytes)
        case .xml: try write(node, as: .xml, console, losses)
        case .binary: try write(node, as: .binary, console, losses)
        }
    }

    private func write(
        _ node: PropertyListNode, as format: PropertyListFormat, _ console: Console,
        _ losses: Console
    ) throws(PropertyListError) {
        var options = WritingOptions()
        options.xml.allowedLosses = .appleCompatible.union(.sets)
        console.write(
            try document(of: node, console).serialized(
                as: format, options: options, limits: console.budget.outputLimits
            ) { losses.report($0, in: TerminalText.escaped(file)) })
    }

    private func document(
        of node: PropertyListNode, _ console: Console
    ) throws(PropertyListError) -> PropertyListDocument {
        var contents = LongContents()
        let value = try node.value(within: &console.budget, &contents, isKept: true)
        return try PropertyListDocument(value, limits: console.limits)
    }

    private static func refusal(_ what: String, _ node: PropertyListNode) -> PropertyListError {
        PropertyListError(
            .wrongKind, what: "expected \(what), found a value of kind \(node.kind)")
    }

    private func printText(
        _ node: PropertyListNode, at path: PropertyListKeyPath, _ console: Console
    ) throws(PropertyListError) {
        let document = node.document
        let contents = document.looksLikeKeyedArchive ? try? ArchiveContents(document) : nil
        let reference = contents == nil ? nil : path.lastObject ?? node.uid
        var value = node
        if let reference, case .leaf(let leaf)? = try? contents?.entry(reference) { value = leaf }
        let isScalar = !value.kind.isContainer && value.kind != .null
        if isScalar, reference == nil || value.uid == nil {
            let text = try value.value().plainText
            return try console.print(console.isTerminal ? TerminalText.escaped(text) : text)
        }
        var printer = TreePrinter(
            document, TreePrinter.Options(limits: reading.limits.limits))
        if let object = path.lastObject, contents != nil {
            try printer.printUnreached([object], to: console)
        } else {
            try printer.print(node, to: console)
        }
    }
}

extension PropertyListKeyPath {
    /// The archive object with which the path ends; nil for other paths.
    fileprivate var lastObject: PropertyListUID? {
        if case .object(let number) = steps.last { PropertyListUID(number) } else { nil }
    }
}
