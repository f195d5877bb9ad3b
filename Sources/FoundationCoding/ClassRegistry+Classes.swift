// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import KeyedArchive

extension ClassRegistry {
    /// The classes of Foundation that archives may contain by default, such as `NSArray` and
    /// `NSDate`. None of them is known to crash on invalid fields.
    ///
    /// ``KeyedUnarchiverCoder`` reads objects of the most common of these classes itself. For the
    /// others, it calls the `init(coder:)` of the class. <doc:FoundationClasses> lists all of them,
    /// and the classes that are left out.
    public static let foundationObjects = FoundationClassList.all.reduce(ClassRegistry()) {
        $0.adding(class: $1.type, as: $1.name)
    }

    /// Creates a registry of only the given classes, each under its own name.
    ///
    /// - Parameter classes: the classes, as for ``adding(classes:)``.
    public init(classes: [AnyClass]) { self = ClassRegistry().adding(classes: classes) }

    /// Returns the registry with more classes, each under its own name.
    ///
    /// A class allows none of its subclasses.
    ///
    /// ```swift
    /// let allowed = ClassRegistry.foundationObjects.adding(classes: [Hero.self, Monster.self])
    /// ```
    ///
    /// - Parameter classes: classes that adopt `NSCoding` or `KeyedDecodable`. Reading an object of
    ///   any other class throws `classNotAllowed`.
    /// - Returns: The registry with the classes.
    /// - Complexity: Linear in the number of classes.
    public func adding(classes: [AnyClass]) -> ClassRegistry {
        classes.reduce(self) { registry, type in
            if !(type is any NSCoding.Type), let type = type as? any KeyedDecodable.Type {
                return registry.adding(type)
            }
            return registry.adding(class: type, as: CodedClass.name(of: type))
        }
    }

    /// Returns the registry with one more class, under another name. Use this method instead of
    /// `NSKeyedUnarchiver.setClass(_:forClassName:)`, which applies to all archives.
    ///
    /// - Parameters:
    ///   - class: the class, as for ``adding(classes:)``.
    ///   - name: the name of the class in archives.
    /// - Returns: The registry with the class.
    public func adding(class: AnyClass, as name: String) -> ClassRegistry {
        if let type = `class` as? any (NSCoding & AnyObject).Type {
            return adding(Self.coded(type), as: name)
        }
        if let type = `class` as? any KeyedDecodable.Type { return adding(type, as: name) }
        return allowing(name)
    }

    private static func coded<Object: NSCoding & AnyObject>(
        _ type: Object.Type
    ) -> any KeyedDecodable.Type {
        CodedObject<Object>.self
    }
}
