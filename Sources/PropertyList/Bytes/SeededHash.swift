// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A hash function for the library's own tables. The seed differs in each process, so an attacker
/// cannot prepare keys that collide.
///
/// Each step computes the 128-bit product of two words that depend on a secret, and folds its
/// halves together.
struct SeededHash: Sendable {
    private static let secret = (
        seed: UInt64.random(in: .min ... .max), factor: UInt64.random(in: .min ... .max) | 1
    )

    private let seed: UInt64
    private let factor: UInt64

    /// Creates the hash function of this process. A table stores its hash function, which is faster
    /// than reading the secret each time.
    package init() { (seed, factor) = Self.secret }

    /// Returns the hash of `bytes`. The `salt` distinguishes uses. Linear, eight bytes per step.
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

    /// Returns the hash of the length of `bytes`, its first 32 bytes and its last 32 bytes.
    /// Requires at least 32 bytes. The `salt` distinguishes uses. Constant time.
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

    /// Returns the hash of one word. The `salt` distinguishes uses.
    @inline(__always)
    func hash(_ word: UInt64, salt: UInt8) -> UInt64 { mix(mix(seed ^ UInt64(salt)) ^ word) }

    /// Returns the hash of a sequence of words, given the hash `state` of all words but the last.
    /// The initial state is the hash of the number of words.
    @inline(__always)
    func combine(_ state: UInt64, _ word: UInt64) -> UInt64 { mix(state ^ word) }

    @inline(__always)
    private func mix(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: factor)
        return product.high ^ product.low &+ seed
    }
}
