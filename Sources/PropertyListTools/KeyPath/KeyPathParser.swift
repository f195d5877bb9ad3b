// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Parses the text of a ``PropertyListKeyPath``:
///
///     path    = dotted | pointer | colons
///     pointer = { "/" { character | "~0" | "~1" } }
///     colons  = { ":" { character | "\:" | "\\" } }
///     dotted  = [ first { "." name | index } ] [ "!" path ]
///     first   = name | index | "@" digits
///     index   = "[" ( digits | quoted ) "]"
///     name    = quoted | 1*( character | "\" character )
///     quoted  = '"' { character | escape } '"'
///     escape  = "\" ( '"' | "\" | "n" | "r" | "t" | "u{" hex "}" )
///
/// In an unquoted name, each of `. [ ] ! " \` must follow a backslash. So must `@`, `/` or `:` at
/// the beginning of a path.
struct KeyPathParser {
    private(set) var steps: [PropertyListKeyPath.Step] = []
    /// The offset of each step, in bytes.
    private(set) var places: [Int] = []
    private let text: String
    private let scalars: [Unicode.Scalar]
    private var index = 0
    // The position of the parser: `index` in scalars, `byte` in UTF-8 bytes.
    private var byte = 0

    private static let backslash: Unicode.Scalar = "\\"

    init(_ text: String) {
        self.text = text
        scalars = Array(text.unicodeScalars)
    }

    /// Parses the whole text.
    ///
    /// - Throws: `invalidKeyPath`.
    mutating func parse() throws(PropertyListError) {
        repeat {
            switch next {
            case "/": try parseSegments("/")
            case ":": try parseSegments(":")
            default: try parseDotted()
            }
        } while takeContent()
    }

    // MARK: Characters

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    @discardableResult
    private mutating func take() -> Unicode.Scalar? {
        guard let scalar = next else { return nil }
        index += 1
        byte += UTF8.width(scalar)
        return scalar
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        take()
        return true
    }

    private mutating func takeContent() -> Bool {
        let place = byte
        guard skip("!") else { return false }
        add(.content, place)
        return true
    }

    private mutating func add(_ step: PropertyListKeyPath.Step, _ place: Int) {
        steps.append(step)
        places.append(place)
    }

    private func error(_ what: String, at place: Int? = nil) -> PropertyListError {
        PropertyListError(
            .invalidKeyPath, what: "key path: \(what)",
            location: Self.location(place ?? byte, in: text))
    }

    /// Returns the location of a byte in the text of a path.
    static func location(_ byte: Int, in text: String) -> PropertyListError.Location {
        let head = String(decoding: text.utf8.prefix(byte), as: UTF8.self)
        return .init(byte: byte, line: nil, column: head.unicodeScalars.count + 1)
    }

    // MARK: Pointer and colons

    /// Parses segments up to the end of the text, each after a separator.
    private mutating func parseSegments(
        _ separator: Unicode.Scalar
    ) throws(PropertyListError) {
        // A lone `:` is PlistBuddy's root. In a JSON Pointer, `/` is an empty key.
        if separator == ":", scalars.count == index + 1 { take() }
        while next == separator {
            take()
            let place = byte
            var name = ""
            while let scalar = next, scalar != separator {
                take()
                name.unicodeScalars.append(try unescaped(scalar, separator))
            }
            add(.name(name), place)
        }
    }

    private mutating func unescaped(
        _ scalar: Unicode.Scalar, _ separator: Unicode.Scalar
    ) throws(PropertyListError) -> Unicode.Scalar {
        if separator == "/", scalar == "~" {
            let place = byte - 1
            switch take() {
            case "0": return "~"
            case "1": return "/"
            default: throw error("expected 0 or 1 after `~` in a JSON Pointer", at: place)
            }
        }
        guard separator == ":", scalar == Self.backslash, let other = next,
            other == separator || other == Self.backslash
        else { return scalar }
        take()
        return other
    }

    // MARK: Dotted

    private mutating func parseDotted() throws(PropertyListError) {
        if next == nil || next == "!" { return }
        if next == "@" { try parseObject() } else { try parseStep() }
        while let scalar = next, scalar != "!" {
            if scalar == "." { take() } else if scalar != "[" { throw unexpected(scalar) }
            try parseStep(isAfterDot: scalar == ".")
        }
    }

    private func unexpected(_ scalar: Unicode.Scalar) -> PropertyListError {
        error("expected `.`, `[` or `!`, found `\(TerminalText.escaped(String(scalar)))`")
    }

    private mutating func parseObject() throws(PropertyListError) {
        let place = byte
        take()
        guard let number = UInt32(takeDigits()) else {
            throw error(
                "expected the number of an object after `@`; quote a key that begins with `@`",
                at: place)
        }
        add(.object(number), place)
    }

    private mutating func parseStep(isAfterDot: Bool = false) throws(PropertyListError) {
        let place = byte
        switch next {
        case "[" where !isAfterDot: try parseIndex()
        case "\"": add(.key(try takeQuoted()), place)
        default: add(.name(try takeName()), place)
        }
    }

    private mutating func parseIndex() throws(PropertyListError) {
        let place = byte
        take()
        if next == "\"" {
            add(.key(try takeQuoted()), place)
        } else {
            add(.index(try takeIndex(place)), place)
        }
        guard skip("]") else { throw error("expected `]`") }
    }

    private mutating func takeIndex(_ place: Int) throws(PropertyListError) -> Int {
        let digits = takeDigits()
        guard let index = Int(digits) else {
            throw error(
                digits.isEmpty
                    ? "expected an index or a quoted key after `[`" : "the index is too large",
                at: place)
        }
        return index
    }

    private mutating func takeDigits() -> String {
        var digits = ""
        while let scalar = next, ("0"..."9").contains(scalar) {
            digits.unicodeScalars.append(scalar)
            take()
        }
        return digits
    }

    private mutating func takeName() throws(PropertyListError) -> String {
        var name = ""
        while let scalar = next, ![".", "[", "!"].contains(scalar) {
            if scalar == "]" || scalar == "\"" {
                throw error(
                    "a key with `\(scalar)` in it needs quotes, or `\\` before the `\(scalar)`")
            }
            take()
            guard scalar == Self.backslash else {
                name.unicodeScalars.append(scalar)
                continue
            }
            guard let escaped = take() else { throw error("expected a character after `\\`") }
            name.unicodeScalars.append(escaped)
        }
        if name.isEmpty { throw error("expected a key; write an empty one as `\"\"`") }
        return name
    }

    private mutating func takeQuoted() throws(PropertyListError) -> String {
        let place = byte
        take()
        var name = ""
        while let scalar = take() {
            if scalar == "\"" { return name }
            name.unicodeScalars.append(scalar == Self.backslash ? try takeEscape() : scalar)
        }
        throw error("expected a closing quote", at: place)
    }

    private mutating func takeEscape() throws(PropertyListError) -> Unicode.Scalar {
        let place = byte - 1
        switch take() {
        case "\"": return "\""
        case Self.backslash: return Self.backslash
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            if let scalar = takeHexadecimal() { return scalar }
        default: break
        }
        throw error(
            "expected `\\\"`, `\\\\`, `\\n`, `\\r`, `\\t` or `\\u{…}`, found another escape",
            at: place)
    }

    /// Parses `{…}` after `\u`.
    private mutating func takeHexadecimal() -> Unicode.Scalar? {
        guard skip("{") else { return nil }
        var digits = ""
        while let scalar = next, scalar.properties.isASCIIHexDigit, digits.utf8.count < 8 {
            digits.unicodeScalars.append(scalar)
            take()
        }
        guard skip("}"), let value = UInt32(digits, radix: 16) else { return nil }
        return Unicode.Scalar(value)
    }
}
