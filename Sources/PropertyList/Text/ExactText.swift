// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A string that is compared, ordered and hashed scalar by scalar.
///
/// `String`'s own `==` treats canonically equivalent strings as equal. It would lose one of two
/// keys that a property list or a database distinguishes, and admit a class under another name. It
/// also sorts combining marks before comparing or hashing, which takes time quadratic in their
/// number. This type is therefore used to compare and hash all strings from an input.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Wraps optional strings as exact texts.
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
    /// Returns whether both strings consist of the same scalars; see ``ExactText``. Linear.
    package func isLiterally(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withUTF8Span { text in other.withUTF8Span { text.isSame(as: $0) } }
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// Creates the case whose raw value consists of the same scalars as a text, or returns nil if
    /// there is none; see ``ExactText``. Linear in the number of cases and the length of the text.
    package init?(literally text: String) {
        guard let match = Self.allCases.first(where: { $0.rawValue.isLiterally(text) }) else {
            return nil
        }
        self = match
    }
}

extension StringProtocol {
    /// Returns whether the text begins with the scalars of `beginning`.
    package func literallyBegins(with beginning: String) -> Bool {
        utf8.starts(with: beginning.utf8)
    }

    /// Returns whether the text ends with the scalars of `end`.
    package func literallyEnds(with end: String) -> Bool {
        utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }
}
