// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import PropertyListTools
import SystemFiles

/// The verb `keyed plutil`. It also runs if the command is called under the name `plutil`.
struct Plutil: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Act as plutil, with the same options, output and exit codes.",
        discussion: """
            keyed plutil -help lists the options. keyed also acts as plutil if it is run through \
            a symbolic link with the name plutil.
            """)

    @Argument(parsing: .captureForPassthrough, help: "The arguments of plutil.")
    var arguments: [String] = []

    var parsingLimits: ParsingLimits { .default }

    func execute(_ console: Console) -> ExitStatus { PlutilRun.run(arguments, console) }
}

/// One call of `plutil`.
struct PlutilRun {
    private let arguments: PlutilArguments
    private let console: Console
    private let limits = ParsingLimits.default

    /// Runs `plutil` and returns 0, or 1 after any failure.
    static func run(_ arguments: [String], _ console: Console) -> ExitStatus {
        do {
            return PlutilRun(arguments: try PlutilArguments(arguments), console: console).run()
        } catch {
            console.complain(error.message)
            return .invalid
        }
    }

    private func run() -> ExitStatus {
        if case .help = arguments.verb {
            console.say(Self.help)
            return .fine
        }
        var status = ExitStatus.fine
        for file in arguments.files {
            do { try run(file) } catch {
                console.complain("\(Self.name(file)): \(error.message)")
                status = .invalid
            }
        }
        return status
    }

    private static func name(_ file: String) -> String {
        file == FileAccess.standardInput ? "<stdin>" : TerminalText.escaped(file)
    }

    private func run(_ file: String) throws(Failure) {
        switch arguments.verb {
        case .help: break
        case .lint: try lint(file)
        case .print: try print(try read(file))
        case .convert(let format): try convert(file, format)
        case .create(let format): try create(file, format)
        case .extract(let keyPath, let format): try extract(file, keyPath, format)
        case .type(let keyPath): try printType(file, keyPath)
        case .insert, .replace, .remove: try edit(file)
        }
    }

    // MARK: Reading

    private func bytes(_ file: String) throws(Failure) -> [UInt8] {
        do { return try FileAccess.read(file, limit: limits.inputSize) } catch {
            throw Failure(.invalid, error.message)
        }
    }

    private func read(_ file: String) throws(Failure) -> PropertyListDocument {
        let bytes = try bytes(file)
        do {
            let document = try PropertyListDocument(
                parsing: bytes, options: .appleCompatible, limits: limits)
            console.budget.admit(document)
            return document
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: PropertyListError) -> Failure {
        var text = error.descriptionWithoutRecovery
        if error.recoveryCode == .chooseMapping {
            text += " (choose another form with keyed convert json --json coerce or typed)"
        }
        return Failure(.invalid, text)
    }

    private func lint(_ file: String) throws(Failure) {
        let document: PropertyListDocument
        do { document = try read(file) } catch { throw Failure(.invalid, "(\(error.message))") }
        // All verbs except this one accept JSON.
        if document.format == .json {
            let first = document.root.kind == .dictionary ? "{" : "["
            throw Failure(.invalid, "(Unexpected character \(first) at line 1)")
        }
        if !arguments.isSilent { console.say("\(Self.name(file)): OK") }
    }

    private func print(_ document: PropertyListDocument) throws(Failure) {
        var printer = PlutilPrinter(document)
        do { try printer.print(to: console) } catch { throw Self.failure(error) }
    }

    private func value(
        _ file: String, _ keyPath: String
    ) throws(Failure) -> PropertyListNode {
        let document = try read(file)
        guard let node = try? document.value(at: Self.path(keyPath), limits: limits) else {
            throw Failure(
                .invalid,
                "Could not extract value, error: No value at that key path or invalid key path: "
                    + TerminalText.escaped(keyPath))
        }
        if let expected = arguments.expectedType, PlutilType(node.kind) != expected {
            throw Failure(
                .invalid,
                "Value at [\(TerminalText.escaped(keyPath))] expected to be \(expected.title) but is "
                    + PlutilType(node.kind).title)
        }
        return node
    }

    /// Parses a key path of `plutil`: keys or element indices, separated by dots. `\.` is a dot in
    /// a key.
    static func path(_ text: String) -> PropertyListKeyPath {
        var steps: [PropertyListKeyPath.Step] = []
        var name = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == ".", !isEscaped {
                steps.append(.name(String(name)))
                name = String.UnicodeScalarView()
            } else if scalar == "\\", !isEscaped {
                isEscaped = true
                continue
            } else {
                if isEscaped, scalar != "." { name.append("\\") }
                name.append(scalar)
            }
            isEscaped = false
        }
        if isEscaped { name.append("\\") }
        return PropertyListKeyPath(steps + [.name(String(name))])
    }

    private func printType(_ file: String, _ keyPath: String) throws(Failure) {
        let name = PlutilType(try value(file, keyPath).kind).rawValue
        guard let output = arguments.output, output != FileAccess.standardInput else {
            return console.say(name)
        }
        try write(Array(name.utf8), to: output)
    }

    private func extract(
        _ file: String, _ keyPath: String, _ format: PlutilFormat
    ) throws(Failure) {
        let known = try state(file, format)
        let node = try value(file, keyPath)
        if format == .raw {
            let isFile = arguments.output.map { $0 != FileAccess.standardInput } ?? false
            let isShown = console.isTerminal && !isFile
            let raw = PlutilText.raw(node)
            let text =
                (isShown ? TerminalText.escaped(raw) : raw)
                + (arguments.omitsNewline || isFile ? "" : "\n")
            guard let output = arguments.output, output != FileAccess.standardInput else {
                return console.write(Array(text.utf8))
            }
            return try write(Array(text.utf8), to: output, known)
        }
        let document: PropertyListDocument
        do {
            var contents = LongContents()
            document = try PropertyListDocument(
                node.value(within: &console.budget, &contents, isKept: true), limits: limits)
        } catch {
            throw Self.failure(error)
        }
        try write(document, as: format, from: file, known)
    }

    // MARK: Writing

    private func convert(_ file: String, _ format: PlutilFormat) throws(Failure) {
        let known = try state(file, format)
        try write(try read(file), as: format, from: file, known)
    }

    private func create(_ file: String, _ format: PlutilFormat) throws(Failure) {
        let document: PropertyListDocument
        do { document = try PropertyListDocument([:]) } catch { throw Self.failure(error) }
        try write(document, as: format, from: file, nil)
    }

    private func edit(_ file: String) throws(Failure) {
        let known = try state(file, .raw)
        let document = try read(file)
        let edit = try PlutilEdit(arguments, document, limits).edit()
        let edited: EditedPropertyList
        do {
            var editor = try PropertyListEditor(
                document, options: .appleCompatible, limits: limits)
            try editor.apply(edit, within: &console.budget)
            edited = try editor.finish()
        } catch {
            throw Self.failure(error)
        }
        switch document.format {
        case .binary?: try write(edited.document, as: .binary1, from: file, known)
        case .xml?: try write(edited.document, as: .xml1, from: file, known)
        case .json?: try write(edited.document, as: .json, from: file, known)
        // The original text with only the edit applied.
        default: try write(edited.bytes, to: target(for: file, .raw), known)
        }
    }

    private func write(
        _ document: PropertyListDocument, as format: PlutilFormat, from file: String,
        _ known: FileMode?
    ) throws(Failure) {
        let bytes: [UInt8]
        do {
            bytes = try console.counted { limits throws(PropertyListError) in
                try serialize(document, format, file, limits)
            }
        } catch {
            throw Self.failure(error)
        }
        let target = target(for: file, format)
        if format == .binary1, target == FileAccess.standardInput {
            try console.requireNoTerminal()
        }
        try write(bytes, to: target, known)
        guard format == .objc, arguments.writesHeader, target != FileAccess.standardInput else {
            return
        }
        let writer = LiteralWriter(document, .objc, file: file, limits: limits)
        try write(Array(writer.header.utf8), to: Self.replacingExtension(of: target, with: "h"))
    }

    private func serialize(
        _ document: PropertyListDocument, _ format: PlutilFormat, _ file: String,
        _ limits: ParsingLimits
    ) throws(PropertyListError) -> [UInt8] {
        switch format {
        case .xml1, .raw:
            var options = XMLPropertyList.Options()
            options.sortsKeys = true
            options.realText = .seventeenDigits
            options.allowedLosses = .appleCompatible
            return try XMLPropertyList.serialize(document, options: options, limits: limits).bytes
        case .binary1: return try BinaryPropertyList.serialize(document, limits: limits)
        case .json: return try json(document, limits)
        case .swift:
            let writer = LiteralWriter(document, .swift, file: file, limits: limits)
            return try writer.text()
        case .objc:
            let writer = LiteralWriter(document, .objc, file: file, limits: limits)
            let target = target(for: file, .objc)
            let needsImport = arguments.writesHeader && target != FileAccess.standardInput
            let header = Self.replacingExtension(of: target, with: "h")
            return try writer.text(importing: needsImport ? lastName(of: header) : nil)
        }
    }

    /// Returns JSON without a final newline.
    ///
    /// - Throws: `unrepresentableValue` for a value that JSON cannot represent;
    ///   `depthLimitExceeded`, `expansionLimitExceeded`, `sizeLimitExceeded`.
    private func json(
        _ document: PropertyListDocument, _ limits: ParsingLimits
    ) throws(PropertyListError) -> [UInt8] {
        var options = JSONPropertyList.Options()
        options.layout = arguments.isReadable ? .indented : .compact
        options.sortsKeys = arguments.isReadable
        let text = try JSONPropertyList.serialize(document, options: options, limits: limits)
        return text.last == 0x0A ? text.dropLast() : text
    }

    /// Returns the destination of the result. Without `-o` or `-e`, this is the file itself, or for
    /// Swift and Objective-C a file with another extension. Without `-o`, the result for standard
    /// input goes to standard output.
    private func target(for file: String, _ format: PlutilFormat) -> String {
        if let output = arguments.output { return output }
        if file == FileAccess.standardInput { return file }
        if let end = arguments.fileExtension { return Self.replacingExtension(of: file, with: end) }
        switch format {
        case .swift: return Self.replacingExtension(of: file, with: "swift")
        case .objc: return Self.replacingExtension(of: file, with: "m")
        default: return file
        }
    }

    private static func replacingExtension(of file: String, with end: String) -> String {
        withoutExtension(file) + "." + end
    }

    /// Returns the state of a file that the result will replace. Call this before reading the file,
    /// so that a later change by another program is detected.
    private func state(_ file: String, _ format: PlutilFormat) throws(Failure) -> FileMode? {
        try FileOutput.state(of: file, replacedBy: target(for: file, format))
    }

    private func write(
        _ bytes: [UInt8], to target: String, _ known: FileMode? = nil
    ) throws(Failure) {
        if target == FileAccess.standardInput { return console.write(bytes) }
        do { try console.chargeFile() } catch { throw Self.failure(error) }
        try FileOutput.replace(target, with: bytes, ifStill: known, console)
    }
}

extension PlutilRun {
    static let help = """
        plutil: [command_option] [other_options] file...
        The file '-' means stdin
        Command options are (-lint is the default):
         -help                         show this message and exit
         -lint                         check the property list files for syntax errors
         -convert fmt                  rewrite property list files in format
                                       fmt is one of: xml1 binary1 json swift objc
                                       note: objc can additionally create a header by adding -header
         -insert keypath -type value   insert a value into the property list before writing it out
                                       keys and element indices are separated by dots; \\. is a literal dot
                                       type is one of: bool, integer, float, date, string, data, xml,
                                       json, dictionary, array (the last two take no value)
                                       with -append the value goes to the end of the array at keypath
         -replace keypath -type value  same as -insert, but it will overwrite an existing value
         -remove keypath               removes the value at 'keypath' before writing the list out
         -extract keypath fmt          outputs the value at 'keypath' as a new plist of type 'fmt'
                                       fmt is one of: xml1 binary1 json raw swift objc
                                       raw prints a scalar as it is, the keys of a dictionary, the
                                       count of an array, data in base 64, dates in RFC 3339
         -type keypath                 outputs the type of the value at 'keypath'
         -expect type                  with -extract and -type: fail unless the value is of the type:
                                       bool, integer, float, string, date, data, dictionary, array
         -create fmt                   creates an empty plist of the specified format
         -p                            print property list in a human-readable fashion
        Other options:
         -s                            be silent on success
         -o path                       write to another file; '-' means stdout
         -e extension                  write to a file with another extension
         -r                            if writing JSON, output in human-readable form
         -n                            print no newline after a raw value
         --                            all further arguments are file names
        """
}
