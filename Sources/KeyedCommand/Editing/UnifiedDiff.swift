// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// The lines that edits change, in the form that `diff -u` prints and `patch` takes.
struct UnifiedDiff {
    private static let context = 3

    /// Lines of the source that others replace.
    private struct Hunk {
        var old: Range<Int>
        var new: [ArraySlice<UInt8>]
    }

    private let source: [ArraySlice<UInt8>]
    private let name: String
    private var hunks: [Hunk] = []

    /// The difference that changes make to a source of UTF-8 text. Linear.
    init(source: [UInt8], changes: [EditedPropertyList.Change], name: String) {
        self.name = TerminalText.escaped(name)
        self.source = Self.lines(source[...])
        if self.source.isEmpty { return }
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
            let text = text(of: touched, with: changes[first..<end], source)
            let hunk = Hunk(old: touched, new: Self.lines(text[...]))
            if let hunk = Self.trimmed(hunk, self.source) { hunks.append(hunk) }
            first = end
        }
    }

    /// The lines in which a range of bytes lies, with the one in which it ends.
    private func lines(of range: Range<Int>) -> Range<Int> {
        line(at: range.lowerBound)..<(line(at: range.upperBound) + 1)
    }

    /// The line in which a byte is; of the end of the text, the last.
    private func line(at place: Int) -> Int {
        var (low, high) = (0, source.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if source[middle].startIndex <= place { low = middle } else { high = middle }
        }
        return low
    }

    /// What becomes of some lines.
    private func text(
        of lines: Range<Int>, with changes: ArraySlice<EditedPropertyList.Change>,
        _ source: [UInt8]
    ) -> [UInt8] {
        var text: [UInt8] = []
        var position = self.source[lines.lowerBound].startIndex
        for change in changes {
            text += source[position..<change.range.lowerBound]
            text += change.replacement
            position = change.range.upperBound
        }
        return text + source[position..<self.source[lines.upperBound - 1].endIndex]
    }

    /// A text as lines, each with its end.
    private static func lines(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = text
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            lines.append(rest[..<end])
            rest = rest[end...]
        }
        return lines
    }

    /// A hunk without the lines at its ends that are the same.
    private static func trimmed(_ hunk: Hunk, _ source: [ArraySlice<UInt8>]) -> Hunk? {
        var (old, new) = (hunk.old, hunk.new[...])
        while let first = old.first, source[first] == new.first {
            old = (first + 1)..<old.upperBound
            new = new.dropFirst()
        }
        while let last = old.last, source[last] == new.last {
            old = old.lowerBound..<last
            new = new.dropLast()
        }
        return old.isEmpty && new.isEmpty ? nil : Hunk(old: old, new: Array(new))
    }

    // MARK: Lines

    /// The lines of the difference; none where nothing changes.
    var lines: [String] {
        if hunks.isEmpty { return [] }
        var lines = ["--- \(name)", "+++ \(name)"]
        var shift = 0
        for group in groups {
            guard let first = group.first, let last = group.last else { continue }
            let start = max(first.old.lowerBound - Self.context, 0)
            let end = min(last.old.upperBound + Self.context, source.count)
            let added = group.reduce(0) { $0 + $1.new.count - $1.old.count }
            let range = start..<end
            lines.append(
                "@@ -\(Self.numbers(start, range.count)) "
                    + "+\(Self.numbers(start + shift, range.count + added)) @@")
            lines += body(group, range)
            shift += added
        }
        return lines
    }

    private static func numbers(_ start: Int, _ count: Int) -> String {
        let first = count == 0 ? start : start + 1
        return count == 1 ? "\(first)" : "\(first),\(count)"
    }

    /// Hunks whose context touches.
    private var groups: [[Hunk]] {
        var groups: [[Hunk]] = []
        for hunk in hunks {
            if let last = groups.last?.last,
                hunk.old.lowerBound - last.old.upperBound <= 2 * Self.context
            {
                groups[groups.count - 1].append(hunk)
            } else {
                groups.append([hunk])
            }
        }
        return groups
    }

    private func body(_ group: [Hunk], _ range: Range<Int>) -> [String] {
        var lines: [String] = []
        var position = range.lowerBound
        for hunk in group {
            lines += source[position..<hunk.old.lowerBound].flatMap { Self.text(" ", $0) }
            lines += source[hunk.old].flatMap { Self.text("-", $0) }
            lines += hunk.new.flatMap { Self.text("+", $0) }
            position = hunk.old.upperBound
        }
        return lines + source[position..<range.upperBound].flatMap { Self.text(" ", $0) }
    }

    private static func text(_ mark: String, _ line: ArraySlice<UInt8>) -> [String] {
        let hasEnd = line.last == 0x0A
        let content = mark + String(decoding: hasEnd ? line.dropLast() : line, as: UTF8.self)
        return hasEnd ? [content] : [content, "\\ No newline at end of file"]
    }
}
