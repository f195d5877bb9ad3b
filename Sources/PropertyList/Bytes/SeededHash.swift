// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A hash of bytes for the library's own tables, seeded anew in every process so that nobody can
/// prepare keys that collide.
///
/// Each step multiplies two words that depend on a secret to 128 bits and folds the halves together.
struct SeededHash: Sendable {
    private static let secret = (
        seed: UInt64.random(in: .min ... .max), factor: UInt64.random(in: .min ... .max) | 1
    )

    private let seed: UInt64
    private let factor: UInt64

    /// The process's hash; a table keeps one, which is quicker than asking for the secret each time.
    package init() { (seed, factor) = Self.secret }

    /// The hash of `bytes`, distinguished by `salt`. Linear, eight bytes a step.
    package func hash(_ bytes: Span<UInt8>, salt: UInt8) -> UInt64 {
        var state = start(salt, count: bytes.count)
        var index = 0
        while let word = bytes.bigEndian(at: index, width: 8) {
            state = mix(state ^ word)
            index &+= 8
        }
        if index < bytes.count, let rest = bytes.bigEndian(at: index, width: bytes.count &- index) {
            state = mix(state ^ rest)
        }
        return mix(state)
    }

    /// The hash of the length of `bytes`, and of the 32 bytes at either end, of which there must be as
    /// many; distinguished by `salt`. Constant time.
    func hash(endsOf bytes: Span<UInt8>, salt: UInt8) -> UInt64 {
        var state = start(salt, count: bytes.count)
        for end in [0, bytes.count &- 32] {
            for index in stride(from: end, to: end &+ 32, by: 8) {
                state = mix(state ^ (bytes.bigEndian(at: index, width: 8) ?? 0))
            }
        }
        return mix(state)
    }

    @inline(__always)
    private func start(_ salt: UInt8, count: Int) -> UInt64 {
        seed ^ UInt64(salt) ^ UInt64(truncatingIfNeeded: count) << 8
    }

    /// The hash of one word, distinguished by `salt`.
    @inline(__always)
    func hash(_ word: UInt64, salt: UInt8) -> UInt64 { mix(mix(seed ^ UInt64(salt)) ^ word) }

    /// The hash of a sequence of words, of which `state` is that of all but the last: begin with the hash of their
    /// number.
    @inline(__always)
    func combine(_ state: UInt64, _ word: UInt64) -> UInt64 { mix(state ^ word) }

    @inline(__always)
    private func mix(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: factor)
        return product.high ^ product.low &+ seed
    }
}
