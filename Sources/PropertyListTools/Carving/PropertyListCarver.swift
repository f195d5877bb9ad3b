// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A search for property lists within bytes of any kind, such as a memory image, a database or a
/// program.
///
/// The search finds binary property lists by the signature `bplist0` and the trailer (see
/// `TrailerSearch`). It finds XML by `<plist` and the first `</plist>` outside comments. An XML
/// declaration before `<plist` is included if only white space, comments, processing instructions
/// and a document type declaration come between the two. The search does not find XML in UTF-16.
/// Each candidate is parsed, and one that does not parse is reported as damaged. Other formats are
/// recognized by their signatures alone; see ``CarvedItem/Content/otherFormat(_:)``.
///
/// ```swift
/// for item in PropertyListCarver(bytes) {
///     guard case .propertyList(let document) = item.content else { continue }
///     print(item.range.lowerBound, document.root.kind)
/// }
/// ```
///
/// Items are returned in the order of their start offsets. The work is linear: all parse attempts
/// together may read at most about sixteen times the size of the input. A candidate beyond that
/// budget is reported as damaged, with the error `sizeLimitExceeded`.
public struct PropertyListCarver: Sequence, IteratorProtocol {
    private static let effortFactor = 16
    private static let effortBase = 1 << 20
    /// The maximum size of an XML declaration, with the white space after it, in bytes.
    private static let longestDeclaration = 1024
    /// The maximum distance from a `</plist>` in a comment to the one that ends the property list,
    /// and the maximum size of a comment or other markup after an XML declaration, in bytes.
    private static let longestDetour = 1 << 20

    private let bytes: [UInt8]
    private let options: ParsingOptions
    private let limits: ParsingLimits
    private let findsNested: Bool
    private let candidates: [TrailerSearch.Candidate]
    private var nextCandidate = 0
    // The number of bytes that may still be parsed.
    private var effort: Int
    // The end of the next `</plist>` that the search has located. `.max` if none follows.
    private var nextClose = 0
    // The last `<plist` that has an XML declaration, and the error of parsing it with that
    // declaration. The error is nil if the property list was found.
    private var declared: (element: Int, error: PropertyListError?)?

    /// The offset that the search has reached, in bytes.
    public private(set) var position = 0

    /// Searches for the trailers of binary property lists, in linear time. ``next()`` does the
    /// parsing.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to search. Only the first 4 GiB are searched.
    ///   - options: The leniencies for parsing candidates.
    ///   - limits: The limits for parsing each property list.
    ///   - findsNested: Whether to search inside the bytes of property lists already found.
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

    /// Returns the next item, or nil at the end.
    public mutating func next() -> CarvedItem? { next(before: bytes.count) }

    /// Returns the next item that begins before `end`. If there is none, returns nil and moves
    /// ``position`` to `end`. A caller can search in portions, for example to report progress.
    public mutating func next(before end: Int) -> CarvedItem? {
        let end = Swift.min(end, bytes.count)
        while let (place, mark) = mark(from: position, to: end) {
            position = place &+ 1
            guard let item = item(at: place, mark) else { continue }
            if case .propertyList = item.content, !findsNested { position = item.range.upperBound }
            return item
        }
        position = Swift.max(position, end)
        return nil
    }

    /// Moves the search forward to an offset. Has no effect if the search is already past it.
    package mutating func skip(to place: Int) {
        position = Swift.max(position, Swift.min(place, bytes.count))
    }

    // MARK: Marks

    /// A signature that may begin an item.
    private enum Mark { case binary, laterVersion, declaration, element, typedStream, nibArchive }

    /// Returns the first signature in a range.
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
        case .typedStream: return Self.otherFormat("typedstream", 13, at: place)
        case .nibArchive: return Self.otherFormat("NIBArchive", 10, at: place)
        case .declaration: return declaredXML(at: place)
        }
    }

    private static func otherFormat(_ name: String, _ length: Int, at place: Int) -> CarvedItem {
        CarvedItem(range: place..<(place &+ length), content: .otherFormat(name))
    }

    // MARK: Binary

    private mutating func binary(at place: Int) -> CarvedItem? {
        var reason = PropertyListError(
            .truncated, format: .binary, what: "no matching trailer found", location: .byte(0))
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

    /// Recognizes `bplist15`, `bplist16` and `bplist17`, which are other formats, used between
    /// processes.
    private func laterVersion(at place: Int) -> CarvedItem? {
        let version = bytes[place...].prefix(8).suffix(2)
        guard version.count == 2, version.first == UInt8(ascii: "1"),
            let digit = version.last, (0x35...0x37).contains(digit)
        else { return nil }
        return Self.otherFormat("bplist1\(digit &- 0x30)", 8, at: place)
    }

    // MARK: XML

    /// Parses an XML property list that begins with the declaration at `place`. Returns nil if the
    /// declaration belongs to something else, or if parsing fails.
    private mutating func declaredXML(at place: Int) -> CarvedItem? {
        guard let element = element(declaredAt: place) else { return nil }
        do throws(PropertyListError) {
            let found = try xml(from: place, element: element)
            declared = (element, nil)
            return found
        } catch {
            declared = (element, error)
            return nil
        }
    }

    /// Returns the offset of the `<plist` that a declaration belongs to. The examined bytes count
    /// as parsed.
    private mutating func element(declaredAt place: Int) -> Int? {
        let bytes = bytes
        let text = bytes.span
        var index = place
        repeat {
            let longest = index == place ? Self.longestDeclaration : Self.longestDetour
            let window = text.extracting(
                ..<(index &+ Swift.min(longest, effort, text.count &- index)))
            let start = index
            index = XMLStructure.end(ofMarkupAt: index, window)
            while index < window.count, isXMLWhitespace(window[index]) { index &+= 1 }
            effort &-= index &- start
            guard index < window.count else { return nil }
            if text.has("<plist", at: index), index &+ 6 < text.count {
                return Self.endsName(text[index &+ 6]) ? index : nil
            }
        } while text.has("<!--", at: index) || text.has("<!DOCTYPE", at: index)
            || text.has("<?", at: index) && !text.has("<?xml", at: index)
        return nil
    }

    /// Parses an XML property list without a declaration. Returns nil if it was already found with
    /// its declaration. If parsing it with the declaration failed because of the encoding, reports
    /// that error.
    private mutating func xml(at place: Int) -> CarvedItem? {
        guard place &+ 6 < bytes.count, Self.endsName(bytes[place &+ 6]) else { return nil }
        do throws(PropertyListError) {
            if let declared, declared.element == place {
                guard let error = declared.error else { return nil }
                if error.code == .invalidEncoding { throw error }
            }
            return try xml(from: place, element: place)
        } catch {
            return CarvedItem(range: place..<(place &+ 6), content: .damaged(.xml, error))
        }
    }

    /// Parses the text from `start` to the end of the `<plist>` at `element`.
    private mutating func xml(
        from start: Int, element: Int
    ) throws(PropertyListError) -> CarvedItem {
        guard let end = close(from: start, element: element), !isInterrupted(element..<end) else {
            throw PropertyListError(
                .truncated, format: .xml,
                what: "expected `</plist>`, found none", location: .byte(0))
        }
        do throws(PropertyListError) { return try item(start..<end, .xml) } catch {
            // The first `</plist>` may belong to a comment or a CDATA section.
            if let end = closeOutsideComments(from: element, after: end),
                let found = try? item(start..<end, .xml)
            {
                return found
            }
            throw error
        }
    }

    /// Returns whether another `<plist` begins within a range, before any comment or CDATA section.
    /// `<plist>` elements do not nest, so parsing such a range cannot succeed. All calls together
    /// take linear time.
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

    /// Returns the end of the first `</plist>` after an offset. All calls together examine each
    /// byte once.
    private mutating func close(from place: Int) -> Int? {
        if nextClose <= place {
            nextClose = bytes.span.firstIndex(of: "</plist>", from: place).map { $0 &+ 8 } ?? .max
        }
        return nextClose == .max ? nil : nextClose
    }

    /// Returns the end of the first `</plist>` after the `<plist` of a property list that begins at
    /// `start`. If a comment before the `<plist` contains a `</plist>`, the search skips it, and
    /// the examined bytes count as parsed.
    private mutating func close(from start: Int, element: Int) -> Int? {
        guard let end = close(from: start) else { return nil }
        if end > element { return end }
        let length = Swift.min(effort, bytes.count &- element)
        let found = bytes.span.extracting(element..<(element &+ length))
            .firstIndex(of: "</plist>", from: 0)
        effort &-= found ?? length
        return found.map { element &+ $0 &+ 8 }
    }

    /// Returns the end of the first `</plist>` outside comments and CDATA sections. Returns nil
    /// unless that end lies after `known`, by at most ``longestDetour`` bytes. The examined bytes
    /// count as parsed.
    private mutating func closeOutsideComments(from place: Int, after known: Int) -> Int? {
        guard let first = bytes[place..<known].span.firstIndex(of: "<!", from: 0) else {
            return nil
        }
        let end = known &+ Swift.min(Self.longestDetour, bytes.count &- known)
        let examined = end &- place &- first
        guard examined <= effort else { return nil }
        effort &-= examined
        let close = Self.closeOutsideComments(bytes.span.extracting((place &+ first)..<end))
        return close.map { place &+ first &+ $0 }.flatMap { $0 > known ? $0 : nil }
    }

    private static func closeOutsideComments(_ text: Span<UInt8>) -> Int? {
        var index = 0
        while let next = text.firstIndex(of: UInt8(ascii: "<"), in: index..<text.count) {
            if text.has("</plist>", at: next) { return next &+ 8 }
            index = XMLStructure.end(ofMarkupAt: next, text)
        }
        return nil
    }

    // MARK: Parsing

    private mutating func item(
        _ range: Range<Int>, _ format: PropertyListFormat
    ) throws(PropertyListError) -> CarvedItem {
        guard range.count <= effort else {
            throw PropertyListError(
                .sizeLimitExceeded, format: format,
                what: "expected a property list of at most \(effort) bytes (the remaining carving "
                    + "budget), found \(range.count) bytes")
        }
        effort &-= range.count
        let document = try PropertyListDocument(
            parsing: Array(bytes[range]), format: format, options: options, limits: limits)
        return CarvedItem(range: range, content: .propertyList(document))
    }
}
