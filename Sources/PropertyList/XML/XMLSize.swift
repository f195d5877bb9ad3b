// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension NodeStore {
    // The number of values in the sample.
    private static let sample = 1024

    /// The approximate size in bytes of the children of all containers in XML, estimated from a
    /// sample. At most proportional to the size of the document, even if values are shared.
    var estimatedXMLSize: Int {
        // Odd, to avoid resonance with dictionaries of equal size.
        let step = children.count / Self.sample | 1
        var size = 0
        var place = 0
        while place < children.count {
            size &+= sizeInXML(records[Int(children[place])])
            place &+= step
        }
        let bound = 4 &* (bytes.count &+ decoded.count) &+ 64 &* children.count
        return min(size &+ size / 8, bound / step) &* step &+ 1024
    }

    /// Returns the size of tags, three TABs and a line end, plus the text or the typical size of a
    /// number.
    private func sizeInXML(_ record: NodeRecord) -> Int {
        switch record.kind {
        case .string: 21 &+ contentRange(of: record).count
        case .data: 40 &+ contentRange(of: record).count / 2 &* 3
        case .integer: 30
        case .boolean, .null, .unreadable: 11
        case .real, .date: 38
        case .array, .set, .dictionary: 25
        case .uid: 70
        }
    }
}
