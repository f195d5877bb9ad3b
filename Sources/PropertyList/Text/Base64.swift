// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Base64 as property lists carry it in `<data>` elements.
///
/// Format (RFC 4648 §4): every three bytes become four characters of the alphabet
/// `A-Z a-z 0-9 + /`, six bits each, most significant first. A final group of one byte is
/// written `xx==`, one of two bytes `xxx=`. Property lists break the text into lines.
///
/// Two readings of the same text exist:
///
/// - *Strict*: space, TAB, LF and CR are skipped anywhere; anything else outside the alphabet,
///   an incomplete group, or a character after the padding is an error. The unused low bits of a
///   padded group are not checked.
/// - *Lenient*, as CoreFoundation's XML parser reads it: every ASCII character outside the
///   alphabet is skipped, an incomplete final group is dropped, and `=` is a character of value
///   zero. A group loses as many bytes (two at most) as there were `=` in a row before its end;
///   white space does not interrupt that row, any other character does.
package enum Base64 {
    /// Why and where a text is not Base64.
    package struct Failure: Error, Equatable, Sendable {
        /// The kinds of malformed text.
        package enum Reason: Equatable, Sendable {
            /// A byte that cannot stand where it was found.
            case invalidCharacter(UInt8)
            /// The text ended inside a group of four characters.
            case truncatedGroup
            /// A character followed the padding that ends the data.
            case dataAfterPadding
        }

        /// The offset in the text of the offending byte, or the text's length at its end.
        package let offset: Int

        /// What is wrong at `offset`.
        package let reason: Reason

        /// Creates a failure; O(1).
        package init(offset: Int, reason: Reason) {
            self.offset = offset
            self.reason = reason
        }
    }

    /// Appends the bytes that `text` encodes; O(n).
    ///
    /// When the text is refused, `output` keeps the bytes decoded before the offending one.
    package static func decode(
        _ text: Span<UInt8>,
        lenient: Bool,
        into output: inout [UInt8]
    ) throws(Failure) {
        let classes = Base64Decoder.classes
        // Only complete groups produce bytes, so this bound is never exceeded.
        try output.append(addingCapacity: text.count / 4 * 3) { bytes throws(Failure) in
            var decoder = Base64Decoder(lenient: lenient)
            try decoder.decode(text, classes: classes.span, to: &bytes)
        }
    }

    /// Appends `bytes` as one unbroken run of characters; O(n).
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        let start = output.count
        let length = encodedLength(bytes.count)
        output.append(addingCapacity: length) { $0.append(repeating: 0, count: length) }
        var text = output.mutableSpan
        Base64Encoder.encode(bytes, 0..<bytes.count, into: &text, at: start)
    }

    /// Appends `bytes` as lines of `indent` TABs, up to `capacity` characters and LF; O(n).
    ///
    /// This is the layout of Apple's XML writer: no bytes give no line, and bytes that exactly
    /// fill a line are not followed by an empty one. `capacity` is rounded down to a multiple of
    /// four, of which there is at least one; both numbers are clamped to at most 4096, far above
    /// any nesting limit, so that the size of the result cannot overflow.
    package static func appendLines(
        _ bytes: Span<UInt8>,
        indent: Int,
        capacity: Int,
        to output: inout [UInt8]
    ) {
        let indent = min(max(indent, 0), 4096)
        let lineBytes = max(min(capacity, 4096) / 4, 1) * 3
        let lines = bytes.count / lineBytes + (bytes.count % lineBytes == 0 ? 0 : 1)
        let length = encodedLength(bytes.count) + lines * (indent + 1)
        var position = output.count
        // Filling with LF first leaves every line end in place.
        output.append(addingCapacity: length) { $0.append(repeating: 0x0A, count: length) }
        var text = output.mutableSpan
        var start = 0
        while start < bytes.count {
            let end = start + min(lineBytes, bytes.count - start)
            for tab in 0..<indent { text[position + tab] = 0x09 }
            let line = position + indent
            position = Base64Encoder.encode(bytes, start..<end, into: &text, at: line) + 1
            start = end
        }
    }

    /// The number of characters that `count` bytes take; O(1).
    private static func encodedLength(_ count: Int) -> Int {
        count / 3 * 4 + (count % 3 == 0 ? 0 : 4)
    }
}

/// The state of one Base64 text being read; `Base64` describes the grammar.
private struct Base64Decoder {
    /// Whether CoreFoundation's rules apply.
    let lenient: Bool

    /// The bits of the group being collected, the latest in the low six.
    var bits: UInt32 = 0

    /// The number of characters in `bits`, 0 through 3.
    var filled = 0

    /// The length of the latest run of `=`.
    var padding = 0

    /// The class of `=`.
    static let pad: UInt8 = 0x40

    /// The class of the white space XML knows: space, TAB, LF, CR.
    static let space: UInt8 = 0x41

    /// The class of VT and FF, which only C's `isspace`, and so CoreFoundation, calls white space.
    static let verticalSpace: UInt8 = 0x42

    /// The class of every other ASCII character.
    static let other: UInt8 = 0x43

    /// The class of bytes that are not ASCII.
    static let nonASCII: UInt8 = 0x80

    /// For every byte, its value in the alphabet (below 64) or the class it belongs to.
    ///
    /// All classes have one of the two high bits set, which values never have: the union of four
    /// entries tells whether four characters are all in the alphabet.
    static let classes: [UInt8] = {
        var table = [UInt8](repeating: other, count: 128) + [UInt8](repeating: nonASCII, count: 128)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() {
            table[Int(character)] = UInt8(truncatingIfNeeded: value)
        }
        table[0x3D] = pad
        for character in [0x20, 0x09, 0x0A, 0x0D] { table[character] = space }
        for character in [0x0B, 0x0C] { table[character] = verticalSpace }
        return table
    }()

    /// Creates the state before the first character; O(1).
    init(lenient: Bool) {
        self.lenient = lenient
    }

    /// Appends what `text` encodes to `output`, which has room for every group; O(n).
    mutating func decode(
        _ text: Span<UInt8>,
        classes: Span<UInt8>,
        to output: inout OutputSpan<UInt8>
    ) throws(Base64.Failure) {
        var index = 0
        while true {
            // The fast path may start where neither a group nor strict padding is pending.
            if filled == 0, lenient || padding == 0 {
                index = decodeGroups(text, from: index, classes: classes, to: &output)
            }
            let blankEnd = Self.endOfBlank(text, from: index, classes)
            if blankEnd > index {
                index = blankEnd
                continue
            }
            guard index < text.count else { break }
            let byte = text[index]
            if let reason = consume(byte, class: classes[Int(byte)], to: &output) {
                throw Base64.Failure(offset: index, reason: reason)
            }
            index += 1
        }
        if filled != 0, !lenient {
            throw Base64.Failure(offset: index, reason: .truncatedGroup)
        }
    }

    /// Where the white space at `start`, which both readings skip, ends; O(n).
    @inline(__always)
    private static func endOfBlank(
        _ text: Span<UInt8>,
        from start: Int,
        _ classes: Span<UInt8>
    ) -> Int {
        var index = start
        while index < text.count, classes[Int(text[index])] == space { index += 1 }
        return index
    }

    /// Decodes groups from `start` up to the first that is not four characters of the alphabet
    /// in a row, and returns where that one starts; O(n).
    @inline(__always)
    private mutating func decodeGroups(
        _ text: Span<UInt8>,
        from start: Int,
        classes: Span<UInt8>,
        to output: inout OutputSpan<UInt8>
    ) -> Int {
        // Stating the size of the table here lets the compiler drop the checks on its lookups.
        guard classes.count == 256 else { return start }
        var index = Base64Tables.decode(text, from: start, to: &output)
        if index > start { padding = 0 }
        while text.count - index >= 4 {
            let a = classes[Int(text[index])], b = classes[Int(text[index + 1])]
            let c = classes[Int(text[index + 2])], d = classes[Int(text[index + 3])]
            // There is always room; the compiler learns that it need not ask three times.
            guard (a | b | c | d) & 0xC0 == 0, output.freeCapacity >= 3 else { break }
            output.append(a &<< 2 | b &>> 4)
            output.append(b &<< 4 | c &>> 2)
            output.append(c &<< 6 | d)
            index += 4
            padding = 0
        }
        return index
    }

    /// Takes one character, and returns why it is refused if it is; O(1).
    private mutating func consume(
        _ byte: UInt8,
        class kind: UInt8,
        to output: inout OutputSpan<UInt8>
    ) -> Base64.Failure.Reason? {
        switch kind {
        case Self.nonASCII: return .invalidCharacter(byte)
        case Self.pad: return consumePad(to: &output)
        case Self.verticalSpace where lenient: return nil
        case Self.other where lenient: padding = 0
        case Self.verticalSpace, Self.other: return .invalidCharacter(byte)
        default:
            if !lenient, padding > 0 { return .dataAfterPadding }
            padding = 0
            collect(kind, to: &output)
        }
        return nil
    }

    /// Takes a `=`, and returns why it is refused if it is; O(1).
    private mutating func consumePad(
        to output: inout OutputSpan<UInt8>
    ) -> Base64.Failure.Reason? {
        if !lenient, filled < 2 {
            return padding > 0 ? .dataAfterPadding : .invalidCharacter(0x3D)
        }
        padding += 1
        collect(0, to: &output)
        return nil
    }

    /// Adds six bits to the group and, when that completes it, appends its bytes; O(1).
    private mutating func collect(_ value: UInt8, to output: inout OutputSpan<UInt8>) {
        bits = bits &<< 6 | UInt32(value)
        filled += 1
        guard filled == 4 else { return }
        output.append(UInt8(truncatingIfNeeded: bits &>> 16))
        if padding < 2 { output.append(UInt8(truncatingIfNeeded: bits &>> 8)) }
        if padding < 1 { output.append(UInt8(truncatingIfNeeded: bits)) }
        bits = 0
        filled = 0
    }
}

/// The arithmetic of Base64 encoding, eight characters in the bytes of one integer at a time.
private enum Base64Encoder {
    /// Writes the characters of `bytes[range]`, padding included, at `position`, and returns the
    /// position after them; O(n).
    @discardableResult
    static func encode(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) -> Int {
        var index = range.lowerBound
        var position = position
        while range.upperBound - index >= 6 {
            let first = group(bytes[index], bytes[index + 1], bytes[index + 2])
            let second = group(bytes[index + 3], bytes[index + 4], bytes[index + 5])
            write(characters(first | second &<< 32), into: &text, at: position)
            index += 6
            position += 8
        }
        while index < range.upperBound {
            encodeGroup(bytes, index..<range.upperBound, into: &text, at: position)
            index += min(3, range.upperBound - index)
            position += 4
        }
        return position
    }

    /// Writes the four characters of the first three bytes in `range`, or of fewer; O(1).
    private static func encodeGroup(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) {
        let index = range.lowerBound
        let second = range.count > 1 ? bytes[index + 1] : 0
        let third = range.count > 2 ? bytes[index + 2] : 0
        let quad = characters(group(bytes[index], second, third))
        text[position] = UInt8(truncatingIfNeeded: quad)
        text[position + 1] = UInt8(truncatingIfNeeded: quad &>> 8)
        text[position + 2] = range.count > 1 ? UInt8(truncatingIfNeeded: quad &>> 16) : 0x3D
        text[position + 3] = range.count > 2 ? UInt8(truncatingIfNeeded: quad &>> 24) : 0x3D
    }

    /// Writes the bytes of `characters`, the lowest first, at `position`; O(1).
    @inline(__always)
    private static func write(
        _ characters: UInt64,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) {
        // There is always room; checking all eight positions at once lets the stores be merged.
        guard position >= 0, position <= text.count &- 8 else { return }
        for index in 0..<8 {
            text[position &+ index] = UInt8(truncatingIfNeeded: characters &>> UInt64(index &* 8))
        }
    }

    /// The 24 bits of three bytes, the first on top; O(1).
    @inline(__always)
    private static func group(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt64 {
        UInt64(first) &<< 16 | UInt64(second) &<< 8 | UInt64(third)
    }

    /// The eight characters of two groups of 24 bits, one in each half of `groups`, with the first
    /// character in the lowest byte; O(1).
    @inline(__always)
    private static func characters(_ groups: UInt64) -> UInt64 {
        let sextets =
            groups &>> 18 & 0x0000_003F_0000_003F
            | groups &>> 4 & 0x0000_3F00_0000_3F00
            | groups &<< 10 & 0x003F_0000_003F_0000
            | groups &<< 24 & 0x3F00_0000_3F00_0000
        // Letters, digits and signs lie apart in ASCII: each step moves what is past the previous
        // range by the distance to the next. No byte leaves 0...255, so none disturbs another.
        return sextets &+ 65 &* ones
            &+ 6 &* atLeast(26, sextets)
            &- 75 &* atLeast(52, sextets)
            &- 15 &* atLeast(62, sextets)
            &+ 3 &* atLeast(63, sextets)
    }

    /// One in each byte.
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// One in each byte of `sextets` (all below 64) that is at least `limit`; O(1).
    @inline(__always)
    private static func atLeast(_ limit: UInt64, _ sextets: UInt64) -> UInt64 {
        (sextets &+ (128 &- limit) &* ones) &>> 7 & ones
    }
}

extension Base64 {
    /// Appends what `text` encodes in `range`; strictly, and if that fails and is allowed, leniently.
    ///
    /// - Parameter origin: the place in the source of the beginning of `text`.
    /// - Returns: whether the leniency was needed.
    /// - Throws: `invalidData`.
    static func append(
        _ text: Span<UInt8>, _ range: Range<Int>, origin: Int = 0, isLenient: Bool,
        _ format: PropertyListFormat, to output: inout [UInt8]
    ) throws(PropertyListError) -> Bool {
        let before = output.count
        let part = text.extracting(range)
        do {
            try decode(part, lenient: false, into: &output)
            return false
        } catch {
            let place = origin &+ range.lowerBound &+ error.offset
            guard isLenient else {
                throw self.error(error, place, format, "`ParsingOptions.looseBase64` lets it pass")
            }
        }
        output.removeSubrange(before...)
        do { try decode(part, lenient: true, into: &output) } catch {
            throw self.error(error, origin &+ range.lowerBound &+ error.offset, format, nil)
        }
        return true
    }

    private static func error(
        _ failure: Failure, _ place: Int, _ format: PropertyListFormat, _ recovery: String?
    ) -> PropertyListError {
        PropertyListError(
            .invalidData, format: format, what: failure.description, location: .byte(place),
            recovery: recovery)
    }
}

extension Base64.Failure: CustomStringConvertible {
    /// What is wrong, as a phrase for a message.
    package var description: String {
        switch reason {
        case .invalidCharacter(let byte) where byte < 0x80:
            "`\(TerminalText.escaped(String(Unicode.Scalar(byte))))` is no base-64 character"
        case .invalidCharacter: "a character outside ASCII stands in base-64 text"
        case .truncatedGroup: "the last group of base-64 text is not complete"
        case .dataAfterPadding: "base-64 text goes on after its padding"
        }
    }
}
