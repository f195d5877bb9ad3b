// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Tests of every byte, every prefix, every seed. All of it runs in release. Code that is not optimized takes
/// many times as long, so that debug builds take a sample.
public enum Exhaustive {
    /// Whether this build takes a sample only.
    public static var isSampled: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// All elements; in debug builds every `share`th of them, beginning with any of the first `share`.
    public static func sample<Elements: Collection>(
        _ elements: Elements, oneIn share: Int
    ) -> [Elements.Element] {
        guard isSampled else { return Array(elements) }
        let first = Int.random(in: 0..<share)
        return elements.enumerated().filter { $0.offset % share == first }.map(\.element)
    }
}
