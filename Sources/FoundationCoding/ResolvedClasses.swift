// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// The way to read the objects of a class.
enum Resolution {
    /// As a plain value: a string, a number or data.
    case leaf
    /// By the bridge, as an object of Foundation.
    case made(MadeClass)
    /// By the `init(coder:)` of the class.
    case own(any (NSCoding & AnyObject).Type, InheritedFields?)
    /// By the class's coding in `KeyedArchive`.
    case keyed(any KeyedDecodable.Type)
    /// Not at all: neither the registry nor the program allows the class.
    case unlisted
}

/// The classes of one archive with the ways to read their objects. Each class is looked up once.
struct ResolvedClasses {
    private var typesByName: [ExactText: AnyClass] = [:]
    /// The classes that the registry lists, or the program has set, by their numbers in the archive.
    var listed: [Int: Resolution] = [:]
    /// The classes that calls have named, by their numbers in the archive.
    var named: [Int: (type: AnyClass, resolution: Resolution)] = [:]

    /// Sets the class for a name in the archive; nil removes the name.
    mutating func set(_ type: AnyClass?, forName name: String) {
        typesByName[ExactText(name)] = type
        listed.removeAll()
    }

    /// Returns the class that the program has set for a name; nil for other names.
    func type(forName name: String) -> AnyClass? { typesByName[ExactText(name)] }
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

    /// Returns the way to read an object of a class that the current call names, or the delegate.
    private func namedResolution(
        _ classIndex: Int, _ reference: KeyedReference
    ) throws -> Resolution {
        if let known = classes.named[classIndex],
            named.last?.contains(where: { $0 == known.type }) == true
        {
            return known.resolution
        }
        guard let type = try namedClass(reference) else { throw notAllowed(reference) }
        let resolution = resolve(type, reference)
        classes.named[classIndex] = (type, resolution)
        return resolution
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
        if !(type is AnyClass), let made = MadeClass(rawValue: name) {
            return resolve(made.type, reference)
        }
        return .keyed(type)
    }

    /// Returns the way to read the objects of a class of the program.
    private func resolve(_ type: AnyClass, _ reference: KeyedReference) -> Resolution {
        if let made = MadeClass(type) {
            let isLeaf = [.string, .number, .data].contains(made) && reference.isPlain
            return isLeaf ? .leaf : .made(made)
        }
        if let type = type as? any (NSCoding & AnyObject).Type {
            let substitute =
                (type as? NSObject.Type)?.substitute as? any (NSCoding & AnyObject).Type
            return .own(substitute ?? type, InheritedFields(substitute ?? type))
        }
        if let type = type as? any KeyedDecodable.Type { return .keyed(type) }
        return .unlisted
    }

    /// Returns the class of that name among those that the current call names, or that the delegate names.
    private func namedClass(_ reference: KeyedReference) throws -> AnyClass? {
        guard let found = reference.archivedClass else { return nil }
        let name = ExactText(found.name)
        if let type = named.last?.first(where: { name == ExactText(CodedClass.name(of: $0)) }) {
            return type
        }
        return delegate?.unarchiver(
            self, cannotDecodeObjectOfClassName: found.name, originalClasses: found.chain ?? [])
    }

    /// Checks that a class adopts `NSSecureCoding`, if the coder requires it.
    private func secure(
        _ resolution: Resolution, _ reference: KeyedReference
    ) throws -> Resolution {
        if case .unlisted = resolution { throw notAllowed(reference) }
        guard isSecure, case .own(let type, _) = resolution, !CodedClass.isSecure(type) else {
            return resolution
        }
        throw reference.classNotAllowed(
            recovery: "the coder requires secure coding: adopt `NSSecureCoding`, or set "
                + "`requiresSecureCoding` to false")
    }

    private func notAllowed(_ reference: KeyedReference) -> KeyedArchiveError {
        let name = KeyedArchiveError.printable(reference.archivedClass?.name ?? "")
        return reference.classNotAllowed(
            recovery: "`.foundationObjects.adding(classes: [T.self])` with the class T that is "
                + "archived as \(name) would allow it")
    }
}

extension KeyedReference {
    /// A Boolean value that says whether the object is a string, a number or data without fields.
    fileprivate var isPlain: Bool { (try? plainValue()).flatMap { $0 } != nil }
}

extension NSObject {
    /// The class whose instances take the place of this class's when an archive is read.
    fileprivate class var substitute: AnyClass { classForKeyedUnarchiver() }
}
