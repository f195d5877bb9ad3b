// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// The texts that have a meaning in every keyed archive. A target of its own:
// the archiver uses all of them; the XML reader recognizes the root of an archive by its keys, key paths
// follow references, comparisons know archived sets, and the command prints objects. None of these
// needs the archiver. A field that only the coding of its class reads stands in that coding.
//
// No product has the target. Its names are public so that each is a constant where it is used: across
// modules the compiler inlines nothing that only the package sees.

/// The keys and marks of the format.
public enum ArchiveFormat {
    // The keys of the root.
    @inlinable public static var versionKey: String { "$version" }
    @inlinable public static var archiverKey: String { "$archiver" }
    @inlinable public static var topKey: String { "$top" }
    @inlinable public static var objectsKey: String { "$objects" }

    /// The class that Apple's archives name as their writer.
    @inlinable public static var archiver: String { "NSKeyedArchiver" }
    /// The first object of each archive, which stands for nil.
    @inlinable public static var null: String { "$null" }
    /// The key under which an object refers to the description of its class.
    @inlinable public static var classKey: String { "$class" }

    // The keys of the description of a class.
    @inlinable public static var classNameKey: String { "$classname" }
    @inlinable public static var classChainKey: String { "$classes" }
    @inlinable public static var classHintsKey: String { "$classhints" }

    /// The key of a value that was encoded without one.
    ///
    /// - Parameter position: the number of such values before it in the object.
    /// - Returns: The key.
    public static func unkeyedField(_ position: Int) -> String { "$\(position)" }
}

/// Names of Foundation's classes.
public enum FoundationClass {
    @inlinable public static var object: String { "NSObject" }
    @inlinable public static var null: String { "NSNull" }
    @inlinable public static var string: String { "NSString" }
    @inlinable public static var number: String { "NSNumber" }
    @inlinable public static var data: String { "NSData" }
    @inlinable public static var date: String { "NSDate" }
    @inlinable public static var array: String { "NSArray" }
    @inlinable public static var dictionary: String { "NSDictionary" }
    @inlinable public static var set: String { "NSSet" }
    @inlinable public static var mutableSet: String { "NSMutableSet" }
    @inlinable public static var countedSet: String { "NSCountedSet" }
}

/// Fields of Foundation's classes.
public enum FoundationField {
    /// The elements of a collection; the values of a dictionary.
    @inlinable public static var objects: String { "NS.objects" }
    /// The keys of a dictionary.
    @inlinable public static var keys: String { "NS.keys" }
    /// The text of a string that is an object.
    @inlinable public static var string: String { "NS.string" }
    /// The bytes of a string or of data.
    @inlinable public static var bytes: String { "NS.bytes" }
    /// The bytes of data.
    @inlinable public static var data: String { "NS.data" }
    /// The seconds of a date.
    @inlinable public static var time: String { "NS.time" }
    /// The bytes of a UUID.
    @inlinable public static var uuidBytes: String { "NS.uuidbytes" }
    /// The URL that another is relative to.
    @inlinable public static var base: String { "NS.base" }
    /// The text of a URL.
    @inlinable public static var relative: String { "NS.relative" }
}
