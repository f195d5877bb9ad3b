// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Inputs of one shape and any size.
struct Family: Sendable {
    let name: String
    /// The number of pieces in the smallest input.
    let size: Int
    private let make: @Sendable (Int) -> Input

    /// Returns the input of `size` pieces.
    func input(_ size: Int) -> Input { make(size) }

    init(_ name: String, _ size: Int, _ make: @escaping @Sendable (Int) -> Input) {
        self.name = name
        self.size = size
        self.make = make
    }

    /// Creates a family of text inputs in a format.
    init(
        _ format: PropertyListFormat, _ name: String, _ size: Int, limits: ParsingLimits,
        _ text: @escaping @Sendable (Int) -> String
    ) {
        self.init(name, size) {
            Input(bytes: Array(text($0).utf8), format: format, limits: limits)
        }
    }

    static let all = [binary, xml, openStep, json, archives, sharing, imports, carving].flatMap(
        \.self)

    /// Small limits that refuse exponentially expanding inputs early.
    static let smallLimits = ParsingLimits(
        depth: 512, inputSize: 1 << 20, expansion: .init(factor: 4, base: 1000),
        output: .init(factor: 4, base: 1000))

    /// Returns alternating marks above and below a letter, which normalization would have to sort.
    static func marks(_ count: Int) -> [UInt16] {
        (0..<count).map { $0 % 2 == 0 ? 0x301 : 0x323 }
    }
}
