// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A check that a value contains only kinds that both the binary format and XML support. Null,
/// UIDs, sets, and non-finite dates are excluded. The binary format could store such a date, but
/// the file could not be read again.
enum PlainKinds {
    /// A container under traversal, and the index of its next element.
    private struct Frame {
        let keys: [String]?
        let values: [PropertyListValue]
        var next = 0

        init?(_ value: PropertyListValue) {
            switch value {
            case .array(let elements):
                keys = nil
                values = Array(elements)
            case .dictionary(let entries):
                keys = entries.keys
                values = entries.values
            default: return nil
            }
        }

        /// The path component of the element visited last.
        var component: PropertyListPath.Component {
            keys.map { .key($0[next - 1]) } ?? .index(next - 1)
        }
    }

    /// Traverses a value and everything in it without recursion, each shared container once.
    ///
    /// - Throws: `unsupportedValue`, with the path.
    /// - Complexity: Linear in the number of distinct containers and their elements.
    static func require(_ root: PropertyListValue) throws(StoreError) {
        var seen: Set<ObjectIdentifier> = []
        var frames: [Frame] = []
        try visit(root, &frames, &seen)
        while let last = frames.indices.last {
            guard frames[last].next < frames[last].values.count else {
                frames.removeLast()
                continue
            }
            frames[last].next += 1
            try visit(frames[last].values[frames[last].next - 1], &frames, &seen)
        }
    }

    private static func visit(
        _ value: PropertyListValue, _ frames: inout [Frame], _ seen: inout Set<ObjectIdentifier>
    ) throws(StoreError) {
        switch value {
        case .null, .uid, .set:
            throw unsupported(
                "expected a string, number, boolean, date, data, array or dictionary, found a "
                    + "value of kind \(value.kind)", frames)
        case .date(let date) where !date.secondsSince2001.isFinite:
            throw unsupported(
                "expected a finite date, found one that is infinite or not a number", frames)
        case .array(let elements) where !seen.insert(ObjectIdentifier(elements.identity)).inserted:
            return
        case .dictionary(let entries)
        where !seen.insert(ObjectIdentifier(entries.identity)).inserted:
            return
        default:
            if let frame = Frame(value) { frames.append(frame) }
        }
    }
    private static func unsupported(_ what: String, _ frames: [Frame]) -> StoreError {
        StoreError(
            .unsupportedValue, what: what, path: PropertyListPath(frames.map(\.component)))
    }
}
