// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import PropertyList

/// A property list or a file of an imported format that was found inside another file, such as in
/// data or in a database.
enum NestedPropertyList {
    case document(PropertyListDocument)
    /// A damaged file: its error and the name of its format.
    case damaged(PropertyListError, format: String)

    private static let beginnings = ["bplist0", "<?xml", "<!DOCTYPE plist", "<plist"]
        .map { Array($0.utf8) }
    /// The number of bytes that suffice for ``begins(_:)``.
    static let headSize = 64
    // The number of bytes in which to search for the root of invalid XML.
    private static let longestProlog = 4096

    /// Returns whether bytes have the signature of a binary or XML property list, or of an imported
    /// format. Other formats have no signature, and any text could match them.
    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
        beginnings.contains { bytes.starts(with: $0) }
            || ImportedArchive.Format.detect(bytes) != nil
    }

    /// Parses bytes that ``begins(_:)`` accepts. Returns nil for XML that is not a property list.
    /// Linear.
    init?(_ bytes: ArraySlice<UInt8>, limits: ParsingLimits) {
        let format = ImportedArchive.Format.detect(bytes)
        do {
            self = .document(
                try format == nil
                    ? PropertyListDocument(
                        parsing: bytes, options: .appleCompatible, limits: limits)
                    : ImportedArchive(parsing: bytes, limits: limits).document)
        } catch {
            if error.format == .xml, !Self.hasRoot(bytes) { return nil }
            let name = error.format.map { "\($0) property list" } ?? "property list"
            self = .damaged(error, format: format == nil ? name : Self.name(of: bytes))
        }
    }

    /// Returns the name of an imported format, by its signature.
    static func name(of bytes: ArraySlice<UInt8>) -> String {
        ValueText.contentName(bytes) ?? "typedstream"
    }

    /// Returns whether `<plist` occurs near the beginning.
    private static func hasRoot(_ bytes: ArraySlice<UInt8>) -> Bool {
        let root = Array("<plist".utf8)
        return bytes.prefix(longestProlog).indices.contains { bytes[$0...].starts(with: root) }
    }

    /// The name of this property list in a listing without details.
    var name: String {
        switch self {
        case .document(let document):
            document.origin?.format
                ?? (document.looksLikeKeyedArchive
                    ? "keyed archive" : TreeHeading(document).text)
        case .damaged(_, let format): "damaged " + format
        }
    }

    /// The description of this property list in a listing with details. For a damaged one, it
    /// includes the error.
    var detail: String {
        switch self {
        case .document(let document): TreeHeading(document).text
        case .damaged(let error, let format):
            // Errors of imported formats begin with the name of the format.
            (error.what.utf8.starts(with: format.utf8)
                ? "damaged \(error.what)" : "\(name): \(error.what)") + Self.place(of: error)
        }
    }

    private static func place(of error: PropertyListError) -> String {
        guard let location = error.location, location.byte > 0 else { return "" }
        return " at \(location) of the nested file"
    }
}
