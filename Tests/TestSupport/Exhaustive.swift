// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// Selects the cases of tests over every byte, prefix or seed. Release builds run all cases. Debug
/// builds run a sample, because code that is not optimized is many times slower.
public enum Exhaustive {
    /// Whether this build runs only a sample.
    public static var isSampled: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// Returns the size of an input: a smaller one in debug builds.
    public static func size(_ whole: Int, inDebug part: Int) -> Int { isSampled ? part : whole }

    /// The limits for inputs that expand until a limit is reached. In debug builds, reaching the
    /// default limits takes seconds.
    public static var limits: ParsingLimits { isSampled ? .untrusted : .default }

    /// Returns all elements. In debug builds, returns every `share`th element, starting at a random
    /// one of the first `share`.
    public static func sample<Elements: Collection>(
        _ elements: Elements, oneIn share: Int
    ) -> [Elements.Element] {
        guard isSampled else { return Array(elements) }
        let first = Int.random(in: 0..<share)
        return elements.enumerated().filter { $0.offset % share == first }.map(\.element)
    }
}
