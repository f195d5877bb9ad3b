// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Names of Swift classes as Objective-C knows them:
///
///     App.Save                 a class of a module
///     _TtC3App4Save            the same, mangled
///     _TtCC3App5Outer5Inner    App.Outer.Inner: one more kind letter for each enclosing type
///
/// The letters are C for a class, V for a structure, O for an enumeration. The length of each
/// identifier precedes it. Generic and private classes have longer names, which are not converted.
enum SwiftClassName {
    private static let prefix = "_Tt"

    /// Returns `App.Save` for `_TtC3App4Save`; nil for a name that is not mangled, or is mangled in
    /// another way.
    static func qualified(_ name: String) -> String? {
        // Few names begin with an underscore, so checking one byte rules out most of them.
        guard name.utf8.first == UInt8(ascii: "_"), name.literallyBegins(with: prefix) else {
            return nil
        }
        var rest = Array(name.utf8.dropFirst(prefix.utf8.count))[...]
        let kinds = rest.prefix { "CVO".utf8.contains($0) }.count
        guard kinds > 0 else { return nil }
        rest = rest.dropFirst(kinds)
        var identifiers: [String] = []
        while !rest.isEmpty {
            guard let identifier = identifier(&rest) else { return nil }
            identifiers.append(identifier)
        }
        return identifiers.count == kinds + 1 ? identifiers.joined(separator: ".") : nil
    }

    /// Parses an identifier: its length in decimal digits, then as many bytes.
    private static func identifier(_ rest: inout ArraySlice<UInt8>) -> String? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard digits.count <= 4, let length = Int(String(decoding: digits, as: UTF8.self)),
            length > 0, rest.count >= digits.count + length
        else { return nil }
        rest = rest.dropFirst(digits.count)
        defer { rest = rest.dropFirst(length) }
        return String(decoding: rest.prefix(length), as: UTF8.self)
    }
}
