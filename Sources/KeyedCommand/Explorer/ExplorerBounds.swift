// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The sizes up to which a file's contents are put into a page. A browser has to hold all of them.
struct ExplorerBounds {
    /// The number of values.
    let values: Int
    /// The bytes of one text.
    let text: Int
    /// The bytes of the file, and of what is decoded out of it.
    let bytes: Int

    /// The bounds under limits of a name.
    init(_ limits: LimitsName) {
        switch limits {
        case .untrusted: (values, text, bytes) = (500_000, 64 << 10, 16 << 20)
        case .default: (values, text, bytes) = (2_000_000, 2 << 20, 64 << 20)
        case .trusted: (values, text, bytes) = (.max, .max, .max)
        }
    }
}
