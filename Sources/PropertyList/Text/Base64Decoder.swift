// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The state of decoding one Base64 text. `Base64` describes the grammar.
struct Base64Decoder {
    /// A Boolean value that is true if CoreFoundation's lenient rules apply.
    let lenient: Bool

    /// The bits of the incomplete group, with the latest character in the low six.
    var bits: UInt32 = 0

    /// The number of characters in `bits`, 0 through 3.
    var filled = 0

    /// The length of the current or last run of `=`.
    var padding = 0

    /// The class of `=`.
    static let pad: UInt8 = 0x40

    /// The class of XML white space: space, TAB, LF, CR.
    static let space: UInt8 = 0x41

    /// The class of VT and FF. C's `isspace`, and therefore CoreFoundation, treats them as white
    /// space.
    static let verticalSpace: UInt8 = 0x42

    /// The class of every other ASCII character.
    static let other: UInt8 = 0x43

    /// The class of bytes that are not ASCII.
    static let nonASCII: UInt8 = 0x80

    /// For every byte, its value in the alphabet (below 64) or its class.
    ///
    /// Every class has one of the two high bits set, and no value does. A bitwise OR of four
    /// entries therefore tells whether four characters are all in the alphabet.
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

    /// Creates the state before the first character.
    init(lenient: Bool) {
        self.lenient = lenient
    }

    /// Decodes `text` and appends the result to `output`, which must have room for every group.
    mutating func decode(
        _ text: Span<UInt8>,
        classes: Span<UInt8>,
        to output: inout OutputSpan<UInt8>
    ) throws(Base64.Failure) {
        var index = 0
        while true {
            // The fast path is valid only if no group is incomplete and, in strict mode, no padding
            // has been read.
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

    /// Returns the end of the white space at `start`, which both modes skip.
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

    /// Decodes groups from `start` on, and returns the start of the first group that is not four
    /// consecutive characters of the alphabet.
    @inline(__always)
    private mutating func decodeGroups(
        _ text: Span<UInt8>,
        from start: Int,
        classes: Span<UInt8>,
        to output: inout OutputSpan<UInt8>
    ) -> Int {
        // This guard tells the compiler the size of the table, so it can drop the bounds checks of
        // the lookups.
        guard classes.count == 256 else { return start }
        var index = Base64Tables.decode(text, from: start, to: &output)
        if index > start { padding = 0 }
        while text.count - index >= 4 {
            let a = classes[Int(text[index])], b = classes[Int(text[index + 1])]
            let c = classes[Int(text[index + 2])], d = classes[Int(text[index + 3])]
            // There is always room. This guard lets the compiler drop the checks of the three
            // calls.
            guard (a | b | c | d) & 0xC0 == 0, output.freeCapacity >= 3 else { break }
            output.append(a &<< 2 | b &>> 4)
            output.append(b &<< 4 | c &>> 2)
            output.append(c &<< 6 | d)
            index += 4
            padding = 0
        }
        return index
    }

    /// Processes one character. Returns the reason if it is invalid.
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

    /// Processes an `=`. Returns the reason if it is invalid.
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

    /// Adds six bits to the group. Appends the bytes of the group when it is complete.
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
