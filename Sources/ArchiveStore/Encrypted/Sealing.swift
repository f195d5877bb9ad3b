// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import Crypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Encryption with AES-256-GCM. The result is a random nonce of 12 bytes, the encrypted bytes, and
/// an authentication tag of 16 bytes, which also covers `context`.
enum Sealing {
    /// Returns the size of `count` bytes after sealing.
    static func size(ofSealed count: Int) -> Int { 12 + count + 16 }

    static func seal(
        _ bytes: [UInt8], _ key: SymmetricKey, context: [UInt8]
    ) throws(StoreError) -> [UInt8] {
        let box = try? AES.GCM.seal(bytes, using: key, authenticating: context)
        guard let combined = box?.combined else {
            throw StoreError(.fileAccess, what: "\(bytes.count) bytes could not be encrypted")
        }
        return Array(combined)
    }

    /// Decrypts and authenticates bytes. Returns nil if the bytes, the key or the context do not
    /// match.
    static func open(_ sealed: [UInt8], _ key: SymmetricKey, context: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: context)
        else { return nil }
        return Array(bytes)
    }
}

/// A serialization of fields for authentication. Different lists of fields give different bytes. A
/// field is serialized as the byte 1, its length in 8 bytes, and its bytes. An absent field is the
/// byte 0.
///
/// The order and the form of the fields are part of the store format.
struct AuthenticatedContext {
    private(set) var bytes: [UInt8]

    init(_ purpose: String) {
        bytes = []
        append(purpose)
    }

    mutating func append(_ field: [UInt8]?) {
        guard let field else {
            bytes.append(0)
            return
        }
        bytes.append(1)
        bytes += Self.bigEndian(UInt64(field.count))
        bytes += field
    }

    mutating func append(_ text: String?) { append(text.map { Array($0.utf8) }) }

    mutating func append(_ number: UInt64?) { append(number.map(Self.bigEndian)) }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension ItemAttributes {
    /// Returns the context that is authenticated with an item's data: the identifier of the store,
    /// and all attributes except the access group.
    func context(store: [UInt8]) -> [UInt8] {
        var context = AuthenticatedContext("item 1")
        context.append(store)
        context.append(subject.bytes)
        context.append(account)
        context.append(isSynchronizable ? 1 : 0)
        context.append(label)
        context.append(itemDescription)
        context.append(comment)
        context.append((creator?.rawValue).map { UInt64($0) })
        context.append((type?.rawValue).map { UInt64($0) })
        context.append(generic)
        context.append(isInvisible ? 1 : 0)
        context.append(isNegative ? 1 : 0)
        context.append(accessibility.rawValue)
        context.append(Self.bits(created))
        context.append(Self.bits(modified))
        return context.bytes
    }

    /// Returns the bits of a date, with 0 in place of negative zero. SQLite stores both as 0, and
    /// the bits of a stored date must be the same when it is read.
    private static func bits(_ date: Date) -> UInt64 {
        (date.timeIntervalSinceReferenceDate + 0).bitPattern
    }
}

#endif
