// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSAttributedString` | `NSString`: the text; `NSAttributes`: absent for text without attributes, a dictionary if it applies to all of the text, otherwise an NSMutableArray of dictionaries; `NSAttributeInfo`, only with such an array: an NSMutableData of runs |
// | `NSMutableAttributedString` | the same; the text is an NSMutableString |
// | `NSTextStorage` | the same as the mutable one; `NSDelegate`: nil |
//
// The runs are pairs of integers in unsigned LEB128: the number of UTF-16 code units, then the
// index of a dictionary in the array.
//
// Source: archives that Apple's software wrote.

/// An `NSAttributedString`, `NSMutableAttributedString` or `NSTextStorage`: text and the attributes
/// of its parts.
///
/// Dictionaries are kept as the archive has them. Equal ones are not merged.
public struct ArchivedAttributedString {
    /// The class that the text is archived as.
    public enum Kind: Sendable, Hashable {
        /// `NSAttributedString`.
        case immutable
        /// `NSMutableAttributedString`.
        case mutable
        /// `NSTextStorage`. Its delegate, an object of the program, is not kept.
        case textStorage
    }

    /// A part of the text with the same attributes.
    public struct Run: Sendable, Hashable {
        /// The number of UTF-16 code units.
        public var length: Int
        /// The index of the run's attributes in ``ArchivedAttributedString/dictionaries``.
        public var dictionaryIndex: Int

        /// Creates a run.
        public init(length: Int, dictionaryIndex: Int) {
            self.length = length
            self.dictionaryIndex = dictionaryIndex
        }
    }

    /// The class that the text is archived as.
    public var kind: Kind
    /// The text as it is in the archive: a `String` or a `Mutable<String>`; nil if there is none.
    public let content: AnyArchived?
    /// The attributes of the runs, each an NSDictionary.
    public var dictionaries: [AnyArchived]
    /// The parts of the text, in order. They cover it exactly, unless there are no dictionaries.
    public var runs: [Run]

    /// Creates text without attributes.
    public init(_ text: String, kind: Kind = .immutable) {
        self.init(text, kind: kind, dictionaries: [], runs: [])
    }

    /// Creates text with the same attributes everywhere.
    public init(
        _ text: String, kind: Kind = .immutable,
        attributes: ArchivedPairs<AnyArchived, AnyArchived>
    ) {
        let runs = text.isEmpty ? [] : [Run(length: text.utf16.count, dictionaryIndex: 0)]
        self.init(
            text, kind: kind, dictionaries: [AnyArchived(attributes)], runs: runs)
    }

    /// Creates text whose runs have different attributes.
    public init(
        _ text: String, kind: Kind = .immutable, dictionaries: [AnyArchived], runs: [Run]
    ) {
        self.kind = kind
        content = kind == .immutable ? AnyArchived(text) : AnyArchived(Mutable(text))
        self.dictionaries = dictionaries
        self.runs = runs
    }

    /// The text.
    public var text: String { content?.value(as: String.self) ?? "" }

    /// Returns the attributes of a run; nil if it has none, or its dictionary is of another type.
    public func attributes(of run: Run) -> ArchivedPairs<AnyArchived, AnyArchived>? {
        guard dictionaries.indices.contains(run.dictionaryIndex) else { return nil }
        return dictionaries[run.dictionaryIndex].value(as: Attributes.self)
    }
}

extension ClassRegistry {
    static let attributedStringClasses = ClassRegistry(ArchivedAttributedString.self)
}

// MARK: - Classes

extension ArchivedAttributedString.Kind {
    fileprivate init(archivedName: String?) {
        switch archivedName {
        case "NSMutableAttributedString": self = .mutable
        case "NSTextStorage": self = .textStorage
        default: self = .immutable
        }
    }

    fileprivate var archivedClass: ArchivedClass {
        let immutable = ArchivedAttributedString.archivedClass
        let mutable = immutable.subclass("NSMutableAttributedString")
        return switch self {
        case .immutable: immutable
        case .mutable: mutable
        case .textStorage: mutable.subclass("NSTextStorage")
        }
    }
}

extension ArchivedAttributedString: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSAttributedString" }
    public static var archivedAliases: [String] { ["NSMutableAttributedString", "NSTextStorage"] }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<String>.register(in: &registry)
        Mutable<Data>.register(in: &registry)
        Mutable<[AnyArchived]>.register(in: &registry)
        Mutable<ArchivedPairs<AnyArchived, AnyArchived>>.register(in: &registry)
        registry.add(Self.self)
    }

    private typealias Attributes = ArchivedPairs<AnyArchived, AnyArchived>

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        let archivedClass = writer.writtenClass(kind.archivedClass, of: Self.self)
        return try writer.writeObject(of: archivedClass, fields: encode)
    }

    /// Writes the text and its attributes.
    ///
    /// - Throws: `misuse` for an empty run, runs that do not cover the text exactly, or the index
    ///   of a dictionary that does not exist.
    public func encode(with coder: KeyedEncoder) throws {
        let table = try packedRuns()
        coder.encode(content, forKey: "NSString")
        if let table {
            coder.encode(Mutable(dictionaries), forKey: "NSAttributes")
            coder.encode(Mutable(table), forKey: "NSAttributeInfo")
        } else {
            coder.encodeIfPresent(dictionaries.first, forKey: "NSAttributes")
        }
        if kind == .textStorage { coder.encode(AnyArchived?.none, forKey: "NSDelegate") }
    }

    public init(coder: KeyedDecoder) throws {
        kind = Kind(archivedName: coder.archivedClass?.name)
        content = try coder.decodeAnyArchived(of: String.self, forKey: "NSString")
        dictionaries = []
        runs = []
        if content != nil, content?.value(as: String.self) == nil {
            throw KeyedArchiveError(
                .wrongType, what: "expected a string in `NSString`, found another object",
                object: coder.uid)
        }
        if let info = try coder.decodeObject(of: Data.self, forKey: "NSAttributeInfo") {
            dictionaries = try coder.decode([Kept<Attributes>].self, forKey: "NSAttributes") {
                $0.map(\.object)
            }
            runs = try readRuns(info, coder)
        } else if let dictionary = try coder.decodeAnyArchived(
            of: Attributes.self, forKey: "NSAttributes")
        {
            dictionaries = [dictionary]
            let units = text.utf16.count
            if units > 0 { runs = [Run(length: units, dictionaryIndex: 0)] }
        }
    }
}

// MARK: - Runs

extension ArchivedAttributedString {
    /// The parsed runs, in a form that several objects can share.
    private struct RunTable {
        var runs: [Run] = []
        var units = 0
        /// The highest index of a dictionary plus one.
        var dictionaryCount = 0
    }

    /// Returns the runs, which must cover the text exactly.
    private func readRuns(_ info: Data, _ coder: KeyedDecoder) throws -> [Run] {
        let table = try coder.reader.parsed(info) { try runTable(info, coder.uid) }
        if table.units == text.utf16.count, table.dictionaryCount <= dictionaries.count {
            return table.runs
        }
        // The runs were parsed for another object and do not fit this one. They are parsed again to
        // report the first run that does not fit.
        try coder.reader.charge(LongContents.cost(of: info.count))
        return try runTable(info, coder.uid).runs
    }

    private func runTable(_ info: Data, _ object: PropertyListUID?) throws -> RunTable {
        var packed = PackedRuns(info)
        var table = RunTable()
        var rest = text.utf16.count
        while let length = try packed.next(object) {
            guard let index = try packed.next(object) else {
                throw KeyedArchiveError(
                    .malformedObject, what: "a run has a length but no attributes", object: object)
            }
            let run = try run(length, index, rest, object)
            rest &-= run.length
            table.units &+= run.length
            table.dictionaryCount = max(table.dictionaryCount, run.dictionaryIndex &+ 1)
            table.runs.append(run)
        }
        guard rest == 0 else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected runs that cover the text, found \(rest) UTF-16 units without a run",
                object: object)
        }
        return table
    }

    /// Checks and returns a run. `rest` is the number of UTF-16 code units without a run so far.
    private func run(
        _ length: UInt64, _ index: UInt64, _ rest: Int, _ object: PropertyListUID?
    ) throws(KeyedArchiveError) -> Run {
        guard rest > 0 else {
            throw KeyedArchiveError(.valueOutOfRange, what: furtherRun, object: object)
        }
        guard let units = Int(exactly: length), units > 0, units <= rest else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected a run of at least 1 and at most \(rest) UTF-16 units, found "
                    + "\(length)",
                object: object)
        }
        guard let dictionary = Int(exactly: index), dictionary < dictionaries.count else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: dictionaries.isEmpty
                    ? Self.runWithoutDictionaries(units)
                    : "expected an attribute dictionary index below \(dictionaries.count), "
                        + "found \(index)",
                object: object)
        }
        return Run(length: units, dictionaryIndex: dictionary)
    }

    /// The error text for a run of a string without attribute dictionaries.
    private static func runWithoutDictionaries(_ units: Int) -> String {
        "expected no runs in a string without attribute dictionaries, found a run of \(units) UTF-16 "
            + "units"
    }

    /// The error text for a run after the end of the text.
    private var furtherRun: String {
        "expected runs of \(text.utf16.count) UTF-16 units in total, found a further run"
    }

    /// Checks the runs and returns them in packed form; nil if they need no table, because there is
    /// at most one run and at most one dictionary.
    ///
    /// - Throws: `misuse`, as ``encode(with:)`` does.
    private func packedRuns() throws -> Data? {
        if dictionaries.isEmpty {
            guard let run = runs.first else { return nil }
            throw KeyedArchiveError(.misuse, what: Self.runWithoutDictionaries(run.length))
        }
        var rest = text.utf16.count
        var packed = PackedRuns()
        for run in runs {
            guard rest > 0 else { throw KeyedArchiveError(.misuse, what: furtherRun) }
            guard run.length > 0, run.length <= rest,
                dictionaries.indices.contains(run.dictionaryIndex)
            else {
                throw KeyedArchiveError(
                    .misuse,
                    what: "expected a run of 1 to \(rest) UTF-16 units with a dictionary index "
                        + "below \(dictionaries.count), found \(run.length) units and index "
                        + "\(run.dictionaryIndex)")
            }
            rest &-= run.length
            packed.append(run.length)
            packed.append(run.dictionaryIndex)
        }
        guard rest == 0 else {
            throw KeyedArchiveError(
                .misuse,
                what: "expected runs that cover the text, found \(rest) UTF-16 units without a run")
        }
        return dictionaries.count == 1 && runs.count <= 1 ? nil : Data(packed.bytes)
    }
}

/// The packed runs: integers of up to 64 bits in unsigned LEB128.
private struct PackedRuns {
    var bytes: [UInt8]
    private var place = 0

    init(_ data: Data = Data()) { bytes = Array(data) }

    /// Returns the next integer; nil at the end.
    ///
    /// - Throws: `malformedObject` if the data ends within an integer; `valueOutOfRange` for an
    ///   integer of more than 64 bits.
    mutating func next(_ object: PropertyListUID?) throws(KeyedArchiveError) -> UInt64? {
        if place >= bytes.count { return nil }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while place < bytes.count {
            let byte = UInt64(bytes[place])
            place &+= 1
            let bits = byte & 0x7F
            if shift > 63 || (shift == 63 && bits > 1) {
                throw KeyedArchiveError(
                    .valueOutOfRange, what: "an integer of `NSAttributeInfo` has more than 64 bits",
                    object: object)
            }
            value |= bits << shift
            if byte & 0x80 == 0 { return value }
            shift &+= 7
        }
        throw KeyedArchiveError(
            .malformedObject, what: "`NSAttributeInfo` ends within an integer", object: object)
    }

    mutating func append(_ value: Int) {
        var rest = UInt64(bitPattern: Int64(value))
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
