// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The limits on parsing a typedstream of unknown origin.
///
/// No count in a stream causes an allocation: each value takes at least one byte of the file, and
/// each table entry at least two. Parsing a file takes time linear in its size. The memory use is
/// at most 48 times that size, and less than three times that size for files that Apple's software
/// wrote.
///
/// | | `.untrusted` | `.default` | `.trusted` |
/// |---|---|---|---|
/// | depth | 128 | 512 | 1,000,000 |
/// | input, bytes | 256 MiB | 4 GiB − 1 | 4 GiB − 1 |
public struct TypedStreamLimits: Sendable, Hashable {
    /// The maximum number of nested objects. An array of strings has depth 2.
    public var depth: Int

    /// The maximum number of bytes in an input. A document cannot address more than 4,294,967,295.
    public var inputSize: Int

    /// Creates limits from their values.
    public init(depth: Int, inputSize: Int) {
        self.depth = depth
        self.inputSize = inputSize
    }

    /// Limits for untrusted files: from a network, a pasteboard or a message.
    public static let untrusted = TypedStreamLimits(depth: 128, inputSize: 256 << 20)

    /// Limits for files of any origin. All files that Apple's software is known to write are within
    /// them.
    public static let `default` = TypedStreamLimits(depth: 512, inputSize: addressableSize)

    /// Limits for files that your own program wrote.
    public static let trusted = TypedStreamLimits(depth: 1_000_000, inputSize: addressableSize)

    /// The size of the largest possible input, because offsets in a document are 32 bits wide.
    static let addressableSize = Int(clamping: UInt32.max)
}

extension TypedStreamLimits {
    /// Checks the size of an input.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func checkInput(_ count: Int) throws(TypedStreamError) {
        let most = min(inputSize, Self.addressableSize)
        if count <= most { return }
        throw TypedStreamError(
            .sizeLimitExceeded, "expected at most \(most) bytes, found \(count)",
            recovery: most < Self.addressableSize
                ? "raise `TypedStreamLimits.inputSize` for a trusted file" : nil)
    }
}
