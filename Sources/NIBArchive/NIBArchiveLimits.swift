// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The limits on parsing NIBArchives of unknown origin.
///
/// An archive is flat: nothing is nested, and each table entry takes at least one byte of the file.
/// Parsing takes time linear in the size of the file. The memory use is at most 16 times that size,
/// and about three times that size for archives that Apple's software wrote.
///
/// | | `.untrusted` | `.default` | `.trusted` |
/// |---|---|---|---|
/// | input, bytes | 256 MiB | 2 GiB − 1 | 2 GiB − 1 |
public struct NIBArchiveLimits: Sendable, Hashable {
    /// The maximum size of an input, in bytes. Values above 2,147,483,647 have no effect, because
    /// the format cannot count more bytes.
    public var inputSize: Int

    /// Creates limits from their values.
    public init(inputSize: Int) { self.inputSize = inputSize }

    /// Limits for untrusted files: from a network, a pasteboard, or a message.
    public static let untrusted = NIBArchiveLimits(inputSize: 256 << 20)

    /// Limits for files of any origin. They admit every size that the format can represent.
    public static let `default` = NIBArchiveLimits(inputSize: addressableSize)

    /// Limits for files that your own program wrote.
    public static let trusted = NIBArchiveLimits(inputSize: addressableSize)

    /// The size of the largest possible input. Integers in the format are below 2³¹.
    static let addressableSize = Int(Int32.max)
}

extension NIBArchiveLimits {
    /// Checks the size of an input.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func checkInput(_ count: Int) throws(NIBArchiveError) {
        let most = min(inputSize, Self.addressableSize)
        if count <= most { return }
        throw NIBArchiveError(
            .sizeLimitExceeded, "expected at most \(most) bytes, found \(count)",
            recovery: most < Self.addressableSize
                ? "raise `NIBArchiveLimits.inputSize` for a trusted file" : nil)
    }
}
