// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import SystemFiles

/// The verb `keyed convert`.
struct Convert: CommandOnFiles, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a property list in another format.",
        discussion: """
            The result is written to standard output, to the file given with -o, or with \
            --in-place to the file itself, which is replaced atomically or not at all.

            Values that XML cannot represent (fractions of seconds, widths of reals, sets) are \
            written as Apple's tools write them, and counted on standard error. With --strict they \
            are an error. Values that OpenStep text and JSON cannot represent are an error, unless \
            --scalars or --json selects another form.

                keyed convert json --json typed -o a.json a.plist
                keyed convert binary --json typed -o b.plist a.json

            With jsonl, each file becomes one line, {"file": …, "value": …}.
            """)

    @Argument(
        help: """
            binary, xml, openstep, strings, pbxproj (Xcode's project.pbxproj), json or jsonl; \
            binary1 and xml1 are the same as binary and xml; typedstream, nib, bplist16 or bplist17 \
            for files of the same format, which are rewritten.
            """)
    var format: OutputFormat

    @Argument(help: "The files, or - for standard input.", completion: .file())
    var files: [String]

    @Option(name: [.short, .long], help: "Write to this file.", completion: .file())
    var output: String?

    @Flag(help: "Replace the files.")
    var inPlace = false

    @OptionGroup var writing: OutputOptions
    @OptionGroup var reading: ReadingOptions

    func validate() throws {
        if inPlace && output != nil {
            throw ValidationError("--in-place and -o cannot be combined.")
        }
        if format == .jsonl {
            if inPlace {
                throw ValidationError(
                    "jsonl and --in-place cannot be combined: jsonl writes one file.")
            }
        } else if files.count > 1 && !inPlace {
            throw ValidationError("Several files need --in-place.")
        }
        if inPlace && files.contains(FileAccess.standardInput) {
            throw ValidationError("Standard input cannot be replaced.")
        }
        try writing.check(format)
    }

    var parsingLimits: ParsingLimits { reading.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        if format == .jsonl { return convertToLines(console) }
        return console.forEachFile(files, "converting files") { file throws(Failure) in
            let target = inPlace ? file : output ?? "-"
            let known = try FileOutput.state(of: file, replacedBy: target)
            let bytes = try converted(file, console)
            try write(bytes, to: target, ifStill: known, console)
            return .fine
        }
    }

    private func converted(_ file: String, _ console: Console) throws(Failure) -> [UInt8] {
        if !inPlace && (output ?? "-") == "-" && format.format == .binary {
            try console.requireNoTerminal()
        }
        if format.isImported { return try rewritten(file, console) }
        let input = try Input(
            file, options: reading.options, limits: reading.limits.limits,
            text: reading.text, console)
        do {
            if inPlace { try console.chargeFile() }
            return try writing.serialize(
                input, as: format, mapping: reading.json, console)
        } catch {
            let failure = Failure(error, in: input.name, source: nil)
            throw writing.strict && error.recoveryCode == .allowLoss
                ? Failure(
                    .invalid,
                    failure.message + "; without --strict, the value is written with a loss")
                : failure
        }
    }

    /// Parses a typedstream, NIBArchive, bplist16 or bplist17 and serializes it again in the same
    /// format. A file that Apple's software wrote keeps its exact bytes.
    private func rewritten(_ file: String, _ console: Console) throws(Failure) -> [UInt8] {
        let bytes = try Input.bytes(file, reading.limits.limits)
        do {
            console.budget.admit(extent: bytes.count, size: bytes.count)
            try console.budget.charge(bytes: bytes.count)
            if inPlace { try console.chargeFile() }
            return try Rewriting.bytes(of: bytes, as: format, reading.limits.limits)
        } catch {
            throw Failure(error, in: file, source: nil)
        }
    }

    private func write(
        _ bytes: [UInt8], to target: String, ifStill known: FileMode?, _ console: Console
    ) throws(Failure) {
        if !inPlace && target == "-" { return console.write(bytes) }
        guard format.isDetectable(bytes) else {
            throw Failure(
                .invalid,
                "\(TerminalText.escaped(target)): the result would have no recognizable format, "
                    + "because its root is not a container")
        }
        try FileOutput.replace(target, with: bytes, ifStill: known, console)
    }

    // MARK: JSON Lines

    /// Writes one line for each file that can be converted.
    private func convertToLines(_ console: Console) -> ExitStatus {
        var status = ExitStatus.fine
        var collected: [UInt8] = []
        let isForOutput = (output ?? "-") == "-"
        var progress = Progress("converting files", console)
        for (number, file) in files.enumerated() {
            progress.report("\(number) of \(files.count) done")
            do {
                let line = try line(file, console)
                if isForOutput { console.write(line) } else { collected += line }
            } catch {
                status = status.combined(with: console.report(error))
            }
        }
        guard let output, !isForOutput else { return status }
        // If no file could be converted, the output file is not replaced.
        if collected.isEmpty, status != .fine { return status }
        do {
            try FileOutput.replace(output, with: collected, console)
        } catch {
            status = status.combined(with: console.report(error))
        }
        return status
    }

    private func line(_ file: String, _ console: Console) throws(Failure) -> [UInt8] {
        let value = try converted(file, console)
        var options = JSONPropertyList.Options()
        options.layout = .compact
        do {
            let name = try JSONPropertyList.serialize(
                PropertyListDocument(.string(file)), options: options)
            return Array("{\"file\":".utf8) + name.dropLast() + Array(",\"value\":".utf8)
                + value.dropLast() + Array("}\n".utf8)
        } catch {
            throw Failure(error, in: file, source: nil)
        }
    }
}
