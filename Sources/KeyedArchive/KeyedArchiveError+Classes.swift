// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

// The errors for classes that are not allowed, with the line of code that allows them.

extension KeyedArchiveError {
    /// Returns the error for an object of a class that the registry does not list.
    ///
    /// - Parameters:
    ///   - archivedClass: the class; nil if the archive describes none.
    ///   - subject: the object, as the first words of the message.
    ///   - object: the object's number.
    ///   - type: the type that the program requests; nil if the archive chooses the class.
    /// - Returns: The error, with the line that allows the class.
    static func notAllowed(
        _ archivedClass: ArchivedClass?, _ subject: String, _ object: PropertyListUID? = nil,
        requested type: (any KeyedDecodable.Type)? = nil
    ) -> KeyedArchiveError {
        let archivedClass = archivedClass ?? ArchivedClass(name: "")
        let name = printable(archivedClass.name)
        // Deferred references are often requested as optionals.
        let wrapped = (type as? any OptionalValue.Type)?.wrappedType as? any KeyedDecodable.Type
        return KeyedArchiveError(
            .classNotAllowed, what: "\(subject) is of class \(name), which is not allowed",
            object: object, recovery: recovery(for: archivedClass, requested: wrapped ?? type))
    }

    /// Returns the error for a value that cannot be written because the registry does not list its
    /// class.
    static func notAllowed(
        _ name: String, writing type: (any KeyedEncodable.Type)?
    ) -> KeyedArchiveError {
        KeyedArchiveError(
            .classNotAllowed,
            what: "a value is of class \(printable(name)), which is not allowed",
            recovery: recoveryByType(name) ?? ClassesElsewhere.recovery(for: name)
                ?? recovery(for: name, writing: type))
    }

    /// Returns the line that allows writing one of the program's own classes.
    private static func recovery(
        for name: String, writing type: (any KeyedEncodable.Type)?
    ) -> String {
        guard let type else { return recovery(for: ArchivedClass(name: name), requested: nil) }
        if type is any KeyedDecodable.Type { return "`.adding(\(type).self)` would allow it" }
        return "`.allowing(\(quoted(name)))` would allow it; \(type) is only `KeyedEncodable`"
    }

    /// Returns the line that allows a class listed in ``ClassRegistry/foundation``; nil for others.
    private static func recoveryByType(_ name: String) -> String? {
        ClassRegistry.foundation[name]?.type.map { "`.adding(\($0).self)` would allow it" }
    }

    /// Returns the line that allows a class. A program with that line must not get another error at
    /// the same place.
    private static func recovery(
        for archivedClass: ArchivedClass, requested type: (any KeyedDecodable.Type)?
    ) -> String {
        let name = archivedClass.name
        if let type, !type.reads(name), type.archivedClass.name != FoundationClass.object {
            return recovery(for: archivedClass, insteadOf: type)
        }
        if let recovery = recoveryByType(name) ?? ClassesElsewhere.recovery(for: name) {
            return recovery
        }
        if let type, type.reads(name) { return "`.adding(\(type).self)` would allow it" }
        return
            "`.adding(T.self, as: \(quoted(name)))`, with T the type of its objects, would allow it; "
            + "`.allowing(\(quoted(name)))` keeps them undecoded"
    }

    /// Returns the advice for a class that the requested type does not read: a line that allows the
    /// class as a subclass of the type or under another name, or the type that reads the class.
    private static func recovery(
        for archivedClass: ArchivedClass, insteadOf type: any KeyedDecodable.Type
    ) -> String {
        let name = quoted(archivedClass.name)
        if archivedClass.isKind(of: type.archivedClass.name) {
            return "`.adding(T.self, as: \(name))` would allow it, where T is your subclass of "
                + "\(type)"
        }
        if let other = ClassRegistry.foundation[archivedClass.name]?.type {
            return "\(type) is requested here; `\(other).self` reads this class"
        }
        return "`.adding(\(type).self, as: \(name))` would allow it, if that is another name for "
            + "\(printable(type.archivedClass.name))"
    }
}
