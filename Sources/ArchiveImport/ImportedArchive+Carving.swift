// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import InlinePropertyList
internal import NIBArchive
package import PropertyList
internal import TypedStream

// These formats do not begin with a reliable length. The reader tries larger and larger windows until it finds the end
// of the file.

extension ImportedArchive {
    /// The window sizes to try before all remaining bytes.
    private static let windows = [1 << 16, 1 << 20, 1 << 24]

    /// The result of reading a window.
    private enum Attempt {
        /// The file ends after some bytes.
        case whole(Int)
        /// The file is damaged, or longer.
        case failed(PropertyListError, mayBeLonger: Bool)
    }

    /// Imports a file that begins at a place in other bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - place: The place.
    ///   - limits: The limits on what the file may ask for.
    ///   - effort: The budget of bytes to read. Each attempt reduces it.
    /// - Returns: The document, and the place of the file.
    /// - Throws: As ``init(parsing:limits:)-30b8i``; `sizeLimitExceeded` if the budget is exhausted.
    package static func carve(
        _ bytes: [UInt8], at place: Int, limits: ParsingLimits, effort: inout Int
    ) throws(PropertyListError) -> (document: PropertyListDocument, range: Range<Int>) {
        let rest = min(bytes.count - place, limits.inputSize)
        var last: PropertyListError?
        for size in windows.filter({ $0 < rest }) + [rest] {
            guard size <= effort else {
                throw PropertyListError(
                    .sizeLimitExceeded,
                    what: "it may have \(size) bytes, \(effort) more are tried in all")
            }
            effort -= size
            let window = Array(bytes[place..<place + size])
            switch attempt(window, limits) {
            case .whole(let length):
                let document = try ImportedArchive(
                    parsing: Array(window.prefix(length)), limits: limits
                ).document
                return (document, place..<place + length)
            case .failed(let error, let mayBeLonger):
                last = error
                if !mayBeLonger { throw error }
            }
        }
        throw last
            ?? PropertyListError(.truncated, what: "expected a file, found no bytes")
    }

    private static func attempt(_ window: [UInt8], _ limits: ParsingLimits) -> Attempt {
        switch Format.detect(window)?.importer {
        case .typedStream?: typedStream(window, limits)
        case .nibArchive?: nibArchive(window, limits)
        case .inlinePropertyList?: inlineList(window, limits)
        case nil:
            .failed(
                PropertyListError(.unrecognizedFormat, what: "expected a known format"),
                mayBeLonger: false)
        }
    }

    /// Reads a window, and keeps its complete groups.
    private static func typedStream(_ window: [UInt8], _ limits: ParsingLimits) -> Attempt {
        let streamLimits = TypedStreamLimits(depth: limits.depth, inputSize: limits.inputSize)
        do throws(TypedStreamError) {
            let document = try TypedStreamDocument(salvaging: window, limits: streamLimits)
            guard let problem = document.problem else { return .whole(window.count) }
            if case .group(let complete)? = problem.path?.components.first, complete > 0,
                let end = last(document.groups, complete)
            {
                return .whole(end)
            }
            return failed(PropertyListError(problem), window)
        } catch {
            return failed(PropertyListError(error), window)
        }
    }

    /// The end of the last of some groups.
    private static func last(_ groups: TypedStreamGroups, _ count: Int) -> Int? {
        var iterator = groups.makeIterator()
        var end: Int?
        for _ in 0..<count {
            guard let group = iterator.next() else { break }
            end = group.byteRange.upperBound
        }
        return end
    }

    private static func nibArchive(_ window: [UInt8], _ limits: ParsingLimits) -> Attempt {
        do throws(NIBArchiveError) {
            let document = try NIBArchiveDocument(
                parsing: window, allowingTrailingBytes: true,
                limits: NIBArchiveLimits(inputSize: limits.inputSize))
            return .whole(document.byteCount - document.trailingBytes.count)
        } catch {
            return failed(PropertyListError(error), window)
        }
    }

    private static func inlineList(_ window: [UInt8], _ limits: ParsingLimits) -> Attempt {
        let listLimits = InlinePropertyListLimits(depth: limits.depth, inputSize: limits.inputSize)
        do throws(InlinePropertyListError) {
            let document = try InlinePropertyListDocument(parsing: window, limits: listLimits)
            return .whole(document.bytes.count)
        } catch {
            if error.code == .trailingData, let end = error.byteOffset { return .whole(end) }
            return failed(PropertyListError(error, "bplist15–17"), window)
        }
    }

    /// A failure. A larger window helps where a length or an offset leads beyond the end of this one, or where the
    /// reader reached its second half.
    private static func failed(_ error: PropertyListError, _ window: [UInt8]) -> Attempt {
        let place = error.location?.byte ?? 0
        let isAtEnd = place >= window.count / 2
        let isCut = [.truncated, .invalidLength, .invalidMarker].contains(error.code)
        return .failed(error, mayBeLonger: isAtEnd || isCut)
    }
}
