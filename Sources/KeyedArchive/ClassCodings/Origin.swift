// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Which object of an archive a value has been, where several references led to it: they are to lead to
/// one object again. A time zone, say, that two calendars share.
///
/// It is no part of the value: all origins are equal. What has one does not change.
struct Origin: Sendable, Hashable {
    private let identity: ObjectIdentity?

    /// A value that is from no archive.
    init() { identity = nil }

    init(_ reference: KeyedReference) {
        identity = reference.object.flatMap { reference.reader.identity(of: $0.value) }
    }

    static func == (left: Origin, right: Origin) -> Bool { true }

    func hash(into hasher: inout Hasher) {}

    /// Makes the value an object, once.
    func once(
        in writer: ArchiveWriter, as name: String, _ archive: () throws -> PropertyListUID
    ) throws -> PropertyListUID {
        guard let identity else { return try archive() }
        return try writer.once(identity, as: name, archive)
    }
}
