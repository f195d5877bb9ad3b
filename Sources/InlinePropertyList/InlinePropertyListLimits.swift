// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The limits for parsing a property list of version 15, 16 or 17.
///
/// Each value takes at least one byte of the file. Parsing takes linear time, plus a binary search
/// for each reference, and at most 40 bytes of memory for each byte of the file.
///
/// | | `.untrusted` | `.default` | `.trusted` |
/// |---|---|---|---|
/// | depth | 128 | 512 | 1,000,000 |
/// | input, bytes | 256 MiB | 4 GiB − 1 | 4 GiB − 1 |
public struct InlinePropertyListLimits: Sendable, Hashable {
    /// The maximum number of nested containers.
    public var depth: Int

    /// The maximum number of bytes in an input. A document cannot address more than 4,294,967,295.
    public var inputSize: Int

    /// Creates limits from their parts.
    public init(depth: Int, inputSize: Int) {
        self.depth = depth
        self.inputSize = inputSize
    }

    /// Limits for messages from an untrusted sender.
    public static let untrusted = InlinePropertyListLimits(depth: 128, inputSize: 256 << 20)

    /// Limits for files of any origin.
    public static let `default` = InlinePropertyListLimits(depth: 512, inputSize: addressableSize)

    /// Limits for files that your own program wrote.
    public static let trusted = InlinePropertyListLimits(
        depth: 1_000_000, inputSize: addressableSize)

    /// The size of the largest input that the 32-bit offsets of a document can address.
    static let addressableSize = Int(clamping: UInt32.max)
}

extension InlinePropertyListLimits {
    /// Checks the size of an input.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func checkInput(_ count: Int) throws(InlinePropertyListError) {
        let most = min(inputSize, Self.addressableSize)
        if count <= most { return }
        throw InlinePropertyListError(
            .sizeLimitExceeded, "expected at most \(most) bytes, found \(count)",
            recovery: most < Self.addressableSize
                ? "raise `InlinePropertyListLimits.inputSize` for a trusted file" : nil)
    }
}
