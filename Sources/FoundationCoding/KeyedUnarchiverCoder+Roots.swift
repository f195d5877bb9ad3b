// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeyedArchive
internal import PropertyList

extension KeyedUnarchiverCoder {
    /// Reads the root of an archive.
    ///
    /// - Parameters:
    ///   - cls: the class of the root. The registry need not list it.
    ///   - data: the archive.
    ///   - registry: the allowed classes of the objects below the root.
    /// - Returns: The root; nil if the archived root is nil.
    /// - Throws: the errors of ``init(forReadingFrom:allowing:options:limits:)``;
    ///   `classNotAllowed`, `wrongType`, `referenceCycle`, errors for exceeded limits, and an error
    ///   that a class has passed to ``failWithError(_:)``.
    public static func unarchivedObject<DecodedObjectType>(
        ofClass cls: DecodedObjectType.Type, from data: Data,
        allowing registry: ClassRegistry = .foundationObjects
    ) throws -> DecodedObjectType? where DecodedObjectType: NSObject, DecodedObjectType: NSCoding {
        try unarchivedObject(ofClasses: [cls], from: data, allowing: registry) as? DecodedObjectType
    }

    /// Reads the root of an archive: an object of one of several classes. For a collection, the
    /// classes must include that of the collection, and those of its elements that the registry
    /// does not list.
    ///
    /// - Parameters:
    ///   - classes: the classes of the root and of its elements. The registry need not list them.
    ///   - data: the archive.
    ///   - registry: the allowed classes of the objects below the root.
    /// - Returns: The root; nil if the archived root is nil.
    /// - Throws: the errors of ``unarchivedObject(ofClass:from:allowing:)``.
    public static func unarchivedObject(
        ofClasses classes: [AnyClass], from data: Data,
        allowing registry: ClassRegistry = .foundationObjects
    ) throws -> Any? {
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data, allowing: registry)
        coder.requiresSecureCoding = true
        let root = coder.decoded(forKey: NSKeyedArchiveRootObjectKey, of: .several(classes))?.any
        try coder.finishDecoding()
        return root
    }

    /// Reads the root of an archive, of any class that the registry lists.
    ///
    /// - Parameters:
    ///   - data: the archive.
    ///   - registry: the allowed classes.
    /// - Returns: The root; nil if the archived root is nil.
    /// - Throws: the errors of ``unarchivedObject(ofClass:from:allowing:)``.
    public static func unarchiveTopLevelObjectWithData(
        _ data: Data, allowing registry: ClassRegistry = .foundationObjects
    ) throws -> Any? {
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data, allowing: registry)
        let root = coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        try coder.finishDecoding()
        return root
    }

    /// Finishes reading.
    ///
    /// - Throws: the first ``error``.
    public func finishDecoding() throws {
        if !isFinished {
            isFinished = true
            delegate?.unarchiverWillFinish(self)
            delegate?.unarchiverDidFinish(self)
        }
        if let failure { throw failure }
    }

    /// Reads an array whose elements are of one class.
    ///
    /// - Parameters:
    ///   - cls: the class of the elements.
    ///   - key: the key of the field.
    /// - Returns: The array; nil if there is no such field. An element of another class leads to an
    ///   ``error``.
    public func decodeArrayOfObjects<Object>(
        ofClass cls: Object.Type, forKey key: String
    ) -> [Object]? where Object: NSObject, Object: NSCoding {
        guard let array = decodeArrayOfObjects(ofClasses: [cls], forKey: key) else { return nil }
        return checked(array as? [Object], key, "an array of \(Object.self)")
    }

    /// Reads an array. Each element must be of one of the given classes.
    ///
    /// - Parameters:
    ///   - classes: the classes of the elements.
    ///   - key: the key of the field.
    /// - Returns: The array; nil if there is no such field. An element of another class leads to an
    ///   ``error``.
    public func decodeArrayOfObjects(ofClasses classes: [AnyClass], forKey key: String) -> [Any]? {
        let expected = NamedClasses.several(classes)
        let arrays: [AnyClass] = [NSArray.self, NSMutableArray.self]
        guard let value = expanded(forKey: key, of: .several(arrays + classes)) else {
            return nil
        }
        let array = (value as? NSArray) as? [Any]
        let isAccepted = array?.allSatisfy { expected.accept($0 as AnyObject) } ?? false
        return checked(isAccepted ? array : nil, key, "an array of \(expected.description)")
    }

    /// Reads a dictionary whose keys are of one class, and whose values are of another.
    ///
    /// - Parameters:
    ///   - keyClass: the class of the keys.
    ///   - objectClass: the class of the values.
    ///   - key: the key of the field.
    /// - Returns: The dictionary; nil if there is no such field. A key or a value of another class
    ///   leads to an ``error``.
    public func decodeDictionary<Key, Object>(
        withKeyClass keyClass: Key.Type, objectClass: Object.Type, forKey key: String
    ) -> [Key: Object]? where Key: NSObject, Key: NSCoding, Object: NSObject, Object: NSCoding {
        let classes: [AnyClass] = [
            NSDictionary.self, NSMutableDictionary.self, keyClass, objectClass,
        ]
        guard let value = expanded(forKey: key, of: .several(classes)) else { return nil }
        var dictionary: [Key: Object] = [:]
        for (key, value) in (value as? NSDictionary) ?? NSDictionary() {
            if let key = (key as AnyObject) as? Key, let value = (value as AnyObject) as? Object {
                dictionary[key] = value
            }
        }
        let isWhole = (value as? NSDictionary)?.count == dictionary.count
        return checked(
            isWhole ? dictionary : nil, key, "a dictionary of \(Key.self) and \(Object.self)")
    }

    /// Returns the value, and records an error if it is nil.
    private func checked<Value>(_ value: Value?, _ key: String, _ expected: String) -> Value? {
        if value == nil {
            let found = KeyedArchiveError(
                .wrongType, what: "expected \(expected), found other objects",
                object: current?.uid)
            failWithError(KeyedArchiveError.located(found, .key(key)))
        }
        return value
    }
}

// MARK: - Names of classes

extension KeyedUnarchiverCoder {
    /// Makes the coder read the objects whose class is named `codedName` as objects of `cls`, and
    /// allows that class.
    ///
    /// - Parameters:
    ///   - cls: the class; nil to remove the name.
    ///   - codedName: the name in the archive.
    public func setClass(_ cls: AnyClass?, forClassName codedName: String) {
        classes.set(cls, forName: codedName)
    }

    /// Returns the class that ``setClass(_:forClassName:)`` has set for a name; nil for other
    /// names.
    public func `class`(forClassName codedName: String) -> AnyClass? {
        classes.type(forName: codedName)
    }
}
