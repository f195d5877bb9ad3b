// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text above the values of an XML property list. Files differ in it by their age:
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
    /// The formal public identifier of the document type declaration, nil where there is none or
    /// where it has 128 bytes or more.
    public var publicIdentifier: String?
    /// The system identifier, nil where there is none or where it has 128 bytes or more.
    public var systemIdentifier: String?
    /// The version of `<plist>`, nil where there is none or where it has 16 bytes or more.
    public var version: String?

    /// The header that Apple's writer writes today.
    public static let apple = XMLHeader(
        publicIdentifier: "-//Apple//DTD PLIST 1.0//EN",
        systemIdentifier: "http://www.apple.com/DTDs/PropertyList-1.0.dtd", version: "1.0")

    static let longestVersion = 15
    static let longestIdentifier = 127
}

extension XMLHeader {
    /// The line of `<plist>`, with what Apple writes today for what is missing or would need quoting.
    var startTag: String { "<plist version=\"\(plain(version, or: Self.apple.version))\">\n" }

    /// The line of the document type declaration, in the same way.
    var documentType: String {
        let system = plain(systemIdentifier, or: Self.apple.systemIdentifier)
        if publicIdentifier == nil, systemIdentifier != nil {
            return "<!DOCTYPE plist SYSTEM \"\(system)\">\n"
        }
        let formal = plain(publicIdentifier, or: Self.apple.publicIdentifier)
        return "<!DOCTYPE plist PUBLIC \"\(formal)\" \"\(system)\">\n"
    }

    /// The text if no reader can take a part of it for markup.
    private func plain(_ text: String?, or usual: String?) -> String {
        let isPlain = text?.utf8.allSatisfy { byte in
            byte > 0x1F && byte < 0x7F && !"\"'<>&[]".utf8.contains(byte)
        }
        return (isPlain == true ? text : usual) ?? ""
    }
}
