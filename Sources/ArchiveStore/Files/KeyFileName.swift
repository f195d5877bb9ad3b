// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

/// The conversion of keys to file names and back.
///
/// Lower-case ASCII letters, digits, `-` and `_` stay. Every other byte of the key's UTF-8 becomes
/// `%` and two lower-case hexadecimal digits. Different keys therefore have different names even on
/// file systems that ignore case or Unicode normalization. No name begins with a dot. The empty key
/// is `%`.
///
/// A name of more than 192 characters is split into folder names of that length, because file
/// systems allow at most 255: `aaa…/aaa….plist`. Folders have no extension, so no folder has the
/// name of a file.
enum KeyFileName {
    static let `extension` = ".plist"
    private static let chunk = 192
    // The maximum length of an escaped key: the maximum path length of Linux, 4096 bytes, minus
    // room for the path of the store's folder.
    private static let longest = 3072
    /// The maximum number of folders around a file within the folder of a store.
    static let deepest = longest / chunk - 1

    /// Returns the names of a key's folders within the folder of a store, and the name of its file.
    ///
    /// - Throws: `invalidName` for a key that is too long for a path.
    static func parts(for key: String) throws(StoreError) -> (folders: [String], file: String) {
        let name = escaped(key)
        guard name.count <= longest else {
            throw StoreError(
                .invalidName,
                what: "expected a key of at most \(longest) characters in its escaped form, found "
                    + "\(name.count)")
        }
        var parts: [String] = []
        for start in stride(from: 0, to: name.count, by: chunk) {
            let part = name[start..<min(start + chunk, name.count)]
            parts.append(String(decoding: part, as: UTF8.self))
        }
        let file = (parts.popLast() ?? "") + Self.extension
        return (parts, file)
    }

    /// Returns the path of a key's file within the folder of a store.
    ///
    /// - Throws: `invalidName` for a key that is too long for a path.
    static func path(for key: String) throws(StoreError) -> String {
        let (folders, file) = try parts(for: key)
        return (folders + [file]).joined(separator: "/")
    }

    private static func escaped(_ key: String) -> [UInt8] {
        if key.isEmpty { return [UInt8(ascii: "%")] }
        let digits = Array("0123456789abcdef".utf8)
        var name: [UInt8] = []
        for byte in key.utf8 {
            if isPlain(byte) {
                name.append(byte)
            } else {
                name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return name
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns whether a name is that of a folder for long keys.
    static func isPart(_ name: String) -> Bool {
        name.utf8.count == chunk && name.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "%") }
    }

    /// Returns the key of a path within the folder of a store, or nil if the path belongs to no
    /// key.
    static func key(ofPath path: String) -> String? {
        guard path.hasSuffix(Self.extension) else { return nil }
        let name = path.dropLast(Self.extension.count).filter { $0 != "/" }
        guard let bytes = unescaped(Array(name.utf8)),
            let key = String(validUTF8: bytes),
            (try? Self.path(for: key)) == path
        else { return nil }
        return key
    }

    private static func unescaped(_ name: [UInt8]) -> [UInt8]? {
        if name == [UInt8(ascii: "%")] { return [] }
        var bytes: [UInt8] = []
        var place = 0
        while place < name.count {
            if name[place] != UInt8(ascii: "%") {
                bytes.append(name[place])
                place += 1
                continue
            }
            guard place + 2 < name.count, let byte = hexadecimal(name[place + 1...place + 2])
            else { return nil }
            bytes.append(byte)
            place += 3
        }
        return bytes
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
