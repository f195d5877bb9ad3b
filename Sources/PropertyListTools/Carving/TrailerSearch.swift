// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Where binary property lists may begin and end within other bytes.
///
/// A binary property list does not say at its beginning how long it is. Its ``Trailer``, at its end,
/// does: objects, offset table and trailer fill the file without a gap, so that from the place of a
/// trailer that of `bplist00` follows, and can be looked at. One pass finds all pairs, without trying
/// each beginning with each end.
struct TrailerSearch {
    /// A place that may hold a binary property list.
    struct Candidate: Comparable {
        let start: UInt32
        let end: UInt32

        static func < (left: Candidate, right: Candidate) -> Bool {
            (left.start, left.end) < (right.start, right.end)
        }
    }

    /// The bytes before the two widths in a trailer.
    private static let lead = 6

    /// All candidates, by their beginning and then by their end. Linear, but for sorting what is found.
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

    /// The property list whose trailer is at `start`, if `bplist` stands where it is to begin.
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
