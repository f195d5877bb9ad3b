// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A text that is compared, ordered and hashed scalar by scalar.
///
/// `String`'s own `==` takes canonically equivalent texts for the same: it would lose one of two keys
/// that a property list or a database keeps apart, and let in a class by a name that is not its own. It
/// also puts combining marks in order before it compares or hashes them, which takes time that grows with
/// the square of their number. So this type compares and hashes all texts of an input.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Texts that may be absent, each as an exact text.
    package static func all(_ texts: String?...) -> [ExactText?] {
        texts.map { $0.map(ExactText.init(_:)) }
    }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.isLiterally(right.text)
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text.withUTF8Span { SeededHash().hash($0, salt: 0) })
    }
}

extension ExactText: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension String {
    /// Returns whether both texts are the same scalars; see ``ExactText``. Linear.
    package func isLiterally(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withUTF8Span { text in other.withUTF8Span { text.isSame(as: $0) } }
    }
}

extension StringProtocol {
    /// Returns whether the text begins with these scalars.
    package func literallyBegins(with beginning: String) -> Bool {
        utf8.starts(with: beginning.utf8)
    }

    /// Returns whether the text ends in these scalars.
    package func literallyEnds(with end: String) -> Bool {
        utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }
}
