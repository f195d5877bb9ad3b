// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Serializes a property list of version 16 or 17, value by value.
///
/// The builder writes no references, because some readers do not know them. It does not check
/// whether the keys of a dictionary differ; this library refuses to read equal keys. A call that
/// throws an error leaves the property list as it was.
///
/// ```swift
/// var message = InlinePropertyListBuilder()
/// try message.beginArray()
/// try message.append(.ascii("ping:withReply:"))
/// try message.append(.utf16("foo5"))
/// try message.append(.null)
/// try message.end()
/// let bytes = try message.finish()
/// ```
public struct InlinePropertyListBuilder: Sendable {
    /// A value other than a container.
    public enum Value: Sendable {
        /// No value.
        case null
        /// A Boolean.
        case boolean(Bool)
        /// An integer, in the fewest possible bytes. Negative integers take 8.
        case integer(Int64)
        /// An integer above 2⁶³ - 1.
        case unsigned(UInt64)
        /// A real number of 4 bytes.
        case float(Float)
        /// A real number of 8 bytes.
        case double(Double)
        /// Bytes.
        case data([UInt8])
        /// ASCII text without NUL, for selectors, class names and keys.
        case ascii(String)
        /// UTF-16 text, for all strings that are values, including ASCII strings.
        case utf16(String)
    }

    private struct Open {
        /// The byte offset of the field for the container's end.
        let place: Int
        let isDictionary: Bool
        var count = 0
    }

    private var bytes: [UInt8]
    private var open: [Open] = []
    private var isComplete = false

    /// Creates a builder for a property list that has no root yet.
    ///
    /// - Parameter usesVersion16: A Boolean value that is true for version 16 and false for 17.
    public init(usesVersion16: Bool = false) {
        bytes = (usesVersion16 ? InlinePropertyListVersion.sixteen : .seventeen).magic
    }

    /// Begins an array. The following values are its elements, until ``end()``.
    ///
    /// - Throws: `incompleteList` after the root, `invalidKey` in the place of a key.
    public mutating func beginArray() throws(InlinePropertyListError) {
        try begin(0xa0, isDictionary: false)
    }

    /// Begins a dictionary. The following values are alternately keys and values, until ``end()``.
    ///
    /// - Throws: `incompleteList` after the root, `invalidKey` in the place of a key.
    public mutating func beginDictionary() throws(InlinePropertyListError) {
        try begin(0xd0, isDictionary: true)
    }

    private mutating func begin(
        _ marker: UInt8, isDictionary: Bool
    ) throws(InlinePropertyListError) {
        try count(isKey: false)
        bytes.append(marker)
        open.append(Open(place: bytes.count, isDictionary: isDictionary))
        bytes += [UInt8](repeating: 0, count: 8)
    }

    /// Ends the innermost container.
    ///
    /// - Throws: `incompleteList` if no container is open, `invalidKey` for a dictionary that ends
    ///   with a key.
    public mutating func end() throws(InlinePropertyListError) {
        guard let top = open.last else {
            throw InlinePropertyListError(
                .incompleteList, "expected an open container to end, found none")
        }
        guard !top.isDictionary || top.count % 2 == 0 else {
            throw InlinePropertyListError(
                .invalidKey,
                "expected an even number of keys and values in a dictionary, found \(top.count)")
        }
        open.removeLast()
        let last = bytes.count - 1
        for index in 0..<8 {
            bytes[top.place + index] = UInt8(truncatingIfNeeded: last >> (8 * index))
        }
        isComplete = open.isEmpty
    }

    /// Appends a value.
    ///
    /// - Throws: `incompleteList` after the root. `invalidKey` for a key that is neither a string
    ///   nor null. `invalidString` for an `ascii` value that is not ASCII or contains NUL.
    public mutating func append(_ value: Value) throws(InlinePropertyListError) {
        switch value {
        case .ascii(let text):
            try check(ascii: text)
            try count(isKey: true)
        case .null, .utf16: try count(isKey: true)
        default: try count(isKey: false)
        }
        switch value {
        case .null: bytes.append(0xe0)
        case .boolean(let flag): bytes.append(flag ? 0xb0 : 0xc0)
        case .integer(let number): append(integer: UInt64(bitPattern: number))
        case .unsigned(let number): append(0xf8, number, width: 8)
        case .float(let number): append(0x22, UInt64(number.bitPattern), width: 4)
        case .double(let number): append(0x23, number.bitPattern, width: 8)
        case .data(let data):
            append(0x40, length: data.count)
            bytes += data
        case .ascii(let text): append(ascii: text)
        case .utf16(let text): append(utf16: text)
        }
        isComplete = open.isEmpty
    }

    /// Returns the bytes of the property list.
    ///
    /// - Throws: `incompleteList` if the root is missing or a container is still open.
    public func finish() throws(InlinePropertyListError) -> [UInt8] {
        guard isComplete else {
            throw InlinePropertyListError(
                .incompleteList,
                open.isEmpty
                    ? "expected a root, found none"
                    : "expected `end()` for each container, found \(open.count) still open")
        }
        return bytes
    }

    // MARK: - Bytes

    /// Checks that a value is allowed at this point, and counts it in the innermost container.
    private mutating func count(isKey: Bool) throws(InlinePropertyListError) {
        guard !isComplete else {
            throw InlinePropertyListError(
                .incompleteList, "expected one root value, found a second")
        }
        guard let top = open.last else { return }
        guard !top.isDictionary || top.count % 2 == 1 || isKey else {
            throw InlinePropertyListError(
                .invalidKey, "expected a string or null as a key, found another value")
        }
        open[open.count - 1].count += 1
    }

    private mutating func append(_ marker: UInt8, _ bits: UInt64, width: Int) {
        bytes.append(marker)
        for index in 0..<width {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 &* index)))
        }
    }

    private mutating func append(integer bits: UInt64) {
        switch bits {
        case 0...0xff: append(0x11, bits, width: 1)
        case 0x100...0xffff: append(0x12, bits, width: 2)
        case 0x1_0000...0xffff_ffff: append(0x14, bits, width: 4)
        default: append(0x18, bits, width: 8)
        }
    }

    private mutating func append(_ marker: UInt8, length: Int) {
        if length < 15 { return bytes.append(marker | UInt8(truncatingIfNeeded: length)) }
        bytes.append(marker | 15)
        append(integer: UInt64(length))
    }

    private func check(ascii text: String) throws(InlinePropertyListError) {
        guard text.utf8.allSatisfy({ $0 > 0 && $0 < 0x80 }) else {
            throw InlinePropertyListError(
                .invalidString, "expected ASCII text without NUL, found other characters")
        }
    }

    private mutating func append(ascii text: String) {
        append(0x70, length: text.utf8.count + 1)
        bytes += text.utf8
        bytes.append(0)
    }

    private mutating func append(utf16 text: String) {
        let units = Array(text.utf16)
        append(0x60, length: units.count)
        for unit in units {
            bytes.append(UInt8(truncatingIfNeeded: unit))
            bytes.append(UInt8(truncatingIfNeeded: unit >> 8))
        }
    }
}
