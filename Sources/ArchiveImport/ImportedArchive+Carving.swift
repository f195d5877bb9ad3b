// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import InlinePropertyList
internal import NIBArchive
package import PropertyList
internal import TypedStream

// A typedstream, NIBArchive or bplist15–17 does not begin with a reliable length. The importer
// reads larger and larger windows until it finds the end of the file.

extension ImportedArchive {
    /// The sizes of the windows in bytes. A further window, the last one, contains all remaining
    /// bytes that the limits allow.
    private static let windows = [1 << 16, 1 << 20, 1 << 24]

    /// The result of reading a window.
    private enum Attempt {
        /// The file is intact and has this number of bytes.
        case whole(Int)
        /// The file is damaged, or continues beyond the window.
        case failed(PropertyListError, mayBeLonger: Bool)
    }

    /// Imports a file that is embedded in other bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that contain the file.
    ///   - place: The offset of the file's first byte.
    ///   - limits: The limits on parsing the file.
    ///   - effort: The remaining number of bytes that may be read. Each attempt reduces it.
    /// - Returns: The document, and the byte range of the file.
    /// - Throws: The errors of ``init(parsing:limits:)-30b8i``, and `sizeLimitExceeded` if `effort`
    ///   is exhausted.
    package static func carve(
        _ bytes: [UInt8], at place: Int, limits: ParsingLimits, effort: inout Int
    ) throws(PropertyListError) -> (document: PropertyListDocument, range: Range<Int>) {
        let rest = min(bytes.count - place, limits.inputSize)
        var last: PropertyListError?
        for size in windows.filter({ $0 < rest }) + [rest] {
            guard size <= effort else {
                throw PropertyListError(
                    .sizeLimitExceeded,
                    what: "expected a window of at most \(effort) bytes (the remaining carving "
                        + "budget), found \(size) bytes")
            }
            effort -= size
            let window = Array(bytes[place..<place + size])
            switch attempt(window, limits, isLast: size == rest) {
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

    private static func attempt(
        _ window: [UInt8], _ limits: ParsingLimits, isLast: Bool
    ) -> Attempt {
        switch Format.detect(window)?.importer {
        case .typedStream?: typedStream(window, limits, isLast: isLast)
        case .nibArchive?: nibArchive(window, limits)
        case .inlinePropertyList?: inlineList(window, limits)
        case nil:
            .failed(
                PropertyListError(
                    .unrecognizedFormat,
                    what: "expected a typedstream, a NIBArchive or bplist15–17, found another "
                        + "format"),
                mayBeLonger: false)
        }
    }

    /// Reads a window as a typedstream. Returns the length of its complete groups, or a failure if
    /// there are none or if the stream may continue in a larger window.
    private static func typedStream(
        _ window: [UInt8], _ limits: ParsingLimits, isLast: Bool
    ) -> Attempt {
        let streamLimits = TypedStreamLimits(depth: limits.depth, inputSize: limits.inputSize)
        do throws(TypedStreamError) {
            let document = try TypedStreamDocument(salvaging: window, limits: streamLimits)
            guard let problem = document.problem else {
                // A group may end where the window ends, and nothing marks the end of a stream.
                return isLast
                    ? .whole(window.count)
                    : .failed(
                        PropertyListError(
                            .truncated, what: "expected more than \(window.count) bytes"),
                        mayBeLonger: true)
            }
            let failure = failed(PropertyListError(problem), window)
            if case .failed(_, mayBeLonger: true) = failure, !isLast { return failure }
            if case .group(let complete)? = problem.path?.components.first, complete > 0,
                let end = endOfGroups(document.groups, count: complete)
            {
                return .whole(end)
            }
            return failure
        } catch {
            return failed(PropertyListError(error), window)
        }
    }

    /// Returns the end offset of the first `count` groups.
    private static func endOfGroups(_ groups: TypedStreamGroups, count: Int) -> Int? {
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

    /// Returns a failure. The file may be longer than the window if parsing failed in the second
    /// half of the window, or with a code that the end of the window can cause. `invalidMarker`
    /// also represents codes without a counterpart in `PropertyListError`.
    private static func failed(_ error: PropertyListError, _ window: [UInt8]) -> Attempt {
        let place = error.location?.byte ?? 0
        let isAtEnd = place >= window.count / 2
        let isCut = [.truncated, .invalidLength, .invalidMarker].contains(error.code)
        return .failed(error, mayBeLonger: isAtEnd || isCut)
    }
}
