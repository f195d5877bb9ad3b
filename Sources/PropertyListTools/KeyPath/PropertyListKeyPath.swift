// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// The address of a value within a property list. The first character of the text selects one of
/// three notations:
///
/// | notation | example | |
/// |---|---|---|
/// | dotted | `a.b[0]."x.y"` | `plutil`'s, with quotes and brackets |
/// | JSON Pointer | `/a/b/0/x.y` | RFC 6901: `~1` is `/`, `~0` is `~` |
/// | colons | `:a:b:0:x.y` | PlistBuddy's: `\:` is `:`, `\\` is `\` |
///
/// The dotted notation also has these forms:
/// - `a["x.y"]` is the same as `a."x.y"`; errors about archived dictionaries use this form;
/// - `[0]` is always an element and `"0"` always a key. A plain `0` is a key in a dictionary and an
///   element in an array;
/// - `!` enters data, or a string, that is itself a property list. A path in any notation follows:
///   `payload!a.b`, `payload!/a/b`;
/// - `@12` is object 12 of a keyed archive.
///
/// In a keyed archive, a step into a UID leads into the object to which it refers. `-` is the
/// position after the last element of an array. The empty path is the whole property list.
public struct PropertyListKeyPath: Sendable {
    /// A step of a key path.
    public enum Step: Sendable {
        /// The value of a key.
        case key(String)
        /// The element at an index, from 0.
        case index(Int)
        /// The value of a key in a dictionary. In an array, the element with that index, or the
        /// position after the last element for `-`.
        case name(String)
        /// The object with this number in a keyed archive.
        case object(UInt32)
        /// The property list inside data or a string.
        case content
    }

    /// The steps, from the root on.
    public let steps: [Step]
    // For error messages: the parsed text, and the offset of each step in its UTF-8.
    let source: Source?

    struct Source: Sendable {
        let text: String
        let places: [Int]
    }

    /// Creates a path from steps.
    public init(_ steps: [Step] = []) {
        self.steps = steps
        source = nil
    }

    init(_ steps: [Step], source: Source) {
        self.steps = steps
        self.source = source
    }

    /// Creates the key path of a value in a document.
    public init(_ path: PropertyListPath) {
        self.init(
            path.components.map {
                switch $0 {
                case .key(let key), .entry(let key): .key(key)
                case .index(let index): .index(index)
                }
            })
    }

    /// Parses a path in one of the three notations. Linear.
    ///
    /// - Throws: `invalidKeyPath`, located in `text`.
    public init(parsing text: String) throws(PropertyListError) {
        var parser = KeyPathParser(text)
        try parser.parse()
        self.init(parser.steps, source: Source(text: text, places: parser.places))
    }

    /// The text from which the path was parsed, or ``description`` if the path was built from
    /// steps.
    public var text: String { source?.text ?? description }

    /// Returns the path from the step at `start` on.
    func dropFirst(_ start: Int) -> PropertyListKeyPath {
        let rest = Array(steps.dropFirst(start))
        guard let source else { return PropertyListKeyPath(rest) }
        return PropertyListKeyPath(
            rest, source: Source(text: source.text, places: Array(source.places.dropFirst(start))))
    }

    /// Returns an error about the step at a position, located in the text of the path.
    func error(
        _ code: PropertyListError.Code, at position: Int, _ what: String,
        recovery: PropertyListError.Recovery? = nil
    ) -> PropertyListError {
        let location = source.map { source in
            KeyPathParser.location(
                position < source.places.count ? source.places[position] : source.text.utf8.count,
                in: source.text)
        }
        return PropertyListError(code, what: what, location: location, recovery: recovery)
    }
}

extension PropertyListKeyPath.Step: Hashable {
    /// Returns whether both steps are of one kind and have the same number or the same Unicode
    /// scalars.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.key(let left), .key(let right)), (.name(let left), .name(let right)):
            left.isLiterally(right)
        case (.index(let left), .index(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.content, .content): true
        default: false
        }
    }

    /// Hashes the text or the number of the step.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .key(let text), .name(let text): hasher.combine(ExactText(text))
        case .index(let index): hasher.combine(index)
        case .object(let number): hasher.combine(number)
        case .content: hasher.combine(0)
        }
    }
}

extension PropertyListKeyPath: Hashable {
    /// Returns whether both paths have the same steps, in any notation.
    public static func == (left: PropertyListKeyPath, right: PropertyListKeyPath) -> Bool {
        left.steps == right.steps
    }

    /// Hashes the steps.
    public func hash(into hasher: inout Hasher) { hasher.combine(steps) }
}

extension PropertyListKeyPath: CustomStringConvertible, ExpressibleByArrayLiteral {
    /// Creates a path from its steps.
    public init(arrayLiteral elements: Step...) { self.init(elements) }

    /// The path in the dotted notation. Control characters are escaped.
    ///
    /// Parsing the text gives a path with the same meaning: an unquoted key becomes a name, and a
    /// quoted name becomes a key. Two steps have no text that can be parsed: a negative index, and
    /// an object that is not the first step and does not follow ``Step/content``.
    public var description: String { KeyPathText(self).text }
}
