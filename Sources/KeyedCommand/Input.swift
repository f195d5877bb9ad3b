// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import ArgumentParser
import PropertyList
import SystemFiles

/// Why a verb stops: its exit code and the line for standard error.
struct Failure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// A property list that cannot be read or written, with an excerpt where it is text.
    init(
        _ error: PropertyListError, in file: String, source: [UInt8]?,
        leniently way: String = "--lenient"
    ) {
        var text = "\(TerminalText.escaped(file)): \(error.whatAndWhere)"
        if let advice = Advice.text(for: error, leniently: way) { text += " (\(advice))" }
        if let location = error.location, let source,
            let excerpt = Excerpt.text(at: location, in: source)
        {
            text += "\n" + excerpt
        }
        self.init(error.code.isLimit ? .limit : .invalid, text)
    }
}

extension PropertyListError {
    /// The error without its recovery suggestion, which mentions Swift API.
    var whatAndWhere: String {
        var text = (format.map { "\($0) property list: " } ?? "") + what
        if let location { text += " at \(location)" }
        if let path, !path.components.isEmpty { text += ", in \(path)" }
        return text
    }
}

/// The advice for an error, in the command's words.
enum Advice {
    /// The advice; nil where the library's is about Swift alone.
    ///
    /// `way` is the option that makes the verb lenient.
    static func text(for error: PropertyListError, leniently way: String) -> String? {
        switch error.recoveryCode {
        case .raiseLimits: "--limits trusted allows more, if you trust the file"
        case .nameEncoding: "--encoding names the one it is in"
        case .chooseScalars: "--scalars typed or text writes another form"
        case .chooseMapping: "--json coerce or typed writes another form"
        case .readStrictly: "without --json typed it is a dictionary"
        case .writeAnew: "keyed convert writes it anew"
        case .convertToBinary: "keyed convert binary makes a file that can be edited"
        case .searchDatabase: "keyed scan looks into databases"
        case .importArchive: "keyed convert binary makes a keyed archive of it"
        case .searchFile: "keyed carve finds property lists within other files"
        case .allowLeniency: leniency(error.recoveryOptions.names, way)
        case .allowLoss, .changeValue: nil
        default: error.recovery
        }
    }

    private static func leniency(_ names: [String], _ way: String) -> String {
        names.count == 1
            ? "the leniency \(names[0]) lets it pass: \(way)"
            : "the leniencies \(names.joined(separator: " and ")) let it pass: \(way)"
    }
}

/// The limits on a file, by name.
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

/// The mappings of JSON by name.
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

/// The facts that a text does not state about itself.
struct TextReading {
    /// The encoding of OpenStep text.
    var encoding: String?
    /// The mapping under which JSON was written.
    var mapping = JSONPropertyList.Mapping.strict

    func document(
        _ bytes: [UInt8], _ options: ParsingOptions, _ limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        if let encoding {
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

/// The option of the verbs that read OpenStep text.
struct EncodingOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The encoding of OpenStep text that has no byte order mark and is not UTF-8, as in "
                + "macintosh, UTF-16LE, NEXTSTEP.", valueName: "name"))
    var encoding: String?

    var reading: TextReading { TextReading(encoding: encoding) }
}

/// The options of the verbs that read text which does not say everything about itself.
struct TextOptions: ParsableArguments {
    @OptionGroup var encoding: EncodingOption

    @Option(
        help: ArgumentHelp(
            "What stands for dates, data and the like in JSON: strict refuses them, coerce makes "
                + "them text, typed makes objects of them that are read back.",
            valueName: "mapping"))
    var json = MappingName.strict

    var reading: TextReading { TextReading(encoding: encoding.encoding, mapping: json.mapping) }
}

/// The options of all verbs that read.
struct ReadingOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Let pass what Apple's readers let pass, and commas between the entries of OpenStep text.",
            discussion: "What was needed is said on standard error."))
    var lenient = false

    @Option(help: "How much a file may ask for: untrusted, default or trusted.")
    var limits = LimitsName.default

    @OptionGroup var text: TextOptions

    /// Strict, but for control characters: Apple's writer and ours leave them raw in XML.
    var options: ParsingOptions { lenient ? .lenient : .rawControlCharacters }
}

extension ParsingOptions {
    /// The leniencies of `--lenient`: those for text that can be read in one way only.
    static let lenient = appleCompatible.union([.looseSeparators, .trailingBlanks])
}

/// A file that has been read and parsed.
struct Input {
    let name: String
    /// The file.
    let bytes: [UInt8]
    let document: PropertyListDocument

    /// Reads and parses a file, which raises the console's budget; a leniency that was needed is named on
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
        let used = document.leniencies
        if !used.isEmpty {
            console.complain("\(printableName): read with leniency: \(used)")
        }
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

    /// Reads a file strictly first; if that fails, with all leniencies, keeping what can be read.
    ///
    /// `isStrict` says whether a file is refused that is broken or needs a leniency.
    init(
        forShowing path: String, text: TextReading, isStrict: Bool = false, limits: ParsingLimits,
        _ console: Console
    ) throws(Failure) {
        let bytes = try Input.bytes(path, limits)
        do {
            try self.init(path, bytes, options: .strict, limits: limits, text: text, console)
        } catch {
            let failure = Failure(error, in: path, source: bytes, leniently: "without --strict")
            guard !isStrict, !error.code.isLimit,
                let input = try? Input(
                    path, bytes, options: .forensic, limits: limits, text: text, console)
            else { throw failure }
            self = input
            let used = document.leniencies.subtracting(.salvage)
            if !used.isEmpty {
                console.complain("\(printableName): read with leniency: \(used)")
            }
        }
    }

    var printableName: String { TerminalText.escaped(name) }

    /// The bytes of a file, all of them.
    ///
    /// - Throws: `limit` for a file that has more than the limits allow.
    static func bytes(_ path: String, _ limits: ParsingLimits) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try FileAccess.read(path, limit: limits.inputSize) } catch {
            throw Failure(.invalid, "\(TerminalText.escaped(path)): \(error.message)")
        }
        if bytes.count > limits.inputSize {
            throw Failure(
                .limit,
                "\(TerminalText.escaped(path)): the file has more than \(limits.inputSize) bytes, which is "
                    + "what --limits allows")
        }
        return bytes
    }
}
