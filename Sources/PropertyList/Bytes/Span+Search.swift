// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Returns the first index in `range` of either byte, or nil. Tests eight bytes at a time.
    package func firstIndex(of first: UInt8, or second: UInt8, in range: Range<Int>) -> Int? {
        let firsts = Self.repeated(first)
        let seconds = Self.repeated(second)
        return firstIndex(in: range) {
            Self.zeros($0 ^ firsts) | Self.zeros($0 ^ seconds)
        } where: {
            $0 == first || $0 == second
        }
    }

    /// Returns the first index in `range` of a byte below 0x20 or of one of two bytes, or nil.
    /// Tests eight bytes at a time.
    package func firstIndex(
        ofControlOr first: UInt8, or second: UInt8, in range: Range<Int>
    ) -> Int? {
        let firsts = Self.repeated(first)
        let seconds = Self.repeated(second)
        return firstIndex(in: range) {
            Self.controls($0) | Self.zeros($0 ^ firsts) | Self.zeros($0 ^ seconds)
        } where: {
            $0 < 0x20 || $0 == first || $0 == second
        }
    }

    /// Returns the first index in `range` of `byte`, or nil. Tests eight bytes at a time.
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        let copies = Self.repeated(byte)
        return firstIndex(in: range) {
            Self.zeros($0 ^ copies)
        } where: {
            $0 == byte
        }
    }

    /// Returns the first index in `range` of a byte that passes a test, or nil.
    ///
    /// The test has two forms. `matches` tests eight bytes, and returns a word with the high bit
    /// set in each byte that passes; only the lowest set bit has to be exact. `isMatch` tests one
    /// of the last bytes.
    @inline(__always)
    private func firstIndex(
        in range: Range<Int>, matches: (UInt64) -> UInt64, where isMatch: (UInt8) -> Bool
    ) -> Int? {
        var index = range.lowerBound
        let end = Swift.min(range.upperBound, count)
        while index &+ 8 <= end, let word = littleEndian(at: index) {
            let found = matches(word)
            if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < end {
            if isMatch(self[index]) { return index }
            index &+= 1
        }
        return nil
    }

    /// Returns the number of occurrences of `byte` in `range`. Tests eight bytes at a time.
    func count(of byte: UInt8, in range: Range<Int>) -> Int {
        var result = 0
        var index = range.lowerBound
        let end = Swift.min(range.upperBound, count)
        let copies = Self.repeated(byte)
        while index &+ 8 <= end, let word = littleEndian(at: index) {
            // No addition carries into the next byte, so each high bit tells whether its byte
            // differs.
            let differs = word ^ copies
            let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
            let same = ~((differs & low) &+ low | differs | low) &>> 7
            result &+= Int(truncatingIfNeeded: Self.sum(ofBytes: same))
            index &+= 8
        }
        while index < end {
            if self[index] == byte { result &+= 1 }
            index &+= 1
        }
        return result
    }

    /// Returns the last index in `range` of `byte`, or nil.
    @inline(__always)
    package func lastIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        var index = Swift.min(range.upperBound, count) &- 1
        while index >= range.lowerBound {
            if self[index] == byte { return index }
            index &-= 1
        }
        return nil
    }

    /// Returns whether `text` is at `index`.
    package func has(_ text: StaticString, at index: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index >= 0, count >= length, index <= count &- length else { return false }
        // SAFETY: a static string holds `utf8CodeUnitCount` bytes from its start forever.
        let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: length)
        for step in 0..<length where unsafe self[index &+ step] != bytes[step] { return false }
        return true
    }

    /// The length of the UTF-8 byte order mark at the beginning of the text; 0 if there is none.
    package var lengthOfUTF8Mark: Int { has("\u{FEFF}", at: 0) ? 3 : 0 }

    /// Returns the first index of `text` from `start` on, or nil. Takes time up to the length of
    /// the span times the length of `text`.
    package func firstIndex(of text: StaticString, from start: Int) -> Int? {
        // SAFETY: as above; the string is not empty in any call.
        let first = unsafe text.utf8Start.pointee
        var index = start
        while index < count, let place = firstIndex(of: first, in: index..<count) {
            if has(text, at: place) { return place }
            index = place &+ 1
        }
        return nil
    }

    private static func repeated(_ byte: UInt8) -> UInt64 {
        UInt64(byte) &* 0x0101_0101_0101_0101
    }

    /// Returns the sum of eight bytes, which must be less than 256. The highest byte of the product
    /// is that sum. Counting bits would be slower on processors without an instruction for it.
    private static func sum(ofBytes word: UInt64) -> UInt64 {
        (word &* 0x0101_0101_0101_0101) &>> 56
    }

    /// Returns a word with the high bit set in each zero byte. The result is exact up to the lowest
    /// zero byte. The borrow from that byte may also set the high bit of the next byte.
    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// Returns a word with the high bit set in each byte below 0x20. The result is exact up to the
    /// lowest such byte, as in ``zeros(_:)``.
    @inline(__always)
    private static func controls(_ word: UInt64) -> UInt64 {
        (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
    }
}

extension String {
    /// Calls `body` with the text in UTF-8, without a copy if the string is stored as UTF-8.
    package func withUTF8Span<R>(_ body: (Span<UInt8>) -> R) -> R {
        var text = self
        // SAFETY: the buffer is the string's own, and the span ends with the call.
        return text.withUTF8 { unsafe body($0.span) }
    }
}

/// The identity of a long string or long data, based on its address in memory. Contents with equal
/// identities are equal.
///
/// The identity retains the content, so its memory cannot be reused. Short contents have no
/// identity.
package struct ContentIdentity: Sendable {
    private let content: any Sendable
    private let address: UInt
    private let count: Int

    package init?(_ text: String) { self.init(text.utf8) }

    /// Creates the identity of bytes in a collection that shares its memory with copies.
    package init?(_ bytes: some Collection<UInt8> & Sendable) {
        guard bytes.count >= NodeRecord.longLength else { return nil }
        // The address is compared, not dereferenced.
        let address = bytes.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
        guard let address else { return nil }
        self.address = address
        count = bytes.count
        content = bytes
    }
}

extension ContentIdentity: Hashable {
    package static func == (first: ContentIdentity, second: ContentIdentity) -> Bool {
        first.address == second.address && first.count == second.count
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(address)
        hasher.combine(count)
    }
}

extension [UInt8] {
    /// Appends a string literal.
    package mutating func append(contentsOf text: StaticString) {
        // SAFETY: the buffer is that of the static string, and copied within the call.
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }

    /// Appends text, in one copy if the string is stored as UTF-8.
    mutating func append(text: String.UTF8View) {
        makeRoom(for: text.count)
        // SAFETY: the buffer is the string's own, and is copied within the call.
        let done: Void? = unsafe text.withContiguousStorageIfAvailable { buffer in
            unsafe append(contentsOf: buffer)
        }
        if done == nil { append(contentsOf: text) }
    }
}
