// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// What data are, in a property list or a database: a property list, or something near to one.
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
    /// How many bytes tell whether to look at the others.
    static let headSize = 64
    // How far into XML that is no property list its root is looked for.
    private static let longestProlog = 4096

    /// Whether bytes begin like a property list in binary or XML: other formats have no magic number,
    /// and would be found in any text.
    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
        beginnings.contains { bytes.starts(with: $0) }
    }

    /// The format near to a property list that bytes begin like.
    static func neighbour(_ bytes: ArraySlice<UInt8>) -> String? {
        ValueText.contentName(bytes).flatMap { neighbours.contains($0) ? $0 : nil }
    }

    /// What bytes are that ``begins(_:)`` says yes to; nil for XML of another kind. Linear.
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

    /// Whether `<plist` stands near the beginning.
    private static func hasRoot(_ bytes: ArraySlice<UInt8>) -> Bool {
        let root = Array("<plist".utf8)
        return bytes.prefix(longestProlog).indices.contains { bytes[$0...].starts(with: root) }
    }

    /// What it is, in a list.
    var name: String {
        switch self {
        case .document(let document):
            document.looksLikeKeyedArchive ? "keyed archive" : TreeHeading(document).text
        case .damaged(let error):
            "damaged " + (error.format.map { "\($0) " } ?? "") + "property list"
        case .neighbour(let name): name
        }
    }

    /// What it is, with what is wrong.
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
