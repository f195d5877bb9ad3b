// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The path from the root of a property list to a value in it.
public struct PropertyListPath: Sendable, Hashable {
    /// One step of a path, into a dictionary or an array.
    public enum Component: Sendable {
        /// The value of a key in a property-list dictionary, or a field of an archived object.
        case key(String)
        /// The value of a key in an archived dictionary.
        case entry(String)
        /// The element at an index, from 0. In a dictionary, the entry at that index, whose key is
        /// not a string.
        case index(Int)
    }

    /// The steps, outermost first.
    public var components: [Component]

    /// Creates a path from its steps.
    public init(_ components: [Component] = []) { self.components = components }
}

extension PropertyListPath.Component: Hashable {
    /// Returns whether two components are of the same case and have equal indices, or keys with
    /// identical scalars.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.key(let left), .key(let right)), (.entry(let left), .entry(let right)):
            left.isLiterally(right)
        case (.index(let left), .index(let right)): left == right
        default: false
        }
    }

    /// Hashes the index or the scalars of the key.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .key(let key), .entry(let key): hasher.combine(ExactText(key))
        case .index(let index): hasher.combine(index)
        }
    }
}

extension PropertyListPath: CustomStringConvertible {
    private static let longest = 100
    private static let endLength = 48

    /// The path in the notation of key paths, such as `$objects[12]."NS.objects"[3]` or
    /// `root.settings["url"]`.
    ///
    /// Keys with special characters, and keys that look like indices, are quoted. The keys of an
    /// archived dictionary are in brackets. Control characters are escaped. A path of more than
    /// about 100 characters is shortened in the middle, without formatting the omitted part.
    public var description: String {
        let head = pieces(of: components.indices).joined()
        if head.unicodeScalars.count <= Self.longest { return head }
        let tail = pieces(of: components.indices.reversed()).reversed().joined()
        return String(head.unicodeScalars.prefix(Self.endLength)) + "…"
            + String(tail.unicodeScalars.suffix(Self.endLength))
    }

    /// Returns the texts of components in the order of `indices`, stopping once they are long
    /// enough.
    private func pieces(of indices: some Sequence<Int>) -> [String] {
        var pieces: [String] = []
        var length = 0
        for index in indices where length <= Self.longest {
            let piece = piece(index)
            pieces.append(piece)
            length += piece.unicodeScalars.count
        }
        return pieces
    }

    private func piece(_ index: Int) -> String {
        switch components[index] {
        case .index(let index): "[\(index)]"
        case .key(let key): (index == 0 ? "" : ".") + KeyText.step(Self.shortened(key))
        case .entry(let key): "[" + KeyText.quoted(Self.shortened(key)) + "]"
        }
    }

    /// Returns the key without its middle part if it is too long to be shown completely.
    private static func shortened(_ key: String) -> String {
        guard key.utf8.count > 8 * longest else { return key }
        let scalars = key.unicodeScalars
        return String(scalars.prefix(longest)) + String(scalars.suffix(longest))
    }
}

/// The text of keys in the dotted notation of key paths.
package enum KeyText {
    /// Returns the text of a step to a key. The key is quoted if it has special characters or looks
    /// like an index.
    package static func step(_ key: String) -> String {
        let isNumber = key.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber || key.isLiterally("-") ? quoted(key) : name(key)
    }

    /// Returns the text of a name, which may be a key or the index of an element.
    package static func name(_ name: String) -> String { isPlain(name) ? name : quoted(name) }

    /// Returns a key in quotes.
    package static func quoted(_ key: String) -> String {
        "\"\(TerminalText.escaped(key, quoting: true))\""
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !"@/: ".utf8.contains { $0 == name.utf8.first } && name.utf8.last != 0x20
            && !name.utf8.contains { "\"\\.[]!".utf8.contains($0) }
            && TerminalText.escaped(name).isLiterally(name)
    }
}
