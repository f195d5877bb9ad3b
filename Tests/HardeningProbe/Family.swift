// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Inputs of one shape that can be made as large as is wanted.
struct Family: Sendable {
    let name: String
    /// The number of pieces to begin with.
    let size: Int
    private let make: @Sendable (Int) -> Input

    /// The input of `size` pieces.
    func input(_ size: Int) -> Input { make(size) }

    init(_ name: String, _ size: Int, _ make: @escaping @Sendable (Int) -> Input) {
        self.name = name
        self.size = size
        self.make = make
    }

    /// Text of a format.
    init(
        _ format: PropertyListFormat, _ name: String, _ size: Int, limits: ParsingLimits,
        _ text: @escaping @Sendable (Int) -> String
    ) {
        self.init(name, size) {
            Input(bytes: Array(text($0).utf8), format: format, limits: limits)
        }
    }

    static let all = [binary, xml, openStep, json, archives, imports, carving].flatMap(\.self)

    /// For what expands without end, so that it is refused soon.
    static let few = ParsingLimits(
        depth: 512, inputSize: 1 << 20, expansion: .init(factor: 4, base: 1000),
        output: .init(factor: 4, base: 1000))

    /// Marks above and below a letter, which normalization would have to sort.
    static func marks(_ count: Int) -> [UInt16] {
        (0..<count).map { $0 % 2 == 0 ? 0x301 : 0x323 }
    }
}
