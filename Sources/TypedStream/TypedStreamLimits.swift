// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The limits on reading a typedstream of unknown origin.
///
/// A stream has no counts that allocate anything: each value takes at least one byte of the file, and each
/// entry of a table at least two. The time to read a file is therefore linear in its size. The memory is at most
/// 48 times its size, and less than three times for files that Apple's software wrote.
///
/// | | `.untrusted` | `.default` | `.trusted` |
/// |---|---|---|---|
/// | depth | 128 | 512 | 1,000,000 |
/// | input, bytes | 256 MiB | 4 GiB | 4 GiB |
public struct TypedStreamLimits: Sendable, Hashable {
    /// The number of objects that may be nested: an array of strings has a depth of 2.
    public var depth: Int

    /// The number of bytes in an input. A document cannot address more than 4,294,967,295.
    public var inputSize: Int

    /// Creates limits from their parts.
    public init(depth: Int, inputSize: Int) {
        self.depth = depth
        self.inputSize = inputSize
    }

    /// Limits for untrusted files: from a network, a pasteboard or a message.
    public static let untrusted = TypedStreamLimits(depth: 128, inputSize: 256 << 20)

    /// Limits for files of any origin. Everything that Apple's software is known to write is within them.
    public static let `default` = TypedStreamLimits(depth: 512, inputSize: addressableSize)

    /// Limits for files that your own program wrote.
    public static let trusted = TypedStreamLimits(depth: 1_000_000, inputSize: addressableSize)

    /// The largest input: offsets in a document are 32 bits wide.
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
            recovery: "raise `TypedStreamLimits.inputSize` for a genuine file")
    }
}
