// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The way from the root to a value that is being coded: a list linked from its end, so that a step
/// costs one small object and the array of keys is made only when someone asks.
final class CodingPath {
    /// One step.
    enum Step {
        case key(any CodingKey)
        case index(Int)
        /// A key of a dictionary that has strings as keys.
        case entry(String)
    }

    private(set) var parent: CodingPath?
    private(set) var step: Step
    /// The number of steps.
    let depth: Int

    init(_ parent: CodingPath?, _ step: Step) {
        self.parent = parent
        self.step = step
        depth = (parent?.depth ?? 0) &+ 1
    }

    /// Makes `last` the path of the next sibling, `step`: the same object, unless someone has kept it.
    @inline(__always)
    static func advance(_ last: inout CodingPath?, _ parent: CodingPath?, to step: Step) {
        if isKnownUniquelyReferenced(&last), let last {
            last.step = step
        } else {
            last = CodingPath(parent, step)
        }
    }

    // A path may be a million steps long, and the compiler's own release would recurse.
    deinit {
        guard var next = parent else { return }
        parent = nil
        while isKnownUniquelyReferenced(&next), let after = next.parent {
            next.parent = nil
            next = after
        }
    }

    /// The keys of a path, outermost first.
    static func keys(of path: CodingPath?) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var rest = path
        while let path = rest {
            keys.append(path.step.codingKey)
            rest = path.parent
        }
        return keys.reversed()
    }
}

extension CodingPath.Step {
    var codingKey: any CodingKey {
        switch self {
        case .key(let key): key
        case .index(let index): PathKey(index: index)
        case .entry(let key): PathKey(dictionaryKey: key)
        }
    }
}

/// A key that is not of a type of the user's: an index, `super`, a key of a document.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ text: String) {
        stringValue = text
        intValue = nil
    }

    /// A key of a dictionary, as the standard library has them: with its number if it is one.
    init(dictionaryKey text: String) {
        stringValue = text
        intValue = Int(text)
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(index: intValue) }

    static let `super` = PathKey("super")
}

extension PropertyListPath {
    /// The same path in keys.
    var codingKeys: [any CodingKey] {
        components.map { component in
            switch component {
            case .key(let key): PathKey(key)
            case .entry(let key): PathKey(dictionaryKey: key)
            case .index(let index): PathKey(index: index)
            }
        }
    }
}
