// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import SystemFiles

/// The arguments of `plutil`. Its options have long names after a single dash, so this type parses
/// them instead of the argument parser.
///
///     plutil [verb] [option …] file …
struct PlutilArguments {
    enum Verb {
        case help, lint, print
        case convert(PlutilFormat)
        case insert(keyPath: String, PropertyListValue)
        case replace(keyPath: String, PropertyListValue)
        case remove(keyPath: String)
        case extract(keyPath: String, PlutilFormat)
        case type(keyPath: String)
        case create(PlutilFormat)
    }

    private(set) var verb = Verb.lint
    private(set) var files: [String] = []
    /// The option `-s`.
    private(set) var isSilent = false
    /// The option `-o`.
    private(set) var output: String?
    /// The option `-e`.
    private(set) var fileExtension: String?
    /// The option `-r`.
    private(set) var isReadable = false
    /// The option `-n`.
    private(set) var omitsNewline = false
    /// The option `-append`.
    private(set) var appends = false
    /// The option `-header`.
    private(set) var writesHeader = false
    /// The option `-expect`.
    private(set) var expectedType: PlutilType?
    private var rest: ArraySlice<String>
    private var hasVerb = false

    /// Parses the arguments.
    ///
    /// - Throws: A failure with the status `invalid`, the only failure status of `plutil`.
    init(_ arguments: [String]) throws(Failure) {
        rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                files += rest
                break
            }
            if argument.hasPrefix("-"), argument != FileAccess.standardInput {
                try take(argument)
            } else {
                files.append(argument)
            }
        }
        try check()
    }

    private func check() throws(Failure) {
        if case .help = verb { return }
        if files.isEmpty { throw Self.failure("No files specified.") }
        switch verb {
        case .print where output != nil: throw Self.failure("-o is not used with -p.")
        case .lint where output != nil: throw Self.failure("-o is not used with -lint.")
        default: break
        }
        if writesHeader { try checkHeader() }
        if appends {
            guard case .insert = verb else { throw Self.unrecognized("-append") }
        }
    }

    private func checkHeader() throws(Failure) {
        switch verb {
        case .convert(.objc): break
        case .convert: throw Self.failure("-header is only valid for objc literal conversions.")
        default: throw Self.unrecognized("-header")
        }
    }

    private static func unrecognized(_ option: String) -> Failure {
        failure("unrecognized option: \(TerminalText.escaped(option))")
    }

    static func failure(_ message: String) -> Failure { Failure(.invalid, message) }

    // MARK: Options

    private mutating func take(_ option: String) throws(Failure) {
        switch option {
        case "-s": isSilent = true
        case "-r": isReadable = true
        case "-n": omitsNewline = true
        case "-append": appends = true
        case "-header": writesHeader = true
        case "-o": output = try argument(of: option)
        case "-e": fileExtension = try argument(of: option)
        case "-expect": expectedType = try expectation()
        default: try takeVerb(option)
        }
    }

    private mutating func argument(of option: String) throws(Failure) -> String {
        guard let argument = rest.popFirst() else {
            throw Self.failure("Missing argument for \(option).")
        }
        return argument
    }

    private mutating func expectation() throws(Failure) -> PlutilType {
        guard let name = rest.popFirst() else {
            throw Self.failure("-expect requires a type argument.")
        }
        guard let type = PlutilType(rawValue: name) else {
            throw Self.failure("-expect type [\(TerminalText.escaped(name))] not valid.")
        }
        return type
    }

    private mutating func takeVerb(_ name: String) throws(Failure) {
        guard !hasVerb, let verb = try readVerb(name) else {
            throw Self.unrecognized(name)
        }
        self.verb = verb
        hasVerb = true
    }

    private mutating func readVerb(_ name: String) throws(Failure) -> Verb? {
        switch name {
        case "-help": return .help
        case "-lint": return .lint
        case "-p": return .print
        case "-convert":
            return .convert(try format("Missing format specifier for command.", among: .written))
        case "-create":
            return .create(try format("Missing format specifier for command.", among: .written))
        case "-insert":
            let (keyPath, value) = try keyPathAndValue()
            return .insert(keyPath: keyPath, value)
        case "-replace":
            let (keyPath, value) = try keyPathAndValue()
            return .replace(keyPath: keyPath, value)
        case "-remove": return .remove(keyPath: try keyPath("'Remove' requires a key path."))
        case "-type": return .type(keyPath: try keyPath("'Type' requires a key path."))
        case "-extract":
            let message = "'Extract' requires a key path and a plist format."
            return .extract(
                keyPath: try keyPath(message), try format(message, among: .extracted))
        default: return nil
        }
    }

    private mutating func keyPath(_ message: String) throws(Failure) -> String {
        guard let keyPath = rest.popFirst() else { throw Self.failure(message) }
        return keyPath
    }

    private mutating func format(
        _ message: String, among formats: [PlutilFormat]
    ) throws(Failure) -> PlutilFormat {
        guard let name = rest.popFirst() else { throw Self.failure(message) }
        guard let format = PlutilFormat(rawValue: name), formats.contains(format) else {
            throw Self.failure("Unknown format specifier: \(TerminalText.escaped(name))")
        }
        return format
    }

    private mutating func keyPathAndValue() throws(Failure) -> (String, PropertyListValue) {
        let message = "'Insert' and 'Replace' require a key path, a type, and a value."
        guard let keyPath = rest.popFirst(), let type = rest.popFirst() else {
            throw Self.failure(message)
        }
        switch type {
        case "-dictionary": return (keyPath, [:])
        case "-array": return (keyPath, [])
        default: break
        }
        guard let text = rest.popFirst() else { throw Self.failure(message) }
        return (keyPath, try Self.value(type, text))
    }

    private static func value(
        _ type: String, _ text: String
    ) throws(Failure) -> PropertyListValue {
        let value: PropertyListValue?
        switch type {
        case "-string": value = .string(text)
        case "-bool": value = .boolean(["yes", "true"].contains(text.lowercased()))
        case "-integer": value = ValueType.integer.value(text)
        case "-float": value = ValueType.real.value(text)
        case "-date": value = ValueType.date.value(text)
        case "-data": value = ValueType.data.value(text)
        case "-xml": value = PlutilFormat.xmlFragment(text)
        case "-json": value = PlutilFormat.jsonFragment(text)
        default:
            throw failure("Unknown insert or replace type \(TerminalText.escaped(type))")
        }
        guard let value else {
            let name = type == "-data" ? "base64 data" : String(type.dropFirst())
            throw failure("Invalid \(name) in argument")
        }
        return value
    }
}

/// The types of values, by their names in `plutil`.
enum PlutilType: String {
    case bool, integer, float, string, date, data, dictionary, array, uid, set, null

    /// The name of the type in messages.
    var title: String { self == .bool ? "boolean" : rawValue }

    init(_ kind: PropertyListKind) {
        switch kind {
        case .boolean: self = .bool
        case .integer: self = .integer
        case .real: self = .float
        case .string: self = .string
        case .date: self = .date
        case .data: self = .data
        case .dictionary: self = .dictionary
        case .array: self = .array
        case .uid: self = .uid
        case .set: self = .set
        case .null, .unreadable: self = .null
        }
    }
}

/// The formats, by their names in `plutil`.
enum PlutilFormat: String {
    case xml1, binary1, json, swift, objc, raw

    /// Parses a property list as XML, with or without a `<plist>` element around it.
    static func xmlFragment(_ text: String) -> PropertyListValue? {
        try? PropertyListValue(parsing: Array(text.utf8), format: .xml, options: .appleCompatible)
    }

    /// Parses a fragment of JSON.
    static func jsonFragment(_ text: String) -> PropertyListValue? {
        try? PropertyListValue(parsing: Array(text.utf8), format: .json)
    }
}

extension [PlutilFormat] {
    static let written: [PlutilFormat] = [.xml1, .binary1, .json, .swift, .objc]
    static let extracted: [PlutilFormat] = [.xml1, .binary1, .json, .raw, .swift, .objc]
}
