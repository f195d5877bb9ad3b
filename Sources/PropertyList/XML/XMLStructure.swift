// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A scan that distinguishes tags from similar text inside comments, CDATA sections, processing
/// instructions and the literals of a document type declaration.
///
/// The scan requires well-formed XML. In malformed text, an engine reports an error before it could
/// disagree with this type. Attribute values need no special handling, because `<` may not occur in
/// them.
package struct XMLStructure {
    private var position = 0

    /// Returns whether `place` is in text or in the tag of an element, where `<` begins a tag and
    /// references are resolved. Calls must have increasing offsets. Linear over all calls.
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

    /// Returns the end of a comment, section, instruction or declaration, or the start of the name
    /// of a tag.
    package static func end(ofMarkupAt place: Int, _ text: Span<UInt8>) -> Int {
        if text.has("<!--", at: place) { return after("-->", from: place + 4, text) }
        if text.has("<![CDATA[", at: place) { return after("]]>", from: place + 9, text) }
        if text.has("<?", at: place) { return after("?>", from: place + 2, text) }
        if text.has("<!DOCTYPE", at: place) { return afterDeclaration(from: place + 9, text) }
        return place + 1
    }

    /// Returns the end of a document type declaration, which ends with the first `>` outside
    /// quotes.
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
