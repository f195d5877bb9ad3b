// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedCommand
import PropertyList

/// Verbs and operations on shapes that grow, under the limits for strangers. Each run is one call of
/// `countedFromOutside`. A run of each verb on an empty array, with the factor 0, shows what its
/// arguments cost.
struct ShapeGrowth {
    private static let factors = [1, 2, 4]

    /// The files of a shape by factor.
    private struct Sizes {
        let inputs: [(first: Input, second: Input)]
        let files: [ShapeFiles]
        /// What both files stand for; see `expansion`.
        let expansions: [Int]
    }

    private let folder: URL
    private let pattern: String

    /// Measures a share of the shapes: those with the numbers `share`, `share + shares` and so on.
    static func run(_ share: Int, of shares: Int, matching pattern: String, in folder: URL) throws {
        let growth = ShapeGrowth(folder: folder, pattern: pattern)
        try growth.measureArguments()
        for number in stride(from: share, to: Shape.all.count, by: shares) {
            try growth.measure(Shape.all[number])
        }
    }

    private func measureArguments() throws {
        let empty = Shape.Files(first: Array("[]".utf8), second: Array("[]".utf8), script: [])
        let files = try ShapeFiles(empty, of: Shape.all[0], in: folder.appending(path: "empty"))
        for verb in Verb.all where verb.isCounted {
            let body = body(of: verb, files)
            // What happens once in a process does not count.
            _ = body()
            measure("keyed \(verb.name)", 0, (0, 0), body)
        }
    }

    private func measure(_ shape: Shape) throws {
        let verbs = Verb.all.filter {
            $0.isCounted && $0.reads(shape) && matches("\(shape.name), keyed \($0.name)")
        }
        let operations = PairOperation.all.filter {
            shape.contents != .database && matches("\(shape.name), \($0.name)")
        }
        if verbs.isEmpty, operations.isEmpty { return }
        let files = Self.factors.map { shape.files($0 * shape.size) }
        let inputs = files.map { (first: Self.input($0.first), second: Self.input($0.second)) }
        let sizes = Sizes(
            inputs: inputs,
            files: try files.enumerated().map {
                try ShapeFiles($1, of: shape, in: folder.appending(path: "\($0)"))
            },
            expansions: inputs.map { Self.expansion($0.first) + Self.expansion($0.second) })
        for verb in verbs { measure(verb, shape, sizes) }
        for operation in operations { measure(operation, shape, sizes) }
    }

    private func matches(_ name: String) -> Bool { pattern.isEmpty || name.contains(pattern) }

    private static func input(_ bytes: [UInt8]) -> Input {
        Input(bytes: bytes, options: .strict, limits: .untrusted)
    }

    private func measure(_ verb: Verb, _ shape: Shape, _ sizes: Sizes) {
        let inputs = sizes.files.compactMap { $0.size(for: verb) }
        guard inputs.count == Self.factors.count else { return }
        for (number, files) in sizes.files.enumerated() {
            measure(
                "\(shape.name), keyed \(verb.name)", Self.factors[number],
                (inputs[number], sizes.expansions[number]), body(of: verb, files))
        }
    }

    private func body(of verb: Verb, _ files: ShapeFiles) -> () -> Int {
        let arguments = verb.arguments(files.paths, limits: "untrusted")
        return {
            let result = KeyedCommand.run(arguments)
            return result.output.count + result.errors.count
        }
    }

    private func measure(_ operation: PairOperation, _ shape: Shape, _ sizes: Sizes) {
        let bodies = sizes.inputs.compactMap { operation.prepare($0.first, $0.second) }
        guard bodies.count == Self.factors.count else { return }
        _ = bodies[0]()
        for (number, input) in sizes.inputs.enumerated() {
            measure(
                "\(shape.name), \(operation.name)", Self.factors[number],
                (input.first.bytes.count + input.second.bytes.count, sizes.expansions[number]),
                bodies[number])
        }
    }

    /// Measures what returns the bytes of its output.
    private func measure(
        _ name: String, _ factor: Int, _ input: (size: Int, expansion: Int),
        _ body: @escaping () -> Int
    ) {
        let output = Output()
        let size = countedFromOutside(input.size, output.filled(by: body))
        print("\(name)\t\(factor)\t\(size)\t\(output.count)\t\(input.expansion)")
    }

    /// The values that a walk over a file meets, as far as the limits let it, with the bytes of their
    /// texts, data and keys.
    private static func expansion(_ input: Input) -> Int {
        guard let document = input.document else { return 0 }
        var reader = PropertyListEventReader(document.root, limits: input.limits)
        var size = 0
        while (try? reader.next()) != nil {
            size += 1 + reader.withKey { $0.count } + reader.withContent { $0.count }
        }
        return size
    }

    /// The bytes that a run made.
    private final class Output {
        var count = 0

        /// What fills this. Not inlined, or the compiler makes a copy of `countedFromOutside` for it.
        @inline(never)
        func filled(by body: @escaping () -> Int) -> () -> Void {
            { self.count = body() }
        }
    }
}
