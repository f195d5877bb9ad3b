// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The coding path of a value, as a list linked from its last step to its first. A step costs one
/// small object. The array of keys is built only when requested.
final class CodingPath {
    /// A step of a path.
    enum Step {
        case key(any CodingKey)
        case index(Int)
        /// A key of a `[String: Value]` dictionary.
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

    /// Turns `last` into the path of the next sibling, `step`. Reuses the object unless something
    /// else retains it.
    @inline(__always)
    static func advance(_ last: inout CodingPath?, _ parent: CodingPath?, to step: Step) {
        if isKnownUniquelyReferenced(&last), let last {
            last.step = step
        } else {
            last = CodingPath(parent, step)
        }
    }

    // Releases the path in a loop. The default release would recurse, and a path may have a million
    // steps.
    deinit {
        guard var next = parent else { return }
        parent = nil
        while isKnownUniquelyReferenced(&next), let after = next.parent {
            next.parent = nil
            next = after
        }
    }

    /// Returns the keys of a path, outermost first.
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

/// A coding key without a type of its own: an index, `super`, or a key of the document.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ text: String) {
        stringValue = text
        intValue = nil
    }

    /// Creates a dictionary key as the standard library does: with an integer value if the text is
    /// a number.
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
    /// The path as coding keys.
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
