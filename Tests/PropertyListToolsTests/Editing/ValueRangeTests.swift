// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import Testing

@Suite("Ranges of values in the source")
struct ValueRangeTests {
    @Test(
        "each value and key of JSON has the range of its text, also after a byte order mark",
        arguments: ["", "\u{FEFF}", " \n"])
    func json(_ head: String) throws {
        let text = #"{"a": [1, "b"]}"#
        let bytes = Array((head + text).utf8)
        let document = try PropertyListDocument(parsing: bytes, format: .json)
        let ranges = ValueRanges(document)
        let found = document.allNodes.map { node in
            let range = ranges.range(of: UInt32(truncatingIfNeeded: node.number))
            return String(decoding: bytes[range], as: UTF8.self)
        }
        #expect(found.sorted() == ["\"a\"", "\"b\"", "1", "[1, \"b\"]", text])
    }
}
