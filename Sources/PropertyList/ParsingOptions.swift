// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The leniencies a reader may be given, each by its name. None is on by default.
///
/// ``PropertyListDocument/leniencies`` says which of the given ones a document needed.
public struct ParsingOptions: OptionSet, Sendable, Hashable {
    /// One bit for each leniency, in the order of the declarations.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    // MARK: All formats

    /// A key that occurs twice: the first counts in binary, the last in text, as in Apple's readers.
    public static let duplicateKeys = ParsingOptions(rawValue: 1 << 0)

    /// Every entry of a duplicate key is kept, for looking at; a look-up finds the first.
    public static let allDuplicateKeys = ParsingOptions(rawValue: 1 << 1)

    /// Values that cannot be read are kept as nodes of the kind ``PropertyListKind/unreadable``,
    /// and ``PropertyListDocument/problems`` says why, instead of refusing the whole document.
    public static let salvage = ParsingOptions(rawValue: 1 << 2)

    // MARK: Binary

    /// The version byte after `bplist0` may be anything.
    public static let anyMinorVersion = ParsingOptions(rawValue: 1 << 3)

    /// Dictionary keys that are not strings (numbers, dates, data, UIDs; never containers).
    public static let nonStringKeys = ParsingOptions(rawValue: 1 << 4)

    /// Bytes above 7F in a string marked as ASCII are taken as ISO 8859-1.
    public static let highASCII = ParsingOptions(rawValue: 1 << 5)

    /// Unpaired surrogates become U+FFFD.
    public static let unpairedSurrogates = ParsingOptions(rawValue: 1 << 6)

    /// The high half of 16-byte integers and UIDs is ignored.
    public static let wideIntegers = ParsingOptions(rawValue: 1 << 7)

    /// Objects that nothing refers to may be malformed.
    public static let unusedGarbage = ParsingOptions(rawValue: 1 << 8)

    // MARK: XML

    /// Control characters that XML forbids stand in text, raw as Apple's writer leaves them or as
    /// references by number.
    public static let rawControlCharacters = ParsingOptions(rawValue: 1 << 9)

    /// The root may stand without a `<plist>` around it.
    public static let missingPlistElement = ParsingOptions(rawValue: 1 << 10)

    /// Anything may follow the root element of XML, the root value of JSON, and the entries of a strings
    /// file. After another OpenStep value, Apple's readers accept nothing but blanks and comments.
    public static let trailingContent = ParsingOptions(rawValue: 1 << 11)

    /// White space may precede the XML declaration, also behind a byte order mark.
    public static let leadingWhitespace = ParsingOptions(rawValue: 1 << 12)

    /// Fields of a date may be out of range and are carried over: month 13 is the next January.
    public static let looseDates = ParsingOptions(rawValue: 1 << 13)

    /// Characters outside the base-64 alphabet are skipped, an incomplete last group is dropped.
    public static let looseBase64 = ParsingOptions(rawValue: 1 << 14)

    /// White space may precede a number, and stand between the sign and the digits of an integer.
    public static let paddedScalars = ParsingOptions(rawValue: 1 << 15)

    /// White space may follow a number, and surround a date. Apple's readers refuse both.
    public static let trailingBlanks = ParsingOptions(rawValue: 1 << 16)

    /// `<key>` may stand where a value is expected, and is a string.
    public static let keyAsValue = ParsingOptions(rawValue: 1 << 17)

    /// Attributes may stand on any element, and are ignored.
    public static let attributes = ParsingOptions(rawValue: 1 << 18)

    /// Dictionaries `{CF$UID: n}` are UIDs in every document, not only in keyed archives.
    public static let uidDictionaries = ParsingOptions(rawValue: 1 << 19)

    // MARK: OpenStep

    /// Octal escapes above `\177` are characters of the NeXTSTEP encoding, as Apple's readers take
    /// them; other readers take them as Unicode. Of a number above `\377` the low eight bits count.
    /// `\376` and `\377` stand for no character and become U+FFFD.
    public static let nextStepEscapes = ParsingOptions(rawValue: 1 << 20)

    /// `\U` may have fewer than four digits, or none, and a letter or digit after `\` that means nothing
    /// stands for itself.
    public static let looseEscapes = ParsingOptions(rawValue: 1 << 21)

    /// A comment may go on to the end of the text.
    public static let unendedComment = ParsingOptions(rawValue: 1 << 22)

    /// A file of nothing but white space is an empty dictionary. A file without any byte is not. Where
    /// OpenStep is the named format, both are, and need no leniency: a strings file may have no entries.
    public static let blankText = ParsingOptions(rawValue: 1 << 23)

    /// `,` may stand between the entries of a dictionary, and nothing after the last one.
    public static let looseSeparators = ParsingOptions(rawValue: 1 << 24)

    // MARK: Sets

    /// No leniency: the default.
    public static let strict: ParsingOptions = []

    /// Everything that Apple's readers let pass and that can be read in one way only, and nothing else.
    ///
    /// Apple has several readers: those of CoreFoundation, which `plutil` and
    /// `PropertyListSerialization` use, and those of `PropertyListDecoder`. Where they differ, this is
    /// what CoreFoundation's accept. Some of it stays refused, because no XML parser reads it: U+0000
    /// by its number, `]]>` in text, and other characters than XML's white space before an integer.
    /// A single word without quotes is read where its format is given.
    public static let appleCompatible: ParsingOptions = [
        .duplicateKeys, .anyMinorVersion, .nonStringKeys, .highASCII, .unpairedSurrogates,
        .wideIntegers, .unusedGarbage, .rawControlCharacters,
        .missingPlistElement, .trailingContent, .leadingWhitespace, .looseDates, .looseBase64,
        .paddedScalars, .keyAsValue, .attributes, .uidDictionaries, .nextStepEscapes,
        .looseEscapes, .unendedComment, .blankText,
    ]

    /// The leniencies of Apple's readers, as far as their behaviour can be shown.
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
        (.looseEscapes, "looseEscapes"), (.unendedComment, "unendedComment"),
        (.blankText, "blankText"),
        (.looseSeparators, "looseSeparators"),
    ]

    /// The advice of an error that would not occur under these options together.
    var advice: PropertyListError.Recovery { .init(allowing: self) }

    /// The names of the options in the set.
    package var names: [String] { Self.allNames.filter { contains($0.0) }.map(\.1) }

    /// The names of the options in the set, separated by commas.
    public var description: String { names.joined(separator: ", ") }
}
