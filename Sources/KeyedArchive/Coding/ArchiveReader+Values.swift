// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CallStack
internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// MARK: - Making values

extension ArchiveReader {
    /// A value of the object `object`, as ``KeyedReference/object(as:)``.
    func value<T: KeyedDecodable>(_ type: T.Type, _ object: UInt32) throws -> T {
        try state.charge()
        let entry = index.entry(of: object)
        let number = entry.classNumber
        guard number.isObject else { throw nothing(object, expected: type) }
        guard isAllowed(number) else { throw notAllowed(object, askedFor: type) }
        if state.isUnderWay(object) { throw cycle(object) }
        if entry.isShared { return try shared(type, number, object) }
        return try make(actualType(type, number, object), object, isShared: false)
    }

    /// The value of an object that more than one reference leads to. Not inlined: a cast to a generic
    /// type looks up its metadata, also where the cast is not made.
    @inline(never)
    private func shared<T: KeyedDecodable>(
        _ type: T.Type, _ number: ClassNumber, _ object: UInt32
    ) throws -> T {
        if let value = made[object] as? T { return value }
        return try make(actualType(type, number, object), object, isShared: true)
    }

    /// The type that an object of an allowed class becomes, where `type` is asked for.
    @inline(__always)
    private func actualType<T: KeyedDecodable>(
        _ type: T.Type, _ number: ClassNumber, _ object: UInt32
    ) throws -> T.Type {
        state.accepts(type, number) ? type : try chosenType(type, number, object)
    }

    @inline(never)
    private func chosenType<T: KeyedDecodable>(
        _ type: T.Type, _ number: ClassNumber, _ object: UInt32
    ) throws -> T.Type {
        guard let match = match(number) else { throw notAllowed(object, askedFor: type) }
        if let actual = match.type as? T.Type {
            if actual == type { state.accept(type, number) }
            return actual
        }
        guard type.reads(match.name) else {
            if match.type == nil { throw unknownClass(match.name, object) }
            throw wrongType(KeyedReference(self, object: object), expected: "\(type)")
        }
        state.accept(type, number)
        return type
    }

    /// Returns whether the class of an object stands for a type, or the type is read from it.
    func reads(_ type: any KeyedDecodable.Type, _ object: UInt32) -> Bool {
        let number = index.classNumber(of: object)
        guard number.isObject, let match = match(number) else { return false }
        return type.reads(match.name) || Self.isSubtype(match.type, of: type)
    }

    private static func isSubtype<T: KeyedDecodable>(
        _ actual: (any KeyedDecodable.Type)?, of type: T.Type
    ) -> Bool {
        actual as? T.Type != nil
    }

    /// Checks that an object is of a class that is allowed where a type is asked for by name.
    func requireAllowed(
        _ object: UInt32, askedFor type: (any KeyedDecodable.Type)? = nil
    ) throws(KeyedArchiveError) {
        let number = index.classNumber(of: object)
        if number.isObject, !isAllowed(number) { throw notAllowed(object, askedFor: type) }
    }

    /// Returns whether objects of a class are allowed here: whether it has a ``match(_:)``, which
    /// is not copied.
    @inline(__always)
    func isAllowed(_ number: ClassNumber) -> Bool {
        state.isGranted(number) || isAllowedByLookup(number)
    }

    @inline(never)
    private func isAllowedByLookup(_ number: ClassNumber) -> Bool {
        listed(number).isAllowed || !isBelowAny && askedFor(number).isAllowed
    }

    /// The name that allows a class here, with its type; nil where the class is not allowed.
    func match(_ number: ClassNumber) -> ClassRegistry.Match? {
        listed(number).match ?? (isBelowAny ? nil : askedFor(number).match)
    }

    /// The answer of the registry for a class, which it gives once.
    private func listed(_ number: ClassNumber) -> ClassLookup.Answer {
        let known = state.listed(number)
        if !known.isUnknown { return known }
        let answer = ClassLookup.Answer(registry.match(of: index.archivedClass(number)))
        state.setListed(answer, number)
        return answer
    }

    /// The answer of the classes that the root's type consists of. These are allowed where the program names a
    /// type, not where the archive decides.
    private func askedFor(_ number: ClassNumber) -> ClassLookup.Answer {
        if let known = state.askedFor(number) { return known }
        let answer = ClassLookup.Answer(
            classesOfRoot().match(of: index.archivedClass(number)))
        state.setAskedFor(answer, number)
        return answer
    }

    /// Reads a value on whose class the archive decides.
    func any<R>(_ body: () throws -> R) rethrows -> R {
        let outer = isBelowAny
        isBelowAny = true
        defer { isBelowAny = outer }
        return try body()
    }

    /// The type that an object's class stands for in the registry; nil where there is none.
    ///
    /// - Throws: `classNotAllowed`.
    func boundType(
        of object: UInt32
    ) throws(KeyedArchiveError) -> (any KeyedDecodable.Type)? {
        let number = index.classNumber(of: object)
        guard number.isObject else { return nil }
        guard let match = listed(number).match else {
            if registry.keepsUnknownClasses { return nil }
            throw notAllowed(object)
        }
        return match.type
    }

    /// The identity of an object for a value that has none; nil where only one
    /// reference leads to the object.
    func identity(of object: UInt32) -> ObjectIdentity? {
        index.isShared(object)
            ? ObjectIdentity(archive: opaqueArchive.identity, object: object) : nil
    }

    /// Checks that an object and all that it refers to may be kept as they are. Linear in their number,
    /// for all calls together.
    ///
    /// - Throws: `classNotAllowed`, `malformedObject`.
    func requireAllowedBelow(_ object: UInt32) throws(KeyedArchiveError) {
        if keepable.contains(object) { return }
        if let error = unkeepable[object] { throw error }
        do { keepable.formUnion(try allowedBelow(object)) } catch {
            if !error.code.isLimit { unkeepable[object] = error }
            throw error
        }
    }

    /// An object and all that it refers to, but for those known already.
    private func allowedBelow(_ object: UInt32) throws(KeyedArchiveError) -> Set<UInt32> {
        var pending = [object]
        var seen: Set<UInt32> = [object]
        while let next = pending.popLast() {
            let number = index.classNumber(of: next)
            if number == .description { throw description(next) }
            guard number.isObject else { continue }
            try state.charge()
            if !listed(number).isAllowed, !registry.keepsUnknownClasses { throw notAllowed(next) }
            if number.isLeaf { continue }
            // Lists may be shared, and are written in each object that holds them.
            try state.charge(opaqueArchive.elementCount(of: next))
            if let key = opaqueArchive.nestedField(of: next) {
                throw OpaqueArchive.nested(key, next)
            }
            for reference in opaqueArchive.references(of: next)
            where !keepable.contains(reference) && seen.insert(reference).inserted {
                pending.append(reference)
            }
        }
        return seen
    }

    private func make<T: KeyedDecodable>(
        _ type: T.Type, _ object: UInt32, isShared: Bool
    ) throws -> T {
        try make(object, isShared) { try type.init(coder: $0) }
    }

    /// An object that a product of this package makes by another protocol than `KeyedDecodable`.
    ///
    /// - Throws: `missingValue`, `referenceCycle`, the limits' codes, and what `body` throws.
    func foreignObject(
        _ object: UInt32, _ body: (KeyedDecoder) throws -> AnyObject
    ) throws -> AnyObject {
        try state.charge()
        guard index.classNumber(of: object).isObject else {
            throw nothing(object, expected: AnyObject.self)
        }
        if state.isUnderWay(object) { throw cycle(object) }
        let isShared = index.isShared(object)
        if isShared, let known = made[object] { return known as AnyObject }
        return try make(object, isShared, body)
    }

    @inline(__always)
    private func make<T>(
        _ object: UInt32, _ isShared: Bool, _ body: (KeyedDecoder) throws -> T
    ) throws -> T {
        if state.open.count >= limits.depth { throw tooDeep() }
        guard state.stack.isUsedUp else { return try makeHere(object, isShared, body) }
        let error = KeyedArchiveError.stackExceeded(state.open.count)
        return try StackSegment.run(for: self, \.stack, orThrow: error) {
            try makeHere(object, isShared, body)
        }
    }

    @inline(__always)
    private func makeHere<T>(
        _ object: UInt32, _ isShared: Bool, _ body: (KeyedDecoder) throws -> T
    ) throws -> T {
        let outer = state.begin(object)
        defer { state.end(outer) }
        let (madeBefore, lateBefore) = (state.newlyMade.count, state.lateCount)
        do {
            let value = try body(KeyedDecoder(self, object: object))
            if isShared {
                made[object] = value
                state.newlyMade.append(object)
            }
            return value
        } catch {
            // The program may go on without the object: nothing is to be completed that is no more,
            // and nothing handed out that will not be completed.
            forget(made: madeBefore, late: lateBefore)
            throw error
        }
    }
}
