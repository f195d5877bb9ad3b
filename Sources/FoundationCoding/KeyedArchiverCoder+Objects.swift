// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// An optional of any type.
private protocol AnyOptional {
    /// The wrapped value of the innermost optional; nil if there is none.
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrapped: Any? {
        flatMap { ($0 as? any AnyOptional).map(\.wrapped) ?? $0 }
    }
}

/// The way to write the objects of a type.
enum EncodingMethod {
    /// By ``BuiltInClass``, as an object of Foundation.
    case builtIn(BuiltInClass)
    /// By the `encode(with:)` of the class. `place` is the index of the archived class among the
    /// classes of the archive.
    case own(any (NSCoding & AnyObject).Type, place: Int)
    /// By the class's own conformance to `KeyedEncodable`.
    case keyed
}

/// The ways to write objects, by their types.
struct KnownEncodingMethods {
    private var types = TypeNumbers()
    private var methods: [EncodingMethod] = []

    /// The way to write the objects of a type; nil if none is known.
    subscript(type: ObjectIdentifier) -> EncodingMethod? { types[type].map { methods[$0] } }

    /// Adds the way to write the objects of a type that is not in the table yet.
    mutating func insert(_ method: EncodingMethod, for type: ObjectIdentifier) {
        types.add(type)
        methods.append(method)
    }

    /// Removes all types.
    mutating func removeAll() { self = KnownEncodingMethods() }
}

extension KeyedArchiverCoder {
    /// The encoder of the innermost object, or of the roots.
    var current: KeyedEncoder { frame.encoder }

    /// Returns the UID of the object for a value, or the UID of the null object for nil.
    func uid(ofOptional object: Any?) throws -> PropertyListUID {
        guard let object else { return ArchiveWriter.null }
        return try uid(of: object)
    }

    /// Writes a value as an object, and returns the UID of the object.
    func uid(of value: Any) throws -> PropertyListUID {
        // Most values are text or objects. The other casts take longer.
        if type(of: value) == String.self, let text = value as? String {
            return try writer.string(text)
        }
        if let instance = Self.instance(value) { return try uid(ofInstance: instance) }
        if let optional = value as? any AnyOptional {
            return try optional.wrapped.map(uid) ?? ArchiveWriter.null
        }
        if let value = value as? any KeyedEncodable { return try value.archive(in: writer) }
        return try uid(ofInstance: value as AnyObject)
    }

    /// Returns a value that is an instance of a class; nil for other values.
    static func instance(_ value: Any) -> AnyObject? {
        type(of: value) is AnyClass ? object(value) : nil
    }

    /// Returns a value as an object. The first cast is much faster than the second, and enough for
    /// most objects.
    private static func object(_ value: Any) -> AnyObject {
        value as? NSObject ?? value as AnyObject
    }

    /// Returns whether an object is a string, a number or data.
    static func isPlain(_ instance: AnyObject) -> Bool {
        instance is NSString || instance is NSNumber || instance is NSData
    }

    /// Returns whether an object is the box of a `KeyedCodable` structure or enumeration. Each
    /// conversion of the same value to `AnyObject` creates another box.
    static func isSwiftValue(_ instance: AnyObject) -> Bool {
        (instance as? any KeyedEncodable).map { !(type(of: $0) is AnyClass) } ?? false
    }

    private func uid(ofInstance original: AnyObject) throws -> PropertyListUID {
        let known = encodingMethods[ObjectIdentifier(type(of: original))]
        // Objects of Foundation do not replace themselves.
        if !mayReplace, case .builtIn(let builtIn)? = known {
            return try builtIn.write(original, self, writer)
        }
        guard let instance = replacement(for: original) else { return ArchiveWriter.null }
        let method = try (instance === original ? known : nil) ?? encodingMethod(of: instance)
        // Report an object only once. A cycle refers to it again before it is complete.
        let isFirst =
            mayReplace && delegate != nil && reported.insert(ObjectIdentifier(instance)).inserted
        let uid = try uid(of: instance, method)
        if isFirst { delegate?.archiver(self, didEncode: instance) }
        return uid
    }

    private func uid(of instance: AnyObject, _ method: EncodingMethod) throws -> PropertyListUID {
        switch method {
        case .builtIn(let builtIn): return try builtIn.write(instance, self, writer)
        case .own(let type, let place):
            return try writer.foreignInstance(instance, ofClassAt: place) {
                encodeFields(of: instance, as: type, with: $0)
            }
        case .keyed:
            guard let value = instance as? any KeyedEncodable else { throw notCodable(instance) }
            return try value.archive(in: writer)
        }
    }

    /// Writes the fields of an object by its own `encode(with:)`.
    func encodeFields<Object: NSCoding & AnyObject>(
        of object: Object, with encoder: KeyedEncoder
    ) {
        let outer = frame
        frame = Frame(encoder: encoder, object: object)
        object.encode(with: self)
        frame = outer
    }

    /// Writes the fields of an object of a known type. Looking up its conformance would take
    /// longer.
    private func encodeFields<Object: NSCoding & AnyObject>(
        of object: AnyObject, as type: Object.Type, with encoder: KeyedEncoder
    ) {
        guard let object = object as? Object else { return encoder.fail(notCodable(object)) }
        encodeFields(of: object, with: encoder)
    }

    /// Returns the replacement for an object, which the object itself or the delegate chooses; nil
    /// to write nil.
    func replacement(for object: AnyObject) -> AnyObject? {
        let id = ObjectIdentifier(object)
        if mayReplace, let known = replacements[id] { return known.replacement }
        var replacement = ownReplacement(for: object)
        if mayReplace, let delegate, let before = replacement {
            replacement = delegate.archiver(self, willEncode: before).map(Self.object)
        }
        if replacement !== object {
            delegate?.archiver(self, willReplace: object, withObject: replacement)
            replacements[id] = (object, replacement)
            mayReplace = true
        }
        if mayReplace, let replacement, delegate != nil {
            // The replacement is not replaced again.
            replacements[ObjectIdentifier(replacement)] = (replacement, replacement)
        }
        return replacement
    }

    /// Returns the replacement that an object chooses for itself; nil if it chooses nil.
    private func ownReplacement(for object: AnyObject) -> AnyObject? {
        guard let object = object as? NSObject else { return object }
        let replacement = object.replacementObject(for: self)
        return replacement as? NSObject ?? replacement.map { $0 as AnyObject }
    }

    /// Returns the way to write an object.
    private func encodingMethod(of object: AnyObject) throws -> EncodingMethod {
        let id = ObjectIdentifier(type(of: object))
        if let known = encodingMethods[id] { return known }
        let type: AnyClass = Self.codedClass(of: object)
        let method = try newEncodingMethod(object, type)
        // One type of a class cluster may be archived under several class names.
        if type == Swift.type(of: object) || !(object is NSObject) {
            encodingMethods.insert(method, for: id)
        }
        return method
    }

    /// Returns the class under which an object asks to be written.
    private static func codedClass(of object: AnyObject) -> AnyClass {
        // A decimal number asks for NSNumber, which would lose digits.
        if type(of: object) == NSDecimalNumber.self { return NSDecimalNumber.self }
        return (object as? NSObject)?.classForKeyedArchiver ?? type(of: object)
    }

    private func newEncodingMethod(_ object: AnyObject, _ type: AnyClass) throws -> EncodingMethod {
        if let builtIn = BuiltInClass(type) {
            if namesByClass[ObjectIdentifier(type)] == nil { return .builtIn(builtIn) }
        }
        guard let coding = Swift.type(of: object) as? any (NSCoding & AnyObject).Type else {
            if object is any KeyedEncodable { return .keyed }
            throw notCodable(object)
        }
        if isSecure, !CodedClass.isSecure(type) { throw notSecure(type) }
        try requireWritable(type)
        return .own(coding, place: try classIndex(type))
    }

    /// Returns the index of a class among the classes of the archive.
    func classIndex(_ type: AnyClass) throws -> Int {
        let id = ObjectIdentifier(type)
        if let known = places[id] { return known }
        let place = try newClassPlace(type)
        places[id] = place
        return place
    }

    private func newClassPlace(_ type: AnyClass) throws -> Int {
        if let name = namesByClass[ObjectIdentifier(type)] {
            return try writer.classIndex(ArchivedClass(name: name))
        }
        return try writer.classIndex(CodedClass.archivedClass(of: type))
    }

    /// Checks on Linux that a class is not a subclass of `NSArray` or `NSSet`. There, with a coder
    /// that is not Foundation's own, such a subclass writes the fields of its elements into the
    /// object of the collection.
    private func requireWritable(_ type: AnyClass) throws {
        #if !canImport(Darwin)
        if BuiltInClass(type) != nil || !(type is NSArray.Type || type is NSSet.Type) { return }
        let name = KeyedArchiveError.printable(CodedClass.name(of: type))
        let base = type is NSArray.Type ? "NSArray" : "NSSet"
        throw KeyedArchiveError(
            .misuse, what: "\(name) cannot be archived on Linux: it is a subclass of \(base)",
            recovery: "let the class hold the collection instead")
        #endif
    }

    private func notCodable(_ object: AnyObject) -> KeyedArchiveError {
        let name = KeyedArchiveError.printable("\(Swift.type(of: object))")
        return KeyedArchiveError(
            .misuse, what: "expected an object of a class that adopts NSCoding, found \(name)",
            recovery: "adopt `NSCoding` or `KeyedCodable`")
    }

    private func notSecure(_ type: AnyClass) -> KeyedArchiveError {
        KeyedArchiveError(
            .classNotAllowed,
            what: "expected a class that adopts NSSecureCoding, found "
                + KeyedArchiveError.printable(CodedClass.name(of: type)),
            recovery: "adopt `NSSecureCoding`, or pass `requiringSecureCoding: false`")
    }

    /// Returns the text of a string.
    static func text(_ string: NSString) -> String {
        String._unconditionallyBridgeFromObjectiveC(string)
    }
}

// MARK: - Serving KeyedArchiver

extension KeyedArchiverCoder {
    /// Runs `body` with the coder of an archive, or with a new one for this call.
    static func serving<R>(
        _ writer: ArchiveWriter, _ body: (KeyedArchiverCoder) throws -> R
    ) throws -> R {
        if let coder = writer.companion as? KeyedArchiverCoder { return try body(coder) }
        let coder = KeyedArchiverCoder(serving: writer)
        return try withExtendedLifetime(coder) { try body(coder) }
    }
}
