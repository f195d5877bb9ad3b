// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

extension PropertyListKeyPath.Step {
    /// What a step means in a container of a kind.
    enum Selector: Sendable {
        case key(String)
        case index(Int)
        /// After the last element.
        case end
    }

    /// What the step means in a container of `kind`; nil where it means nothing there.
    func selector(in kind: PropertyListKind) -> Selector? {
        switch (self, kind) {
        case (.key(let key), .dictionary), (.name(let key), .dictionary): .key(key)
        case (.index(let index), .array), (.index(let index), .set): .index(index)
        case (.name("-"), .array), (.name("-"), .set): .end
        case (.name(let name), .array), (.name(let name), .set):
            Self.index(name).map(Selector.index)
        default: nil
        }
    }

    /// A number without leading zeros, as in RFC 6901.
    private static func index(_ name: String) -> Int? {
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return name.hasPrefix("0") && name != "0" ? nil : Int(name)
    }
}

extension PropertyListKeyPath {
    /// How many property lists within property lists a path may go into.
    static let nestingLimit = 32

    /// An error about a step that means nothing in the value it is taken from.
    func misstep(_ position: Int, in kind: PropertyListKind) -> PropertyListError {
        let what =
            switch kind {
            case .dictionary: "a dictionary has keys, not indices"
            case .array, .set:
                "an \(kind == .set ? "element of a set" : "array's element") "
                    + "is found by its number"
            default: "a value of kind \(kind) holds no others"
            }
        return error(.noSuchValue, at: position, what)
    }

    func noIndex(_ position: Int, count: Int) -> PropertyListError {
        let what =
            switch count {
            case 0: "the array is empty"
            case 1: "there is one element, [0]"
            default: "there are \(count) elements, counted from 0"
            }
        return error(.noSuchValue, at: position, what)
    }

    func noKey(
        _ position: Int, _ key: String, among keys: some Sequence<String>
    ) -> PropertyListError {
        error(
            .noSuchValue, at: position, "there is no key `\(TerminalText.escaped(key))`",
            recovery: Self.neighbour(of: key, among: keys).map { "there is `\($0)`" })
    }

    /// A key that may have been meant: the same but for case, or the beginning of one or the other.
    static func neighbour(of key: String, among keys: some Sequence<String>) -> String? {
        let wanted = key.lowercased()
        guard wanted.utf8.count < 256 else { return nil }
        let known = keys.lazy.prefix(1000).filter { $0.utf8.count < 256 }
        let found =
            known.first { $0.lowercased() == wanted }
            ?? known.first { distance($0.lowercased(), wanted) <= (wanted.utf8.count > 4 ? 2 : 1) }
        return found.map { TerminalText.escaped($0) }
    }

    /// How many letters have to be changed, added or left out to turn one text into the other.
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
        error(.noSuchValue, at: position, "`@` needs a keyed archive, which this is not")
    }
}

extension PropertyListDocument {
    /// The value at a key path; of another document where the path goes into nested data. Constant time
    /// for each step, beside the length of its key and the size of nested data.
    ///
    /// - Parameters:
    ///   - path: the address.
    ///   - options: leniencies for nested property lists.
    ///   - limits: how much a nested property list may ask for.
    /// - Throws: `noSuchValue`, with the place in the path; what a nested property list is refused for.
    public func value(
        at path: PropertyListKeyPath, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> PropertyListNode {
        var search = KeyPathSearch(path: path, document: self, options: options, limits: limits)
        return try search.run()
    }

    /// The value of a UID of a keyed archive, or nil.
    func archivedObject(_ number: UInt32) -> PropertyListNode? {
        root["$objects"]?[Int(number)]
    }
}

/// Follows a path from value to value.
private struct KeyPathSearch {
    let path: PropertyListKeyPath
    var document: PropertyListDocument
    let options: ParsingOptions
    let limits: ParsingLimits
    private var nesting = 0

    init(
        path: PropertyListKeyPath, document: PropertyListDocument, options: ParsingOptions,
        limits: ParsingLimits
    ) {
        self.path = path
        self.document = document
        self.options = options
        self.limits = limits
    }

    mutating func run() throws(PropertyListError) -> PropertyListNode {
        var node = document.root
        for position in path.steps.indices {
            switch path.steps[position] {
            case .object(let number): node = try object(number, position)
            case .content: node = try content(of: node, position)
            default: node = try child(of: followed(node), position)
            }
        }
        return node
    }

    private func object(
        _ number: UInt32, _ position: Int
    ) throws(PropertyListError) -> PropertyListNode {
        guard document.looksLikeKeyedArchive, let objects = document.root["$objects"]?.array else {
            throw path.notAnArchive(position)
        }
        guard Int(number) < objects.count else {
            throw path.noIndex(position, count: objects.count)
        }
        return objects[Int(number)]
    }

    private func followed(_ node: PropertyListNode) -> PropertyListNode {
        guard let uid = node.uid, document.looksLikeKeyedArchive else { return node }
        return document.archivedObject(uid.value) ?? node
    }

    private func child(
        of node: PropertyListNode, _ position: Int
    ) throws(PropertyListError) -> PropertyListNode {
        switch path.steps[position].selector(in: node.kind) {
        case .key(let key):
            guard let value = node[key] else {
                throw path.noKey(
                    position, key, among: (node.dictionary.map(Array.init) ?? []).map(\.key))
            }
            return value
        case .index(let index):
            let elements = node.childNodes
            guard index < elements.count else {
                throw path.noIndex(position, count: elements.count)
            }
            return elements[index]
        case .end: throw path.noIndex(position, count: node.childNodes.count)
        case nil: throw path.misstep(position, in: node.kind)
        }
    }

    private mutating func content(
        of node: PropertyListNode, _ position: Int
    ) throws(PropertyListError) -> PropertyListNode {
        nesting += 1
        document = try path.content(
            node.data.map(Array.init) ?? node.string.map { Array($0.utf8) }, node.kind, position,
            nesting: nesting, options: options, limits: limits)
        return document.root
    }
}

extension PropertyListKeyPath {
    /// Refuses XML in a string that says it is in another encoding: a string is text, and has none.
    private static func checkEncoding(of document: PropertyListDocument) throws(PropertyListError) {
        if document.sourceEncoding == .utf8 { return }
        throw PropertyListError(
            .unrepresentableValue, format: document.format,
            what: "it names an encoding other than UTF-8, but a string is text already",
            recovery: "set the string without the encoding first")
    }

    /// The property list in the bytes of data or of a string, into which the step at `position` goes.
    ///
    /// - Throws: `noSuchValue` for another kind of value; the error of the nested property list.
    func content(
        _ bytes: [UInt8]?, _ kind: PropertyListKind, _ position: Int, nesting: Int,
        options: ParsingOptions, limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        guard let bytes else {
            throw error(
                .noSuchValue, at: position,
                "`!` goes into data or a string, this is of kind \(kind)")
        }
        guard nesting <= Self.nestingLimit else {
            throw error(
                .depthLimitExceeded, at: position,
                "\(nesting) property lists within each other, \(Self.nestingLimit) are allowed")
        }
        do {
            let document = try PropertyListDocument(
                parsing: bytes, options: options, limits: limits)
            if kind == .string { try Self.checkEncoding(of: document) }
            return document
        } catch {
            let place = error.location.map { " at \($0)" } ?? ""
            throw self.error(
                error.code, at: position,
                "the \(kind) holds no property list that can be read: \(error.what)\(place)",
                recovery: error.recovery)
        }
    }
}
