// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The path from the beginning of a stream to a group or a value.
///
/// Steps alternate: into a group, to a value of it, into a group of the object that is this value.
public struct TypedStreamPath: Sendable, Hashable {
    /// One step.
    public enum Component: Sendable, Hashable {
        /// The group at an index, from 0, of the stream or of an object.
        case group(Int)
        /// The value at an index, from 0, of a group. Elements of arrays and fields of structures count like
        /// other values, in the order of the file; the arrays and structures themselves do not.
        case value(Int)
    }

    /// The steps, outermost first.
    public var components: [Component]

    /// Creates a path from its steps.
    public init(_ components: [Component] = []) { self.components = components }
}

extension TypedStreamPath: CustomStringConvertible {
    /// The number of steps that are printed at each end of a long path.
    private static let shown = 8

    /// As in `groups[0].values[0].groups[3]`. A path of more than 16 steps is cut in the middle.
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
