// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The values that were parsed from long data.
///
/// In a small file, a million objects can refer to the same megabyte of packed integers. Without
/// this table, each of these references would parse the integers again and keep a copy.
struct ParsedData {
    private struct Request: Hashable {
        let source: ContentIdentity
        let type: ObjectIdentifier
    }

    private var known: [Request: Any] = [:]

    /// Returns the value of a type that was parsed from data; nil if there is none.
    func value<T>(_ type: T.Type, of source: ContentIdentity) -> T? {
        known[Request(source: source, type: ObjectIdentifier(type))] as? T
    }

    mutating func insert<T>(_ value: T, of source: ContentIdentity) {
        known[Request(source: source, type: ObjectIdentifier(T.self))] = value
    }
}
