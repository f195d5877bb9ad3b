// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

/// A key for repeated comparisons. It is compared scalar by scalar, unlike with `==`, which treats
/// canonically equivalent strings as equal.
struct KnownKey {
    private let text: String
    private let isASCII: Bool

    init(_ text: String) {
        self.text = text
        isASCII = text.withUTF8Span { $0.isASCII() }
    }

    @inline(__always)
    func isSame(as key: String) -> Bool {
        Self.haveSameBits(text, key) || isEqual(to: key)
    }

    /// Returns whether two strings have the same representation: the same short text, or the same
    /// storage. Equal strings may differ in representation.
    @inline(__always)
    private static func haveSameBits(_ left: String, _ right: String) -> Bool {
        typealias Words = (UInt, UInt)
        guard MemoryLayout<String>.size == MemoryLayout<Words>.size else { return false }
        // SAFETY: the sizes are equal, and any bits are valid integers. The integers are compared
        // and not used otherwise. Both strings live during the call, so storage at one address is
        // the same storage.
        return unsafe unsafeBitCast(left, to: Words.self) == unsafeBitCast(right, to: Words.self)
    }

    private func isEqual(to key: String) -> Bool {
        // Comparing lengths first saves most comparisons of long keys, and makes `==` exact for
        // ASCII: other strings that are canonically equivalent to an ASCII string are longer.
        text.utf8.count == key.utf8.count && (isASCII ? text == key : text.isLiterally(key))
    }
}

/// A cache of unescaped keys of fields. It contains long keys that begin with `$`, so that each is
/// unescaped once, however many objects have it.
struct FieldKeys {
    private var unescaped: [UInt32: String] = [:]

    /// Returns the unescaped key at a node; nil for a key of the format, and for a node that is not
    /// a string.
    mutating func key(
        _ node: UInt32, of table: DocumentTable, _ contents: inout LongContents
    ) -> String? {
        if table[node].kind != .string { return nil }
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

/// The escaping of keys of fields. Keys that begin with `$` belong to the format. A program's key
/// that begins with `$` is escaped by another `$` before it.
package enum ArchiveKey {
    package static func escaped(_ key: String) -> String {
        key.utf8.first == UInt8(ascii: "$") ? "$" + key : key
    }

    /// Returns the key as the program knows it; nil for a key of the format, such as `$class`.
    static func unescaped(_ key: String) -> String? {
        guard key.utf8.first == UInt8(ascii: "$") else { return key }
        let rest = key.dropFirst()
        return rest.utf8.first == UInt8(ascii: "$") ? String(rest) : nil
    }

    /// Returns whether a key is that of a value written without a key: `$0`, `$1`, …
    ///
    /// Among the roots, such keys are not escaped, so that unkeyed roots can be read and written by
    /// their keys.
    static func isUnkeyed(_ key: String) -> Bool {
        guard key.utf8.first == UInt8(ascii: "$"), (2...20).contains(key.utf8.count) else {
            return false
        }
        return key.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns the position of a value that was written without a key, such as 1 for `$1`; nil for
    /// other keys, and for a position with leading zeros, which no archiver writes.
    static func unkeyedPosition(_ key: String) -> Int? {
        guard isUnkeyed(key), let position = Int(key.dropFirst()) else { return nil }
        return ArchiveFormat.unkeyedField(position) == key ? position : nil
    }
}
