// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// An alignment of two sequences, which pairs as many equal elements as possible without changing
/// their order.
///
/// The algorithm is Myers, "An O(ND) Difference Algorithm and Its Variations", 1986. Sequences with
/// more than 200 insertions and removals are aligned only at their ends, which keeps the work
/// linear.
enum Alignment {
    private static let differenceLimit = 200

    /// A run of elements in the first sequence that differs from a run in the second. One of the
    /// two may be empty, but not both.
    struct Hunk {
        var old: Range<Int>
        var new: Range<Int>
    }

    /// Returns the runs in which two sequences of equality classes differ, in order.
    static func hunks(_ old: [UInt32], _ new: [UInt32]) -> [Hunk] {
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        if start == oldEnd, start == newEnd { return [] }
        let whole = Hunk(old: start..<oldEnd, new: start..<newEnd)
        if start == oldEnd || start == newEnd { return [whole] }
        guard let matches = matches(old[start..<oldEnd], new[start..<newEnd]) else {
            return [whole]
        }
        return hunks(whole, matches)
    }

    /// Returns the hunks between pairs of equal elements.
    private static func hunks(_ whole: Hunk, _ matches: [(old: Int, new: Int)]) -> [Hunk] {
        var hunks: [Hunk] = []
        var (old, new) = (whole.old.lowerBound, whole.new.lowerBound)
        for match in matches + [(whole.old.upperBound, whole.new.upperBound)] {
            if old < match.old || new < match.new {
                hunks.append(Hunk(old: old..<match.old, new: new..<match.new))
            }
            (old, new) = (match.old + 1, match.new + 1)
        }
        return hunks
    }

    /// Returns pairs of equal elements, or nil if there are too many differences.
    private static func matches(
        _ old: ArraySlice<UInt32>, _ new: ArraySlice<UInt32>
    ) -> [(old: Int, new: Int)]? {
        let limit = min(old.count + new.count, differenceLimit)
        // For each diagonal: how far into `old` a path with `distance` differences reaches.
        var reach = [Int](repeating: 0, count: 2 * limit + 3)
        var trace: [[Int]] = []
        for distance in 0...limit {
            trace.append(reach)
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let slot = limit + 1 + diagonal
                let goesDown =
                    diagonal == -distance
                    || diagonal != distance && reach[slot - 1] < reach[slot + 1]
                var x = goesDown ? reach[slot + 1] : reach[slot - 1] + 1
                while x < old.count, x - diagonal < new.count, x - diagonal >= 0,
                    old[old.startIndex + x] == new[new.startIndex + x - diagonal]
                {
                    x += 1
                }
                reach[slot] = x
                if x >= old.count, x - diagonal >= new.count {
                    return backtrack(trace, old, new, limit)
                }
            }
        }
        return nil
    }

    private static func backtrack(
        _ trace: [[Int]], _ old: ArraySlice<UInt32>, _ new: ArraySlice<UInt32>, _ limit: Int
    ) -> [(old: Int, new: Int)] {
        var matches: [(old: Int, new: Int)] = []
        var (x, y) = (old.count, new.count)
        for (distance, reach) in trace.enumerated().reversed() {
            let diagonal = x - y
            let slot = limit + 1 + diagonal
            let goesDown =
                diagonal == -distance || diagonal != distance && reach[slot - 1] < reach[slot + 1]
            let previous = goesDown ? diagonal + 1 : diagonal - 1
            let previousX = distance == 0 ? 0 : reach[limit + 1 + previous]
            let previousY = distance == 0 ? 0 : previousX - previous
            while x > previousX, y > previousY, x > 0, y > 0 {
                matches.append((old.startIndex + x - 1, new.startIndex + y - 1))
                (x, y) = (x - 1, y - 1)
            }
            (x, y) = (previousX, previousY)
        }
        return matches.reversed()
    }
}
