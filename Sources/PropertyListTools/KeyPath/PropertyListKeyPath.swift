// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// The address of a value, as people write it. Three notations, told apart by the first character:
///
/// | notation | example | |
/// |---|---|---|
/// | dotted | `a.b[0]."x.y"` | `plutil`'s, with quotes and brackets |
/// | JSON Pointer | `/a/b/0/x.y` | RFC 6901: `~1` is `/`, `~0` is `~` |
/// | colons | `:a:b:0:x.y` | PlistBuddy's: `\:` is `:`, `\\` is `\` |
///
/// In the dotted notation also:
/// - `a["x.y"]` is `a."x.y"`, as errors about archived dictionaries have it;
/// - `[0]` is an element and `"0"` a key, while a plain `0` is what the container has: a key of a
///   dictionary, an element of an array;
/// - `!` goes into data, or a string, that is a property list itself; what follows is a path in any
///   notation: `payload!a.b`, `payload!/a/b`;
/// - `@12` is object 12 of a keyed archive.
///
/// In a keyed archive a step into a UID is a step into the object it refers to. `-` is the place
/// after the last element of an array. The empty path is the whole property list.
public struct PropertyListKeyPath: Sendable {
    /// One step.
    public enum Step: Sendable {
        /// The value of a key.
        case key(String)
        /// The element at an index, from 0.
        case index(Int)
        /// The value of a key in a dictionary; in an array the element of that number, or the place
        /// after the last for `-`.
        case name(String)
        /// The object of a keyed archive with that number.
        case object(UInt32)
        /// The property list that data, or a string, hold.
        case content
    }

    /// The steps, from the root on.
    public let steps: [Step]
    // For messages: the text that was parsed, and where in its UTF-8 each step begins.
    let source: Source?

    struct Source: Sendable {
        let text: String
        let places: [Int]
    }

    /// A path of steps.
    public init(_ steps: [Step] = []) {
        self.steps = steps
        source = nil
    }

    init(_ steps: [Step], source: Source) {
        self.steps = steps
        self.source = source
    }

    /// The path of a value in a document.
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
    /// - Throws: `invalidKeyPath`, with the place in `text`.
    public init(parsing text: String) throws(PropertyListError) {
        var parser = KeyPathParser(text)
        try parser.parse()
        self.init(parser.steps, source: Source(text: text, places: parser.places))
    }

    /// The text the path was parsed from; of one that was built, ``description``.
    public var text: String { source?.text ?? description }

    /// The path from the step at `start` on.
    func dropFirst(_ start: Int) -> PropertyListKeyPath {
        let rest = Array(steps.dropFirst(start))
        guard let source else { return PropertyListKeyPath(rest) }
        return PropertyListKeyPath(
            rest, source: Source(text: source.text, places: Array(source.places.dropFirst(start))))
    }

    /// An error about the step at a position, with its place in the text.
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
    /// Returns whether both are of one kind, with the same number or the same scalars.
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
    /// Returns whether both have the same steps, however they were written.
    public static func == (left: PropertyListKeyPath, right: PropertyListKeyPath) -> Bool {
        left.steps == right.steps
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(steps) }
}

extension PropertyListKeyPath: CustomStringConvertible, ExpressibleByArrayLiteral {
    /// Creates a path from its steps.
    public init(arrayLiteral elements: Step...) { self.init(elements) }

    /// The path in the dotted notation; parsing it gives the same path, but that a name in quotes is
    /// a key. Control characters are escaped.
    public var description: String { KeyPathText(self).text }
}
