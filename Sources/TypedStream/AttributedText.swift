// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text of an attributed string in a typedstream, with its attributes.
///
/// The Messages database stores such streams in the column `attributedBody`.
///
/// ```swift
/// let message = try AttributedText(typedstream: bytes)
/// print(message.text)
/// for run in message.runs {
///     print(run.utf16Range, message.attributes(of: run).names)
/// }
/// ```
///
/// Attributes remain objects of the stream; none is instantiated. The text is read from its exact
/// location, not searched for. A stream with another structure is an error.
public struct AttributedText: Sendable {
    /// A run as it is stored in a stream.
    public struct StoredRun: Sendable, Hashable {
        /// The end of the run, in UTF-16 code units from the beginning of the text.
        let end: Int
        /// The length of the run, in UTF-16 code units.
        public let length: Int
        /// The index of the run's attributes among the dictionaries of the attributed string,
        /// counted from 0.
        public let attributes: Int
    }

    /// A range of the text with the same attributes.
    public struct Run: Sendable, Hashable {
        /// The range of the run in the text, in UTF-16 code units.
        public let utf16Range: Range<Int>
        /// The index of the run's attributes. Runs that share attributes have the same index.
        public let attributes: Int
        /// The index of the run's attribute dictionary in the object table.
        fileprivate let dictionary: Int
    }

    /// The text.
    public let text: String

    /// The attributed string, whose runs have been validated, or nil if the text is that of a plain
    /// string.
    private let object: TypedStreamObject?

    /// Reads a stream whose root is an attributed string or a string.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the stream.
    ///   - limits: The limits to enforce. The default is for untrusted streams.
    /// - Complexity: Linear.
    /// - Throws: The errors of ``TypedStreamDocument/init(parsing:limits:)-31y9g``. `wrongKind` if
    ///   the root is neither an attributed string nor a string, if it is a nil string, if the text
    ///   of an attributed string is an object of another class, or if runs do not cover the text
    ///   exactly or split a surrogate pair. `invalidString` for text that is not UTF-8.
    public init(
        typedstream bytes: [UInt8], limits: TypedStreamLimits = .untrusted
    ) throws(TypedStreamError) {
        try self.init(TypedStreamDocument(parsing: bytes, limits: limits))
    }

    /// Reads a stream from any sequence of bytes, which is copied once.
    public init(
        typedstream bytes: some Sequence<UInt8>, limits: TypedStreamLimits = .untrusted
    ) throws(TypedStreamError) {
        try self.init(typedstream: Array(bytes), limits: limits)
    }

    /// Reads a document whose root is an attributed string or a string.
    ///
    /// - Throws: `wrongKind` and `invalidString`, like ``init(typedstream:limits:)-6nsw7``, and
    ///   ``TypedStreamDocument/problem`` for a salvaged document.
    public init(_ document: TypedStreamDocument) throws(TypedStreamError) {
        guard let root = document.root else {
            throw document.problem
                ?? TypedStreamError(.wrongKind, "expected one object as the root of the stream")
        }
        try self.init(root)
    }

    /// Reads an attributed string or a string in a document.
    ///
    /// - Throws: `wrongKind` and `invalidString`, like ``init(typedstream:limits:)-6nsw7``, and
    ///   ``TypedStreamDocument/problem`` if a salvaged document ends within the object.
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
                "expected a string or an attributed string, found \(object.printableClassName)",
                at: object.byteRange.lowerBound)
        }
    }
}

extension AttributedText {
    /// The runs, in order. They cover the text exactly. A string without attributes has none.
    ///
    /// - Complexity: Linear, because the runs are read from the stream each time. Keep the result
    ///   for repeated use.
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

    /// Returns the range of a run in the text.
    ///
    /// - Complexity: Linear in the length of the text before the run, unless the text is ASCII.
    public func range(of run: Run) -> Range<String.Index> {
        let units = text.utf16
        let start = index(run.utf16Range.lowerBound, from: units.startIndex)
        return start..<index(run.utf16Range.count, from: start)
    }

    /// Returns the index that is `distance` UTF-16 code units after `start`, or the end of the
    /// text.
    private func index(_ distance: Int, from start: String.Index) -> String.Index {
        text.utf16.index(start, offsetBy: distance, limitedBy: text.utf16.endIndex)
            ?? text.utf16.endIndex
    }

    /// Returns the text of a run.
    public func text(of run: Run) -> Substring { text[range(of: run)] }

    /// Returns the attributes of a run.
    public func attributes(of run: Run) -> Attributes {
        guard let object, object.storage.tables.entries[safe: run.dictionary]?.kind == .object
        else {
            return Attributes(dictionary: nil)
        }
        return Attributes(dictionary: TypedStreamObject(object.storage, number: run.dictionary))
    }

    /// The attributes of a run, which are objects of the stream keyed by name.
    public struct Attributes: Sendable {
        /// The dictionary in the stream.
        public let dictionary: TypedStreamObject?

        /// The entries whose keys are strings, in the order of the file.
        ///
        /// - Complexity: Linear.
        /// - Throws: `wrongKind` if the object is not a dictionary of a known version, and the
        ///   errors of ``TypedStreamObject/content()`` for the dictionary and its keys.
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

        /// The names, in the order of the file, or an empty array if the object is not a
        /// dictionary.
        public var names: [String] { ((try? entries()) ?? []).map(\.name) }

        /// Returns the object for a name, or nil if there is none. Names are compared by their
        /// UTF-8 bytes.
        public subscript(name: String) -> TypedStreamObject? {
            ((try? entries()) ?? []).first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        }
    }
}
