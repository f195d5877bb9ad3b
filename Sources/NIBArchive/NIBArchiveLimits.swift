// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The limits on reading a NIBArchive of unknown origin.
///
/// An archive is flat: nothing is nested, and each entry of a table takes at least one byte of the file. The time to
/// read a file is linear in its size. The memory is at most 16 times its size, about three times for those that
/// Apple's software wrote.
///
/// | | `.untrusted` | `.default` | `.trusted` |
/// |---|---|---|---|
/// | input, bytes | 256 MiB | 2 GiB | 2 GiB |
public struct NIBArchiveLimits: Sendable, Hashable {
    /// The number of bytes in an input. The format cannot count more than 2,147,483,647.
    public var inputSize: Int

    /// Creates limits from their parts.
    public init(inputSize: Int) { self.inputSize = inputSize }

    /// Limits for files from a stranger: out of a network, a pasteboard, a message.
    public static let untrusted = NIBArchiveLimits(inputSize: 256 << 20)

    /// Limits for files of any origin.
    public static let `default` = NIBArchiveLimits(inputSize: addressableSize)

    /// Limits for files that your own program wrote.
    public static let trusted = NIBArchiveLimits(inputSize: addressableSize)

    /// The largest input: numbers in the format are below 2³¹.
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
            recovery: "raise `NIBArchiveLimits.inputSize` for a genuine file")
    }
}
