// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// Finds property lists within bytes of any kind: a memory image, a database, a program.
///
/// Binary property lists are found by `bplist0` and by their trailer (see `TrailerSearch`), XML by
/// `<plist` and `</plist>` with the declaration before it; then they are parsed, and what is not valid
/// is no find. XML in two bytes a character is not looked for.
///
/// ```swift
/// for item in PropertyListCarver(bytes) {
///     guard case .propertyList(let document) = item.content else { continue }
///     print(item.range.lowerBound, document.root.kind)
/// }
/// ```
///
/// Items come in the order of their beginnings. The work is linear: the bytes of all attempts together
/// may exceed the bytes there are by a factor of sixteen; what is left out then is an item that is
/// damaged by `sizeLimitExceeded`.
public struct PropertyListCarver: Sequence, IteratorProtocol {
    private static let effortFactor = 16
    private static let effortBase = 1 << 20
    /// The greatest distance of a declaration from its `<plist`, in bytes.
    private static let longestProlog = 4096

    private let bytes: [UInt8]
    private let options: ParsingOptions
    private let limits: ParsingLimits
    private let findsNested: Bool
    private let candidates: [TrailerSearch.Candidate]
    private var nextCandidate = 0
    // What parsing may still cost, in bytes.
    private var effort: Int
    // The end of the first `</plist>` from some place on; the highest number where there is none.
    private var nextClose = 0
    // Where XML that a property list may belong to has begun.
    private var prolog: Int?

    /// The place that the search has reached, in bytes.
    public private(set) var position = 0

    /// Looks for candidates; linear. Parsing is done by ``next()``.
    ///
    /// - Parameters:
    ///   - bytes: where to look; of more than 4 GiB only the first are looked at.
    ///   - options: the leniencies for what is found.
    ///   - limits: how much each property list may ask for.
    ///   - findsNested: whether property lists within the bytes of one that was found are found too.
    public init(
        _ bytes: [UInt8], options: ParsingOptions = .strict, limits: ParsingLimits = .default,
        findsNested: Bool = false
    ) {
        let bytes =
            bytes.count > ParsingLimits.addressableSize
            ? Array(bytes.prefix(ParsingLimits.addressableSize)) : bytes
        self.bytes = bytes
        self.options = options
        self.limits = limits
        self.findsNested = findsNested
        candidates = TrailerSearch.candidates(in: bytes.span)
        let allowed = ParsingLimits.Allowance(factor: Self.effortFactor, base: Self.effortBase)
        effort = allowed.limit(for: bytes.count)
    }

    /// The next item, or nil at the end.
    public mutating func next() -> CarvedItem? { next(before: bytes.count) }

    /// The next item that begins before `end`, or nil where there is none: for a search in portions,
    /// with something to say between them. ``position`` is `end` then.
    public mutating func next(before end: Int) -> CarvedItem? {
        let end = Swift.min(end, bytes.count)
        while let (place, mark) = mark(from: position, to: end) {
            position = place &+ 1
            guard let item = item(at: place, mark) else { continue }
            // A declaration before something else is not that of what comes after it.
            prolog = nil
            if case .propertyList = item.content, !findsNested { position = item.range.upperBound }
            return item
        }
        position = Swift.max(position, end)
        return nil
    }

    /// Continues at a place, if it is not behind the search.
    package mutating func skip(to place: Int) {
        position = Swift.max(position, Swift.min(place, bytes.count))
    }

    // MARK: Marks

    /// A format that may begin at a place.
    private enum Mark { case binary, laterVersion, declaration, element, typedStream, nibArchive }

    /// The first mark in a range.
    private func mark(from start: Int, to end: Int) -> (place: Int, mark: Mark)? {
        let span = bytes.span
        var place = start
        while place < end {
            if let mark = Self.mark(at: place, span) { return (place, mark) }
            place &+= 1
        }
        return nil
    }

    @inline(__always)
    private static func mark(at place: Int, _ span: Span<UInt8>) -> Mark? {
        switch span[place] {
        case UInt8(ascii: "b"):
            guard span.has("bplist", at: place) else { return nil }
            return span.has("bplist0", at: place) ? .binary : .laterVersion
        case UInt8(ascii: "<"):
            if span.has("<?xml", at: place) { return .declaration }
            return span.has("<plist", at: place) ? .element : nil
        case 0x03, 0x04:
            guard span.has("\u{B}", at: place &+ 1) else { return nil }
            let isStream =
                span.has("streamtyped", at: place &+ 2) || span.has("typedstream", at: place &+ 2)
            return isStream ? .typedStream : nil
        case UInt8(ascii: "N"): return span.has("NIBArchive", at: place) ? .nibArchive : nil
        default: return nil
        }
    }

    private mutating func item(at place: Int, _ mark: Mark) -> CarvedItem? {
        switch mark {
        case .binary: return binary(at: place)
        case .element: return xml(at: place)
        case .laterVersion: return laterVersion(at: place)
        case .typedStream: return Self.neighbour("typedstream", 13, at: place)
        case .nibArchive: return Self.neighbour("NIBArchive", 10, at: place)
        case .declaration:
            prolog = place
            return nil
        }
    }

    private static func neighbour(_ name: String, _ length: Int, at place: Int) -> CarvedItem {
        CarvedItem(range: place..<(place &+ length), content: .neighbour(name))
    }

    // MARK: Binary

    private mutating func binary(at place: Int) -> CarvedItem? {
        var reason = PropertyListError(
            .truncated, format: .binary, what: "no trailer belongs to it", location: .byte(0))
        while nextCandidate < candidates.count {
            let candidate = candidates[nextCandidate]
            if Int(candidate.start) > place { break }
            nextCandidate &+= 1
            if Int(candidate.start) < place { continue }
            let range = place..<Int(candidate.end)
            do {
                return try item(range, .binary)
            } catch {
                reason = error
            }
        }
        return CarvedItem(range: place..<(place &+ 7), content: .damaged(.binary, reason))
    }

    /// `bplist15`, `bplist16`, `bplist17`: other formats, which processes send to each other.
    private func laterVersion(at place: Int) -> CarvedItem? {
        let version = bytes[place...].prefix(8).suffix(2)
        guard version.count == 2, version.first == UInt8(ascii: "1"),
            let digit = version.last, (0x35...0x37).contains(digit)
        else { return nil }
        return Self.neighbour("bplist1\(digit &- 0x30)", 8, at: place)
    }

    // MARK: XML

    /// With the declaration before it, or without where that belongs to something else.
    private mutating func xml(at place: Int) -> CarvedItem? {
        guard place &+ 6 < bytes.count, Self.endsName(bytes[place &+ 6]) else { return nil }
        let declaration = prolog.flatMap { place &- $0 <= Self.longestProlog ? $0 : nil }
        prolog = nil
        var reason = PropertyListError(
            .truncated, format: .xml, what: "no `</plist>` follows", location: .byte(0))
        if let end = close(from: place), !isInterrupted(place..<end) {
            for start in [declaration, place].compactMap(\.self) {
                do {
                    return try item(start..<end, .xml)
                } catch {
                    reason = error
                }
            }
        }
        return CarvedItem(range: place..<(place &+ 6), content: .damaged(.xml, reason))
    }

    /// Returns whether another `<plist` begins within a range, outside any comment: elements of that
    /// name do not nest, so that parsing the range would be in vain. Each byte is looked at once in all
    /// calls.
    private func isInterrupted(_ range: Range<Int>) -> Bool {
        let rest = bytes.span.extracting((range.lowerBound &+ 6)..<range.upperBound)
        guard let next = rest.firstIndex(of: "<plist", from: 0), next &+ 6 < rest.count,
            Self.endsName(rest[next &+ 6])
        else { return false }
        return rest.extracting(..<next).firstIndex(of: "<!", from: 0) == nil
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || isXMLWhitespace(byte)
    }

    /// The end of the first `</plist>` after a place. Each byte is looked at once in all calls.
    private mutating func close(from place: Int) -> Int? {
        if nextClose <= place {
            nextClose = bytes.span.firstIndex(of: "</plist>", from: place).map { $0 &+ 8 } ?? .max
        }
        return nextClose == .max ? nil : nextClose
    }

    // MARK: Parsing

    private mutating func item(
        _ range: Range<Int>, _ format: PropertyListFormat
    ) throws(PropertyListError) -> CarvedItem {
        guard range.count <= effort else {
            throw PropertyListError(
                .sizeLimitExceeded, format: format,
                what: "it has \(range.count) bytes, \(effort) more are tried in all")
        }
        effort &-= range.count
        let document = try PropertyListDocument(
            parsing: Array(bytes[range]), format: format, options: options, limits: limits)
        return CarvedItem(range: range, content: .propertyList(document))
    }
}
