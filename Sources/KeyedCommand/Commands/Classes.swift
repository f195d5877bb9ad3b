// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArgumentParser
import KeyedArchive
import PropertyList

/// The verb `keyed classes`.
struct Classes: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the classes of the objects in a keyed archive.",
        discussion: """
            Prints the number of objects, the name, the superclasses and the hints of each class, \
            and then the smallest allow-list that admits all of them, as Swift code.
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @OptionGroup var reading: ReadingOptions

    var parsingLimits: ParsingLimits { reading.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            return try list(console)
        } catch {
            return console.report(error)
        }
    }

    private func list(_ console: Console) throws(Failure) -> ExitStatus {
        let input = try Input(
            file, options: reading.options, limits: reading.limits.limits,
            text: reading.text, console)
        let contents: ArchiveContents
        do { contents = try ArchiveContents(input.document) } catch {
            throw Failure(error, in: input.name)
        }
        try checkExpansion(input.document, console)
        var census = ClassCensus(contents, reading.limits.limits)
        census.count()
        do {
            for line in census.lines { try console.print(line) }
        } catch {
            throw Failure(error, in: file, source: nil)
        }
        for problem in census.problems.first {
            console.complain("\(input.printableName): \(TerminalText.escaped(problem))")
        }
        if census.isLimited { return .limit }
        return census.problems.isEmpty ? .fine : .partial
    }

    /// Charges every occurrence of every value to the console's budget, which bounds the size of
    /// the listing. Otherwise, many class descriptions could share one long superclass chain, and
    /// the listing would repeat it for each class.
    private func checkExpansion(
        _ document: PropertyListDocument, _ console: Console
    ) throws(Failure) {
        var walk = DocumentWalk(document.root)
        do {
            while try walk.next(&console.budget) != nil {}
        } catch {
            throw Failure(error, in: file, source: nil)
        }
    }
}

/// The classes of an archive, with the number of objects of each.
struct ClassCensus {
    private let contents: ArchiveContents
    private let limits: ParsingLimits
    private var counts: [PropertyListUID: Int] = [:]
    private var descriptions: [(description: ArchivedClass, count: Int)] = []
    // The classes of plain values, which the archive does not describe.
    private var plainClasses: Set<ExactText> = []
    private(set) var problems = Problems()
    /// A Boolean value that says whether class descriptions are left out because of the limits.
    private(set) var isLimited = false

    init(_ contents: ArchiveContents, _ limits: ParsingLimits) {
        self.contents = contents
        self.limits = limits
    }

    mutating func count() {
        for number in contents.objects.indices {
            do {
                switch try contents.entry(PropertyListUID(UInt32(number))) {
                case .object(_, let classReference): counts[classReference, default: 0] += 1
                case .malformed(_, let error): problems.append(error.what)
                case .leaf(let node):
                    plainClasses.formUnion(node.plainClassName.map { [ExactText($0)] } ?? [])
                case .null, .classDescription: break
                }
            } catch {
                problems.append(error.what)
            }
        }
        readDescriptions()
    }

    private mutating func readDescriptions() {
        var budget = DescriptionBudget(contents, limits: limits)
        for (reference, count) in counts.sorted(by: { $0.key.value < $1.key.value }) {
            do {
                descriptions.append((try contents.archivedClass(reference, within: &budget), count))
            } catch {
                problems.append(error.what)
                if error.isLimit {
                    isLimited = true
                    return
                }
            }
        }
    }

    var lines: [String] {
        let classes = classes
        let width = classes.map { String($0.count).count }.max() ?? 1
        let table = classes.map { entry in
            String(repeating: " ", count: width - String(entry.count).count)
                + "\(entry.count)  \(Self.description(of: entry.description))"
        }
        return table + [""] + allowList
    }

    /// The names of all classes, including those of plain values.
    var names: [String] {
        plainClasses.union(classes.map { ExactText($0.description.name) }).sorted().map(\.text)
    }

    /// The smallest registry that admits all classes, as lines of Swift code. It lists the types of
    /// the library first, and then the names of the classes for which the library has no type.
    var allowList: [String] {
        let names = names
        let known = names.compactMap { name in
            Self.typeName(of: name).map { "    \($0.type).self,  // \(name)\($0.module)" }
        }
        let others = names.filter { Self.typeName(of: $0) == nil }
        let registry =
            known.isEmpty
            ? ["let allowed = ClassRegistry()"]
            : ["let allowed = ClassRegistry("] + Self.separated(known) + [")"]
        if others.isEmpty { return registry }
        let literals = others.map { "    \(Self.literal($0))," }
        return registry.dropLast() + [(registry.last ?? "") + ".allowing("]
            + Self.separated(literals) + [")"]
    }

    /// Returns the library's type for a class, or nil if there is none. `module` names the module
    /// of the type, for a comment. It is empty for `KeyedArchive`.
    private static func typeName(of name: String) -> (type: String, module: String)? {
        if let type = ClassRegistry.foundation.typeName(of: name) { return (type, "") }
        return viewClasses.typeName(of: name).map { ($0, " (AppKitArchive)") }
    }

    private static let viewClasses = ClassRegistry.appKit.merging(.uiKit)

    /// Returns the lines of a list without the comma after the last element.
    private static func separated(_ lines: [String]) -> [String] {
        guard var end = lines.last?.unicodeScalars, let comma = end.lastIndex(of: ",") else {
            return lines
        }
        if !end[comma...].contains("\"") { end.remove(at: comma) }
        return lines.dropLast() + [String(end)]
    }

    /// The classes, most frequent first.
    private var classes: [(description: ArchivedClass, count: Int)] {
        descriptions.sorted {
            ($1.count, ExactText($0.description.name))
                < ($0.count, ExactText($1.description.name))
        }
    }

    private static func description(of description: ArchivedClass) -> String {
        var text = TerminalText.escaped(description.name)
        let superclasses = description.chain?.drop { $0.isLiterally(description.name) } ?? []
        if !superclasses.isEmpty {
            text += " : " + superclasses.map { TerminalText.escaped($0) }.joined(separator: " : ")
        }
        if let hints = description.hints {
            text += "  (hints: \(hints.map { TerminalText.escaped($0) }.joined(separator: ", ")))"
        }
        return text
    }

    private static func literal(_ name: String) -> String {
        "\"\(TerminalText.escaped(name, quoting: true))\""
    }
}
