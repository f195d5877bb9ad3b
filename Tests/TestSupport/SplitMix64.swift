// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The generator of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators". It
/// gives the same numbers for the same seed on every platform.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator that starts from `seed`.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number in `0 ..< bound`.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// Returns true once in `times` calls, on average.
    public mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }
}
