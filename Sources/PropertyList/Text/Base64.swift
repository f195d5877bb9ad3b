// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Base64 as property lists carry it in `<data>` elements.
///
/// Format (RFC 4648 §4): every three bytes become four characters of the alphabet
/// `A-Z a-z 0-9 + /`, six bits each, most significant first. A final group of one byte is
/// written `xx==`, one of two bytes `xxx=`. Property lists break the text into lines.
///
/// Text can be decoded in two ways:
///
/// - *Strict*: space, TAB, LF and CR are skipped anywhere. Any other character outside the
///   alphabet, an incomplete group, or a character after the padding is an error. The unused low
///   bits of a padded group are not checked.
/// - *Lenient*, as in CoreFoundation's XML parser: every ASCII character outside the alphabet is
///   skipped, an incomplete final group is dropped, and `=` is a character of value zero. A group
///   loses one byte for each `=` in the run that ends the group, but at most two. White space does
///   not interrupt a run, but any other character does.
package enum Base64 {
    /// The position at which text is not valid Base64, and the reason.
    package struct Failure: Error, Equatable, Sendable {
        /// The kinds of malformed text.
        package enum Reason: Equatable, Sendable {
            /// A byte that is not allowed at its position.
            case invalidCharacter(UInt8)
            /// The text ends inside a group of four characters.
            case truncatedGroup
            /// A character follows the padding that ends the data.
            case dataAfterPadding
        }

        /// The offset in the text of the invalid byte, or the length of the text if the error is at
        /// its end.
        package let offset: Int

        /// The error at `offset`.
        package let reason: Reason

        /// Creates a failure.
        package init(offset: Int, reason: Reason) {
            self.offset = offset
            self.reason = reason
        }
    }

    /// Decodes `text` and appends the result to `output`.
    ///
    /// If decoding fails, `output` keeps the bytes of the groups before the error.
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

    /// Appends `bytes` as one unbroken run of characters.
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        let length = encodedLength(bytes.count)
        output.append(addingCapacity: length) { added in
            added.append(repeating: 0, count: length)
            var text = added.mutableSpan
            Base64Encoder.encode(bytes, 0..<bytes.count, into: &text, at: 0)
        }
    }

    /// Appends `bytes` as lines. Each line consists of `indent` copies of `character`, at most
    /// `capacity` Base64 characters, and LF.
    ///
    /// This is the layout of Apple's XML writer. Empty data gives no lines, and data that exactly
    /// fills a line is not followed by an empty one. `capacity` is rounded down to a multiple of
    /// four, but at least four. `indent` and `capacity` are limited to 4096, more than any caller
    /// needs, so the size of the result cannot overflow.
    static func appendLines(
        _ bytes: Span<UInt8>,
        indent: Int,
        capacity: Int,
        character: UInt8 = 0x09,
        to output: inout [UInt8]
    ) {
        let indent = min(max(indent, 0), 4096)
        let lineBytes = max(min(capacity, 4096) / 4, 1) * 3
        let lines = bytes.count / lineBytes + (bytes.count % lineBytes == 0 ? 0 : 1)
        let length = encodedLength(bytes.count) + lines * (indent + 1)
        output.append(addingCapacity: length) { added in
            // Filling with LF first puts every line end in place.
            added.append(repeating: 0x0A, count: length)
            var text = added.mutableSpan
            fillLines(
                bytes, lineBytes: lineBytes, indent: indent, character: character, of: &text)
        }
    }

    /// Writes indentation and characters before the line ends that are already in `text`.
    private static func fillLines(
        _ bytes: Span<UInt8>, lineBytes: Int, indent: Int, character: UInt8,
        of text: inout MutableSpan<UInt8>
    ) {
        var position = 0
        var start = 0
        while start < bytes.count {
            let end = start + min(lineBytes, bytes.count - start)
            for place in 0..<indent { text[position + place] = character }
            let line = position + indent
            position = Base64Encoder.encode(bytes, start..<end, into: &text, at: line) + 1
            start = end
        }
    }

    /// Returns the number of characters that `count` bytes take.
    private static func encodedLength(_ count: Int) -> Int {
        count / 3 * 4 + (count % 3 == 0 ? 0 : 4)
    }
}

extension Base64 {
    /// Decodes `text` in `range` and appends the result. If strict decoding fails and `isLenient`
    /// is true, tries lenient decoding.
    ///
    /// `origin` is the offset of `text` in the source.
    ///
    /// - Returns: true if lenient decoding was needed.
    /// - Throws: `invalidData`.
    static func appendDecoded(
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
                throw self.error(error, place, format, ParsingOptions.looseBase64.advice)
            }
        }
        output.removeSubrange(before...)
        do { try decode(part, lenient: true, into: &output) } catch {
            throw self.error(error, origin &+ range.lowerBound &+ error.offset, format, nil)
        }
        return true
    }

    private static func error(
        _ failure: Failure, _ place: Int, _ format: PropertyListFormat,
        _ recovery: PropertyListError.Recovery?
    ) -> PropertyListError {
        PropertyListError(
            .invalidData, format: format, what: failure.description, location: .byte(place),
            recovery: recovery)
    }
}

extension Base64.Failure: CustomStringConvertible {
    /// The error as a phrase for a message.
    package var description: String {
        switch reason {
        case .invalidCharacter(let byte) where byte < 0x80:
            "expected a Base64 character, found "
                + "`\(TerminalText.escaped(String(Unicode.Scalar(byte))))`"
        case .invalidCharacter: "expected a Base64 character, found one outside ASCII"
        case .truncatedGroup: "expected 4 characters in the last group of Base64 text, found fewer"
        case .dataAfterPadding: "expected the end of Base64 text after its padding, found more"
        }
    }
}
