// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The way from the root of a property list to a value in it.
public struct PropertyListPath: Sendable, Hashable {
    /// One step: into a dictionary or into an array.
    public enum Component: Sendable {
        /// The value of a key.
        case key(String)
        /// The element at an index, from 0.
        case index(Int)
    }

    /// The steps, outermost first.
    public var components: [Component]

    /// Creates a path from its steps.
    public init(_ components: [Component] = []) { self.components = components }
}

extension PropertyListPath.Component: Hashable {
    /// Returns whether both are the same index, or keys of the same scalars.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.key(let left), .key(let right)): left.isLiterally(right)
        case (.index(let left), .index(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .key(let key): hasher.combine(ExactText(key))
        case .index(let index): hasher.combine(index)
        }
    }
}

extension PropertyListPath: CustomStringConvertible {
    private static let longest = 100
    private static let endLength = 48

    /// As in `$objects[12].NS.objects[3]`: control characters are escaped, and a path of more than
    /// about 100 characters is cut in the middle. Does not look at what is cut out.
    public var description: String {
        let head = pieces(of: components.indices).joined()
        if head.unicodeScalars.count <= Self.longest { return head }
        let tail = pieces(of: components.indices.reversed()).reversed().joined()
        return String(head.unicodeScalars.prefix(Self.endLength)) + "…"
            + String(tail.unicodeScalars.suffix(Self.endLength))
    }

    /// The texts of components in the order of `indices`, until there is enough of them.
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
        case .key(let key): (index == 0 ? "" : ".") + Self.printable(key)
        }
    }

    private static func printable(_ key: String) -> String {
        if key.isEmpty { return "\"\"" }
        let scalars = key.unicodeScalars
        guard key.utf8.count > 8 * longest else { return TerminalText.escaped(key) }
        return TerminalText.escaped(String(scalars.prefix(longest)))
            + TerminalText.escaped(String(scalars.suffix(longest)))
    }
}
