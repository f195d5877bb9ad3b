// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Tells tags from what only looks like one inside comments, CDATA sections, instructions and the
/// literals of a document type declaration.
///
/// It follows well-formed XML only: the engines stop where the two could part. An attribute's value
/// needs no care, because no `<` may stand in one.
package struct XMLStructure {
    private var position = 0

    /// Returns whether `place` is in text or in an element's tag, where a `<` begins a tag and
    /// references are replaced. Linear over all calls, with rising places.
    package mutating func isText(at place: Int, _ text: Span<UInt8>) -> Bool {
        while position <= place {
            guard
                let next = text.firstIndex(of: UInt8(ascii: "<"), in: position..<place)
            else {
                position = place
                return true
            }
            position = Self.end(ofMarkupAt: next, text)
        }
        return false
    }

    /// Where a comment, a section, an instruction or a declaration ends; of a tag, where its name
    /// begins.
    package static func end(ofMarkupAt place: Int, _ text: Span<UInt8>) -> Int {
        if text.has("<!--", at: place) { return after("-->", from: place + 4, text) }
        if text.has("<![CDATA[", at: place) { return after("]]>", from: place + 9, text) }
        if text.has("<?", at: place) { return after("?>", from: place + 2, text) }
        if text.has("<!DOCTYPE", at: place) { return afterDeclaration(from: place + 9, text) }
        return place + 1
    }

    /// The end of a document type declaration: the first `>` that no quotes enclose.
    private static func afterDeclaration(from start: Int, _ text: Span<UInt8>) -> Int {
        var index = start
        while index < text.count, text[index] != UInt8(ascii: ">") {
            let byte = text[index]
            index &+= 1
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
            index = text.firstIndex(of: byte, in: index..<text.count) ?? text.count
            index &+= 1
        }
        return min(index &+ 1, text.count)
    }

    private static func after(_ mark: StaticString, from start: Int, _ text: Span<UInt8>) -> Int {
        text.firstIndex(of: mark, from: start).map { $0 + mark.utf8CodeUnitCount } ?? text.count
    }
}
