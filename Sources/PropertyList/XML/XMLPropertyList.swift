// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// XML property lists. By default the text matches Apple's writer byte for byte.
public enum XMLPropertyList {
    /// The losses of writing XML, which has no form for some values. Each is refused unless it is
    /// allowed by its name, and counted where it is.
    public struct Losses: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Dates lose fractions of a second, rounded down, and the sign of zero.
        public static let fractionsOfSeconds = Losses(rawValue: 1 << 0)
        /// Reals of 32 bits are read back with 64, and all NaNs as one.
        public static let realWidths = Losses(rawValue: 1 << 1)
        /// Sets become arrays.
        public static let sets = Losses(rawValue: 1 << 2)
        /// UIDs outside a keyed archive are read back as dictionaries, and dictionaries
        /// `{CF$UID: n}` in one as UIDs.
        public static let uidDictionaries = Losses(rawValue: 1 << 3)
        /// Control characters that XML forbids are written raw, so that XML parsers refuse the text.
        public static let controlCharacters = Losses(rawValue: 1 << 4)

        /// The losses that Apple's writer takes without an error.
        public static let appleCompatible: Losses = [
            .fractionsOfSeconds, .realWidths, .uidDictionaries, .controlCharacters,
        ]
    }

    /// The form of reals.
    public enum RealText: Sendable, Hashable {
        /// `%.17g`, as CoreFoundation does: 0.1 is `0.10000000000000001`.
        case seventeenDigits
        /// The shortest text that reads back the same, as Foundation's `PropertyListEncoder` does.
        case shortest
        /// As the source of an XML document has them, seventeen digits otherwise.
        case asInSource
    }

    /// The indentation of an element, for each container that it is in.
    public enum Indentation: Sendable, Hashable {
        /// A TAB, as Apple's writers have it.
        case tab
        /// Spaces, from 0 to 16. Other counts are clamped.
        case spaces(Int)
        /// Nothing; each element stands on a line of its own all the same.
        case none

        static let widest = 16
    }

    /// The options for writing a document.
    public struct Options: Sendable, Hashable {
        /// A Boolean value that says whether keys are sorted by UTF-16 code units, as Apple's
        /// writer does, or keep their order.
        public var sortsKeys = false
        /// The form of reals.
        public var realText = RealText.asInSource
        /// The losses that are allowed.
        public var allowedLosses: Losses = []
        /// The indentation of elements. Lines of data get shorter with it.
        public var indentation = Indentation.tab
        /// A Boolean value that says whether the XML declaration and the document type are written.
        public var hasDeclarations = true
        /// A Boolean value that says whether the root stands in a `<plist>` element. Without it there
        /// is no document type either, and readers need ``ParsingOptions/missingPlistElement``.
        public var hasPlistElement = true

        /// The document's order, nothing lost.
        public init() {}
    }

    /// The text and what it lacks.
    public struct Serialization: Sendable {
        /// The text in UTF-8.
        public var bytes: [UInt8]
        /// The number of times that each allowed loss happened; without those that did not.
        public var losses: [(loss: Losses, count: Int)]
    }

    /// Writes a document. Linear in what is written.
    ///
    /// The source's document type and version are kept. −0.0 is written
    /// `-0.0`; Apple's writer loses the sign, its readers take it.
    ///
    /// - Throws: `unrepresentableValue` for what is lost and not allowed to be, and for null,
    ///   unreadable values, U+0000, non-finite dates; `depthLimitExceeded`,
    ///   `expansionLimitExceeded`, `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> Serialization {
        var writer = XMLWriter(document, options, limits)
        return try writer.write()
    }
}

extension XMLPropertyList.Losses {
    /// Returns a sentence for people about the loss: `3 dates lose their fractions of a second`.
    ///
    /// - Parameter count: how often one loss happened.
    /// - Returns: The sentence.
    public func sentence(count: Int) -> String {
        func sentence(_ one: String, _ several: String) -> String {
            "\(count) " + (count == 1 ? one : several)
        }
        return switch self {
        case .fractionsOfSeconds:
            sentence(
                "date loses its fraction of a second", "dates lose their fractions of a second")
        case .realWidths:
            sentence("32-bit real is written with 64 bits", "32-bit reals are written with 64 bits")
        case .sets: sentence("set is written as an array", "sets are written as arrays")
        case .uidDictionaries:
            sentence(
                "UID or dictionary `{CF$UID: n}` will be read as the other",
                "UIDs and dictionaries `{CF$UID: n}` will be read as the other")
        case .controlCharacters:
            sentence(
                "string has control characters that XML forbids",
                "strings have control characters that XML forbids")
        default: sentence("loss: \(description)", "losses: \(description)")
        }
    }
}

extension XMLPropertyList.Losses: CustomStringConvertible {
    /// The name of the loss, for people.
    public var description: String {
        let names: [(XMLPropertyList.Losses, String)] = [
            (.fractionsOfSeconds, "fractions of seconds in dates"),
            (.realWidths, "32-bit widths of reals"), (.sets, "sets, written as arrays"),
            (.uidDictionaries, "differences between UIDs and `CF$UID` dictionaries"),
            (.controlCharacters, "strings with control characters that XML forbids, written raw"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
