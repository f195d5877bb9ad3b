// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The path from the beginning of a stream to a group or a value.
///
/// Group and value steps alternate: a group, a value in that group, a group of the object that is
/// this value, and so on.
public struct TypedStreamPath: Sendable, Hashable {
    /// One step of a path.
    public enum Component: Sendable, Hashable {
        /// A group of the stream or of an object, by its index, counted from 0.
        case group(Int)
        /// A value of a group, by its index, counted from 0. The elements of arrays and the fields
        /// of structures count like other values, in the order of the file. The arrays and
        /// structures themselves do not count.
        case value(Int)
    }

    /// The steps, outermost first.
    public var components: [Component]

    /// Creates a path from its steps.
    public init(_ components: [Component] = []) { self.components = components }
}

extension TypedStreamPath: CustomStringConvertible {
    /// The number of steps printed at each end of a long path.
    private static let shown = 8

    /// The path in the form `groups[0].values[0].groups[3]`. A path of more than 16 steps is
    /// shortened in the middle.
    public var description: String {
        if components.count <= 2 * Self.shown { return Self.text(components[...]) }
        return Self.text(components.prefix(Self.shown)) + "…"
            + Self.text(components.suffix(Self.shown))
    }

    private static func text(_ components: ArraySlice<Component>) -> String {
        let steps = components.map { component in
            switch component {
            case .group(let index): "groups[\(index)]"
            case .value(let index): "values[\(index)]"
            }
        }
        return steps.joined(separator: ".")
    }
}
