// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// Generates trees of values that a property list can represent, including the edge cases of every
/// kind.
public struct RandomPropertyList: Sendable {
    private var random: SplitMix64
    private let kinds: [PropertyListKind]
    private let keys: [String]
    private let isExactInXML: Bool

    /// Creates a generator of values of `kinds`, reproducible by the seed. With `isExactInXML` and
    /// ``xmlKinds``, all values round-trip through XML unchanged: reals have 64 bits and are not
    /// NaN.
    public init(
        seed: UInt64, kinds: [PropertyListKind] = Self.allKinds, isExactInXML: Bool = false
    ) {
        random = SplitMix64(seed: seed)
        self.kinds = kinds
        self.isExactInXML = isExactInXML
        keys = ["a", "key", "$class", "NS.objects", "", "é", "e\u{301}", "漢字", "👩‍👩‍👧", "x y"]
    }

    /// The kinds that a binary property list can represent.
    public static let allKinds = PropertyListKind.allCases.filter { $0 != .unreadable }

    /// The kinds that XML can represent without a loss.
    public static let xmlKinds = allKinds.filter { ![.null, .uid, .set].contains($0) }

    /// Returns the next tree, nested at most `depth` deep.
    public mutating func value(depth: Int = 4) -> PropertyListValue {
        let kind = kinds[random.below(kinds.count)]
        if kind.isContainer, depth == 0 {
            return kinds.contains(.integer) ? .integer(integer()) : .string(string())
        }
        switch kind {
        case .null, .unreadable: return .null
        case .boolean: return .boolean(random.oneIn(2))
        case .integer: return .integer(integer())
        case .real: return .real(real())
        case .date: return .date(date())
        case .data: return .data((0..<length()).map { _ in UInt8(random.below(256)) })
        case .string: return .string(string())
        case .uid: return .uid(PropertyListUID(uid()))
        case .array: return .array(PropertyListArray(elements(depth: depth - 1)))
        case .set: return .set(PropertyListArray(elements(depth: depth - 1)))
        case .dictionary: return .dictionary(dictionary(depth: depth - 1))
        }
    }

    private mutating func elements(depth: Int) -> [PropertyListValue] {
        (0..<length(of: depth)).map { _ in value(depth: depth) }
    }

    private mutating func dictionary(depth: Int) -> PropertyListDictionary {
        var entries = PropertyListDictionary()
        for _ in 0..<length(of: depth) {
            let key = random.oneIn(3) ? string() : keys[random.below(keys.count)]
            entries[key] = value(depth: depth)
        }
        return entries
    }

    /// Returns a length, usually small, so that deep trees stay small. Lengths of leaves are often
    /// around 15, where the form of the count changes.
    private mutating func length(of depth: Int = 0) -> Int {
        if depth == 0, random.oneIn(4) { return 13 + random.below(5) }
        return random.oneIn(5) ? 0 : random.below(5)
    }

    private mutating func integer() -> PropertyListInteger {
        let shift = UInt64(random.below(65))
        let bits = shift == 64 ? 0 : UInt64.max >> shift
        switch random.below(5) {
        case 0: return PropertyListInteger(bits)
        case 1: return PropertyListInteger(bits &+ 1)
        case 2: return PropertyListInteger(random.next())
        case 3: return PropertyListInteger(Int(truncatingIfNeeded: random.next()))
        default: return PropertyListInteger(-Int(truncatingIfNeeded: bits >> 1) - 1)
        }
    }

    private mutating func real() -> PropertyListReal {
        let edges: [Double] = [
            0, -0.0, 1, -1.5, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, .pi, 0.1,
        ]
        if !isExactInXML, random.oneIn(3) {
            return PropertyListReal(Float.random(in: -1e6...1e6, using: &random))
        }
        if random.oneIn(2) {
            let edge = edges[random.below(edges.count)]
            return PropertyListReal(isExactInXML && edge.isNaN ? 1e-5 : edge)
        }
        if random.oneIn(2) { return PropertyListReal(finite(random.next())) }
        return PropertyListReal(Double.random(in: -1e12...1e12, using: &random))
    }

    private func finite(_ bits: UInt64) -> Double {
        let value = Double(bitPattern: bits)
        return value.isFinite ? value : 1.5e300
    }

    /// Returns a date in whole seconds, which every format that has dates can represent.
    private mutating func date() -> PropertyListDate {
        PropertyListDate(secondsSince2001: Double(random.below(2_000_000_000) - 1_000_000_000))
    }

    private mutating func uid() -> UInt32 {
        UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + random.below(32)))
    }

    /// Returns ASCII text, or text with a few other characters, some of them beyond the Basic
    /// Multilingual Plane.
    private mutating func string() -> String {
        let alphabet = Array(
            "abcXYZ019 <&>\"'_]\n\t\u{7F}\u{85}é\u{301}߿ࠀ漢\u{FFFD}\u{E000}😀𝄞\u{10FFFF}"
                .unicodeScalars)
        let reach = random.oneIn(2) ? 19 : alphabet.count
        var text = ""
        for _ in 0..<length() { text.unicodeScalars.append(alphabet[random.below(reach)]) }
        return text
    }
}
