// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The document type declaration of an XML property list. Files differ in it by their age:
///
///     <!DOCTYPE plist SYSTEM "file://localhost/System/Library/DTDs/PropertyList.dtd">
///     <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
///     <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
///
/// What an identifier points to is never opened.
public struct XMLDocumentType: Sendable, Hashable {
    /// The formal public identifier, nil where there is none or where it has 128 bytes or more.
    public var publicIdentifier: String?
    /// The system identifier, nil where there is none or where it has 128 bytes or more.
    public var systemIdentifier: String?

    /// What Apple's writer declares today.
    public static let apple = XMLDocumentType(
        publicIdentifier: "-//Apple//DTD PLIST 1.0//EN",
        systemIdentifier: "http://www.apple.com/DTDs/PropertyList-1.0.dtd")
}

extension XMLDocumentType {
    /// The declaration, with what Apple declares today for what is missing or would need quoting.
    var declaration: String {
        let system = systemIdentifier.flatMap(Self.plain) ?? Self.apple.systemIdentifier ?? ""
        if publicIdentifier == nil, systemIdentifier != nil {
            return "<!DOCTYPE plist SYSTEM \"\(system)\">"
        }
        let formal = publicIdentifier.flatMap(Self.plain) ?? Self.apple.publicIdentifier ?? ""
        return "<!DOCTYPE plist PUBLIC \"\(formal)\" \"\(system)\">"
    }

    /// The identifier if no reader can take a part of it for markup.
    private static func plain(_ identifier: String) -> String? {
        let isPlain = identifier.utf8.allSatisfy { byte in
            byte > 0x1F && byte < 0x7F && !"\"'<>&[]".utf8.contains(byte)
        }
        return isPlain ? identifier : nil
    }
}
