// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Text that equals another where their scalars do, as the keys of property lists and the texts of a
/// database. Swift's strings are equal, too, where they only look the same.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
