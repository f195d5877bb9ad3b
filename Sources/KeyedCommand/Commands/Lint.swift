// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyedArchive
import PropertyList

/// The verb `keyed lint`.
struct Lint: CommandOnFiles, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check property lists, and the keyed archives in them.",
        discussion: """
            In a keyed archive every reference must name an object, and every object a class.

            A file that needs leniencies is valid, and the leniencies are named. With --strict \
            such a file is invalid. show, inspect, explore, carve, scan and plutil allow \
            leniencies too. Other verbs need --lenient.
            """)

    @Argument(help: "The files, or - for standard input.", completion: .file())
    var files: [String]

    @Flag(name: [.short, .long], help: "Print nothing about valid files.")
    var quiet = false

    @Flag(help: "Reject a file that is not strictly valid.")
    var strict = false

    @Option(help: "The limits for a file: untrusted, default or trusted.")
    var limits = LimitsName.default

    @OptionGroup var text: TextOptions

    var parsingLimits: ParsingLimits { limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        console.forEachFile(files, "checking files") { file throws(Failure) in
            let verdict = try check(file, console)
            if !quiet { console.say("\(TerminalText.escaped(file)): \(verdict)") }
            return .fine
        }
    }

    private func check(_ file: String, _ console: Console) throws(Failure) -> String {
        let bytes = try Input.bytes(file, limits.limits)
        let input: Input
        do {
            input = try Input(
                file, bytes, options: .strict, limits: limits.limits, text: text.reading, console)
        } catch {
            if strict || error.isLimit { throw failure(error, file, bytes) }
            input = try leniently(bytes, file, console)
        }
        if input.document.looksLikeKeyedArchive { try checkArchive(input) }
        let used = input.document.leniencies
        return used.isEmpty ? "OK" : "OK, with leniency: \(used)"
    }

    /// Parses a file with leniencies. Only an error that remains with leniencies is reported.
    private func leniently(
        _ bytes: [UInt8], _ file: String, _ console: Console
    ) throws(Failure) -> Input {
        do {
            return try Input(
                file, bytes, options: .lenient, limits: limits.limits, text: text.reading, console)
        } catch {
            throw failure(error, file, bytes)
        }
    }

    private func failure(_ error: PropertyListError, _ file: String, _ bytes: [UInt8]) -> Failure {
        Failure(error, in: file, source: bytes, leniently: "omit --strict")
    }

    private func checkArchive(_ input: Input) throws(Failure) {
        do {
            _ = try ArchiveGraph(ArchiveContents(input.document), limits: limits.limits)
        } catch {
            throw Failure(error, in: input.name)
        }
    }
}
