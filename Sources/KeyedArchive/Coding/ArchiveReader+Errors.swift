// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// MARK: - Errors

extension ArchiveReader {
    /// Returns the error for nil, or a class description, where an object of a type is expected.
    func nilError(_ object: UInt32, expected type: Any.Type) -> KeyedArchiveError {
        if index.classNumber(of: object) == .description { return descriptionError(object) }
        return KeyedArchiveError(
            .missingValue, what: "expected \(type), found nil", object: PropertyListUID(object),
            recovery: "request `\(type)?`")
    }

    /// Returns the error for a class description where an object is expected.
    func descriptionError(_ object: UInt32) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedObject,
            what: "expected an object, found the description of a class (object \(object))",
            object: PropertyListUID(object))
    }

    /// Returns the error for an object of a class that is not in the registry.
    func notAllowed(
        _ object: UInt32, requested type: (any KeyedDecodable.Type)? = nil
    ) -> KeyedArchiveError {
        .notAllowed(
            archivedClass(of: object), "object \(object)", PropertyListUID(object),
            requested: type)
    }

    /// Returns the error for a value whose class or kind differs from the requested one.
    func wrongType(_ reference: KeyedReference, expected: String) -> KeyedArchiveError {
        if let found = reference.archivedClass, let object = reference.object {
            let type = registry.match(of: found)?.type
            return KeyedArchiveError(
                .wrongType,
                what: "expected \(expected), found an object of class "
                    + "\(KeyedArchiveError.printable(found.name)) (object \(object.value))",
                object: object, recovery: type.map { "`\($0).self` reads it" })
        }
        let node = (try? reference.leaf()).flatMap { $0 }
        let found = node.map { "a plain value of kind \(table[$0].kind)" } ?? "nil"
        return KeyedArchiveError(
            .wrongType, what: "expected \(expected), found \(found)",
            object: state.open.last.map { PropertyListUID($0) },
            recovery: node.flatMap { plainType(table[$0].kind) }.map { "`\($0).self` reads it" })
    }

    /// Returns the type for reading a plain value of a kind.
    private func plainType(_ kind: PropertyListKind) -> Any.Type? {
        switch kind {
        case .boolean: Bool.self
        case .integer: Int.self
        case .real: Double.self
        case .string: String.self
        case .data: Data.self
        default: nil
        }
    }

    func unknownClass(_ name: String, _ object: UInt32) -> KeyedArchiveError {
        KeyedArchiveError(
            .unknownClass,
            what:
                "object \(object) is of class \(KeyedArchiveError.printable(name)), which is allowed "
                + "but has no Swift type",
            object: PropertyListUID(object),
            recovery:
                "`.adding(T.self, as: \(KeyedArchiveError.quoted(name)))`, with T the type of its "
                + "objects, would decode them; `OpaqueObject.self` reads them undecoded")
    }

    func cycle(_ object: UInt32) -> KeyedArchiveError {
        let start = state.open.firstIndex(of: object) ?? state.open.startIndex
        let way =
            state.open[start...].prefix(16).map { "\($0)" }
            + (state.open.count - start > 16 ? ["…"] : [])
        return KeyedArchiveError(
            .referenceCycle,
            what:
                "reference cycle through object \(object): \(way.joined(separator: " → ")) → \(object)",
            object: PropertyListUID(object),
            recovery: "read one of these references with `decodeReference`")
    }

    func tooDeep() -> KeyedArchiveError {
        KeyedArchiveError(
            .depthLimitExceeded,
            what: "expected at most \(limits.depth) nested objects, found more",
            recovery: "raise `ParsingLimits.depth`, or read deep references with `decodeReference`")
    }
}
