// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Finds where binary property lists may begin and end within other bytes.
///
/// A binary property list does not store its length at its beginning, but the ``Trailer`` at its
/// end implies it: objects, offset table and trailer fill the file without gaps. The offset of a
/// trailer therefore determines the offset of the signature, whose `bplist0` can be checked. One
/// pass finds all pairs, without trying every beginning with every end.
struct TrailerSearch {
    /// A range that may hold a binary property list.
    struct Candidate: Comparable {
        let start: UInt32
        let end: UInt32

        static func < (left: Candidate, right: Candidate) -> Bool {
            (left.start, left.end) < (right.start, right.end)
        }
    }

    /// The offset of the two width fields within a trailer.
    private static let lead = 6

    /// Returns all candidates, sorted by start and then by end. Linear, except for sorting the
    /// candidates.
    static func candidates(in bytes: Span<UInt8>) -> [Candidate] {
        var found: [Candidate] = []
        var widths = lead
        let last = bytes.count &- (Trailer.size &- lead)
        while widths <= last {
            if isWidth(bytes[widths]), isWidth(bytes[widths &+ 1]),
                let candidate = candidate(trailerAt: widths &- lead, bytes)
            {
                found.append(candidate)
            }
            widths &+= 1
        }
        return found.sorted()
    }

    @inline(__always)
    private static func isWidth(_ byte: UInt8) -> Bool { byte &- 1 < 8 }

    /// Returns the range of the property list whose trailer may be at `start`. Returns nil for
    /// invalid fields, and if `bplist0` is not where the property list would begin.
    private static func candidate(
        trailerAt start: Int, _ bytes: Span<UInt8>
    ) -> Candidate? {
        guard let count = number(at: start &+ 8, bytes), count > 0,
            let top = number(at: start &+ 16, bytes), top < count,
            let table = number(at: start &+ 24, bytes), table > Trailer.headerSize, table < start
        else { return nil }
        let (size, overflow) = count.multipliedReportingOverflow(by: Int(bytes[start &+ lead]))
        guard !overflow, size <= start &- table else { return nil }
        let beginning = start &- table &- size
        guard bytes.has("bplist0", at: beginning) else { return nil }
        return Candidate(
            start: UInt32(truncatingIfNeeded: beginning),
            end: UInt32(truncatingIfNeeded: start &+ Trailer.size))
    }

    private static func number(at offset: Int, _ bytes: Span<UInt8>) -> Int? {
        bytes.bigEndian(at: offset, width: 8).flatMap { Int(exactly: $0) }
    }
}
