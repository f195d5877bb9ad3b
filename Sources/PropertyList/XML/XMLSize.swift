// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension NodeStore {
    // How many values are looked at.
    private static let sample = 1024

    /// About how many bytes the children of all containers take in XML, by a sample of them; in
    /// proportion to the document, however much of it is shared.
    var estimatedXMLSize: Int {
        // Odd, so that it does not fall into step with dictionaries of one size.
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

    /// The tags, three TABs and the line's end with the text, or what numbers take as a rule.
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
