// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) package import PropertyList

/// The ranges of the values of a document in the bytes of its source.
///
/// In text, the range of a container includes its values. In a binary property list, it includes
/// only the marker, the count and the references.
package struct ValueRanges {
    private enum Map {
        case binary(BinaryRanges)
        case xml(XMLSourceMap)
        case openStep(OpenStepSourceMap)
        case json(SourceRanges)
        case origin(DocumentOrigin)
        case none
    }

    private let map: Map

    /// Finds the ends of the values of a parsed document. Linear.
    package init(_ document: PropertyListDocument) {
        let store = document.storage.store
        switch document.format {
        case .binary?: map = .binary(BinaryRanges(document))
        case .xml?: map = .xml(XMLSourceMap(store))
        case .openStep?: map = .openStep(OpenStepSourceMap(store))
        case .json?: map = .json(JSONSourceMap(store).ranges)
        default: map = document.origin.map(Map.origin) ?? .none
        }
    }

    /// Returns the range of a value or a key in the source, or an empty range if it is unknown. A
    /// truncated object of a binary property list extends to the end of the file. Constant time.
    package func range(of number: UInt32) -> Range<Int> {
        switch map {
        case .binary(let ranges): ranges.range(of: number)
        case .xml(let map): map.range(of: number)
        case .openStep(let map): map.range(of: number)
        case .json(let ranges): ranges[number]
        case .origin(let origin): origin.range(of: number) ?? 0..<0
        case .none: 0..<0
        }
    }
}

/// The ranges of the objects of a binary property list, computed from their markers.
private struct BinaryRanges {
    private let store: NodeStore
    private let referenceWidth: Int

    init(_ document: PropertyListDocument) {
        store = document.storage.store
        let trailer = try? Trailer.salvaged(from: document.source.span).0
        referenceWidth = trailer?.referenceWidth ?? 1
    }

    func range(of number: UInt32) -> Range<Int> {
        let start = Int(store.records[Int(number)].offset)
        let bytes = store.bytes.span
        guard start < bytes.count else { return start..<start }
        let size = Self.size(at: start, bytes, referenceWidth) ?? bytes.count
        return start..<(start &+ min(size, bytes.count &- start))
    }

    /// Returns the size in bytes of the object at `start`, or nil if its count cannot be read or is
    /// too large for the file. The object may extend beyond the end of the file.
    private static func size(at start: Int, _ bytes: Span<UInt8>, _ width: Int) -> Int? {
        let low = Int(bytes[start] & 0x0F)
        switch bytes[start] >> 4 {
        case 0x1, 0x2: return 1 &+ (1 << min(low, 4))
        case 0x3: return 9
        case 0x4, 0x5: return size(low, 1, at: start, bytes)
        case 0x6: return size(low, 2, at: start, bytes)
        case 0x8: return low &+ 2
        case 0xA, 0xC: return size(low, width, at: start, bytes)
        case 0xD: return size(low, 2 &* width, at: start, bytes)
        default: return 1
        }
    }

    /// Returns the size of an object with a count, which is in the marker byte or in an integer
    /// after it.
    private static func size(
        _ low: Int, _ width: Int, at start: Int, _ bytes: Span<UInt8>
    ) -> Int? {
        if low < 0x0F { return 1 &+ low &* width }
        guard start &+ 1 < bytes.count else { return nil }
        let countWidth = 1 << Int(bytes[start &+ 1] & 0x0F)
        guard let value = bytes.bigEndian(at: start &+ 2, width: countWidth),
            let count = Int(exactly: value)
        else { return nil }
        let (size, overflow) = count.multipliedReportingOverflow(by: width)
        return overflow || size > bytes.count ? nil : 2 &+ countWidth &+ size
    }
}

/// The ranges of the values of a document in its JSON source.
private struct JSONSourceMap {
    private(set) var ranges: SourceRanges

    /// Finds the ends of the values of a parsed document. Linear.
    init(_ store: NodeStore) {
        ranges = SourceRanges(store)
        findEnds(store.bytes.span)
    }

    private mutating func findEnds(_ text: Span<UInt8>) {
        var open: [Int?] = []
        var index = text.lengthOfUTF8Mark
        while index < text.count {
            let start = index
            index &+= 1
            switch text[start] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(ranges.record(at: start))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let record = open.popLast() ?? nil { ranges.end(record, at: index) }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: break
            default:
                index =
                    text[start] == UInt8(ascii: "\"")
                    ? Self.endOfString(at: start, text) : Self.endOfWord(at: start, text)
                if let record = ranges.record(at: start) { ranges.end(record, at: index) }
            }
        }
    }

    private static func endOfString(at start: Int, _ text: Span<UInt8>) -> Int {
        var index = start &+ 1
        while index < text.count {
            if text[index] == UInt8(ascii: "\"") { return index &+ 1 }
            index &+= text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return text.count
    }

    private static func endOfWord(at start: Int, _ text: Span<UInt8>) -> Int {
        var index = start &+ 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"),
                0x20, 0x09, 0x0A, 0x0D:
                return index
            default: index &+= 1
            }
        }
        return index
    }
}
