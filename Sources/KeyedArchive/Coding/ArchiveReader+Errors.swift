// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

// MARK: - Errors

extension ArchiveReader {
    func nothing(_ object: UInt32) -> KeyedArchiveError {
        if index.classNumber(of: object) == .description {
            return KeyedArchiveError(
                .malformedObject,
                what: "object \(object) describes a class where a value is referred to",
                object: PropertyListUID(object))
        }
        return .missing("nil stands where a value is needed", PropertyListUID(object))
    }

    /// The error for a class that is not in the registry.
    func notAllowed(_ object: UInt32) -> KeyedArchiveError {
        let name = archivedClass(of: object)?.name ?? ""
        return .notAllowed(name, what: "object \(object)", PropertyListUID(object))
    }

    /// The error for a value of another class or kind than the one asked for.
    func wrongType(_ reference: KeyedReference, expected: String) -> KeyedArchiveError {
        if let found = reference.archivedClass, let object = reference.object {
            return KeyedArchiveError(
                .wrongType,
                what:
                    "object \(object.value) is of class \(KeyedArchiveError.printable(found.name)), "
                    + "not \(expected)",
                object: object)
        }
        let kind = (try? reference.leaf()).flatMap { $0 }.map { table[$0].kind }
        let found = kind.map { "a plain value of kind \($0)" } ?? "nil"
        return KeyedArchiveError(
            .wrongType, what: "\(found) stands where \(expected) is expected",
            object: state.open.last.map { PropertyListUID($0) })
    }

    func unknownClass(_ name: String, _ object: UInt32) -> KeyedArchiveError {
        let name = KeyedArchiveError.printable(name)
        return KeyedArchiveError(
            .unknownClass,
            what: "object \(object) is of class \(name), which is allowed but stands for no type",
            object: PropertyListUID(object),
            recovery: "`.adding(T.self, as: \"\(name)\")` would say what its objects become")
    }

    func cycle(_ object: UInt32) -> KeyedArchiveError {
        let start = state.open.firstIndex(of: object) ?? state.open.startIndex
        let way =
            state.open[start...].prefix(16).map { "\($0)" }
            + (state.open.count - start > 16 ? ["…"] : [])
        return KeyedArchiveError(
            .referenceCycle,
            what:
                "object \(object) is needed to make itself: \(way.joined(separator: " → ")) → \(object)",
            object: PropertyListUID(object),
            recovery: "read one of these references with `decodeReference`")
    }

    func tooDeep() -> KeyedArchiveError {
        KeyedArchiveError(
            .depthLimitExceeded,
            what: "more than \(state.open.count) objects are nested, \(limits.depth) are allowed",
            recovery: "raise `ParsingLimits.depth`, or read deep references with `decodeReference`")
    }
}
