// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The generator SplitMix64, which gives the same numbers for the same seed on every platform.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators".
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func real(below bound: Double) -> Double { Double.random(in: 0..<bound, using: &self) }

    /// Returns a date between 2001 and 2032, as a whole number of seconds since 2001.
    mutating func date() -> Double { Double(below(1_000_000_000)) }

    /// Returns English words, separated by single spaces.
    mutating func words(_ count: Int) -> String {
        (0..<count).map { _ in Self.words[below(Self.words.count)] }.joined(separator: " ")
    }

    mutating func hexadecimal() -> String {
        let digits = String(next(), radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static let words = [
        "the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "while", "seven", "wizards",
        "box", "quietly", "near", "an", "old", "stone", "bridge", "under", "seventeen", "pale",
        "lanterns", "before", "dawn",
    ]
}
