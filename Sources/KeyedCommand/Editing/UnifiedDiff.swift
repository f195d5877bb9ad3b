// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools

/// The lines that edits change, in the format of `diff -u` and `patch`.
///
/// Only the offsets of lines are stored: an array of all lines of a text would take several times
/// the memory of the text.
struct UnifiedDiff {
    private static let context = 3

    /// A range of source lines and the text that replaces them.
    private struct Hunk {
        var old: Range<Int>
        var new: ArraySlice<UInt8>
    }

    private let source: [UInt8]
    // The offsets at which the lines of the source begin, and the end of the last line.
    private let starts: [Int]
    private var hunks: [Hunk] = []

    /// Creates the difference that changes make to a UTF-8 source. Linear.
    init(source: [UInt8], changes: [EditedPropertyList.Change]) {
        self.source = source
        starts = Self.starts(of: source)
        var first = 0
        while first < changes.count {
            var touched = lines(of: changes[first].range)
            var end = first + 1
            while end < changes.count {
                let next = lines(of: changes[end].range)
                guard next.lowerBound < touched.upperBound else { break }
                touched = touched.lowerBound..<max(touched.upperBound, next.upperBound)
                end += 1
            }
            let text = text(of: touched, with: changes[first..<end])
            if let hunk = trimmed(Hunk(old: touched, new: text[...])) { hunks.append(hunk) }
            first = end
        }
    }

    private static func starts(of text: [UInt8]) -> [Int] {
        var starts = [0]
        for (place, byte) in text.enumerated() where byte == 0x0A { starts.append(place + 1) }
        // Text after the last line end counts as a line.
        if starts.last != text.count { starts.append(text.count) }
        return starts
    }

    private var lineCount: Int { starts.count - 1 }

    /// Returns a line of the source, including its line ending.
    private func line(_ number: Int) -> ArraySlice<UInt8> {
        source[starts[number]..<starts[number + 1]]
    }

    /// Returns the lines that a range of bytes touches, including the line that contains its end
    /// offset.
    private func lines(of range: Range<Int>) -> Range<Int> {
        if lineCount == 0 { return 0..<0 }
        return line(at: range.lowerBound)..<(line(at: range.upperBound) + 1)
    }

    /// Returns the index of the line that contains a byte, or of the last line for the end of the
    /// text.
    private func line(at place: Int) -> Int {
        var (low, high) = (0, lineCount)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= place { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns the text of lines after applying changes to them.
    private func text(
        of lines: Range<Int>, with changes: ArraySlice<EditedPropertyList.Change>
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(
            changes.reduce(starts[lines.upperBound] - starts[lines.lowerBound]) {
                $0 + $1.replacement.count
            })
        var position = starts[lines.lowerBound]
        for change in changes {
            text += source[position..<change.range.lowerBound]
            text += change.replacement
            position = change.range.upperBound
        }
        text += source[position..<starts[lines.upperBound]]
        return text
    }

    /// Returns a hunk without the unchanged lines at its beginning and end, or nil if none remain.
    private func trimmed(_ hunk: Hunk) -> Hunk? {
        var (old, new) = (hunk.old, hunk.new)
        while let first = old.first, Self.firstLine(new) == line(first) {
            old = (first + 1)..<old.upperBound
            new = new.dropFirst(line(first).count)
        }
        while let last = old.last, Self.lastLine(new) == line(last) {
            old = old.lowerBound..<last
            new = new.dropLast(line(last).count)
        }
        return old.isEmpty && new.isEmpty ? nil : Hunk(old: old, new: new)
    }

    private static func firstLine(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.firstIndex(of: 0x0A).map { text[...$0] } ?? text
    }

    private static func lastLine(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text[(text.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? text.startIndex)...]
    }

    // MARK: Printing

    /// Prints the difference, or nothing if there are no changes.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func print(name: String, to console: Console) throws(PropertyListError) {
        if hunks.isEmpty { return }
        let name = TerminalText.escaped(name)
        try console.print("--- \(name)")
        try console.print("+++ \(name)")
        var shift = 0
        var first = 0
        while first < hunks.count {
            let group = hunks[first..<endOfGroup(from: first)]
            let added = group.reduce(0) { $0 + Self.lineCount(of: $1.new) - $1.old.count }
            let start = max(hunks[first].old.lowerBound - Self.context, 0)
            let end = min((group.last?.old.upperBound ?? 0) + Self.context, lineCount)
            try console.print(
                "@@ -\(Self.numbers(start, end - start)) "
                    + "+\(Self.numbers(start + shift, end - start + added)) @@")
            try print(group, start..<end, console)
            shift += added
            first = group.endIndex
        }
    }

    private static func lineCount(of text: ArraySlice<UInt8>) -> Int {
        text.count { $0 == 0x0A } + (text.isEmpty || text.last == 0x0A ? 0 : 1)
    }

    private static func numbers(_ start: Int, _ count: Int) -> String {
        let first = count == 0 ? start : start + 1
        return count == 1 ? "\(first)" : "\(first),\(count)"
    }

    /// Returns the end of the group of hunks whose contexts touch.
    private func endOfGroup(from first: Int) -> Int {
        var end = first + 1
        while end < hunks.count,
            hunks[end].old.lowerBound - hunks[end - 1].old.upperBound <= 2 * Self.context
        {
            end += 1
        }
        return end
    }

    private func print(
        _ group: ArraySlice<Hunk>, _ range: Range<Int>, _ console: Console
    ) throws(PropertyListError) {
        var position = range.lowerBound
        for hunk in group {
            try print(" ", position..<hunk.old.lowerBound, console)
            try print("-", hunk.old, console)
            var rest = hunk.new
            while !rest.isEmpty {
                let line = Self.firstLine(rest)
                try Self.print("+", line, console)
                rest = rest.dropFirst(line.count)
            }
            position = hunk.old.upperBound
        }
        try print(" ", position..<range.upperBound, console)
    }

    private func print(
        _ mark: String, _ lines: Range<Int>, _ console: Console
    ) throws(PropertyListError) {
        for number in lines { try Self.print(mark, line(number), console) }
    }

    private static func print(
        _ mark: String, _ line: ArraySlice<UInt8>, _ console: Console
    ) throws(PropertyListError) {
        let hasEnd = line.last == 0x0A
        let content = String(decoding: hasEnd ? line.dropLast() : line, as: UTF8.self)
        try console.print(mark + (console.isTerminal ? escaped(content) : content))
        if !hasEnd { try console.print("\\ No newline at end of file") }
    }

    /// Returns a line with its control characters escaped for a terminal, except for tabs.
    private static func escaped(_ line: String) -> String {
        line.utf8.split(separator: 0x09, omittingEmptySubsequences: false)
            .map { TerminalText.escaped(String(decoding: $0, as: UTF8.self)) }
            .joined(separator: "\t")
    }
}
