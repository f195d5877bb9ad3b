// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Strings with a meaning in every keyed archive. They are a separate target, because code that does
// not need the archiver uses them too. The XML reader recognizes the root of an archive by its
// keys, key paths follow references, comparisons recognize archived sets, and the command prints
// objects. A field that only the coding of one class uses is defined in that coding.
//
// The target is part of no product. Its names are public and inlinable, so that each is a constant
// where it is used: the compiler does not inline `package` declarations across modules.

/// The keys and reserved strings of the format.
public enum ArchiveFormat {
    /// The key of the format version in the file's root dictionary.
    @inlinable public static var versionKey: String { "$version" }
    /// The key of the archiver's class name in the file's root dictionary.
    @inlinable public static var archiverKey: String { "$archiver" }
    /// The key of the dictionary of archived roots in the file's root dictionary.
    @inlinable public static var topKey: String { "$top" }
    /// The key of the array of objects in the file's root dictionary.
    @inlinable public static var objectsKey: String { "$objects" }

    /// The archiver class in Apple's archives.
    @inlinable public static var archiver: String { "NSKeyedArchiver" }
    /// The first object of each archive, which represents nil.
    @inlinable public static var null: String { "$null" }
    /// The key under which an object refers to the description of its class.
    @inlinable public static var classKey: String { "$class" }

    /// The key of the class name in a class description.
    @inlinable public static var classNameKey: String { "$classname" }
    /// The key of the class and its superclasses in a class description.
    @inlinable public static var classChainKey: String { "$classes" }
    /// The key of the fallback classes in a class description.
    @inlinable public static var classHintsKey: String { "$classhints" }

    /// Returns the key of a value that was encoded without a key.
    ///
    /// - Parameter position: The number of values without a key that precede it in the object.
    /// - Returns: The key.
    public static func unkeyedField(_ position: Int) -> String { "$\(position)" }
}

/// The names of Foundation's classes.
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
    @inlinable public static var orderedSet: String { "NSOrderedSet" }
}

/// The keys of the fields of Foundation's classes.
public enum FoundationField {
    /// The elements of a collection; the values of a dictionary.
    @inlinable public static var objects: String { "NS.objects" }
    /// The keys of a dictionary.
    @inlinable public static var keys: String { "NS.keys" }
    /// The start of the keys `NS.object.0`, `NS.object.1`, … that replace `NS.objects` in ordered
    /// sets and in old archives.
    @inlinable public static var numberedObject: String { "NS.object." }
    /// The numbered key of the first element.
    @inlinable public static var firstNumberedObject: String { "NS.object.0" }
    /// The start of the keys `NS.key.0`, `NS.key.1`, … that replace `NS.keys` in old archives.
    @inlinable public static var numberedKey: String { "NS.key." }
    /// The text of a string that is stored as an object with fields.
    @inlinable public static var string: String { "NS.string" }
    /// The bytes of a string or of data.
    @inlinable public static var bytes: String { "NS.bytes" }
    /// The bytes of data.
    @inlinable public static var data: String { "NS.data" }
    /// The seconds of a date.
    @inlinable public static var time: String { "NS.time" }
    /// The bytes of a UUID.
    @inlinable public static var uuidBytes: String { "NS.uuidbytes" }
    /// The base URL of a relative URL.
    @inlinable public static var base: String { "NS.base" }
    /// The text of a URL.
    @inlinable public static var relative: String { "NS.relative" }
}
