// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension ListReader {
    /// Reads a value, or the beginning of a container.
    mutating func readValue() throws(InlinePropertyListError) {
        guard place < limit else { throw fail(.truncated, "expected a value, found the end") }
        if version == .fifteen { try readOldValue() } else { try readMessageValue() }
    }

    private func unknown() -> InlinePropertyListError {
        fail(
            .invalidMarker,
            "expected the marker of a value in version \(version.rawValue), found 0x\(String(bytes[place], radix: 16))"
        )
    }

    /// Adds a value with `count` bytes after its header, after checking that the bytes are present.
    private mutating func add(
        _ kind: ListNode.Kind, header: Int = 1, checked count: Int
    ) throws(InlinePropertyListError) {
        let left = limit - place - header
        guard count <= left else {
            throw fail(.invalidLength, "expected \(count) bytes of a value, found \(left)")
        }
        add(kind, header: header, count: count)
    }

    // MARK: - Versions 16 and 17

    private mutating func readMessageValue() throws(InlinePropertyListError) {
        let marker = bytes[place]
        switch marker {
        case 0x11, 0x12, 0x14, 0x18: try add(.integer, checked: Int(marker & 15))
        case 0x22: try add(.float, checked: 4)
        case 0x23: try add(.double, checked: 8)
        case 0x40...0x4f: try readBytes(.data)
        case 0x60...0x6f: try readBytes(.utf16)
        case 0x70...0x7f: try readBytes(.terminated)
        case 0x81...0x88 where version == .seventeen: try readReference(Int(marker & 15))
        case 0xa0: try beginMessageContainer(.array)
        case 0xb0: try add(.true, checked: 0)
        case 0xc0: try add(.false, checked: 0)
        case 0xd0: try beginMessageContainer(.dictionary)
        case 0xe0: try add(.null, checked: 0)
        case 0xf8: try add(.unsigned, checked: 8)
        default: throw unknown()
        }
    }

    /// Begins a container. The eight bytes after its marker are the offset of its last byte.
    private mutating func beginMessageContainer(
        _ kind: ListNode.Kind
    ) throws(InlinePropertyListError) {
        guard limit - place >= 9 else {
            throw fail(.truncated, "expected the end offset of a container, found the end")
        }
        let last = NumberBytes.little(bytes, place + 1..<place + 9)
        guard last >= UInt64(place + 8), last < UInt64(limit) else {
            throw fail(
                .invalidEnd,
                "expected an end offset from \(place + 8) to \(limit - 1) for a container, found \(last)"
            )
        }
        try beginContainer(kind, header: 9, end: Int(truncatingIfNeeded: last) + 1)
    }

    /// Reads a reference to the value at an absolute offset.
    private mutating func readReference(_ width: Int) throws(InlinePropertyListError) {
        guard limit - place - 1 >= width else {
            throw fail(.truncated, "expected an offset of \(width) bytes, found the end")
        }
        let offset = NumberBytes.little(bytes, place + 1..<place + 1 + width)
        guard offset < UInt64(place), let target = completeNode(at: Int(truncatingIfNeeded: offset))
        else {
            throw fail(
                .invalidReference,
                "expected the offset of a complete earlier value, found \(offset)")
        }
        add(referenceTo: target, header: 1, count: width)
    }

    // MARK: - Version 15

    private mutating func readOldValue() throws(InlinePropertyListError) {
        let marker = bytes[place]
        switch marker {
        case 0x00: try add(.null, checked: 0)
        case 0x08: try add(.false, checked: 0)
        case 0x09: try add(.true, checked: 0)
        case 0x10...0x13: try add(.integer, checked: 1 << Int(marker & 15))
        case 0x22: try add(.float, checked: 4)
        case 0x23: try add(.double, checked: 8)
        case 0x33: try add(.date, checked: 8)
        case 0x40...0x4f: try readBytes(.data)
        case 0x50...0x5f: try readBytes(.ascii)
        case 0x70...0x7f: try readBytes(.utf8)
        case 0xa0...0xaf: try beginOldContainer(.array)
        case 0xb0...0xbf: try beginOldContainer(.orderedSet)
        case 0xc0...0xcf: try beginOldContainer(.set)
        case 0xd0...0xdf: try beginOldContainer(.dictionary)
        default: throw unknown()
        }
    }

    private mutating func beginOldContainer(
        _ kind: ListNode.Kind
    ) throws(InlinePropertyListError) {
        let (count, header) = try length()
        let isDictionary = kind == .dictionary
        // Cannot overflow: a count is at most the number of bytes.
        let values = isDictionary ? 2 * count : count
        let left = limit - place - header
        guard values <= left else {
            let elements = isDictionary ? "entries" : "elements"
            throw fail(
                .invalidLength,
                "expected at least \(values) bytes for \(count) \(elements), found \(left)")
        }
        try beginContainer(kind, header: header, count: values)
    }

    // MARK: - Lengths and text

    /// Returns the length from a marker or from the integer after it, and the size of the marker
    /// and that integer in bytes.
    private func length() throws(InlinePropertyListError) -> (length: Int, header: Int) {
        let short = Int(bytes[place] & 15)
        if short < 15 { return (short, 1) }
        let start = place + 1
        guard start < limit, let width = integerWidth(bytes[start]), width < limit - start else {
            throw fail(.invalidLength, "expected an integer as a length", at: start)
        }
        let range = start + 1..<start + 1 + width
        // Lengths in versions 16 and 17 are unsigned.
        let value =
            version == .fifteen
            ? UInt64(bitPattern: NumberBytes.biased(bytes, range))
            : NumberBytes.little(bytes, range)
        guard value <= UInt64(limit - start) else {
            throw fail(
                .invalidLength, "expected a length of at most \(limit - start), found \(value)",
                at: start)
        }
        return (Int(truncatingIfNeeded: value), 2 + width)
    }

    /// Returns the width of an integer with a marker, or nil for other markers.
    private func integerWidth(_ marker: UInt8) -> Int? {
        if version == .fifteen { return 0x10...0x13 ~= marker ? 1 << Int(marker & 15) : nil }
        return [0x11, 0x12, 0x14, 0x18].contains(marker) ? Int(marker & 15) : nil
    }

    private mutating func readBytes(_ kind: ListNode.Kind) throws(InlinePropertyListError) {
        let (length, header) = try length()
        let start = place + header
        // Cannot overflow: a length is at most the number of bytes.
        try add(kind, header: header, checked: kind == .utf16 ? 2 * length : length)
        guard kind.isString, let node = nodes.last else { return }
        guard !hasInnerNUL(node), ListText.text(of: node, in: bytes) != nil else {
            throw fail(
                .invalidString,
                "expected text that is valid in its encoding, with NUL only as its terminator",
                at: start, child: path.last.map { $0 - 1 })
        }
    }

    /// Returns whether a NUL-terminated string contains another NUL.
    private func hasInnerNUL(_ node: ListNode) -> Bool {
        node.kind == .terminated && bytes[node.content].dropLast().contains(0)
    }
}
