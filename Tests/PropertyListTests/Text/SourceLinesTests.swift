// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Lines of a source")
struct SourceLinesTests {
    @Test("line numbers agree with counting from the start, for every kind of line end")
    func agreement() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        for start in ["", "\u{FEFF}"] {
            var text = start + "<plist version=\"1.0\"><array>"
            for number in 0..<2000 {
                let gaps = ["", "\n", "\r", "\r\n", "\n\r", " ", "\t", "<!--é漢😀-->"]
                text += "<integer>\(number)</integer>" + gaps[random.below(gaps.count)]
            }
            text += "</array></plist>"
            let document = try PropertyListDocument(parsing: Array(text.utf8))
            let lines = SourceLines(document.root)
            // `location` of a node counts lines from the start of the text each time.
            for node in Exhaustive.sample(document.allNodes, oneIn: 10) {
                #expect(lines.location(of: node) == node.location)
            }
        }
    }

    @Test("a binary source has byte offsets only, and a built document has no locations")
    func binary() throws {
        let built = try PropertyListDocument([1, 2])
        let read = try PropertyListDocument(parsing: BinaryPropertyList.serialize(built))
        let lines = SourceLines(read.root)
        // The array takes three bytes, and each integer takes two.
        let locations = read.allNodes.compactMap { lines.location(of: $0) }
        #expect(locations == [.byte(8), .byte(11), .byte(13)])
        let none = SourceLines(built.root)
        #expect(built.allNodes.allSatisfy { none.location(of: $0) == nil && $0.location == nil })
    }
}
