// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The limits on what a property list may ask for, whoever wrote it.
///
/// The same limits bound parsing and every later operation: writing, printing, comparing.
///
/// A binary property list of 200 bytes can describe 10¹² values by sharing. So the limits on expansion are
/// relative to the size of the document: to the number of its values **and** of the references to them. Work that
/// is linear in the bytes of a file is never refused, only the repeated expansion of shared containers. A long
/// text or long data that is reached again counts against the limit of output.
///
/// | | `.untrusted` | `.default` | `.trusted` |
/// |---|---|---|---|
/// | depth | 128 | 512 | 1,000,000 |
/// | input, bytes | 256 MiB | 4 GiB | 4 GiB |
/// | expansion, visits (count: values and references) | 2 × count + 100,000 | 8 × count + 1,000,000 | 500 × count + 10⁸ |
/// | output, bytes | 16 × size + 16 MiB | 64 × size + 64 MiB | 10,000 × size + 1 GiB |
public struct ParsingLimits: Sendable, Hashable {
    /// The number of containers that may be nested: 512 arrays around a string are within a depth
    /// of 512.
    public var depth: Int

    /// The number of bytes of input that are accepted. 4,294,967,295 is the most that a document
    /// can address.
    public var inputSize: Int

    /// The number of values that a walk may visit, shared ones each time they are met; relative to the
    /// number of values in the document and of references to them.
    public var expansion: Allowance

    /// The number of bytes that a writer may produce, relative to the size of the document's own
    /// bytes.
    public var output: Allowance

    /// A limit that grows with what it is applied to: `factor × size + base`.
    public struct Allowance: Sendable, Hashable {
        /// The amount that is allowed for each unit of size.
        public var factor: Int

        /// The amount that is allowed in any case.
        public var base: Int

        /// Creates a limit of `factor × size + base`.
        public init(factor: Int, base: Int) {
            self.factor = factor
            self.base = base
        }

        /// The limit for `size`; as large as can be where it would overflow.
        package func limit(for size: Int) -> Int {
            let (product, overflow) = size.multipliedReportingOverflow(by: factor)
            let (sum, carried) = product.addingReportingOverflow(base)
            return overflow || carried ? .max : sum
        }
    }

    /// Creates limits from their parts.
    public init(depth: Int, inputSize: Int, expansion: Allowance, output: Allowance) {
        self.depth = depth
        self.inputSize = inputSize
        self.expansion = expansion
        self.output = output
    }

    /// The same limits for values that lie in one container more.
    package var inContainer: ParsingLimits {
        var limits = self
        limits.depth = max(depth, depth &+ 1)
        return limits
    }

    /// For files that come from a stranger over a network, a pasteboard, a message.
    public static let untrusted = ParsingLimits(
        depth: 128, inputSize: 256 << 20,
        expansion: Allowance(factor: 2, base: 100_000),
        output: Allowance(factor: 16, base: 16 << 20))

    /// For files of any origin: all that Apple's software writes, no bombs.
    public static let `default` = ParsingLimits(
        depth: 512, inputSize: addressableSize,
        expansion: Allowance(factor: 8, base: 1_000_000),
        output: Allowance(factor: 64, base: 64 << 20))

    /// For what your own program made.
    public static let trusted = ParsingLimits(
        depth: 1_000_000, inputSize: addressableSize,
        expansion: Allowance(factor: 500, base: 100_000_000),
        output: Allowance(factor: 10_000, base: 1 << 30))

    /// Offsets in a document are 32 bits wide.
    package static let addressableSize = Int(clamping: UInt32.max)
}

extension ParsingLimits {
    /// Checks the size of an input.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func checkInput(
        _ bytes: [UInt8], _ format: PropertyListFormat?
    ) throws(PropertyListError) {
        if bytes.count <= min(inputSize, Self.addressableSize) { return }
        throw PropertyListError(
            .sizeLimitExceeded, format: format,
            what: "the input has \(bytes.count) bytes, \(inputSize) are allowed",
            recovery: .init(.raiseLimits, "raise `ParsingLimits.inputSize` if the file is genuine"))
    }
}
