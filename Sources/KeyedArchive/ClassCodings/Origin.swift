// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The shared object from which a value was read. Values with the same origin are written as one
/// object again: for example, a time zone that two calendars share.
///
/// The origin is not part of the value, so all origins are equal. A value with an origin must be
/// immutable: a changed copy could otherwise be written as the unchanged object.
struct Origin: Sendable, Hashable {
    private let identity: ObjectIdentity?

    /// Creates the origin of a value that was not read from an archive.
    init() { identity = nil }

    init(_ reference: KeyedReference) {
        identity = reference.object.flatMap { reference.reader.identity(of: $0.value) }
    }

    static func == (left: Origin, right: Origin) -> Bool { true }

    func hash(into hasher: inout Hasher) {}

    /// Writes a value of `type` as an object of a class, once for each shared object.
    func once(
        in writer: ArchiveWriter, as archivedClass: ArchivedClass,
        of type: any KeyedEncodable.Type, _ archive: () throws -> PropertyListUID
    ) throws -> PropertyListUID {
        guard let identity else { return try archive() }
        return try writer.once(identity, as: archivedClass, of: type, archive)
    }
}
