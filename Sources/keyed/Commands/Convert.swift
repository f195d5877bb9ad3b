// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import SystemFiles

/// The formats that can be written, by the names that people know.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case binary, binary1, xml, xml1

    var isBinary: Bool { self == .binary || self == .binary1 }
}

/// The layouts of binary files.
enum LayoutName: String, ExpressibleByArgument, CaseIterable {
    case compact, corefoundation
}

/// `keyed convert`
struct Convert: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a property list in another format.",
        discussion: """
            The result goes to standard output, to the file that -o names, or with --in-place to \
            the file itself, which is replaced in one step or left as it was.

            What XML has no form for (fractions of seconds, widths of reals, sets) is written as \
            Apple's tools do, and counted on standard error; --strict refuses it.
            """)

    @Argument(help: "binary or xml (binary1 and xml1 are the same).")
    var format: OutputFormat

    @Argument(help: "The files, or - for standard input.")
    var files: [String]

    @Option(name: [.short, .long], help: "Write to this file.")
    var output: String?

    @Flag(help: "Replace the files.")
    var inPlace = false

    @Option(help: "The layout of a binary file: compact, or corefoundation for Apple's own.")
    var layout = LayoutName.compact

    @Flag(help: "Sort the keys of an XML file, as Apple's tools do.")
    var sortKeys = false

    @Flag(help: "Refuse to lose anything.")
    var strict = false

    @OptionGroup var reading: ReadingOptions

    func validate() throws {
        if inPlace && output != nil {
            throw ValidationError("--in-place and -o exclude each other.")
        }
        if files.count > 1 && !inPlace {
            throw ValidationError("Several files need --in-place.")
        }
        if inPlace && files.contains(FileAccess.standardInput) {
            throw ValidationError("Standard input cannot be replaced.")
        }
    }

    func execute(_ console: Console) -> ExitStatus {
        var status = ExitStatus.fine
        for file in files {
            do {
                try convert(file, console)
            } catch {
                status = status.combined(with: console.report(error))
            }
        }
        return status
    }

    private func convert(_ file: String, _ console: Console) throws(Failure) {
        let toConsole = !inPlace && (output ?? "-") == "-"
        if toConsole && format.isBinary && console.isTerminal {
            throw Failure(
                .usage, "keyed: binary output does not go to a terminal; name a file with -o")
        }
        let input = try Input(
            file, options: reading.options, limits: reading.limits.limits, console)
        let bytes = try serialize(input, console)
        if toConsole { return console.write(bytes) }
        let target = inPlace ? file : output ?? file
        do {
            try FileAccess.replace(target, with: bytes)
        } catch {
            throw Failure(.invalid, "\(TerminalText.escaped(target)): \(error.message)")
        }
    }

    private func serialize(_ input: Input, _ console: Console) throws(Failure) -> [UInt8] {
        do {
            return format.isBinary ? try binary(input.document) : try xml(input, console)
        } catch {
            let failure = Failure(error, in: input.name, source: nil)
            throw error.code == .unrepresentableValue && strict
                ? Failure(.invalid, failure.message + "; without --strict it is written") : failure
        }
    }

    private func binary(_ document: PropertyListDocument) throws(PropertyListError) -> [UInt8] {
        let limits = reading.limits.limits
        let layout: BinaryLayout =
            switch layout {
            case .compact: .compact
            case .corefoundation: document.coreFoundationLayout(limits: limits) ?? .coreFoundation
            }
        return try BinaryPropertyList.serialize(document, layout: layout, limits: limits)
    }

    private func xml(_ input: Input, _ console: Console) throws(PropertyListError) -> [UInt8] {
        var options = XMLPropertyList.Options()
        options.sortsKeys = sortKeys
        options.allowedLosses = strict ? [] : .appleCompatible.union(.sets)
        let result = try XMLPropertyList.serialize(
            input.document, options: options, limits: reading.limits.limits)
        for (loss, count) in result.losses {
            console.complain("\(input.printableName): XML has no form for \(count) \(loss)")
        }
        return result.bytes
    }
}
