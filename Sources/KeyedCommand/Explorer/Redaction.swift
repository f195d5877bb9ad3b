// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
import KeyedArchive
import PropertyList
import PropertyListTools

/// The strings that `--redact` keeps: keys, class names and the archiver.
///
/// A key of an archived dictionary is a value, and is redacted.
struct PlainNames {
    // For each node: whether it is kept. Empty if nothing is redacted.
    private var isName: [Bool] = []

    init(_ document: PropertyListDocument, _ contents: ArchiveContents?, isNeeded: Bool) {
        guard isNeeded else { return }
        isName = [Bool](repeating: false, count: document.nodeCount)
        for node in document.allNodes {
            guard let entries = node.dictionary else { continue }
            for entry in entries { isName[entry.keyNode.number] = true }
        }
        guard let contents else { return }
        add(document.root[ArchiveFormat.archiverKey])
        for node in contents.objects where node[ArchiveFormat.classNameKey] != nil {
            add(node[ArchiveFormat.classNameKey])
            for key in [ArchiveFormat.classChainKey, ArchiveFormat.classHintsKey] {
                for name in node[key]?.array?.map({ $0 }) ?? [] { add(name) }
            }
        }
    }

    private mutating func add(_ node: PropertyListNode?) {
        if let node, node.kind == .string { isName[node.number] = true }
    }

    func contains(_ node: PropertyListNode) -> Bool { isName[node.number] }
}

/// The bytes of a file that a page shows: all bytes, or with redaction only those that are not part
/// of a value.
struct ShownBytes {
    private let original: [UInt8]
    /// The bytes; nil if showing the text of a file would reveal values.
    private(set) var bytes: [UInt8]?

    init(_ original: [UInt8], isRedacted: Bool) {
        self.original = isRedacted ? original : []
        bytes = isRedacted ? [UInt8](repeating: 0, count: original.count) : original
    }

    /// Reveals the parts of a document that are not values. A binary property list has such parts:
    /// markers, references, keys and the trailer. No bytes of other formats are revealed.
    mutating func reveal(
        _ document: PropertyListDocument, _ ranges: ValueRanges, in space: Int, base: Int,
        isOutermost: Bool, _ names: PlainNames
    ) {
        guard document.format == .binary, space == 0 else {
            if isOutermost { bytes = nil }
            return
        }
        let trailer = try? Trailer.salvaged(from: document.source.span).0
        let tableStart = min(trailer?.tableOffset ?? .max, document.byteCount)
        show(base..<(base + min(Trailer.headerSize, document.byteCount)))
        show((base + tableStart)..<(base + document.byteCount))
        var hidden: [Range<Int>] = []
        for node in document.allNodes {
            let inner = ranges.range(of: UInt32(truncatingIfNeeded: node.number))
            let range = (base + inner.lowerBound)..<(base + inner.upperBound)
            switch node.kind {
            case .array, .set, .dictionary, .uid, .null: show(range)
            case .string where names.contains(node): show(range)
            // The marker contains the value.
            case .boolean: hidden.append(range)
            default:
                let marker = range.prefix(1)
                show(marker.startIndex..<marker.endIndex)
                hidden.append(marker.endIndex..<range.upperBound)
            }
        }
        // Hidden last, because values of a malicious file may overlap.
        for range in hidden { hide(range) }
    }

    private mutating func show(_ range: Range<Int>) {
        for place in range { bytes?[place] = original[place] }
    }

    private mutating func hide(_ range: Range<Int>) {
        for place in range { bytes?[place] = 0 }
    }
}
