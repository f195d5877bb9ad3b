// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// The texts that have a meaning in every keyed archive. A target of its own, seen in this package only:
// the archiver uses all of them; the XML reader recognizes the root of an archive by its keys, key paths
// follow references, comparisons know archived sets, and the command prints objects. None of these
// needs the archiver. A field that only the coding of its class reads stands in that coding.

/// The keys and marks of the format.
package enum ArchiveFormat {
    // The keys of the root.
    package static let versionKey = "$version"
    package static let archiverKey = "$archiver"
    package static let topKey = "$top"
    package static let objectsKey = "$objects"

    /// The class that Apple's archives name as their writer.
    package static let archiver = "NSKeyedArchiver"
    /// The first object of each archive, which stands for nil.
    package static let null = "$null"
    /// The key under which an object refers to the description of its class.
    package static let classKey = "$class"

    // The keys of the description of a class.
    package static let classNameKey = "$classname"
    package static let classChainKey = "$classes"
    package static let classHintsKey = "$classhints"

    /// The key of a value that was encoded without one.
    ///
    /// - Parameter position: the number of such values before it in the object.
    /// - Returns: The key.
    package static func unkeyedField(_ position: Int) -> String { "$\(position)" }
}

/// Names of Foundation's classes.
package enum FoundationClass {
    package static let object = "NSObject"
    package static let null = "NSNull"
    package static let string = "NSString"
    package static let number = "NSNumber"
    package static let data = "NSData"
    package static let date = "NSDate"
    package static let array = "NSArray"
    package static let dictionary = "NSDictionary"
    package static let set = "NSSet"
    package static let mutableSet = "NSMutableSet"
    package static let countedSet = "NSCountedSet"
}

/// Fields of Foundation's classes.
package enum FoundationField {
    /// The elements of a collection; the values of a dictionary.
    package static let objects = "NS.objects"
    /// The keys of a dictionary.
    package static let keys = "NS.keys"
    /// The text of a string that is an object.
    package static let string = "NS.string"
    /// The bytes of a string or of data.
    package static let bytes = "NS.bytes"
    /// The bytes of data.
    package static let data = "NS.data"
    /// The seconds of a date.
    package static let time = "NS.time"
    /// The bytes of a UUID.
    package static let uuidBytes = "NS.uuidbytes"
    /// The URL that another is relative to.
    package static let base = "NS.base"
    /// The text of a URL.
    package static let relative = "NS.relative"
}
