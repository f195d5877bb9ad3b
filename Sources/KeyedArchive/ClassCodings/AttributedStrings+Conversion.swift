// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Attributes, and the classes of their values, differ between programs and systems. Only links are
// common to all, so only they are converted by default. A program converts the other attributes
// that it knows.

extension AttributedString {
    /// Creates an attributed string from an archived one, with its links (`NSLink`). Other
    /// attributes are omitted.
    ///
    /// - Parameter archived: the text and its attributes.
    /// - Throws: `KeyedArchiveError` with `valueOutOfRange` for a run that extends beyond the text,
    ///   or ends within a surrogate pair.
    /// - Complexity: Linear in the length of the text, the number of runs, and the number of
    ///   entries in the dictionaries.
    public init(_ archived: ArchivedAttributedString) throws {
        try self.init(archived) { attributes in
            var container = AttributeContainer()
            container.link = attributes.link
            return container
        }
    }

    /// Creates an attributed string from an archived one.
    ///
    /// ```swift
    /// let text = try AttributedString(archived) { attributes in
    ///     var container = AttributeContainer()
    ///     container.languageIdentifier = attributes["NSLanguage"]?.stringValue
    ///     return container
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - archived: the text and its attributes.
    ///   - attributes: converts the dictionary of a run to attributes. It is called once for a
    ///     dictionary that several runs share.
    /// - Throws: `KeyedArchiveError` with `valueOutOfRange` for a run that extends beyond the text,
    ///   or ends within a surrogate pair; the errors of `attributes`.
    /// - Complexity: Linear in the length of the text and the number of runs.
    public init(
        _ archived: ArchivedAttributedString,
        attributes: (ArchivedPairs<AnyArchived, AnyArchived>) throws -> AttributeContainer
    ) throws {
        self.init()
        var converted = ConvertedAttributes(of: archived)
        var rest = Array(archived.text.utf16)[...]
        for run in archived.runs {
            let units = rest.prefix(max(0, run.length))
            let text = String(decoding: units, as: UTF16.self)
            guard units.count == run.length, text.utf16.elementsEqual(units) else {
                throw KeyedArchiveError(
                    .valueOutOfRange,
                    what: "expected a run of at most \(rest.count) UTF-16 units that does not "
                        + "split a surrogate pair, found one of \(run.length) units",
                    recovery: "`ArchivedAttributedString` keeps the text and the runs as they are")
            }
            append(AttributedString(text, attributes: try converted.container(of: run, attributes)))
            rest = rest.dropFirst(units.count)
        }
        append(AttributedString(String(decoding: rest, as: UTF16.self)))
    }
}

/// The attributes of an archived string that have been converted, each dictionary once.
private struct ConvertedAttributes {
    /// Identifies a dictionary of the string: by its object, which may occur at several indexes, or
    /// by its index.
    private enum Source: Hashable {
        case object(ObjectIdentity)
        case index(Int)
    }

    private let archived: ArchivedAttributedString
    private var known: [Source: AttributeContainer] = [:]

    init(of archived: ArchivedAttributedString) { self.archived = archived }

    /// Returns the attributes of a run; none if it has no dictionary.
    mutating func container(
        of run: ArchivedAttributedString.Run,
        _ convert: (ArchivedPairs<AnyArchived, AnyArchived>) throws -> AttributeContainer
    ) rethrows -> AttributeContainer {
        let index = run.dictionaryIndex
        guard archived.dictionaries.indices.contains(index) else { return AttributeContainer() }
        let source =
            archived.dictionaries[index].identity.map { Source.object($0) } ?? .index(index)
        if let container = known[source] { return container }
        let container = try archived.attributes(of: run).map(convert) ?? AttributeContainer()
        known[source] = container
        return container
    }
}

extension ArchivedAttributedString {
    /// Creates archivable text from an attributed string, with its links (`NSLink`). Other
    /// attributes are omitted.
    ///
    /// - Parameters:
    ///   - string: the attributed string.
    ///   - kind: the class to archive it as.
    /// - Complexity: Linear in the length of the text and the number of runs.
    public init(_ string: AttributedString, kind: Kind = .immutable) {
        self.init(string, kind: kind) { container in
            container.link.map { ["NSLink": AnyArchived($0)] } ?? [:]
        }
    }

    /// Creates archivable text from an attributed string. Runs with equal attributes share a
    /// dictionary.
    ///
    /// - Parameters:
    ///   - string: the attributed string.
    ///   - kind: the class to archive it as.
    ///   - attributes: converts the attributes of a run to a dictionary.
    /// - Throws: the errors of `attributes`.
    /// - Complexity: Linear in the length of the text and the number of runs.
    public init(
        _ string: AttributedString, kind: Kind = .immutable,
        attributes: (AttributeContainer) throws -> [String: AnyArchived]
    ) rethrows {
        var text = "", runs: [Run] = [], dictionaries: [AnyArchived] = []
        var known: [AttributeContainer: Int] = [:]
        var isPlain = true
        for run in string.runs {
            let piece = String(string[run.range].characters)
            text += piece
            if known[run.attributes] == nil {
                known[run.attributes] = dictionaries.count
                let converted = try attributes(run.attributes)
                dictionaries.append(Self.dictionary(converted))
                isPlain = isPlain && converted.isEmpty && run.attributes == AttributeContainer()
            }
            runs.append(
                Run(length: piece.utf16.count, dictionaryIndex: known[run.attributes] ?? 0))
        }
        self.init(
            text, kind: kind, dictionaries: isPlain ? [] : dictionaries, runs: isPlain ? [] : runs)
    }

    private static func dictionary(_ attributes: [String: AnyArchived]) -> AnyArchived {
        let entries = attributes.sorted { $0.key < $1.key }
        return AnyArchived(
            ArchivedPairs(entries.map { (key: AnyArchived($0.key), value: $0.value) }))
    }
}

extension ArchivedPairs where Key == AnyArchived, Value == AnyArchived {
    /// The value of a string key; nil if there is none. Linear in the number of entries.
    public subscript(key: String) -> AnyArchived? {
        entries.first { $0.key.stringValue.map { $0.isLiterally(key) } ?? false }?.value
    }

    /// The link of a run, which is a URL or its text.
    fileprivate var link: URL? {
        let value = self["NSLink"]
        return value?.value(as: URL.self) ?? value?.stringValue.flatMap { URL(string: $0) }
    }
}
