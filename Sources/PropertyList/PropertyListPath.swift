// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The way from the root of a property list to a value in it.
public struct PropertyListPath: Sendable, Hashable {
    /// One step: into a dictionary or into an array.
    public enum Component: Sendable, Hashable {
        /// The value of a key.
        case key(String)
        /// The element at an index, from 0.
        case index(Int)
    }

    /// The steps, outermost first.
    public var components: [Component]

    /// Creates a path from its steps.
    public init(_ components: [Component] = []) { self.components = components }
}

extension PropertyListPath: CustomStringConvertible {
    /// As in `$objects[12].NS.objects[3]`: control characters are escaped, and a path of more than
    /// about 100 characters is cut in the middle.
    public var description: String {
        var text = ""
        for component in components {
            switch component {
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += (text.isEmpty ? "" : ".") + Self.printable(key)
            }
        }
        return Self.shortened(text)
    }

    private static func printable(_ key: String) -> String {
        key.isEmpty ? "\"\"" : TerminalText.escaped(key)
    }

    private static func shortened(_ text: String) -> String {
        guard text.count > 100 else { return text }
        return "\(text.prefix(48))…\(text.suffix(48))"
    }
}
