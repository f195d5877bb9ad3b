// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedCommand
import PropertyList

/// Runs verbs and operations on shapes of growing size, under the untrusted limits; `plutil`, which
/// has no limits to choose, runs under the default ones. Each run is one call of
/// `countedFromOutside`.
struct ShapeGrowth {
    private let share: Share
    private let folder: URL
    // The files of each size replace the previous ones at the same paths, so that arguments are
    // parsed once.
    private let commands: [(verb: Verb, command: ParsedCommand)]

    /// Measures a share of the shapes on files in a folder.
    static func run(_ share: Share, in folder: URL) throws {
        let shapes = share.isShort ? Shape.all.filter(\.isShort) : Shape.all
        let growth = try ShapeGrowth(share, in: folder)
        for shape in share.part(of: shapes) { try growth.measure(shape) }
    }

    private init(_ share: Share, in folder: URL) throws {
        self.share = share
        self.folder = folder
        let files = try ShapeFiles(
            Shape.Files(first: Array("[]".utf8), second: Array("[]".utf8), script: []),
            of: Shape.all[0], in: folder)
        commands = Verb.all.filter(\.isCounted).map {
            ($0, ParsedCommand($0.arguments(files.paths, limits: "untrusted")))
        }
        // An uncounted first run keeps the one-time work of the process out of the counts.
        for (_, command) in commands { _ = command.run() }
    }

    private func measure(_ shape: Shape) throws {
        let commands = commands.filter { verb, _ in
            verb.reads(shape) && share.matches("\(shape.name), keyed \(verb.name)")
        }
        let operations = PairOperation.all.filter {
            shape.contents != .database && share.matches("\(shape.name), \($0.name)")
        }
        if commands.isEmpty, operations.isEmpty { return }
        for factor in share.factors {
            let bytes = shape.files(factor * shape.size)
            let files = try ShapeFiles(bytes, of: shape, in: folder)
            let (first, second) = (Self.input(bytes.first), Self.input(bytes.second))
            let expansion = Self.expansion(first) + Self.expansion(second)
            for (verb, command) in commands {
                guard let size = files.size(for: verb) else { continue }
                measure("\(shape.name), keyed \(verb.name)", factor, (size, expansion)) {
                    let result = command.run()
                    return result.output.count + result.errors.count
                }
            }
            for operation in operations {
                guard let body = operation.prepare(first, second) else { continue }
                if factor == share.factors[0] { _ = body() }
                measure(
                    "\(shape.name), \(operation.name)", factor, (files.sizeOfBoth, expansion), body)
            }
        }
    }

    private static func input(_ bytes: [UInt8]) -> Input {
        Input(bytes: bytes, options: .strict, limits: .untrusted)
    }

    /// Measures a closure that returns the size of its output.
    private func measure(
        _ name: String, _ factor: Int, _ input: (size: Int, expansion: Int),
        _ body: @escaping () -> Int
    ) {
        let output = Output()
        let size = countedFromOutside(input.size, output.filled(by: body))
        print("\(name)\t\(factor)\t\(size)\t\(output.count)\t\(input.expansion)")
    }

    /// Returns the number of values that a traversal visits within the limits, plus the bytes of
    /// their texts, data and keys.
    private static func expansion(_ input: Input) -> Int {
        guard let document = input.document else { return 0 }
        var reader = PropertyListEventReader(document.root, limits: input.limits)
        var size = 0
        while (try? reader.next()) != nil {
            size += 1 + reader.withKey { $0.count } + reader.withContent { $0.count }
        }
        return size
    }

    /// The size of a run's output.
    private final class Output {
        var count = 0

        /// Returns a closure that stores the result of `body` here. Not inlined, because the
        /// compiler would otherwise specialize `countedFromOutside` for it.
        @inline(never)
        func filled(by body: @escaping () -> Int) -> () -> Void {
            { self.count = body() }
        }
    }
}
