// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text of an attributed string in a typedstream, and the attributes of its parts.
///
/// The column `attributedBody` of a database of Messages holds such streams.
///
/// ```swift
/// let message = try AttributedText(typedstream: bytes)
/// print(message.text)
/// for run in message.runs {
///     print(run.utf16Range, message.attributes(of: run).names)
/// }
/// ```
///
/// Attributes stay objects of the stream: none is instantiated. The text is read from its exact place, never searched
/// for. A stream of another structure is an error.
public struct AttributedText: Sendable {
    /// A run as a stream has it.
    public struct StoredRun: Sendable, Hashable {
        /// The end of the run, in UTF-16 code units from the beginning of the text.
        let end: Int
        /// The length in UTF-16 code units.
        public let length: Int
        /// The index of its attributes among the dictionaries of the attributed string, from 0.
        public let attributes: Int
    }

    /// A range of the text with the same attributes.
    public struct Run: Sendable, Hashable {
        /// The range of the run in the text, in UTF-16 code units.
        public let utf16Range: Range<Int>
        /// The index of its attributes; equal for runs that share them.
        public let attributes: Int
        /// The number of the dictionary of its attributes among the objects of the stream.
        fileprivate let dictionary: Int
    }

    /// The text.
    public let text: String

    /// The attributed string, whose runs are known to be valid; nil for a string without attributes.
    private let object: TypedStreamObject?

    /// Reads a stream whose root is an attributed string, or a string.
    ///
    /// - Parameters:
    ///   - bytes: The stream.
    ///   - limits: The limits to enforce. The default is for untrusted streams.
    /// - Complexity: Linear.
    /// - Throws: As ``TypedStreamDocument/init(parsing:limits:)-31y9g``; `wrongKind` for a stream whose
    ///   root is no string, and for runs that do not cover the text exactly or that split a surrogate pair;
    ///   `invalidString` for text that is not UTF-8.
    public init(
        typedstream bytes: [UInt8], limits: TypedStreamLimits = .untrusted
    ) throws(TypedStreamError) {
        try self.init(TypedStreamDocument(parsing: bytes, limits: limits))
    }

    /// Reads a stream from any sequence of bytes, of which it makes one copy.
    public init(
        typedstream bytes: some Sequence<UInt8>, limits: TypedStreamLimits = .untrusted
    ) throws(TypedStreamError) {
        try self.init(typedstream: Array(bytes), limits: limits)
    }

    /// Reads a document whose root is an attributed string, or a string.
    ///
    /// - Throws: `wrongKind` and `invalidString`, as ``init(typedstream:limits:)-6nsw7``.
    public init(_ document: TypedStreamDocument) throws(TypedStreamError) {
        guard let root = document.root else {
            throw document.problem
                ?? TypedStreamError(.wrongKind, "expected one object as the root of the stream")
        }
        try self.init(root)
    }

    /// Reads an attributed string, or a string, within a document.
    ///
    /// - Throws: `wrongKind` and `invalidString`, as ``init(typedstream:limits:)-6nsw7``.
    public init(_ object: TypedStreamObject) throws(TypedStreamError) {
        if var runs = try object.runCursor() {
            text = try object.storage.text(at: runs.textPlace)
            self.object = object
            while try runs.next() != nil {}
        } else if let text = try object.string() {
            self.text = text
            self.object = nil
        } else {
            throw TypedStreamError(
                .wrongKind,
                "expected the text of an attributed string, found \(object.printableClassName)",
                at: object.byteRange.lowerBound)
        }
    }
}

extension AttributedText {
    /// The runs, in order. They cover the text exactly. A string without attributes has none.
    ///
    /// - Complexity: Linear: the runs are read from the stream again. Keep them for repeated use.
    public var runs: [Run] {
        var runs: [Run] = []
        var dictionaries: [Int] = []
        guard var stored = try? object?.runCursor() else { return runs }
        while let (run, new) = try? stored.next() {
            if let new { dictionaries.append(new.number) }
            runs.append(
                Run(
                    utf16Range: run.end - run.length..<run.end, attributes: run.attributes,
                    dictionary: dictionaries[run.attributes]))
        }
        return runs
    }

    /// The range of a run of this text. Linear in the text before it, unless the text is ASCII.
    public func range(of run: Run) -> Range<String.Index> {
        let units = text.utf16
        let start = index(run.utf16Range.lowerBound, from: units.startIndex)
        return start..<index(run.utf16Range.count, from: start)
    }

    /// The index at a distance from another, or the end of the text.
    private func index(_ distance: Int, from start: String.Index) -> String.Index {
        text.utf16.index(start, offsetBy: distance, limitedBy: text.utf16.endIndex)
            ?? text.utf16.endIndex
    }

    /// The text of a run.
    public func text(of run: Run) -> Substring { text[range(of: run)] }

    /// The attributes of a run of this text.
    public func attributes(of run: Run) -> Attributes {
        guard let object, object.storage.tables.entries[safe: run.dictionary]?.kind == .object
        else {
            return Attributes(dictionary: nil)
        }
        return Attributes(dictionary: TypedStreamObject(object.storage, number: run.dictionary))
    }

    /// The attributes of a run: names with objects of the stream.
    public struct Attributes: Sendable {
        /// The dictionary in the stream.
        public let dictionary: TypedStreamObject?

        /// The entries whose keys are strings, in the order of the file.
        ///
        /// - Complexity: Linear.
        /// - Throws: `wrongKind` if the object is not a dictionary of a known version.
        public func entries() throws(TypedStreamError) -> [(name: String, value: TypedStreamObject)]
        {
            guard let dictionary else { return [] }
            guard case .dictionary(let entries) = try dictionary.content() else {
                throw TypedStreamError(
                    .wrongKind,
                    "expected a dictionary of attributes, found \(dictionary.printableClassName)",
                    at: dictionary.byteRange.lowerBound)
            }
            var named: [(name: String, value: TypedStreamObject)] = []
            for (key, value) in entries {
                guard let name = try key.string(), let value else { continue }
                named.append((name, value))
            }
            return named
        }

        /// The names, in the order of the file; empty if the object is not a dictionary.
        public var names: [String] { ((try? entries()) ?? []).map(\.name) }

        /// Returns the object with a name, or nil. Names are compared by their UTF-8.
        public subscript(name: String) -> TypedStreamObject? {
            ((try? entries()) ?? []).first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        }
    }
}
