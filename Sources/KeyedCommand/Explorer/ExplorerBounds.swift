// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The size limits for the contents of a page, which a browser must hold in memory.
struct ExplorerBounds {
    /// The maximum number of values.
    let values: Int
    /// The maximum number of Unicode scalars of one text. A longer text is truncated.
    let text: Int
    /// The maximum number of file bytes that are shown. The same limit applies separately to the
    /// bytes decoded from the file.
    let bytes: Int
}

extension ExplorerBounds {
    /// Creates the bounds for a preset of limits.
    init(_ limits: LimitsName) {
        switch limits {
        case .untrusted: (values, text, bytes) = (500_000, 64 << 10, 16 << 20)
        case .default: (values, text, bytes) = (2_000_000, 2 << 20, 64 << 20)
        case .trusted: (values, text, bytes) = (.max, .max, .max)
        }
    }
}
