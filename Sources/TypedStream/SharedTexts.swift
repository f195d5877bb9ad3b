// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A cache of facts about texts that several objects of a document share: their lengths in UTF-16
/// code units, and which strings have equal bytes.
///
/// A small stream can refer to a long text many times. Each long text is measured once, and
/// compared with other texts once.
package struct SharedTexts {
    /// The maximum length, in bytes, of a text that is not cached but measured each time. Most
    /// texts of messages are not longer, so they need no dictionary.
    private static let shortLength = 512

    private var units: [Int: TextUnits] = [:]
    /// For a shared string, the number of the first known one with the same bytes.
    private var firstNumbers: [Int: Int] = [:]
    private var numbers: [ArraySlice<UInt8>: Int] = [:]

    package init() {}

    /// Returns the units of a string object's text if it is long and has been measured.
    func units(of text: TypedStreamObject) -> TextUnits? { units[text.number] }

    /// Keeps the units of a string object's text if it is long.
    mutating func keep(_ measured: TextUnits, of text: TypedStreamObject) {
        if measured.range.count > Self.shortLength { units[text.number] = measured }
    }

    /// Returns whether two shared strings have the same bytes.
    mutating func areEqual(_ first: TypedStreamString, _ second: TypedStreamString) -> Bool {
        first.number == second.number || firstNumber(of: first) == firstNumber(of: second)
    }

    private mutating func firstNumber(of string: TypedStreamString) -> Int {
        if let known = firstNumbers[string.number] { return known }
        let first = numbers[string.bytes] ?? string.number
        numbers[string.bytes] = first
        firstNumbers[string.number] = first
        return first
    }
}
