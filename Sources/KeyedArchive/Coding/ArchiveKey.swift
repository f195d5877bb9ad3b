// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

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
}
