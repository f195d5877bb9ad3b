// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

extension KeyedUnarchiverCoder {
    /// Returns the object of a reference for a call that names classes; nil for nil.
    func object(_ reference: KeyedReference, of classes: [AnyClass]?) throws -> Any? {
        guard let classes else { return try object(reference) }
        named.append(classes)
        defer { named.removeLast() }
        let value = try object(reference)
        // A list of classes allows collections and their elements. The value must be one of the list.
        guard let value, !classes.contains(where: { Self.isObject(value, of: $0) }) else {
            return value
        }
        let names = classes.map { CodedClass.name(of: $0) }.joined(separator: " or ")
        throw reference.wrongType(expected: names)
    }

    private static func isObject(_ value: Any, of type: AnyClass) -> Bool {
        CodedClass.isKind(Swift.type(of: value as AnyObject), of: type)
    }

    /// Returns the object of a reference; nil for nil, and for a cycle that the coder cuts.
    func object(_ reference: KeyedReference) throws -> Any? {
        guard let classIndex = reference.classIndex else { return try valueInPlace(reference) }
        if reference.isUnderWay {
            guard cyclePolicy == .cut else {
                throw reference.cycle(recovery: "set `cyclePolicy` to `.cut` to read it as nil")
            }
            cutReferenceCount += 1
            return nil
        }
        let resolution = try resolution(of: classIndex, reference)
        switch resolution {
        case .leaf: return try leaf(reference)
        case .keyed(let type):
            return try current.map { try $0.any { try type.unarchive(reference) } }
                ?? type.unarchive(reference)
        case .made(let made):
            return try reference.foreignObject { try self.replaced(made.make($0)) }
        case .own(let type, let inherited):
            return try reference.foreignObject {
                try self.replaced(self.construct(type, $0, inherited))
            }
        case .unlisted: return nil
        }
    }

    /// Returns a plain value that stands in a field itself; nil for nil.
    private func valueInPlace(_ reference: KeyedReference) throws -> NSObject? {
        try reference.chargeElement()
        if reference.isNil { return nil }
        if let value = try reference.plainValue() { return MadeClass.object(value) }
        throw reference.wrongType(expected: "an object")
    }

    /// Returns a string, a number or data. All references to one object of the archive lead to one instance.
    private func leaf(_ reference: KeyedReference) throws -> Any? {
        guard let number = reference.object?.value else { return nil }
        if let known = leaves[number] { return known }
        guard let value = try reference.plainValue() else {
            throw reference.wrongType(expected: "a plain value")
        }
        let object = try replaced(MadeClass.object(value))
        if reference.isShared { leaves[number] = object as? NSObject }
        return object
    }

    /// Reads an object by the `init(coder:)` of its class.
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
        frames.append(Frame(decoder: decoder, inherited: inherited))
        defer { frames.removeLast() }
        let isConcrete = type == NSValue.self && !decoder.containsValue(forKey: "NS.special")
        let object = isConcrete ? concreteValue() : type.init(coder: self)
        if let failure {
            // The caller keeps the error again, with its key.
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

    /// Returns the object with which the delegate replaces an object.
    private func replaced(_ object: AnyObject) throws -> AnyObject {
        guard let delegate else { return object }
        guard let replacement = delegate.unarchiver(self, didDecode: object) else {
            throw KeyedArchiveError(
                .misuse, what: "the delegate replaced an object of class \(type(of: object)) by nil"
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
