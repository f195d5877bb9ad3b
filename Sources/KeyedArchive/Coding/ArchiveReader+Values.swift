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
        guard number.isObject else { throw nilError(object, expected: type) }
        guard isAllowed(number) else { throw notAllowed(object, requested: type) }
        if state.isUnderConstruction(object) { throw cycle(object) }
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

    /// Returns an identity for the value of an object, because a value that is not a class instance
    /// has none of its own. Returns nil if the object is not shared.
    func identity(of object: UInt32) -> ObjectIdentity? {
        index.isShared(object)
            ? ObjectIdentity(archive: opaqueArchive.identity, object: object) : nil
    }

    /// Checks that an object and everything it refers to may be kept undecoded. Each object is
    /// checked once, whatever the result.
    ///
    /// - Throws: `classNotAllowed`, `malformedObject`, `expansionLimitExceeded`.
    func requireAllowedBelow(_ object: UInt32) throws(KeyedArchiveError) {
        if keepable.contains(object) { return }
        if unkeepable[object] == nil { try checkBelow(object) }
        if let error = unkeepable[object] { throw error }
    }

    /// Checks an object and everything it refers to, and adds the objects that were not checked
    /// before to ``keepable`` and ``unkeepable``.
    private func checkBelow(_ object: UInt32) throws(KeyedArchiveError) {
        var pending = [object]
        var seen: Set<UInt32> = [object]
        var failures: [(object: UInt32, error: KeyedArchiveError)] = []
        while let next = pending.popLast() {
            if let error = try refusal(of: next) {
                failures.append((next, error))
                continue
            }
            for reference in referencesToCheck(next) where seen.insert(reference).inserted {
                pending.append(reference)
            }
        }
        if !failures.isEmpty {
            refuseReferrers(to: failures, in: seen)
            seen = seen.filter { unkeepable[$0] == nil }
        }
        keepable.formUnion(seen)
    }

    /// Returns the known reason why an object may not be kept, or the reason in the object itself;
    /// nil if there is none.
    private func refusal(of object: UInt32) throws(KeyedArchiveError) -> KeyedArchiveError? {
        if let known = unkeepable[object] { return known }
        let number = index.classNumber(of: object)
        if number == .description { return descriptionError(object) }
        guard number.isObject else { return nil }
        try state.charge()
        if !listed(number).isAllowed, !registry.keepsUnknownClasses { return notAllowed(object) }
        if number.isLeaf { return nil }
        // Several objects may share an inline array, but each writes its own copy.
        try state.charge(opaqueArchive.elementCount(of: object))
        return opaqueArchive.nestedField(of: object).map { OpaqueArchive.nested($0, object) }
    }

    /// Returns the objects that an object refers to and that are not known to be keepable.
    private func referencesToCheck(_ object: UInt32) -> [UInt32] {
        opaqueArchive.references(of: object).filter { !keepable.contains($0) }
    }

    /// Refuses the objects of `failures`, and those of `objects` that refer to them directly or
    /// indirectly. An object that leads to several failures gets the error of the first.
    private func refuseReferrers(
        to failures: [(object: UInt32, error: KeyedArchiveError)], in objects: Set<UInt32>
    ) {
        for failure in failures { unkeepable[failure.object] = failure.error }
        var referrers: [UInt32: [UInt32]] = [:]
        for object in objects where unkeepable[object] == nil {
            for reference in referencesToCheck(object) {
                referrers[reference, default: []].append(object)
            }
        }
        for failure in failures {
            var pending = [failure.object]
            while let next = pending.popLast() {
                for referrer in referrers[next] ?? [] where unkeepable[referrer] == nil {
                    unkeepable[referrer] = failure.error
                    pending.append(referrer)
                }
            }
        }
    }

    private func make<T: KeyedDecodable>(
        _ type: T.Type, _ object: UInt32, isShared: Bool
    ) throws -> T {
        try make(object, isShared) { try type.init(coder: $0) }
    }

    /// Returns an object that another product of this package creates through a protocol other than
    /// `KeyedDecodable`.
    ///
    /// - Throws: `missingValue`, `referenceCycle`, errors for exceeded limits, and the errors of
    ///   `body`.
    func foreignObject(
        _ object: UInt32, _ body: (KeyedDecoder) throws -> AnyObject
    ) throws -> AnyObject {
        try state.charge()
        guard index.classNumber(of: object).isObject else {
            throw nilError(object, expected: AnyObject.self)
        }
        if state.isUnderConstruction(object) { throw cycle(object) }
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
        let (madeBefore, deferredBefore) = (state.newlyMade.count, state.deferredCount)
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
            forget(made: madeBefore, deferred: deferredBefore)
            throw error
        }
    }
}
