// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// A key that is compared with others again and again: scalar by scalar, where `==` takes canonically
/// equivalent texts for the same.
struct KnownKey {
    private let text: String
    private let isASCII: Bool

    init(_ text: String) {
        self.text = text
        isASCII = text.withUTF8Span { $0.isASCII() }
    }

    @inline(__always)
    func isSame(as key: String) -> Bool {
        // The length first, so that a long key is compared with a long one only.
        text.utf8.count == key.utf8.count && (isASCII ? text == key : text.isLiterally(key))
    }
}

/// The keys of fields, as a program knows them, that begin with `$` and are long: each is unescaped once,
/// however many objects have it.
struct FieldKeys {
    private var unescaped: [UInt32: String] = [:]

    /// The key that a string is; nil for a key of the format.
    mutating func key(
        _ node: UInt32, of table: DocumentTable, _ contents: inout LongContents
    ) -> String? {
        let text = table.string(of: node, &contents)
        guard text.utf8.first == UInt8(ascii: "$"), text.utf8.count >= LongContents.shortest else {
            return ArchiveKey.unescaped(text)
        }
        if let known = unescaped[node] { return known }
        let key = ArchiveKey.unescaped(text)
        unescaped[node] = key
        return key
    }
}

/// Keys of fields. Those that begin with `$` belong to the format, so a `$` is put before those of a
/// program that do.
enum ArchiveKey {
    static func escaped(_ key: String) -> String {
        key.utf8.first == UInt8(ascii: "$") ? "$" + key : key
    }

    /// The key as the program knows it; nil for a key of the format, such as `$class`.
    static func unescaped(_ key: String) -> String? {
        guard key.utf8.first == UInt8(ascii: "$") else { return key }
        let rest = key.dropFirst()
        return rest.utf8.first == UInt8(ascii: "$") ? String(rest) : nil
    }

    /// Whether a key is the name of a value that was written without one: `$0`, `$1`, …
    ///
    /// Among the roots such a key is used as it is, so that archives with unkeyed roots can be read and
    /// written by their keys.
    static func isUnkeyed(_ key: String) -> Bool {
        guard key.utf8.first == UInt8(ascii: "$"), (2...20).contains(key.utf8.count) else {
            return false
        }
        return key.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
