// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Text that is compared, ordered and hashed by its bytes in UTF-8, like the keys of property lists and
/// the texts of a database. Swift's strings are also equal where they are canonically equivalent, and
/// hashing them takes quadratic time for long sequences of combining marks.
struct ExactText: Hashable, Comparable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// Texts that may be absent, each as an exact text.
    static func all(_ texts: String?...) -> [ExactText?] { texts.map { $0.map(ExactText.init) } }

    static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.withUTF8Span { left in right.text.withUTF8Span { left.isSame(as: $0) } }
    }

    static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text.withUTF8Span { SeededHash().hash($0, salt: 0) })
    }
}
