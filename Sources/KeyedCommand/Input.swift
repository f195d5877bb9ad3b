// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import ArgumentParser
import KeyedArchive
import PropertyList
import SystemFiles
import ValidText

/// The failure of a verb: its exit code and the message for standard error.
struct Failure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates the failure of reading or writing a property list, with an excerpt if the source is
    /// text.
    init(
        _ error: PropertyListError, in file: String, source: [UInt8]?,
        leniently way: String? = "use --lenient"
    ) {
        var text = "\(TerminalText.escaped(file)): \(error.message(leniently: way))"
        if let location = error.location, let source,
            let excerpt = Excerpt.text(at: location, in: source)
        {
            text += "\n" + excerpt
        }
        self.init(error.isLimit ? .limit : .invalid, text)
    }

    /// Creates the failure of reading a keyed archive.
    init(_ error: KeyedArchiveError, in file: String) {
        if let error = error.propertyListError {
            self.init(error, in: file, source: nil)
        } else {
            let advice = Advice.text(for: error).map { " (\($0))" } ?? ""
            self.init(
                error.isLimit ? .limit : .invalid,
                "\(TerminalText.escaped(file)): \(error.descriptionWithoutRecovery)\(advice)")
        }
    }
}

extension PropertyListError {
    /// Returns the message with advice in terms of the command's options. `way` is as in ``Advice``.
    func message(leniently way: String?) -> String {
        whatAndWhere + (Advice.text(for: self, leniently: way).map { " (\($0))" } ?? "")
    }
}

/// The recovery advice for an error, in terms of the command's options.
enum Advice {
    static let raiseLimits = "--limits trusted allows more, if you trust the file"

    /// Returns the advice, or nil if there is none or if it applies only to Swift code.
    ///
    /// `way` tells how to make the verb lenient, such as `use --lenient`. It is nil if all
    /// leniencies were allowed already.
    static func text(for error: PropertyListError, leniently way: String?) -> String? {
        switch error.recoveryCode {
        case .raiseLimits: raiseLimits
        case .nameEncoding: "name its encoding with --encoding"
        case .chooseScalars: "choose another form with --scalars typed or text"
        case .chooseMapping: "choose another form with --json coerce or typed"
        case .readStrictly: "without --json typed it is read as a dictionary"
        case .rewrite: "rewrite the file with keyed convert"
        case .convertToBinary: "convert the file with keyed convert binary first"
        case .searchDatabase: "search databases with keyed scan"
        case .importArchive: "convert it to a keyed archive with keyed convert binary"
        case .searchFile: "search it for property lists with keyed carve"
        case .allowLeniency: way.map { leniency(error.recoveryOptions.names, $0) }
        case .allowLoss, .changeValue: nil
        default: error.recovery
        }
    }

    /// Returns the advice for an error of an archive, or nil if its own advice applies only to Swift
    /// code.
    static func text(for error: KeyedArchiveError) -> String? {
        switch error.code {
        case _ where error.isLimit: raiseLimits
        case .notAnArchive, .unsupportedVersion: "keyed show prints it as a property list"
        default: nil
        }
    }

    private static func leniency(_ names: [String], _ way: String) -> String {
        names.count == 1
            ? "\(way) to allow the leniency \(names[0])"
            : "\(way) to allow the leniencies \(names.joined(separator: " and "))"
    }
}

/// The argument of `--limits`: the name of a preset.
enum LimitsName: String, ExpressibleByArgument, CaseIterable {
    case untrusted, `default`, trusted

    var limits: ParsingLimits {
        switch self {
        case .untrusted: .untrusted
        case .default: .default
        case .trusted: .trusted
        }
    }
}

/// The argument of `--json`: the name of a JSON mapping.
enum MappingName: String, ExpressibleByArgument, CaseIterable {
    case strict, coerce, typed

    var mapping: JSONPropertyList.Mapping {
        switch self {
        case .strict: .strict
        case .coerce: .coerce
        case .typed: .typed
        }
    }
}

/// The encoding and the mapping of a text, which the text itself does not declare.
struct TextReading {
    /// The encoding of OpenStep text.
    var encoding: String?
    /// The mapping of JSON.
    var mapping = JSONPropertyList.Mapping.strict

    /// The help of the option for the encoding.
    static let encodingHelp = ArgumentHelp(
        "The encoding of OpenStep text that has no byte order mark and is not UTF-8, such as "
            + "macintosh, UTF-16LE or NEXTSTEP.", valueName: "name")

    /// The help of the option for the mapping.
    static let mappingHelp = ArgumentHelp(
        "How JSON represents dates, data and similar values: strict rejects them; coerce writes "
            + "text, numbers and arrays; typed writes objects that can be read back.",
        valueName: "mapping")

    /// The help of the flag for JSON in the typed mapping.
    static let typedHelp = ArgumentHelp(
        "Read dates, data and similar values from the JSON objects that keyed convert --json typed "
            + "wrote for them.")

    /// Returns whether only the user can say how a text is encoded: it has no byte order mark and
    /// is not recognizably UTF-8. Bytes that are all ASCII are valid in many encodings, and ASCII
    /// characters in UTF-16 contain NULs, so neither is taken for UTF-8.
    private static func needsEncoding(_ bytes: [UInt8]) -> Bool {
        if ByteOrderMark(bytes) != nil || ImportedArchive.Format.detect(bytes) != nil {
            return false
        }
        if let format = try? PropertyListFormat.detect(bytes), format == .binary || format == .xml {
            return false
        }
        let isUTF8 = String(validUTF8: bytes) != nil
        return !isUTF8 || bytes.contains(0) || bytes.allSatisfy { $0 < 0x80 }
    }

    func document(
        _ bytes: [UInt8], _ options: ParsingOptions, _ limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        if let encoding, Self.needsEncoding(bytes) {
            return try OpenStepPropertyList.parse(
                bytes, encoding: encoding, options: options, limits: limits)
        }
        if ImportedArchive.Format.detect(bytes) != nil {
            return options.contains(.salvage)
                ? try ImportedArchive(salvaging: bytes, limits: limits).document
                : try ImportedArchive(parsing: bytes, limits: limits).document
        }
        return try PropertyListDocument(
            parsing: bytes, mapping: mapping, options: options, limits: limits)
    }
}

/// The options of verbs that read text: its encoding and its mapping.
struct TextOptions: ParsableArguments {
    @Option(help: TextReading.encodingHelp)
    var encoding: String?

    @Option(help: TextReading.mappingHelp)
    var json = MappingName.strict

    var reading: TextReading { TextReading(encoding: encoding, mapping: json.mapping) }
}

/// The reading options of the verbs that accept `--lenient`: leniency, limits and text.
///
/// No group of options contains another. In debug builds, ArgumentParser would validate the inner
/// group several times for each validation of the outer one, which slows down the tests.
struct ReadingOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Accept the deviations that Apple's parsers accept, white space around numbers and "
                + "dates, and other separators in OpenStep text.",
            discussion: "The leniencies that were needed are reported on standard error."))
    var lenient = false

    @Option(help: "The limits for a file: untrusted, default or trusted.")
    var limits = LimitsName.default

    @Option(help: TextReading.encodingHelp)
    var encoding: String?

    @Option(help: TextReading.mappingHelp)
    var json = MappingName.strict

    var text: TextReading { TextReading(encoding: encoding, mapping: json.mapping) }

    /// The leniencies of the parser: by default only control characters, which Apple's writer and
    /// this library write unescaped in XML.
    var options: ParsingOptions { lenient ? .lenient : .rawControlCharacters }
}

extension ParsingOptions {
    /// The leniencies of `--lenient`: those of Apple's parsers, and those for text with only one
    /// possible interpretation.
    static let lenient = appleCompatible.union([.looseSeparators, .trailingBlanks])
}

/// A file that has been read and parsed.
struct Input {
    let name: String
    /// The bytes of the file.
    let bytes: [UInt8]
    let document: PropertyListDocument

    /// Reads and parses a file, and raises the console's budget. Reports any required leniencies on
    /// standard error.
    init(
        _ path: String, options: ParsingOptions, limits: ParsingLimits,
        text: TextReading = TextReading(), _ console: Console
    ) throws(Failure) {
        let bytes = try Input.bytes(path, limits)
        do {
            try self.init(
                path, bytes, options: options, limits: limits, text: text, console)
        } catch {
            throw Failure(error, in: path, source: bytes)
        }
        reportLeniencies(console)
    }

    init(
        _ path: String, _ bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits,
        text: TextReading = TextReading(), _ console: Console
    ) throws(PropertyListError) {
        name = path
        self.bytes = bytes
        document = try text.document(bytes, options, limits)
        console.budget.admit(document)
    }

    /// Parses a file strictly. If that fails, parses it with all leniencies and keeps what is
    /// readable. Only an error that remains with leniencies, or an exceeded limit, is reported.
    ///
    /// `isStrict` says whether a file that is damaged or needs a leniency is an error.
    init(
        forShowing path: String, text: TextReading, isStrict: Bool = false, limits: ParsingLimits,
        _ console: Console
    ) throws(Failure) {
        let bytes = try Input.bytes(path, limits)
        do {
            try self.init(path, bytes, options: .strict, limits: limits, text: text, console)
        } catch {
            guard !isStrict, !error.isLimit else {
                throw Failure(error, in: path, source: bytes, leniently: "omit --strict")
            }
            do {
                self = try Input(
                    path, bytes, options: .forensic, limits: limits, text: text, console)
            } catch {
                throw Failure(error, in: path, source: bytes, leniently: nil)
            }
            reportLeniencies(console)
        }
    }

    /// Reports any required leniencies on standard error. Damage is reported separately.
    func reportLeniencies(_ console: Console) {
        let used = document.leniencies.subtracting(.salvage)
        if !used.isEmpty {
            console.complain("\(printableName): read with leniency: \(used)")
        }
    }

    var printableName: String { TerminalText.escaped(name) }

    /// Checks that at most one of `names` is standard input, which can be read only once.
    ///
    /// - Throws: A usage error that says what standard input cannot be.
    static func checkStandardInput(_ names: String?..., cannotBe uses: String) throws {
        if names.count(where: { $0 == FileAccess.standardInput }) > 1 {
            throw ValidationError("Standard input cannot be \(uses).")
        }
    }

    /// Returns all bytes of a file.
    ///
    /// - Throws: A failure with the status `limit` for a file larger than the limits allow, and
    ///   `invalid` for a file that cannot be read.
    static func bytes(_ path: String, _ limits: ParsingLimits) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try FileAccess.read(path, limit: limits.inputSize) } catch {
            if error.isTooLarge { throw tooLarge(path, limits) }
            throw Failure(.invalid, "\(TerminalText.escaped(path)): \(error.message)")
        }
        if bytes.count > limits.inputSize { throw tooLarge(path, limits) }
        return bytes
    }

    /// Returns the failure for a file that is larger than the limits allow.
    static func tooLarge(_ path: String, _ limits: ParsingLimits) -> Failure {
        Failure(
            .limit,
            "\(TerminalText.escaped(path)): the file has more than the \(limits.inputSize) bytes "
                + "that --limits allows")
    }
}
