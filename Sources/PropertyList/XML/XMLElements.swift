// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The elements of leaves, as the lines that ``XMLWriter`` writes most: with the key before, which
/// is a line as well, everything in one piece of output that is made room for once.
///
/// A class, because the texts take half a kilobyte that is not to be copied.
final class XMLElements {
    /// What stands around the text of an element.
    struct Tags {
        let open: ShortText
        let close: ShortText

        init(_ open: StaticString, _ close: StaticString) {
            self.open = ShortText(open)
            self.close = ShortText(close)
        }
    }

    let openDict = ShortText("<dict>\n")
    let closeDict = ShortText("</dict>\n")
    let emptyDict = ShortText("<dict/>\n")
    let openArray = ShortText("<array>\n")
    let closeArray = ShortText("</array>\n")
    let emptyArray = ShortText("<array/>\n")
    let openData = ShortText("<data>\n")
    let closeData = ShortText("</data>\n")
    let yes = ShortText("<true/>\n")
    let no = ShortText("<false/>\n")
    let uidKey = ShortText("CF$UID")
    let key = Tags("<key>", "</key>\n")
    let string = Tags("<string>", "</string>\n")
    let integer = Tags("<integer>", "</integer>\n")
    let real = Tags("<real>", "</real>\n")
    let date = Tags("<date>", "</date>\n")

    // Tags, a number and what is written beyond the end.
    private static let room = 80

    /// Appends the line of a key, unless it is empty.
    func append(key: Span<UInt8>, _ depth: Int, to output: inout [UInt8]) {
        if key.isEmpty { return }
        output.append(addingCapacity: key.count &+ depth &+ Self.room) {
            Self.append(key: key, depth, to: &$0)
        }
    }

    @inline(__always)
    private static func append(key: Span<UInt8>, _ depth: Int, to output: inout OutputSpan<UInt8>) {
        if key.isEmpty { return }
        output.append(tabs: depth)
        output.append(contentsOf: key)
    }

    /// Appends the line of a key and that of a leaf that is written as it is: a boolean, an integer, or
    /// UTF-8 text without anything to escape.
    ///
    /// - Returns: false, with nothing appended, for all others.
    @inline(__always)
    func append(
        key: Span<UInt8>, leaf record: NodeRecord, in store: NodeStore, _ depth: Int,
        to output: inout [UInt8]
    ) -> Bool {
        switch record.kind {
        case .string where record.encoding != .utf16:
            return store.withContent(of: record) { text in
                guard XMLEscaping.isPlain(text) else { return false }
                append(key: key, plain: text, depth, to: &output)
                return true
            }
        case .integer:
            let value = record.integer
            // The closures have the tags alone: each that has the object counts a reference.
            let tags = integer
            output.append(addingCapacity: key.count &+ 2 &* depth &+ Self.room) {
                Self.append(key: key, depth, to: &$0)
                Self.append(integer: value, tags, depth, to: &$0)
            }
            return true
        case .boolean:
            let line = record.payload == 0 ? no : yes
            output.append(addingCapacity: key.count &+ 2 &* depth &+ Self.room) {
                Self.append(key: key, depth, to: &$0)
                $0.append(tabs: depth)
                $0.append(line)
            }
            return true
        default:
            return false
        }
    }

    /// Appends the line of a key, unless it is empty, and that of a text without anything to escape.
    @inline(__always)
    func append(
        key: Span<UInt8> = Span(), plain text: Span<UInt8>, _ depth: Int, to output: inout [UInt8]
    ) {
        let tags = string
        output.append(addingCapacity: key.count &+ 2 &* depth &+ text.count &+ Self.room) {
            Self.append(key: key, depth, to: &$0)
            $0.append(tabs: depth)
            $0.append(tags.open)
            $0.append(contentsOf: text)
            $0.append(tags.close)
        }
    }

    @inline(__always)
    private static func append(
        integer value: PropertyListInteger, _ tags: Tags, _ depth: Int,
        to output: inout OutputSpan<UInt8>
    ) {
        output.append(tabs: depth)
        output.append(tags.open)
        if value.isNegative { output.append(UInt8(ascii: "-")) }
        IntegerText.appendDecimal(value.magnitude, to: &output)
        output.append(tags.close)
    }

    /// Appends the line of a key, unless it is empty, and a UID as the lines of the dictionary that stands
    /// for it.
    func append(
        key: Span<UInt8> = Span(), uid value: UInt64, _ depth: Int, to output: inout [UInt8]
    ) {
        let (open, close, keyTags, uidKey, tags) = (openDict, closeDict, self.key, uidKey, integer)
        output.append(addingCapacity: key.count &+ 5 &* depth &+ 2 &* Self.room) { output in
            Self.append(key: key, depth, to: &output)
            output.append(tabs: depth)
            output.append(open)
            output.append(tabs: depth &+ 1)
            output.append(keyTags.open)
            output.append(uidKey)
            output.append(keyTags.close)
            Self.append(integer: PropertyListInteger(value), tags, depth &+ 1, to: &output)
            output.append(tabs: depth)
            output.append(close)
        }
    }

    /// Appends a line, or a tag.
    func append(_ line: ShortText, _ depth: Int, to output: inout [UInt8]) {
        output.append(addingCapacity: depth &+ Self.room) { output in
            output.append(tabs: depth)
            output.append(line)
        }
    }
}
