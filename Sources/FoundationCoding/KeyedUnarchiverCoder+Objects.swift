// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// A value that a coder has read.
enum Decoded {
    /// An object of a class.
    case object(AnyObject)
    /// A value of a `KeyedDecodable` type.
    indirect case value(any KeyedDecodable)

    /// The object, or the object that represents the value.
    var object: AnyObject {
        switch self {
        case .object(let object): object
        case .value(let value): value as AnyObject
        }
    }

    /// The object or the value.
    var any: Any {
        switch self {
        case .object(let object): object
        case .value(let value): value
        }
    }

    /// Returns the object or the value as an object of a class; nil for other classes.
    func cast<Object: NSObject>(to type: Object.Type) -> Object? {
        switch self {
        case .object(let object): object as? Object
        case .value(let value): value as? Object
        }
    }
}

extension KeyedUnarchiverCoder {
    /// Returns the value of a reference, which must have one of the classes that the caller named;
    /// nil if the reference is nil.
    func decoded(_ reference: KeyedReference, of classes: NamedClasses) throws -> Decoded? {
        let outer = named
        named = classes
        defer { named = outer }
        let decoded = try decoded(reference)
        // The named classes are allowed at any depth. The value itself must be an instance of one
        // of them.
        if let decoded, !classes.accept(decoded.object) {
            throw reference.wrongType(expected: classes.description)
        }
        return decoded
    }

    /// Returns the value of a reference; nil if the reference is nil, and for a cycle that the
    /// coder cuts.
    func decoded(_ reference: KeyedReference) throws -> Decoded? {
        guard let classIndex = reference.classIndex else {
            return try inlineValue(reference).map { .object($0) }
        }
        if reference.isUnderConstruction { return try cut(reference) }
        switch try resolution(of: classIndex, reference) {
        case .leaf: return .object(try leaf(reference))
        case .keyed(let type):
            return .value(
                try current.map { try $0.any { try type.unarchive(reference) } }
                    ?? type.unarchive(reference))
        case .builtIn(let builtIn):
            return .object(try reference.foreignObject { try replaced(builtIn.make($0, self)) })
        case .own(let type, let inherited, _):
            return .object(
                try reference.foreignObject { try replaced(construct(type, $0, inherited)) })
        case .unlisted: return nil
        }
    }

    /// Returns an element of a collection; nil for a cycle that the coder cuts.
    ///
    /// - Throws: `missingValue` for nil, and the errors of ``decoded(_:)``.
    func element(_ reference: KeyedReference) throws -> AnyObject? {
        if reference.isNil {
            throw KeyedArchiveError(
                .missingValue, what: "expected an object in a collection, found nil",
                object: reference.object)
        }
        return try decoded(reference)?.object
    }

    /// Reads a reference to an object under construction as nil if the policy is `cut`; throws
    /// otherwise.
    private func cut(_ reference: KeyedReference) throws -> Decoded? {
        guard cyclePolicy == .cut else {
            throw reference.cycle(recovery: "set `cyclePolicy` to `.cut` to read it as nil")
        }
        cutReferenceCount += 1
        return nil
    }

    /// Returns a plain value that is stored inline; nil if the reference is nil.
    private func inlineValue(_ reference: KeyedReference) throws -> NSObject? {
        try reference.chargeElement()
        if reference.isNil { return nil }
        if let value = try reference.plainValue() { return plainObject(value, reference) }
        throw reference.wrongType(expected: "an object")
    }

    /// Returns a string, a number, data or a date. All references to one object of the archive lead
    /// to one instance.
    private func leaf(_ reference: KeyedReference) throws -> AnyObject {
        let sharedNumber = reference.isShared ? reference.object.map { Int($0.value) } : nil
        if let sharedNumber, let known = leaves[sharedNumber] { return known }
        guard let value = try reference.plainValue() else {
            throw reference.wrongType(expected: "a plain value")
        }
        let object = try replaced(plainObject(value, reference))
        if let sharedNumber { leaves[sharedNumber] = object }
        return object
    }

    /// Returns a plain value as an object. Long data with several references is copied once.
    private func plainObject(_ value: PlainValue, _ reference: KeyedReference) -> NSObject {
        guard case .data(let bytes) = value else { return BuiltInClass.object(value) }
        return data(of: reference.node) { Data(bytes) }
    }

    /// Creates an object by calling the `init(coder:)` of its class.
    func construct(
        _ type: any (NSCoding & AnyObject).Type, _ decoder: KeyedDecoder
    ) throws -> AnyObject {
        try construct(type, decoder, InheritedFields(type))
    }

    private func construct(
        _ type: any (NSCoding & AnyObject).Type, _ decoder: KeyedDecoder,
        _ inherited: InheritedFields?
    ) throws -> AnyObject {
        if let failure { throw failure }
        let outer = frame
        frame = Frame(decoder: decoder, inherited: inherited)
        defer { frame = outer }
        let isConcrete = type == NSValue.self && !decoder.containsValue(forKey: "NS.special")
        let object = isConcrete ? concreteValue() : type.init(coder: self)
        if let failure {
            // The caller records the error again, with the key of the field.
            self.failure = nil
            throw failure
        }
        if let object { return object }
        throw KeyedArchiveError(
            .malformedObject,
            what: "`init(coder:)` of \(KeyedArchiveError.printable(CodedClass.name(of: type))) "
                + "returned nil" + (decoder.uid.map { " for object \($0.value)" } ?? ""),
            object: decoder.uid)
    }

    /// Returns the delegate's replacement for an object.
    private func replaced(_ object: AnyObject) throws -> AnyObject {
        guard mayReplace, let delegate else { return object }
        guard let replacement = delegate.unarchiver(self, didDecode: object) else {
            throw KeyedArchiveError(
                .misuse,
                what:
                    "expected a replacement from the delegate for an object of class \(type(of: object)), found nil"
            )
        }
        let result = replacement as AnyObject
        if result !== object { delegate.unarchiver(self, willReplace: object, with: result) }
        return result
    }
}

// MARK: - Serving KeyedUnarchiver

extension KeyedUnarchiverCoder {
    /// Runs `body` with the coder of an archive, or with a new one for this call.
    static func serving<R>(
        _ decoder: KeyedDecoder, _ body: (KeyedUnarchiverCoder) throws -> R
    ) throws -> R {
        if let coder = decoder.companion as? KeyedUnarchiverCoder { return try body(coder) }
        let coder = KeyedUnarchiverCoder()
        decoder.companion = coder
        return try withExtendedLifetime(coder) { try body(coder) }
    }
}
