// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive

/// The names of classes in archives, and the inheritance between them.
enum CodedClass {
    /// Returns the name of a class in archives: `NSDate`, `App.Save`. The name of a class nested in
    /// another type includes both: `App.Outer.Inner`, or the mangled name on Apple's platforms.
    static func name(of type: AnyClass) -> String {
        #if canImport(Darwin)
        return NSStringFromClass(type)
        #else
        // `_typeName` and `NSStringFromClass` are slow on first use.
        if let known = FoundationClassList.names[ObjectIdentifier(type)] { return known }
        let name = _typeName(type, qualified: true)
        // `NSStringFromClass` crashes for a class that is not at the top level of a module. Its
        // result differs from `name` only for classes of Foundation.
        if name.utf8.starts(with: "Foundation".utf8), isAtTopLevel(name) {
            return NSStringFromClass(type)
        }
        return withoutContext(name)
        #endif
    }

    /// Returns whether a name consists of a module and a class.
    private static func isAtTopLevel(_ name: String) -> Bool {
        name.utf8.count { $0 == UInt8(ascii: ".") } == 1
    }

    /// Returns the name of a private class without the part that differs from one build to the
    /// next, `(unknown context at $5f2c).`.
    private static func withoutContext(_ name: String) -> String {
        var rest = name
        while let start = rest.range(of: "(unknown context at "),
            let end = rest.range(of: ").", range: start.upperBound..<rest.endIndex)
        {
            rest.removeSubrange(start.lowerBound..<end.upperBound)
        }
        return rest
    }

    /// Returns the description of a class in archives, with its superclasses.
    static func archivedClass(of type: AnyClass) -> ArchivedClass {
        var chain = [name(of: type)]
        var next: AnyClass? = superclass(of: type)
        while let type = next {
            chain.append(name(of: type))
            next = superclass(of: type)
        }
        let fallbacks = (type as? NSObject.Type)?.classFallbacksForKeyedArchiver() ?? []
        return ArchivedClass(
            name: chain[0], chain: chain, hints: fallbacks.isEmpty ? nil : fallbacks)
    }

    /// Returns the superclass of a class; nil for a root class.
    static func superclass(of type: AnyClass) -> AnyClass? {
        #if canImport(Darwin)
        return class_getSuperclass(type)
        #else
        return _getSuperclass(type)
        #endif
    }

    /// Returns whether a class declares that it supports secure coding.
    static func isSecure(_ type: AnyClass) -> Bool {
        (type as? any NSSecureCoding.Type)?.supportsSecureCoding ?? false
    }
}
