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
/// Attributes are objects of the stream. None of them is made into anything, and the text is never looked for by
/// guessing: a stream of another form is an error.
public struct AttributedText: Sendable {
    /// A run as a stream has it.
    public struct StoredRun: Sendable, Hashable {
        /// The place after the run, in UTF-16 units from the beginning of the text.
        let end: Int
        /// The number of UTF-16 units.
        public let length: Int
        /// The index of its attributes among the dictionaries of the attributed string, from 0.
        public let attributes: Int
    }

    /// A part of the text with the same attributes.
    public struct Run: Sendable, Hashable {
        /// The place of the run in the text, in UTF-16 units.
        public let utf16Range: Range<Int>
        /// The index of its attributes; equal for runs that share them.
        public let attributes: Int
    }

    /// The text.
    public let text: String

    private let stored: [StoredRun]
    private let dictionaries: [TypedStreamObject]

    /// Reads a stream whose root is an attributed string, or a string.
    ///
    /// - Parameters:
    ///   - bytes: The stream.
    ///   - limits: The limits on what the stream may ask for. The default is for streams from strangers.
    /// - Complexity: Linear.
    /// - Throws: As ``TypedStreamDocument/init(parsing:limits:)-31y9g``; `wrongKind` for a stream whose
    ///   root is no string, for runs that do not cover the text exactly or end between the halves of a character, and for
    ///   attributes that are no dictionary; `invalidString` for text that is not UTF-8.
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
        if let (text, runs, attributes) = try object.attributedText() {
            self.init(text: text, stored: runs, dictionaries: attributes)
        } else if let text = try object.string() {
            self.init(text: text, stored: [], dictionaries: [])
        } else {
            throw TypedStreamError(
                .wrongKind,
                "expected the text of an attributed string, found \(object.printableClassName)",
                at: object.byteRange.lowerBound)
        }
    }

    private init(text: String, stored: [StoredRun], dictionaries: [TypedStreamObject]) {
        self.text = text
        self.stored = stored
        self.dictionaries = dictionaries
    }
}

extension AttributedText {
    /// The runs, in order. They cover the text exactly; a string without attributes has none. Linear.
    public var runs: [Run] {
        var start = 0
        return stored.map { run in
            defer { start = run.end }
            return Run(utf16Range: start..<run.end, attributes: run.attributes)
        }
    }

    /// The place of a run of this text. Linear in the text before it, unless the text is ASCII.
    public func range(of run: Run) -> Range<String.Index> {
        let units = text.utf16
        let start = index(run.utf16Range.lowerBound, from: units.startIndex)
        return start..<index(run.utf16Range.count, from: start)
    }

    /// The index of a place beyond another, or the end of the text.
    private func index(_ distance: Int, from start: String.Index) -> String.Index {
        text.utf16.index(start, offsetBy: distance, limitedBy: text.utf16.endIndex)
            ?? text.utf16.endIndex
    }

    /// The part of the text that a run is.
    public func text(of run: Run) -> Substring { text[range(of: run)] }

    /// The attributes of a run.
    public func attributes(of run: Run) -> Attributes {
        Attributes(
            dictionary: dictionaries.indices.contains(run.attributes)
                ? dictionaries[run.attributes] : nil)
    }

    /// The attributes of a run: names with objects of the stream.
    public struct Attributes: Sendable {
        /// The dictionary in the stream.
        public let dictionary: TypedStreamObject?

        /// The entries whose keys are strings, in the order of the file.
        ///
        /// - Complexity: Linear.
        /// - Throws: `wrongKind` where the object is no dictionary of a known form.
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

        /// The names, in the order of the file; empty where the object is no dictionary.
        public var names: [String] { ((try? entries()) ?? []).map(\.name) }

        /// The object with a name, compared by its UTF-8; nil where there is none.
        public subscript(name: String) -> TypedStreamObject? {
            ((try? entries()) ?? []).first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        }
    }
}
