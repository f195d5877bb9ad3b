// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// A property list, or a relative of one, that stands as data in a property list or a database.
enum NestedPropertyList {
    case document(PropertyListDocument)
    /// The beginning of a property list, and what is wrong with it.
    case damaged(PropertyListError)
    /// A format that is not read, by its name.
    case neighbour(String)

    private static let beginnings = ["bplist0", "<?xml", "<!DOCTYPE plist", "<plist"]
        .map { Array($0.utf8) }
    private static let neighbours: Set = [
        "typed stream", "NIBArchive", "bplist15", "bplist16", "bplist17",
    ]
    /// The number of bytes that decide whether to read the others.
    static let headSize = 64
    // How far into XML that is no property list its root is looked for.
    private static let longestProlog = 4096

    /// Returns whether bytes begin like a property list in binary or XML: other formats have no magic
    /// number, and would be found in any text.
    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
        beginnings.contains { bytes.starts(with: $0) }
    }

    /// The format near to a property list that bytes begin like.
    static func neighbour(_ bytes: ArraySlice<UInt8>) -> String? {
        ValueText.contentName(bytes).flatMap { neighbours.contains($0) ? $0 : nil }
    }

    /// Recognizes bytes that ``begins(_:)`` accepts; nil for XML of another kind. Linear.
    init?(_ bytes: ArraySlice<UInt8>, limits: ParsingLimits) {
        do {
            self = .document(
                try PropertyListDocument(
                    parsing: bytes, options: .appleCompatible, limits: limits))
        } catch {
            if error.format == .xml, !Self.hasRoot(bytes) { return nil }
            self = .damaged(error)
        }
    }

    /// Returns whether `<plist` stands near the beginning.
    private static func hasRoot(_ bytes: ArraySlice<UInt8>) -> Bool {
        let root = Array("<plist".utf8)
        return bytes.prefix(longestProlog).indices.contains { bytes[$0...].starts(with: root) }
    }

    /// The name in a list.
    var name: String {
        switch self {
        case .document(let document):
            document.looksLikeKeyedArchive ? "keyed archive" : TreeHeading(document).text
        case .damaged(let error):
            "damaged " + (error.format.map { "\($0) " } ?? "") + "property list"
        case .neighbour(let name): name
        }
    }

    /// The name, with the error if there is one.
    var detail: String {
        switch self {
        case .document(let document): TreeHeading(document).text
        case .damaged(let error):
            "\(name): \(error.what)" + Self.place(of: error)
        case .neighbour(let name): "\(name), which is not read here"
        }
    }

    private static func place(of error: PropertyListError) -> String {
        guard let location = error.location, location.byte > 0 else { return "" }
        return " at its \(location)"
    }
}
