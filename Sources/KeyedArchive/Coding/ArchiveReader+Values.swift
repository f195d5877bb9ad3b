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
    /// Returns the value of the object `object`, as ``KeyedReference/object(as:)`` does.
    func value<T: KeyedDecodable>(_ type: T.Type, _ object: UInt32) throws -> T {
        try state.charge()
        let entry = index.entry(of: object)
        let number = entry.classNumber
        guard number.isObject else { throw nothing(object, expected: type) }
        guard isAllowed(number) else { throw notAllowed(object, requested: type) }
        if state.isUnderWay(object) { throw cycle(object) }
        if entry.isShared { return try shared(type, number, object) }
        return try make(actualType(type, number, object), object, isShared: false)
    }

    /// Returns the value of a shared object. Not inlined, because a cast to a generic type would
    /// make callers look up its metadata even on paths without the cast.
    @inline(never)
    private func shared<T: KeyedDecodable>(
        _ type: T.Type, _ number: ClassNumber, _ object: UInt32
    ) throws -> T {
        if let box = made[object] {
            if let same = box.same(as: T.self) { return same.value }
            if let value = box.any as? T { return value }
        }
        return try make(actualType(type, number, object), object, isShared: true)
    }

    /// Returns the type to create for an object of an allowed class, where `type` is requested.
    @inline(__always)
    private func actualType<T: KeyedDecodable>(
        _ type: T.Type, _ number: ClassNumber, _ object: UInt32
    ) throws -> T.Type {
        if state.accepts(type, number) { return type }
        if let subtype = state.subtype(of: type, number) { return subtype }
        return try chosenType(type, number, object)
    }

    @inline(never)
    private func chosenType<T: KeyedDecodable>(
        _ type: T.Type, _ number: ClassNumber, _ object: UInt32
    ) throws -> T.Type {
        guard let match = match(number) else { throw notAllowed(object, requested: type) }
        if let actual = match.type as? T.Type {
            if actual == type {
                state.accept(type, number)
            } else {
                state.accept(subtype: actual, number)
            }
            return actual
        }
        guard type.reads(match.name) else {
            if match.type == nil { throw unknownClass(match.name, object) }
            throw wrongType(KeyedReference(self, object: object), expected: "\(type)")
        }
        state.accept(type, number)
        return type
    }

    /// Returns whether an object can be decoded as a type: the type accepts the class of the
    /// object, or the registry binds that class to a subtype.
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

    /// Checks that the class of an object is allowed for the value that is being read.
    func requireAllowed(
        _ object: UInt32, requested type: (any KeyedDecodable.Type)? = nil
    ) throws(KeyedArchiveError) {
        let number = index.classNumber(of: object)
        if number.isObject, !isAllowed(number) { throw notAllowed(object, requested: type) }
    }

    /// Returns whether objects of a class are allowed for the value that is being read. Cheaper
    /// than ``match(_:)``, which copies the match.
    @inline(__always)
    func isAllowed(_ number: ClassNumber) -> Bool {
        state.isGranted(number) || isAllowedByLookup(number)
    }

    @inline(never)
    private func isAllowedByLookup(_ number: ClassNumber) -> Bool {
        listed(number).isAllowed || !isBelowAny && requested(number).isAllowed
    }

    /// Returns the entry of the registry that allows a class for the value that is being read; nil
    /// if the class is not allowed.
    func match(_ number: ClassNumber) -> ClassRegistry.Match? {
        listed(number).match ?? (isBelowAny ? nil : requested(number).match)
    }

    /// Returns the answer of the registry for a class, looking it up once.
    private func listed(_ number: ClassNumber) -> ClassLookup.Answer {
        let known = state.listed(number)
        if !known.isUnknown { return known }
        let answer = ClassLookup.Answer(registry.match(of: index.archivedClass(number)))
        state.setListed(answer, number)
        return answer
    }

    /// Looks up a class among those that the root's type registers. Such classes are allowed where
    /// the program names a type, but not where the archive chooses the class.
    private func requested(_ number: ClassNumber) -> ClassLookup.Answer {
        if let known = state.requested(number) { return known }
        let answer = ClassLookup.Answer(
            classesOfRoot().match(of: index.archivedClass(number)))
        state.setRequested(answer, number)
        return answer
    }

    /// Reads a value whose class the archive chooses.
    func any<R>(_ body: () throws -> R) rethrows -> R {
        let outer = isBelowAny
        isBelowAny = true
        defer { isBelowAny = outer }
        return try body()
    }

    /// Returns the type that the registry binds to the object's class; nil if there is none.
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

    /// Returns the identity of an object, for a value that has none; nil if the object is not
    /// shared.
    func identity(of object: UInt32) -> ObjectIdentity? {
        index.isShared(object)
            ? ObjectIdentity(archive: opaqueArchive.identity, object: object) : nil
    }

    /// Checks that an object and everything it refers to may be kept undecoded. Linear in the
    /// number of objects, for all calls together.
    ///
    /// - Throws: `classNotAllowed`, `malformedObject`.
    func requireAllowedBelow(_ object: UInt32) throws(KeyedArchiveError) {
        if keepable.contains(object) { return }
        if let error = unkeepable[object] { throw error }
        do { keepable.formUnion(try allowedBelow(object)) } catch {
            if !error.isLimit { unkeepable[object] = error }
            throw error
        }
    }

    /// Checks an object and everything it refers to, and returns the objects that were not checked
    /// before.
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
            // Several objects may share an inline array, but each writes its own copy.
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

    /// Returns an object that another product of this package creates by a protocol other than
    /// `KeyedDecodable`.
    ///
    /// - Throws: `missingValue`, `referenceCycle`, errors for exceeded limits, and the errors of
    ///   `body`.
    func foreignObject(
        _ object: UInt32, _ body: (KeyedDecoder) throws -> AnyObject
    ) throws -> AnyObject {
        try state.charge()
        guard index.classNumber(of: object).isObject else {
            throw nothing(object, expected: AnyObject.self)
        }
        if state.isUnderWay(object) { throw cycle(object) }
        let isShared = index.isShared(object)
        if isShared, let known = made[object] { return known.any as AnyObject }
        return try make(object, isShared, body)
    }

    @inline(__always)
    private func make<T>(
        _ object: UInt32, _ isShared: Bool, _ body: (consuming KeyedDecoder) throws -> T
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
        _ object: UInt32, _ isShared: Bool, _ body: (consuming KeyedDecoder) throws -> T
    ) throws -> T {
        let decoder = KeyedDecoder(self, object: object)
        let outer = state.begin(object, layout(of: object, decoder.record))
        defer { state.end(outer) }
        let (madeBefore, lateBefore) = (state.newlyMade.count, state.lateCount)
        do {
            let value = try body(consume decoder)
            if isShared {
                made.insert(value, for: object)
                state.newlyMade.append(object)
            }
            return value
        } catch {
            // The program may continue without the object. Deferred references of discarded objects
            // must not be resolved, and objects that will never be complete must not be returned.
            forget(made: madeBefore, late: lateBefore)
            throw error
        }
    }
}
