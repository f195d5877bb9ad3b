// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Scanning of values without children. ``XMLScalars`` parses all but the simplest forms.
extension XMLScanner {
    // MARK: Strings

    @inline(__always)
    mutating func string(_ text: Span<UInt8>, _ word: UInt64, at index: Int) -> Int? {
        if XMLTagWord.string.begins(word) {
            guard let end = string(text, from: index &+ 8, tag: index),
                hasEndTag(text, .string, at: end)
            else { return nil }
            return end &+ 9
        }
        guard XMLTagWord.emptyString.begins(word) else { return nil }
        add(.string, at: index, header: 9)
        return index &+ 9
    }

    /// Adds the text from `start` to the next `<` as a string. Returns the index of the `<`.
    @inline(__always)
    mutating func string(_ text: Span<UInt8>, from start: Int, tag: Int) -> Int? {
        guard let run = XMLTextRun(text, from: start) else { return nil }
        if run.hasReference { return decodedString(text, start..<run.end, tag: tag) }
        var record = NodeRecord(
            kind: .string, offset: UInt32(truncatingIfNeeded: tag),
            header: UInt16(truncatingIfNeeded: start &- tag),
            payload: NodeRecord.payload(low: UInt32(truncatingIfNeeded: run.end &- start)))
        record.encoding = run.isASCII ? .ascii : .utf8
        tree.add(record)
        return run.end
    }

    private mutating func decodedString(
        _ text: Span<UInt8>, _ range: Range<Int>, tag: Int
    ) -> Int? {
        let start = tree.store.decoded.count
        guard scalar(.string, text, range, tag: tag) else { return nil }
        // The scanned text has no forbidden character, so a forbidden character in the decoded text
        // comes from a numeric reference.
        let decoded = tree.store.decoded.span.extracting(start...)
        return XMLEscaping.hasForbiddenCharacter(decoded) ? nil : range.upperBound
    }

    // MARK: Numbers

    @inline(__always)
    mutating func integer(_ text: Span<UInt8>, _ word: UInt64, at index: Int) -> Int? {
        guard XMLTagWord.integer.begins(word) else { return nil }
        let start = index &+ 9
        if let place = plainInteger(text, from: start, tag: index) {
            return hasEndTag(text, .integer, at: place) ? place &+ 10 : nil
        }
        guard let place = leaf(.integer, text, from: start, tag: index) else { return nil }
        return hasEndTag(text, .integer, at: place) ? place &+ 10 : nil
    }

    /// Adds an integer of up to 19 digits, optionally with a minus sign, that ends before `<`.
    @inline(__always)
    private mutating func plainInteger(_ text: Span<UInt8>, from start: Int, tag: Int) -> Int? {
        let isNegative = text.has("-", at: start)
        guard let (value, end) = text.decimal(at: isNegative ? start &+ 1 : start),
            text[end] == UInt8(ascii: "<"), !isNegative || value <= 1 << 63
        else { return nil }
        var record = NodeRecord(
            kind: .integer, offset: UInt32(truncatingIfNeeded: tag),
            payload: isNegative ? 0 &- value : value)
        record.isNegative = isNegative && value != 0
        tree.add(record)
        return end
    }

    @inline(__always)
    mutating func real(_ text: Span<UInt8>, _ word: UInt64, at index: Int) -> Int? {
        guard XMLTagWord.real.begins(word) else { return nil }
        if let (value, end) = RealText.plain(text, at: index &+ 6), hasEndTag(text, .real, at: end),
            text[end] == UInt8(ascii: "<")
        {
            add(.real, at: index, header: 8, payload: value.bitPattern)
            return end &+ 7
        }
        guard let end = leaf(.real, text, from: index &+ 6, tag: index),
            hasEndTag(text, .real, at: end)
        else { return nil }
        return end &+ 7
    }

    // MARK: Dates, data, booleans

    mutating func date(_ text: Span<UInt8>, at index: Int) -> Int? {
        guard let end = leaf(.date, text, from: index &+ 6, tag: index),
            hasEndTag(text, .date, at: end)
        else { return nil }
        return end &+ 7
    }

    mutating func data(_ text: Span<UInt8>, at index: Int) -> Int? {
        let start = index &+ 6
        let mark = UInt8(ascii: "<")
        let decodedStart = tree.store.decoded.count
        if decodedStart == 0 { reserveDecoded((text.count &- start) / 4 * 3) }
        // The strict decoder checks every character and accepts only those that XML allows.
        guard let end = text.firstIndex(of: mark, in: start..<text.count),
            (try? Base64.decode(
                text.extracting(start..<end), lenient: false, into: &tree.store.decoded)) != nil,
            addData(from: decodedStart, at: index), hasEndTag(text, .data, at: end)
        else { return nil }
        return end &+ 7
    }

    /// Makes room for `count` bytes, up to a limit, because the remaining text need not all be
    /// data.
    private mutating func reserveDecoded(_ count: Int) {
        tree.store.decoded.reserveCapacity(min(count, 1 << 24))
    }

    mutating func emptyData(at index: Int) -> Int? {
        addData(from: tree.store.decoded.count, at: index) ? index &+ 7 : nil
    }

    private mutating func addData(from start: Int, at index: Int) -> Bool {
        guard let run = tree.store.closeDecodedRange(from: start) else { return false }
        var record = NodeRecord(
            kind: .data, offset: UInt32(truncatingIfNeeded: index),
            payload: NodeRecord.payload(low: run))
        record.isDecoded = true
        tree.add(record)
        return true
    }

    mutating func boolean(_ word: UInt64, at index: Int) -> Int? {
        let isTrue = XMLTagWord.emptyTrue.begins(word)
        guard isTrue || XMLTagWord.emptyFalse.begins(word) else { return nil }
        add(.boolean, at: index, payload: isTrue ? 1 : 0)
        return index &+ (isTrue ? 7 : 8)
    }

    // MARK: Records

    @inline(__always)
    private mutating func add(
        _ kind: PropertyListKind, at index: Int, header: UInt16 = 0, payload: UInt64 = 0
    ) {
        tree.add(
            NodeRecord(
                kind: kind, offset: UInt32(truncatingIfNeeded: index), header: header,
                payload: payload))
    }

    /// Adds the value from `start` to the next `<`. Returns the index of the `<`.
    private mutating func leaf(
        _ element: XMLElement, _ text: Span<UInt8>, from start: Int, tag: Int
    ) -> Int? {
        guard let run = XMLTextRun(text, from: start), !run.hasReference,
            scalar(element, text, start..<run.end, tag: tag)
        else { return nil }
        return run.end
    }

    private mutating func scalar(
        _ element: XMLElement, _ text: Span<UInt8>, _ range: Range<Int>, tag: Int
    ) -> Bool {
        var scalars = XMLScalars(options: options, element: element, tagStart: tag)
        guard let record = try? scalars.read(text, range, &tree.store) else { return false }
        tree.add(record)
        used.formUnion(scalars.used)
        return true
    }
}
