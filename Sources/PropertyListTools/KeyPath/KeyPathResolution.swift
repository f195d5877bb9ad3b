// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

extension PropertyListKeyPath.Step {
    /// The meaning of a step in a container of a given kind.
    package enum Selector: Sendable {
        case key(String)
        case index(Int)
        /// The position after the last element.
        case end
    }

    /// Returns the meaning of the step in a container of `kind`, or nil if it has none.
    package func selector(in kind: PropertyListKind) -> Selector? {
        switch (self, kind) {
        case (.key(let key), .dictionary), (.name(let key), .dictionary): .key(key)
        case (.index(let index), .array), (.index(let index), .set): .index(index)
        case (.name("-"), .array), (.name("-"), .set): .end
        case (.name(let name), .array), (.name(let name), .set):
            Self.index(name).map(Selector.index)
        default: nil
        }
    }

    /// Returns an array index without leading zeros, as in RFC 6901, or nil for other text.
    private static func index(_ name: String) -> Int? {
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return name.hasPrefix("0") && name != "0" ? nil : Int(name)
    }
}

extension PropertyListKeyPath {
    /// The maximum number of property lists within property lists that a path may enter.
    static let nestingLimit = 32

    /// Returns an error for a step that has no meaning in the value to which it is applied.
    func misstep(_ position: Int, in kind: PropertyListKind) -> PropertyListError {
        let what =
            switch kind {
            case .dictionary: "expected a key for a dictionary, found an index"
            case .array, .set:
                "expected an index for \(kind == .set ? "a set" : "an array"), found a key"
            default: "expected a container, found a value of kind \(kind)"
            }
        return error(.noSuchValue, at: position, what)
    }

    /// Returns an error for an index that is negative or not below `count`.
    func noIndex(_ position: Int, count: Int) -> PropertyListError {
        let what =
            switch count {
            case 0: "there are no elements"
            case 1: "expected the index 0: there is one element"
            default: "expected an index from 0 to \(count - 1): there are \(count) elements"
            }
        return error(.noSuchValue, at: position, what)
    }

    /// Returns an error for an index at which nothing can be inserted into `count` elements.
    func noInsertion(_ position: Int, count: Int) -> PropertyListError {
        error(
            .noSuchValue, at: position,
            "expected an index from 0 to \(count) for an insertion into "
                + (count == 1 ? "1 element" : "\(count) elements"))
    }

    func noKey(
        _ position: Int, _ key: String, among keys: some Sequence<String>
    ) -> PropertyListError {
        error(
            .noSuchValue, at: position, "missing key `\(TerminalText.escaped(key))`",
            recovery: Self.neighbor(of: key, among: keys).map { "there is `\($0)`" })
    }

    /// Returns an existing key that was probably meant: one that differs only in case, or by a
    /// small edit distance.
    static func neighbor(of key: String, among keys: some Sequence<String>) -> String? {
        let wanted = key.lowercased()
        guard wanted.utf8.count < 256 else { return nil }
        let known = keys.lazy.prefix(1000).filter { $0.utf8.count < 256 }
        let found =
            known.first { $0.lowercased() == wanted }
            ?? known.first { distance($0.lowercased(), wanted) <= (wanted.utf8.count > 4 ? 2 : 1) }
        return found.map { TerminalText.escaped($0) }
    }

    /// Returns the edit distance between two texts: the number of bytes to change, insert or
    /// remove. Returns 3 if their lengths differ by more than 2.
    private static func distance(_ left: String, _ right: String) -> Int {
        let first = Array(left.utf8)
        let second = Array(right.utf8)
        if abs(first.count - second.count) > 2 { return 3 }
        var row = Array(0...second.count)
        for (line, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in second.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[second.count]
    }

    func notAnArchive(_ position: Int) -> PropertyListError {
        error(
            .noSuchValue, at: position,
            "expected a keyed archive for `@`, found another property list")
    }
}

extension PropertyListDocument {
    /// Returns the value at a key path. If the path enters nested data, the value belongs to
    /// another document. Constant time for each step, plus the length of its key and the size of
    /// nested data.
    ///
    /// - Parameters:
    ///   - path: The key path of the value.
    ///   - options: The leniencies for nested property lists.
    ///   - limits: The limits for parsing each nested property list.
    /// - Returns: The value.
    /// - Throws: `noSuchValue`, located in the text of the path; `depthLimitExceeded` if the path
    ///   enters more than 32 nested property lists; the errors of parsing one of them.
    public func value(
        at path: PropertyListKeyPath, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> PropertyListNode {
        var search = KeyPathSearch(document: self, options: options, limits: limits)
        return try search.place(of: path, upTo: path.steps.count)
    }

    /// Returns the object of a keyed archive to which a UID refers, or nil if there is none.
    func archivedObject(_ number: UInt32) -> PropertyListNode? {
        Int(exactly: number).flatMap { root[ArchiveFormat.objectsKey]?[$0] }
    }
}

/// Resolves a path in a document. After a step into nested data, `document` is the nested property
/// list.
private struct KeyPathSearch: KeyPathWalk {
    var document: PropertyListDocument
    let options: ParsingOptions
    let limits: ParsingLimits
    var nesting = 0

    var rootPlace: PropertyListNode { document.root }
    var isArchive: Bool { document.looksLikeKeyedArchive }

    func kind(at node: PropertyListNode) -> PropertyListKind { node.kind }
    func uid(at node: PropertyListNode) -> UInt32? { node.uid?.value }
    func kind(of container: PropertyListNode) -> PropertyListKind { container.kind }

    func container(at node: PropertyListNode) -> PropertyListNode? {
        node.kind.isContainer ? node : nil
    }

    func place(ofKey key: String, in container: PropertyListNode) -> PropertyListNode? {
        container[key]
    }

    func keys(in container: PropertyListNode) -> [String] {
        container.dictionary?.compactMap(\.keyNode.string) ?? []
    }

    func elementCount(of container: PropertyListNode) -> Int { container.childNodes.count }

    func place(ofElement index: Int, in container: PropertyListNode) -> PropertyListNode {
        container.childNodes[index]
    }

    mutating func content(
        at node: PropertyListNode, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> PropertyListNode {
        nesting += 1
        document = try path.content(
            node.data.map(Array.init) ?? node.string.map { Array($0.utf8) }, node.kind, position,
            nesting: nesting, options: options, limits: limits)
        return document.root
    }
}

extension PropertyListKeyPath {
    /// Rejects XML in a string if it declares an encoding other than UTF-8. A string is already
    /// decoded.
    private static func checkEncoding(of document: PropertyListDocument) throws(PropertyListError) {
        if document.sourceEncoding == .utf8 { return }
        throw PropertyListError(
            .unrepresentableValue, format: document.format,
            what: "expected XML in a string to declare UTF-8 or no encoding, found another "
                + "encoding",
            recovery: "remove the encoding from the string first")
    }

    /// Parses the property list that the step at `position` enters. `bytes` is the content of data
    /// or of a string, or nil for another kind of value.
    ///
    /// - Throws: `noSuchValue` for another kind of value; `depthLimitExceeded`; the error of the
    ///   nested property list.
    package func content(
        _ bytes: [UInt8]?, _ kind: PropertyListKind, _ position: Int, nesting: Int,
        options: ParsingOptions, limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        guard let bytes else {
            throw error(
                .noSuchValue, at: position,
                "expected data or a string for `!`, found a value of kind \(kind)")
        }
        guard nesting <= Self.nestingLimit else {
            throw error(
                .depthLimitExceeded, at: position,
                "expected at most \(Self.nestingLimit) nested property lists, found \(nesting)")
        }
        do {
            let document = try PropertyListDocument(
                parsing: bytes, options: options, limits: limits)
            if kind == .string { try Self.checkEncoding(of: document) }
            return document
        } catch {
            let place = error.location.map { " at \($0)" } ?? ""
            // Advice about a wrong file does not apply to a value in a file.
            let recovery = error.recoveryCode == .searchFile ? nil : error.wholeRecovery
            throw self.error(
                error.code, at: position,
                "the \(kind) does not hold a readable property list: \(error.what)\(place)",
                recovery: recovery)
        }
    }
}
