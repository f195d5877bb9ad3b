// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Facts about the source of a property list, for the report. For a binary property list, they are
/// the layout (and thus the version of Apple's writer), the widths of offsets and references, and
/// the number of objects. For a text format, they are the encoding and, in XML, an identifier and
/// the version. For an imported file, they come from the importer.
enum ExplorerFacts {
    /// The size, in bytes, of the largest file that is serialized again to detect its layout.
    private static let longestLayout = 4 << 20

    static func facts(
        of document: PropertyListDocument, _ limits: ParsingLimits
    ) -> [(name: String, text: String)] {
        switch document.format {
        case .binary?: binary(document, limits)
        case .xml?: xml(document)
        case .openStep?, .json?: encoding(document)
        default: document.origin?.facts ?? []
        }
    }

    private static func binary(
        _ document: PropertyListDocument, _ limits: ParsingLimits
    ) -> [(name: String, text: String)] {
        guard let trailer = try? Trailer.salvaged(from: document.source.span).0 else { return [] }
        var facts: [(name: String, text: String)] = []
        if document.byteCount <= longestLayout, document.problems.isEmpty {
            facts.append(("layout", layout(document, limits)))
        }
        let widths = "offsets \(trailer.offsetWidth), references \(trailer.referenceWidth) bytes"
        facts.append(("widths", widths))
        let unused = document.usedNodes.prefix(trailer.objectCount).count { !$0 }
        facts.append(
            ("objects of the file", "\(trailer.objectCount), \(unused) of them unreferenced"))
        return facts
    }

    private static func layout(_ document: PropertyListDocument, _ limits: ParsingLimits) -> String
    {
        switch document.coreFoundationLayout(limits: limits) {
        case .coreFoundation?: "that of Apple's current writer"
        case .coreFoundationTightOffsets?: "that of Apple's writer of about 2009 to 2011"
        case .coreFoundationUniqued?: "that of Apple's first writer"
        default: "none of Apple's writers"
        }
    }

    private static func xml(
        _ document: PropertyListDocument
    ) -> [(name: String, text: String)] {
        var facts: [(name: String, text: String)] = []
        let header = document.xmlHeader
        if let identifier = header?.publicIdentifier {
            facts.append(("public identifier", identifier))
        } else if let identifier = header?.systemIdentifier {
            facts.append(("system identifier", identifier))
        }
        if let version = header?.version { facts.append(("version", version)) }
        return facts + encoding(document)
    }

    private static func encoding(
        _ document: PropertyListDocument
    ) -> [(name: String, text: String)] {
        let name =
            switch document.sourceEncoding {
            case .utf8: "UTF-8"
            case .utf16(isBigEndian: true, _): "UTF-16, big-endian"
            case .utf16: "UTF-16, little-endian"
            case .latin1: "ISO-8859-1"
            case .ascii: "US-ASCII"
            case .other(let name): name
            }
        return [("encoding", name)]
    }
}
