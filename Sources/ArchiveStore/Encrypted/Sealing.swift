// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import Crypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Encryption with AES-256-GCM: 12 bytes of a nonce that is random each time, the encrypted bytes, and
/// 16 bytes that authenticate them together with `context`.
enum Sealing {
    /// The size of `count` bytes that are sealed.
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

    /// The bytes; nil where they, the key or the context are others.
    static func open(_ sealed: [UInt8], _ key: SymmetricKey, context: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: context)
        else { return nil }
        return Array(bytes)
    }
}

/// Puts what is authenticated together so that no two lists of fields give the same bytes: each field a
/// byte that says whether there is one, its length in 8 bytes, and the bytes themselves.
///
/// The order and the form of fields is part of the format of stores.
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
    /// Returns the text that is authenticated with an item's data: the store that it is in, and all
    /// attributes.
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

    /// The bits of a date as a database returns it: SQLite has no negative zero.
    private static func bits(_ date: Date) -> UInt64 {
        (date.timeIntervalSinceReferenceDate + 0).bitPattern
    }
}

#endif
