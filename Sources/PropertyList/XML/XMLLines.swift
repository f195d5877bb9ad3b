// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The indentation of a line.
struct XMLIndent: BitwiseCopyable {
    /// The indentation character, repeated in all eight bytes.
    let word: UInt64
    /// The number of characters per level.
    let width: Int
    /// The number of characters.
    let count: Int

    /// No indentation, for content that continues a line.
    static let none = XMLIndent(word: 0, width: 0, count: 0)

    init(word: UInt64, width: Int, count: Int) {
        self.word = word
        self.width = width
        self.count = count
    }

    /// Creates the indentation of a line at the root.
    init(_ indentation: XMLPropertyList.Indentation) {
        switch indentation {
        case .tab: self.init(word: 0x0909_0909_0909_0909, width: 1, count: 0)
        case .spaces(let count):
            let width = min(max(count, 0), XMLPropertyList.Indentation.widest)
            self.init(word: 0x2020_2020_2020_2020, width: width, count: 0)
        case .none: self = .none
        }
    }

    /// The indentation character.
    var character: UInt8 { UInt8(truncatingIfNeeded: word) }

    /// Returns the indentation at `depth` levels.
    @inline(__always)
    func at(_ depth: Int) -> XMLIndent { counting(width &* depth) }

    /// Returns the same indentation, limited to `depth` levels.
    func atMost(_ depth: Int) -> XMLIndent { counting(min(count, width &* depth)) }

    /// The indentation one level deeper.
    @inline(__always) var deeper: XMLIndent { counting(count &+ width) }

    @inline(__always)
    private func counting(_ count: Int) -> XMLIndent {
        XMLIndent(word: word, width: width, count: count)
    }
}

/// The most frequent lines of ``XMLWriter``. The line of a key and that of its leaf are appended
/// together, so capacity is checked only once.
///
/// This is a class to avoid copies of the lines, which take half a kilobyte.
final class XMLLines {
    /// The tags around the text of an element.
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
    // Without the closing tag, because the whole line is longer than ``ShortText/capacity``.
    let uidKey = ShortText("<key>", UIDDictionary.key)
    let key = Tags("<key>", "</key>\n")
    let string = Tags("<string>", "</string>\n")
    let integer = Tags("<integer>", "</integer>\n")
    let real = Tags("<real>", "</real>\n")
    let date = Tags("<date>", "</date>\n")

    // Room for tags, a number, and the bytes that an eight-byte store writes past the text.
    private static let room = 80

    /// Appends the line of a key, unless it is empty.
    func append(key: Span<UInt8>, _ indent: XMLIndent, to output: inout [UInt8]) {
        if key.isEmpty { return }
        output.append(addingCapacity: key.count &+ indent.count &+ Self.room) {
            Self.append(key: key, indent, to: &$0)
        }
    }

    @inline(__always)
    private static func append(
        key: Span<UInt8>, _ indent: XMLIndent, to output: inout OutputSpan<UInt8>
    ) {
        if key.isEmpty { return }
        output.append(indent: indent)
        output.append(contentsOf: key)
    }

    /// Appends the lines of a key and of a leaf that needs no escaping: a Boolean, an integer, or
    /// plain UTF-8 text.
    ///
    /// - Returns: false, without appending anything, for all other values.
    @inline(__always)
    func append(
        key: Span<UInt8>, leaf record: NodeRecord, in store: NodeStore, _ indent: XMLIndent,
        to output: inout [UInt8]
    ) -> Bool {
        switch record.kind {
        case .string where record.encoding != .utf16:
            return store.withContent(of: record) { text in
                guard XMLEscaping.isPlain(text) else { return false }
                append(key: key, plain: text, indent, to: &output)
                return true
            }
        case .integer:
            let value = record.integer
            // The closures capture only the tags. Capturing the object would cost a retain and a
            // release.
            let tags = integer
            output.append(addingCapacity: key.count &+ 2 &* indent.count &+ Self.room) {
                Self.append(key: key, indent, to: &$0)
                Self.append(integer: value, tags, indent, to: &$0)
            }
            return true
        case .boolean:
            let line = record.payload == 0 ? no : yes
            output.append(addingCapacity: key.count &+ 2 &* indent.count &+ Self.room) {
                Self.append(key: key, indent, to: &$0)
                $0.append(indent: indent)
                $0.append(line)
            }
            return true
        default:
            return false
        }
    }

    /// Appends the line of a key, unless it is empty, and the line of a string that needs no
    /// escaping.
    @inline(__always)
    func append(
        key: Span<UInt8> = Span(), plain text: Span<UInt8>, _ indent: XMLIndent,
        to output: inout [UInt8]
    ) {
        let tags = string
        output.append(addingCapacity: key.count &+ 2 &* indent.count &+ text.count &+ Self.room) {
            Self.append(key: key, indent, to: &$0)
            $0.append(indent: indent)
            $0.append(tags.open)
            $0.append(contentsOf: text)
            $0.append(tags.close)
        }
    }

    @inline(__always)
    private static func append(
        integer value: PropertyListInteger, _ tags: Tags, _ indent: XMLIndent,
        to output: inout OutputSpan<UInt8>
    ) {
        output.append(indent: indent)
        output.append(tags.open)
        if value.isNegative { output.append(UInt8(ascii: "-")) }
        IntegerText.appendDecimal(value.magnitude, to: &output)
        output.append(tags.close)
    }

    /// Appends the line of a key, unless it is empty, and the lines of the dictionary that
    /// represents a UID.
    func append(
        key: Span<UInt8> = Span(), uid value: UInt64, _ indent: XMLIndent, to output: inout [UInt8]
    ) {
        let (open, close, uidKey, keyEnd, tags) = (
            openDict, closeDict, uidKey, self.key.close, integer
        )
        output.append(addingCapacity: key.count &+ 5 &* indent.deeper.count &+ 2 &* Self.room) {
            output in
            Self.append(key: key, indent, to: &output)
            output.append(indent: indent)
            output.append(open)
            output.append(indent: indent.deeper)
            output.append(uidKey)
            output.append(keyEnd)
            Self.append(integer: PropertyListInteger(value), tags, indent.deeper, to: &output)
            output.append(indent: indent)
            output.append(close)
        }
    }

    /// Appends a line, or a tag.
    func append(_ line: ShortText, _ indent: XMLIndent, to output: inout [UInt8]) {
        output.append(addingCapacity: indent.count &+ Self.room) { output in
            output.append(indent: indent)
            output.append(line)
        }
    }
}
