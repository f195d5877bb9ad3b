// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

// | class | fields |
// |---|---|
// | `NSRegularExpression` | `NSPattern`: a string; `NSOptions`: integer |
// | `NSSimpleRegularExpressionCheckingResult` (one range), `NSExtendedRegularExpressionCheckingResult` (up to seven), `NSComplexRegularExpressionCheckingResult` (more) | `NSRegularExpression`; `NSRangeArray`: an NSMutableArray of NSValues with ranges, an NSArray in the complex class; `NSRangeLocation`, `NSRangeLength`: integers, the first range |
// | `NSValue` of a range | `NS.special`: 4; `NS.rangeval.length`, `NS.rangeval.location`: an NSNumber each |
//
// Source: archives that Apple's software wrote, with one, six and nine ranges. That the extended
// class holds at most seven is inferred.

/// The pattern and the options of an `NSRegularExpression`, which is not compiled.
public struct ArchivedRegularExpression: Sendable, Hashable {
    /// The options of `NSRegularExpression`.
    public struct Options: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Matching ignores case.
        public static let caseInsensitive = Options(rawValue: 1)
        /// White space and comments in the pattern are ignored.
        public static let allowCommentsAndWhitespace = Options(rawValue: 2)
        /// The pattern is plain text.
        public static let ignoreMetacharacters = Options(rawValue: 4)
        /// A dot matches line separators too.
        public static let dotMatchesLineSeparators = Options(rawValue: 8)
        /// The anchors `^` and `$` match at the start and the end of each line.
        public static let anchorsMatchLines = Options(rawValue: 16)
        /// Only a line feed separates lines.
        public static let useUnixLineSeparators = Options(rawValue: 32)
        /// Word boundaries follow the Unicode standard.
        public static let useUnicodeWordBoundaries = Options(rawValue: 64)
    }

    /// The pattern.
    public var pattern: String
    /// The options.
    public var options: Options

    /// Creates a regular expression without checking it.
    public init(_ pattern: String, options: Options = []) {
        self.pattern = pattern
        self.options = options
    }
}

/// A match of an `NSRegularExpression`: an `NSTextCheckingResult`.
public struct ArchivedRegularExpressionMatch: Sendable, Hashable {
    /// The range of the whole match.
    public var range: ArchivedRange
    /// The ranges of the whole match and of the groups.
    public var ranges: [ArchivedRange]
    /// The regular expression. All known archives have it.
    public var regularExpression: ArchivedRegularExpression?

    /// Creates a match.
    ///
    /// - Parameters:
    ///   - range: the range of the whole match.
    ///   - ranges: the range of the whole match, then those of the groups.
    ///   - regularExpression: the regular expression.
    public init(
        range: ArchivedRange, ranges: [ArchivedRange], regularExpression: ArchivedRegularExpression?
    ) {
        self.range = range
        self.ranges = ranges
        self.regularExpression = regularExpression
    }
}

extension ClassRegistry {
    static let regularExpressionClasses = ClassRegistry(
        ArchivedRegularExpression.self, ArchivedRegularExpressionMatch.self)
}

// MARK: - Coding

extension ArchivedRegularExpression: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSRegularExpression" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(pattern, forKey: "NSPattern")
        coder.encode(options.rawValue, forKey: "NSOptions")
    }

    /// Reads the pattern and the options. Nothing is compiled.
    public init(coder: KeyedDecoder) throws {
        pattern = try coder.decode(forKey: "NSPattern")
        options = Options(rawValue: try coder.decodeInteger(forKey: "NSOptions"))
    }
}

extension ArchivedRegularExpressionMatch: KeyedCodable {
    private static let simple = "NSSimpleRegularExpressionCheckingResult"
    private static let extended = "NSExtendedRegularExpressionCheckingResult"
    private static let complex = "NSComplexRegularExpressionCheckingResult"
    // The maximum number of ranges in an extended result.
    private static let extendedCount = 7

    private static func subclass(_ name: String) -> ArchivedClass {
        ArchivedClass(name, "NSRegularExpressionCheckingResult", "NSTextCheckingResult")
    }

    public static var archivedClass: ArchivedClass { subclass(simple) }
    public static var archivedAliases: [String] { [extended, complex] }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedRegularExpression.register(in: &registry)
        ArchivedValue.register(in: &registry)
        Mutable<[AnyArchived]>.register(in: &registry)
        registry.add(Self.self)
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        let name: String =
            switch ranges.count {
            case ...1: Self.simple
            case ...Self.extendedCount: Self.extended
            default: Self.complex
            }
        let archivedClass = writer.writtenClass(Self.subclass(name), of: Self.self)
        return try writer.writeObject(of: archivedClass, fields: encode)
    }

    /// Writes the ranges and the regular expression.
    ///
    /// - Throws: `valueOutOfRange` for a range with a negative location or length.
    public func encode(with coder: KeyedEncoder) throws {
        try range.requireNotNegative()
        let values = ranges.map { ArchivedValue.range($0) }
        coder.encode(regularExpression, forKey: "NSRegularExpression")
        if ranges.count > Self.extendedCount {
            coder.encode(values, forKey: "NSRangeArray")
        } else {
            coder.encode(Mutable(values), forKey: "NSRangeArray")
        }
        coder.encode(range.archivedLocation, forKey: "NSRangeLocation")
        coder.encode(range.length, forKey: "NSRangeLength")
    }

    public init(coder: KeyedDecoder) throws {
        regularExpression = try coder.decode(forKey: "NSRegularExpression")
        ranges = try coder.decode([ArchivedValue].self, forKey: "NSRangeArray") { values in
            try values.map { try Self.range($0, of: coder.uid) }
        }
        range = try ArchivedRange(
            coder, locationKey: "NSRangeLocation", lengthKey: "NSRangeLength")
    }

    private static func range(
        _ value: ArchivedValue, of match: PropertyListUID?
    ) throws(KeyedArchiveError) -> ArchivedRange {
        if case .range(let range) = value { return range }
        throw KeyedArchiveError(
            .valueOutOfRange,
            what: "expected ranges in `NSRangeArray`, found a value of another type", object: match)
    }
}
