// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// The values that several objects of an archive share, so that each of them is made once.
struct SharedContents {
    /// The instances of long data, by node.
    var data: [UInt32: NSData] = [:]
    /// The nodes whose long contents a mutable object has copied. Further copies are charged.
    var copied: Set<UInt32> = []
    /// The converted user info dictionaries that errors share, by identity. `owner` keeps the
    /// dictionary alive.
    var userInfos: [ObjectIdentifier: (owner: NSDictionary, entries: [String: Any])] = [:]
    var characterSets: [PredefinedCharacterSet: NSCharacterSet] = [:]
}

extension KeyedDecoder {
    /// Charges `count` bytes that an object copies. Each 64 bytes count as one value, because a
    /// value takes about as much memory.
    ///
    /// - Throws: `expansionLimitExceeded`.
    func charge(copied count: Int) throws(KeyedArchiveError) { try charge(count >> 6) }
}

extension KeyedUnarchiverCoder {
    /// Returns data as an object. Objects that share the same long data in the archive become one
    /// instance.
    func data(of node: UInt32, _ make: () throws -> Data) rethrows -> NSData {
        if let known = shared.data[node] { return known }
        let data = NSData(data: try make())
        if data.length >= LongContents.shortest { shared.data[node] = data }
        return data
    }

    /// Charges `count` bytes of a node that a mutable object copies. The first copy of a node, and
    /// copies of short contents, are free.
    ///
    /// - Throws: `expansionLimitExceeded`.
    func chargeCopy(of node: UInt32, _ count: Int, for coder: KeyedDecoder) throws {
        setExpansion(Expansion(leafOf: count), of: coder)
        if count < LongContents.shortest || shared.copied.insert(node).inserted { return }
        try coder.charge(copied: count)
    }

    /// Returns the entries of a user info that several errors may have.
    func userInfo(_ dictionary: NSDictionary) -> [String: Any] {
        let identity = ObjectIdentifier(dictionary)
        if let known = shared.userInfos[identity] { return known.entries }
        let entries = BuiltInClass.userInfo(dictionary)
        shared.userInfos[identity] = (dictionary, entries)
        return entries
    }
}
