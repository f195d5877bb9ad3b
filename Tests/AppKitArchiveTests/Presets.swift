// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveTestSupport
import KeyedArchive
import PropertyList

extension ClassRegistry {
    /// The registered classes of all frameworks.
    static let everything = ClassRegistry.foundation.merging(.appKit).merging(.uiKit)
}

// The shared helpers, with the classes of all frameworks allowed.

func read<T: KeyedDecodable>(
    _ type: T.Type = T.self, _ objects: [PropertyListValue],
    allowing registry: ClassRegistry = .everything
) throws -> T {
    try ArchiveTestSupport.read(type, objects, allowing: registry)
}

func refusal<T: KeyedDecodable>(
    _ type: T.Type, _ objects: [PropertyListValue],
    allowing registry: ClassRegistry = .everything
) -> KeyedArchiveError.Code? {
    ArchiveTestSupport.refusal(type, objects, allowing: registry)
}

func written(
    _ value: some KeyedEncodable, allowing registry: ClassRegistry = .everything
) throws -> [PropertyListValue] {
    try ArchiveTestSupport.written(value, allowing: registry)
}
