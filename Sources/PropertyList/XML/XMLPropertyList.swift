// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// XML property lists. By default the text matches the output of Apple's writer byte for byte, with
/// these exceptions: the order of keys and the sign of −0.0 are kept, and so are the document type,
/// version and form of reals of an XML source.
public enum XMLPropertyList {
    /// The losses of information when writing values that XML cannot represent. A loss is an error
    /// unless it is allowed by name. Allowed losses are counted.
    public struct Losses: OptionSet, Sendable, Hashable {
        /// The bits of the set, one for each loss.
        public let rawValue: UInt64
        /// Creates a set from its bits.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Dates lose fractions of a second, which are rounded down, and the sign of zero.
        public static let fractionsOfSeconds = Losses(rawValue: 1 << 0)
        /// Reals of 32 bits are read back as 64 bits, and all NaNs as the same NaN.
        public static let realWidths = Losses(rawValue: 1 << 1)
        /// Sets become arrays.
        public static let sets = Losses(rawValue: 1 << 2)
        /// UIDs outside a keyed archive are read back as dictionaries, and dictionaries
        /// `{CF$UID: n}` inside one as UIDs.
        public static let uidDictionaries = Losses(rawValue: 1 << 3)
        /// Control characters that XML forbids, and U+FFFE and U+FFFF, are written raw, so XML
        /// parsers refuse the text.
        public static let controlCharacters = Losses(rawValue: 1 << 4)

        /// The losses that Apple's writer accepts without an error.
        public static let appleCompatible: Losses = [
            .fractionsOfSeconds, .realWidths, .uidDictionaries, .controlCharacters,
        ]
    }

    /// The text form of reals.
    public enum RealText: Sendable, Hashable {
        /// `%.17g`, like CoreFoundation: 0.1 is `0.10000000000000001`.
        case seventeenDigits
        /// The shortest text that parses as the same number, like Foundation's
        /// `PropertyListEncoder`.
        case shortest
        /// The form used in the source of an XML document, otherwise seventeen digits.
        case asInSource
    }

    /// The indentation of an element for each enclosing container.
    public enum Indentation: Sendable, Hashable {
        /// A TAB, like Apple's writers.
        case tab
        /// A number of spaces from 0 to 16. Other counts are clamped.
        case spaces(Int)
        /// No indentation. Each element still has its own line.
        case none

        static let widest = 16
    }

    /// The options for writing a document.
    public struct Options: Sendable, Hashable {
        /// A Boolean value that is true to sort keys by UTF-16 code units, like Apple's writer, and
        /// false to keep their order.
        public var sortsKeys = false
        /// The text form of reals.
        public var realText = RealText.asInSource
        /// The losses that are allowed.
        public var allowedLosses: Losses = []
        /// The indentation of elements. Deeper indentation shortens the lines of data.
        public var indentation = Indentation.tab
        /// A Boolean value that is true to write the XML declaration and the document type.
        public var hasDeclarations = true
        /// A Boolean value that is true to wrap the root in a `<plist>` element. Without it the
        /// document type is omitted too, and parsers need ``ParsingOptions/missingPlistElement``.
        public var hasPlistElement = true

        /// Creates the default options: document order, no losses allowed.
        public init() {}
    }

    /// The result of writing a document: its text and the losses.
    public struct Serialization: Sendable {
        /// The text in UTF-8.
        public var bytes: [UInt8]
        /// The allowed losses that occurred.
        public var losses: [LossCount]
    }

    /// An allowed loss that occurred.
    public struct LossCount: Sendable, Hashable {
        /// The loss.
        public var loss: Losses
        /// The number of values that it affects.
        public var count: Int
    }

    /// Serializes a document. Linear in the size of the output.
    ///
    /// The document type and version of the source are kept. −0.0 is written as `-0.0`, which
    /// Apple's parsers accept, although Apple's writer drops the sign.
    ///
    /// - Throws: `unrepresentableValue` for a loss that is not allowed, and for null, unreadable
    ///   values, keys that are not strings, U+0000, and dates outside the calendar;
    ///   `depthLimitExceeded`, `expansionLimitExceeded`, `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> Serialization {
        var writer = XMLWriter(document, options, limits)
        return try writer.write()
    }
}

extension XMLPropertyList.Losses {
    /// Returns a human-readable description of the loss, such as
    /// `3 dates lose their fractions of a second`.
    ///
    /// - Parameter count: the number of occurrences of the loss.
    /// - Returns: The description.
    public func sentence(count: Int) -> String {
        func sentence(_ one: String, _ several: String) -> String {
            "\(count) " + (count == 1 ? one : several)
        }
        return switch self {
        case .fractionsOfSeconds:
            sentence(
                "date loses its fraction of a second", "dates lose their fractions of a second")
        case .realWidths:
            sentence(
                "real loses its 32-bit width or the bits of its NaN",
                "reals lose their 32-bit width or the bits of their NaN")
        case .sets: sentence("set is written as an array", "sets are written as arrays")
        case .uidDictionaries:
            sentence(
                "UID or dictionary `{CF$UID: n}` will be read as the other kind",
                "UIDs and dictionaries `{CF$UID: n}` will be read as the other kind")
        case .controlCharacters:
            sentence(
                "string has control characters that XML forbids",
                "strings have control characters that XML forbids")
        default: sentence("loss: \(description)", "losses: \(description)")
        }
    }
}

extension XMLPropertyList.Losses: CustomStringConvertible {
    /// The human-readable names of the losses.
    public var description: String {
        let names: [(XMLPropertyList.Losses, String)] = [
            (.fractionsOfSeconds, "fractions of seconds in dates"),
            (.realWidths, "32-bit widths and NaN bits of reals"),
            (.sets, "sets, written as arrays"),
            (.uidDictionaries, "differences between UIDs and `CF$UID` dictionaries"),
            (.controlCharacters, "strings with control characters that XML forbids, written raw"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
