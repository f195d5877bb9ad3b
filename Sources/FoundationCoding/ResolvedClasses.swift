// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// The way to read the objects of a class.
enum Resolution {
    /// As a plain value: a string, a number, data or a date.
    case leaf
    /// By ``BuiltInClass``, as an object of Foundation.
    case builtIn(BuiltInClass)
    /// By the `init(coder:)` of the class.
    case own(any (NSCoding & AnyObject).Type, InheritedFields?, isSecure: Bool)
    /// By a type's conformance to `KeyedDecodable`.
    case keyed(any KeyedDecodable.Type)
    /// Not at all: the program has not set the class and the registry does not list it, or the
    /// class adopts neither `NSCoding` nor `KeyedDecodable`.
    case unlisted
}

/// The classes of one archive with the ways to read their objects, cached by class number.
struct ResolvedClasses {
    private var typesByName: [ExactText: AnyClass] = [:]
    /// The resolutions of classes that the program has set or the registry lists, by class number.
    /// Any other class resolves to ``Resolution/unlisted``.
    var listed = NumberedTable<Resolution>()
    /// The classes that calls have named, by class number.
    var named = NumberedTable<(type: AnyClass, resolution: Resolution)>()

    /// Sets the class for a name in the archive; nil removes the name.
    mutating func set(_ type: AnyClass?, forName name: String) {
        typesByName[ExactText(name)] = type
        listed = NumberedTable()
    }

    /// Returns the class that the program has set for a name; nil for other names.
    func type(forName name: String) -> AnyClass? { typesByName[ExactText(name)] }
}

/// The classes that a call names.
enum NamedClasses {
    /// One class.
    case one(AnyClass)
    /// A list of classes.
    case several([AnyClass])

    /// All classes.
    var all: [AnyClass] {
        switch self {
        case .one(let type): [type]
        case .several(let types): types
        }
    }

    /// Returns whether a class is one of the named classes.
    func contains(_ type: AnyClass) -> Bool {
        switch self {
        case .one(let only): only == type
        case .several(let types): types.contains { $0 == type }
        }
    }

    /// Returns whether an object is of one of the classes, or of a subclass.
    func accept(_ object: AnyObject) -> Bool {
        var next: AnyClass? = Swift.type(of: object)
        while let type = next {
            if contains(type) { return true }
            next = CodedClass.superclass(of: type)
        }
        return false
    }

    /// Returns the class that is archived under a name; nil if none of the classes is.
    func type(named name: String) -> AnyClass? {
        all.first { CodedClass.name(of: $0).isLiterally(name) }
    }

    /// The names of the classes, for errors.
    var description: String { all.map { CodedClass.name(of: $0) }.joined(separator: " or ") }
}

/// A table of values by small keys, such as UIDs and class numbers.
struct NumberedTable<Value> {
    private var values: [Value?] = []

    /// The value for a key; nil if there is none.
    subscript(number: Int) -> Value? {
        get { number < values.count ? values[number] : nil }
        set {
            if number >= values.count {
                let count = max(number + 1, values.count * 2)
                values.append(contentsOf: repeatElement(nil, count: count - values.count))
            }
            values[number] = newValue
        }
    }
}

// MARK: - Lookup

extension KeyedUnarchiverCoder {
    /// Returns the way to read an object, if its class is allowed.
    ///
    /// - Throws: `classNotAllowed`.
    func resolution(of classIndex: Int, _ reference: KeyedReference) throws -> Resolution {
        let listed = listed(classIndex, reference)
        if case .unlisted = listed {
            return try secure(namedResolution(classIndex, reference), reference)
        }
        return isSecure ? try secure(listed, reference) : listed
    }

    /// Returns the way to read an object of a class that the current call or the delegate names.
    private func namedResolution(
        _ classIndex: Int, _ reference: KeyedReference
    ) throws -> Resolution {
        if let known = classes.named[classIndex], named?.contains(known.type) == true {
            return known.resolution
        }
        guard let found = reference.archivedClass else { throw notAllowed(reference) }
        if let type = named?.type(named: found.name) {
            let resolution = resolve(type, reference)
            classes.named[classIndex] = (type, resolution)
            return resolution
        }
        // The answer is not cached: a later call may name another class with this name.
        guard
            let type = delegate?.unarchiver(
                self, cannotDecodeObjectOfClassName: found.name,
                originalClasses: found.chain ?? [])
        else { throw notAllowed(reference) }
        return resolve(type, reference)
    }

    private func listed(_ classIndex: Int, _ reference: KeyedReference) -> Resolution {
        if let known = classes.listed[classIndex] { return known }
        let resolution = registered(reference)
        classes.listed[classIndex] = resolution
        return resolution
    }

    /// Looks a class up among the names that the program has set, then in the registry.
    private func registered(_ reference: KeyedReference) -> Resolution {
        guard let name = reference.archivedClass?.name else { return .unlisted }
        if let type = classes.type(forName: name) { return resolve(type, reference) }
        guard case .some(.some(let type)) = reference.boundType else { return .unlisted }
        if let type = type as? any AnyCodedObject.Type {
            return resolve(type.objectType, reference)
        }
        if !(type is AnyClass), let builtIn = BuiltInClass(rawValue: name) {
            return resolve(builtIn.type, reference)
        }
        return .keyed(type)
    }

    /// Returns the way to read the objects of a class of the program.
    private func resolve(_ type: AnyClass, _ reference: KeyedReference) -> Resolution {
        if let builtIn = BuiltInClass(type) {
            let isLeaf = [.string, .number, .data, .date].contains(builtIn) && reference.isPlain
            return isLeaf ? .leaf : .builtIn(builtIn)
        }
        if let type = type as? any (NSCoding & AnyObject).Type {
            let substitute =
                (type as? NSObject.Type)?.substitute as? any (NSCoding & AnyObject).Type
            let actual = substitute ?? type
            return .own(
                actual, InheritedFields(actual), isSecure: CodedClass.isSecure(actual))
        }
        if let type = type as? any KeyedDecodable.Type { return .keyed(type) }
        return .unlisted
    }

    /// Returns the resolution of a class after checking that the class is allowed, and that it
    /// adopts `NSSecureCoding` if the coder requires that.
    private func secure(
        _ resolution: Resolution, _ reference: KeyedReference
    ) throws -> Resolution {
        if case .unlisted = resolution { throw notAllowed(reference) }
        guard isSecure, case .own(_, _, isSecure: false) = resolution else { return resolution }
        throw reference.classNotAllowed(
            recovery: "the coder requires secure coding: adopt `NSSecureCoding`, or set "
                + "`requiresSecureCoding` to false")
    }

    private func notAllowed(_ reference: KeyedReference) -> KeyedArchiveError {
        let name = KeyedArchiveError.printable(reference.archivedClass?.name ?? "")
        return reference.classNotAllowed(
            recovery: "add the class that is archived as \(name) to the registry: "
                + "`.foundationObjects.adding(classes: [T.self])`")
    }
}

extension KeyedReference {
    /// A Boolean value indicating whether the object is a string, a number, data or a date without
    /// fields.
    fileprivate var isPlain: Bool { (try? plainValue()).flatMap { $0 } != nil }
}

extension NSObject {
    /// The class that is instantiated instead of this class when an archive is read.
    fileprivate class var substitute: AnyClass { classForKeyedUnarchiver() }
}
