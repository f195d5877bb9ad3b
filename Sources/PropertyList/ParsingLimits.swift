// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The limits on the resources that a property list may use.
///
/// The same limits bound parsing and every later operation, such as writing, printing and
/// comparing.
///
/// A binary property list of 200 bytes can describe 10¹² values by sharing. The limit on expansion
/// is therefore relative to the number of values in the document **plus** the number of references
/// to them. Work that is linear in the bytes of a file is always allowed; only repeated expansion
/// of shared containers is refused. Bytes that an operation writes, prints, copies or reads again
/// count against the output limit.
///
/// | | `.untrusted` | `.default` | `.trusted` |
/// |---|---|---|---|
/// | depth | 128 | 512 | 1,000,000 |
/// | input, bytes | 256 MiB | 4 GiB − 1 | 4 GiB − 1 |
/// | expansion, visits (count: values and references) | 2 × count + 100,000 | 8 × count + 1,000,000 | 500 × count + 10⁸ |
/// | output, bytes | 16 × size + 16 MiB | 64 × size + 64 MiB | 10,000 × size + 1 GiB |
public struct ParsingLimits: Sendable, Hashable {
    /// The maximum number of nested containers. A string inside 512 arrays is within a depth of
    /// 512.
    public var depth: Int

    /// The maximum number of bytes of input. Regardless of this limit, a document has at most
    /// 4,294,967,295 bytes, and an XML document at most 2,147,483,647 bytes of text.
    public var inputSize: Int

    /// The number of values that a traversal may visit. Shared values count at each visit. Hashing
    /// or parsing a long text again, such as a key or a URL, counts as one more visit for each KiB.
    /// A copy of a URL's base counts as one visit for each 128 bytes. The limit is relative to the
    /// number of values in the document plus the number of references to them.
    public var expansion: Allowance

    /// The number of bytes that an operation may write, copy or read again, relative to the number
    /// of bytes in the document.
    public var output: Allowance

    /// A limit that grows with the size of its subject: `factor × size + base`.
    public struct Allowance: Sendable, Hashable {
        /// The number of units allowed for each unit of size.
        public var factor: Int

        /// The number of units allowed regardless of size.
        public var base: Int

        /// Creates a limit of `factor × size + base`.
        public init(factor: Int, base: Int) {
            self.factor = factor
            self.base = base
        }

        /// Returns the limit for `size`, or `Int.max` on overflow.
        package func limit(for size: Int) -> Int {
            let (product, overflow) = size.multipliedReportingOverflow(by: factor)
            let (sum, carried) = product.addingReportingOverflow(base)
            return overflow || carried ? .max : sum
        }
    }

    /// Creates limits from their components.
    public init(depth: Int, inputSize: Int, expansion: Allowance, output: Allowance) {
        self.depth = depth
        self.inputSize = inputSize
        self.expansion = expansion
        self.output = output
    }

    /// A copy of the limits that allows one more level of nesting.
    package var inContainer: ParsingLimits {
        var limits = self
        limits.depth = max(depth, depth &+ 1)
        return limits
    }

    /// Limits for untrusted files, such as those from a network, the pasteboard or a message.
    public static let untrusted = ParsingLimits(
        depth: 128, inputSize: 256 << 20,
        expansion: Allowance(factor: 2, base: 100_000),
        output: Allowance(factor: 16, base: 16 << 20))

    /// Limits for files of any origin. They admit everything that Apple's software writes, but no
    /// exponential expansion ("billion laughs").
    public static let `default` = ParsingLimits(
        depth: 512, inputSize: addressableSize,
        expansion: Allowance(factor: 8, base: 1_000_000),
        output: Allowance(factor: 64, base: 64 << 20))

    /// Limits for files that your own program made.
    public static let trusted = ParsingLimits(
        depth: 1_000_000, inputSize: addressableSize,
        expansion: Allowance(factor: 500, base: 100_000_000),
        output: Allowance(factor: 10_000, base: 1 << 30))

    /// The largest addressable size in bytes. Offsets in a document are 32 bits wide.
    package static let addressableSize = Int(clamping: UInt32.max)
}

extension ParsingLimits {
    /// Checks the size of an input.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func checkInput(
        _ bytes: [UInt8], _ format: PropertyListFormat?
    ) throws(PropertyListError) {
        if let error = sizeError(bytes.count, format) { throw error }
    }

    /// Returns the error for an input of `size` bytes; nil if the limits allow it.
    func sizeError(_ size: Int, _ format: PropertyListFormat?) -> PropertyListError? {
        let allowed = min(inputSize, Self.addressableSize)
        if size <= allowed { return nil }
        return PropertyListError(
            .sizeLimitExceeded, format: format,
            what: "expected at most \(allowed) bytes of input, found \(size)",
            recovery: sizeRecovery)
    }

    /// The recovery for an input that is too large. It is nil for the fixed maximum, which no
    /// caller can raise.
    package var sizeRecovery: PropertyListError.Recovery? {
        inputSize < Self.addressableSize
            ? .init(.raiseLimits, "raise `ParsingLimits.inputSize` if the file is trusted") : nil
    }
}
