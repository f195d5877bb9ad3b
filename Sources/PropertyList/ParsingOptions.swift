// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The deviations from a format that a parser accepts on request. By default it accepts none.
///
/// ``PropertyListDocument/leniencies`` reports which of them a document needed.
public struct ParsingOptions: OptionSet, Sendable, Hashable {
    /// The bits of the set, one for each leniency, in the order of the declarations.
    public let rawValue: UInt64

    /// Creates a set from its bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    // MARK: All formats

    /// Accepts a key that occurs twice in a dictionary. As in Apple's parsers, the first entry is
    /// used in the binary format and the last one in text formats.
    public static let duplicateKeys = ParsingOptions(rawValue: 1 << 0)

    /// Accepts duplicate keys and keeps all their entries for inspection. A lookup finds the first
    /// entry.
    public static let allDuplicateKeys = ParsingOptions(rawValue: 1 << 1)

    /// Keeps the readable part of a damaged document instead of refusing it.
    ///
    /// In the binary format, a value that cannot be read becomes a node of the kind
    /// ``PropertyListKind/unreadable``. A text format keeps the values before the first error.
    /// ``PropertyListDocument/problems`` lists the errors.
    public static let salvage = ParsingOptions(rawValue: 1 << 2)

    // MARK: Binary

    /// Accepts any version byte after `bplist0`.
    public static let anyMinorVersion = ParsingOptions(rawValue: 1 << 3)

    /// Accepts dictionary keys of any kind except containers.
    public static let nonStringKeys = ParsingOptions(rawValue: 1 << 4)

    /// Accepts bytes above 0x7F in a string marked as ASCII, and decodes them as ISO 8859-1.
    public static let highASCII = ParsingOptions(rawValue: 1 << 5)

    /// Replaces unpaired surrogates with U+FFFD, in binary files and OpenStep text.
    public static let unpairedSurrogates = ParsingOptions(rawValue: 1 << 6)

    /// Accepts integers and UIDs of more than eight bytes that are out of range, and uses only
    /// their low eight bytes. A UID must then be at most 2³²−1.
    public static let wideIntegers = ParsingOptions(rawValue: 1 << 7)

    /// Accepts malformed objects that are not reachable from the root.
    public static let unusedGarbage = ParsingOptions(rawValue: 1 << 8)

    // MARK: XML

    /// Accepts U+FFFE, U+FFFF and the control characters that XML forbids. They may be raw, as
    /// Apple's writer leaves them, or numeric character references. U+0000 is always refused.
    public static let rawControlCharacters = ParsingOptions(rawValue: 1 << 9)

    /// Accepts a root element without an enclosing `<plist>`.
    public static let missingPlistElement = ParsingOptions(rawValue: 1 << 10)

    /// Accepts any content after the root element of XML and the entries of a strings file. Any
    /// other OpenStep value may be followed only by white space and comments, as in Apple's
    /// parsers, and JSON only by white space.
    public static let trailingContent = ParsingOptions(rawValue: 1 << 11)

    /// Accepts white space before the XML declaration, even after a byte order mark.
    public static let leadingWhitespace = ParsingOptions(rawValue: 1 << 12)

    /// Accepts date fields that are out of range and carries them over: month 13 is the next
    /// January.
    public static let looseDates = ParsingOptions(rawValue: 1 << 13)

    /// Skips ASCII characters outside the Base64 alphabet and drops an incomplete last group.
    public static let looseBase64 = ParsingOptions(rawValue: 1 << 14)

    /// Accepts white space before a number, and between the sign and the digits of an integer.
    public static let paddedScalars = ParsingOptions(rawValue: 1 << 15)

    /// Accepts white space after a number, and around a date. Apple's parsers refuse both.
    public static let trailingBlanks = ParsingOptions(rawValue: 1 << 16)

    /// Accepts `<key>` in place of a value and reads it as a string.
    public static let keyAsValue = ParsingOptions(rawValue: 1 << 17)

    /// Accepts attributes on any element and ignores them.
    public static let attributes = ParsingOptions(rawValue: 1 << 18)

    /// Reads dictionaries `{CF$UID: n}` as UIDs in every document, not only in keyed archives.
    public static let uidDictionaries = ParsingOptions(rawValue: 1 << 19)

    // MARK: OpenStep

    /// Decodes octal escapes above `\177` as characters of the NeXTSTEP encoding, like Apple's
    /// parsers. Other parsers decode them as Unicode. Only the low eight bits of a number above
    /// `\377` are used. `\376` and `\377` have no character in that encoding and become U+FFFD.
    public static let nextStepEscapes = ParsingOptions(rawValue: 1 << 20)

    /// Accepts `\U` with fewer than four digits, or none. Also accepts `\` before a letter or digit
    /// that forms no known escape, and reads the pair as that character.
    public static let looseEscapes = ParsingOptions(rawValue: 1 << 21)

    /// Accepts a comment without a closing `*/`.
    public static let unterminatedComment = ParsingOptions(rawValue: 1 << 22)

    /// Reads a file of nothing but white space as an empty dictionary, but not a file of zero
    /// bytes. If OpenStep is the requested format, both are accepted without this leniency, because
    /// a strings file may have no entries.
    public static let blankText = ParsingOptions(rawValue: 1 << 23)

    /// Accepts `,` between the entries of a dictionary, and `}` after an entry without a separator.
    public static let looseSeparators = ParsingOptions(rawValue: 1 << 24)

    // MARK: Sets

    /// No leniency: the default.
    public static let strict: ParsingOptions = []

    /// All deviations that Apple's parsers accept and that have one unambiguous meaning.
    ///
    /// Apple has several parsers: those of CoreFoundation, which `plutil` and
    /// `PropertyListSerialization` use, and those of `PropertyListDecoder`. Where they differ, this
    /// set follows CoreFoundation. A few inputs are still refused because no XML parser reads them:
    /// a numeric reference to U+0000, `]]>` in text, and, before an integer, white space of a kind
    /// that XML does not have. A single unquoted word is read only if its format is given.
    public static let appleCompatible: ParsingOptions = [
        .duplicateKeys, .anyMinorVersion, .nonStringKeys, .highASCII, .unpairedSurrogates,
        .wideIntegers, .unusedGarbage, .rawControlCharacters,
        .missingPlistElement, .trailingContent, .leadingWhitespace, .looseDates, .looseBase64,
        .paddedScalars, .keyAsValue, .attributes, .uidDictionaries, .nextStepEscapes,
        .looseEscapes, .unterminatedComment, .blankText,
    ]

    /// All leniencies for inspecting a damaged or unusual file: ``appleCompatible``, plus those
    /// that keep duplicate keys and unreadable values, and those that only some parsers accept.
    public static let forensic = appleCompatible.union([
        .allDuplicateKeys, .salvage, .trailingBlanks, .looseSeparators,
    ])
}

extension ParsingOptions: CustomStringConvertible {
    private static let allNames: [(ParsingOptions, String)] = [
        (.duplicateKeys, "duplicateKeys"), (.allDuplicateKeys, "allDuplicateKeys"),
        (.salvage, "salvage"), (.anyMinorVersion, "anyMinorVersion"),
        (.nonStringKeys, "nonStringKeys"), (.highASCII, "highASCII"),
        (.unpairedSurrogates, "unpairedSurrogates"), (.wideIntegers, "wideIntegers"),
        (.unusedGarbage, "unusedGarbage"),
        (.rawControlCharacters, "rawControlCharacters"),
        (.missingPlistElement, "missingPlistElement"), (.trailingContent, "trailingContent"),
        (.leadingWhitespace, "leadingWhitespace"), (.looseDates, "looseDates"),
        (.looseBase64, "looseBase64"), (.paddedScalars, "paddedScalars"),
        (.trailingBlanks, "trailingBlanks"),
        (.keyAsValue, "keyAsValue"), (.attributes, "attributes"),
        (.uidDictionaries, "uidDictionaries"), (.nextStepEscapes, "nextStepEscapes"),
        (.looseEscapes, "looseEscapes"), (.unterminatedComment, "unterminatedComment"),
        (.blankText, "blankText"),
        (.looseSeparators, "looseSeparators"),
    ]

    /// The recovery for an error that would not occur with all of these options on.
    var advice: PropertyListError.Recovery { .init(allowing: self) }

    /// The names of the options in the set.
    package var names: [String] { Self.allNames.filter { contains($0.0) }.map(\.1) }

    /// The names of the options in the set, separated by commas.
    public var description: String { names.joined(separator: ", ") }
}
