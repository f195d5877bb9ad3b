// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Structures of Core Graphics as fields. They are archived as text, like `ArchivedPoint` and the
// other structures of this package. On platforms without Core Graphics, only the full Foundation
// declares them, and this module links only FoundationEssentials there.

#if canImport(CoreGraphics)
public import CoreGraphics
public import Foundation

extension CGPoint: ArchivedStringConvertible {
    public init?(archivedString text: String) {
        guard let point = ArchivedPoint(archivedString: text) else { return nil }
        self.init(x: point.x, y: point.y)
    }

    public var archivedString: String { ArchivedPoint(x: x, y: y).archivedString }
}

extension CGSize: ArchivedStringConvertible {
    public init?(archivedString text: String) {
        guard let size = ArchivedSize(archivedString: text) else { return nil }
        self.init(width: size.width, height: size.height)
    }

    public var archivedString: String { ArchivedSize(width: width, height: height).archivedString }
}

extension CGRect: ArchivedStringConvertible {
    public init?(archivedString text: String) {
        guard let rect = ArchivedRect(archivedString: text) else { return nil }
        self.init(
            x: rect.origin.x, y: rect.origin.y, width: rect.size.width, height: rect.size.height)
    }

    public var archivedString: String {
        ArchivedRect(
            origin: ArchivedPoint(x: origin.x, y: origin.y),
            size: ArchivedSize(width: size.width, height: size.height)
        ).archivedString
    }
}

extension ArchivedRange {
    /// Creates a range from an `NSRange`.
    public init(_ range: NSRange) { self.init(location: range.location, length: range.length) }

    /// The range as an `NSRange`.
    public var nsRange: NSRange { NSRange(location: location, length: length) }
}
#endif
