// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text before the values of an XML property list. It depends on the age of the file:
///
///     <!DOCTYPE plist SYSTEM "file://localhost/System/Library/DTDs/PropertyList.dtd">
///     <plist version="0.9">
///
///     <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
///     <plist version="1.0">
///
///     <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
///     <plist version="1.0">
///
/// The resource that an identifier points to is never opened.
public struct XMLHeader: Sendable, Hashable {
    /// The formal public identifier of the document type declaration. Nil if it is absent or
    /// empty, or has 128 bytes or more.
    public var publicIdentifier: String?
    /// The system identifier. Nil if it is absent or empty, or has 128 bytes or more.
    public var systemIdentifier: String?
    /// The version of `<plist>`. Nil if it is absent or has 16 bytes or more.
    public var version: String?

    /// The header of Apple's current writer.
    public static let apple = XMLHeader(
        publicIdentifier: "-//Apple//DTD PLIST 1.0//EN",
        systemIdentifier: "http://www.apple.com/DTDs/PropertyList-1.0.dtd", version: "1.0")

    static let longestVersion = 15
    static let longestIdentifier = 127
}

extension XMLHeader {
    /// The line with the `<plist>` tag. Apple's current version is used if the version is missing,
    /// is not printable ASCII, or contains markup characters.
    var startTag: String { "<plist version=\"\(plain(version, or: Self.apple.version))\">\n" }

    /// The line with the document type declaration. Apple's current identifiers replace those that
    /// are missing or unsuitable, as for ``startTag``. If the header has only a system identifier,
    /// no public identifier is added.
    var documentType: String {
        let system = plain(systemIdentifier, or: Self.apple.systemIdentifier)
        if publicIdentifier == nil, systemIdentifier != nil {
            return "<!DOCTYPE plist SYSTEM \"\(system)\">\n"
        }
        let formal = plain(publicIdentifier, or: Self.apple.publicIdentifier)
        return "<!DOCTYPE plist PUBLIC \"\(formal)\" \"\(system)\">\n"
    }

    /// Returns the text if it is printable ASCII without markup characters, and otherwise `usual`.
    private func plain(_ text: String?, or usual: String?) -> String {
        let isPlain = text?.utf8.allSatisfy { byte in
            byte > 0x1F && byte < 0x7F && !"\"'<>&[]".utf8.contains(byte)
        }
        return (isPlain == true ? text : usual) ?? ""
    }
}
