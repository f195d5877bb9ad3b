// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import PropertyList
internal import Crypto
internal import GRDB

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The only row of the table `store`, which contains the encrypted key of the items.
///
/// | column | value |
/// |---|---|
/// | `version` | 1, or 2 since the first internet password was added |
/// | `identifier` | 16 random bytes that identify the store |
/// | `accessGroup` | the name of the access group, in at most 16 KiB of UTF-8 |
/// | `salt`, `rounds`, `blockSize`, `parallelism` | the parameters of scrypt, or NULL |
/// | `dataKey` | the random key of the items, encrypted with the master key: 60 bytes |
///
/// Earlier versions of the library cannot read version 2. The salt has 16 bytes. The parameters of
/// scrypt are NULL if the master key is not derived from a passphrase. All columns except `version`
/// are authenticated with the master key.
///
/// The items have a key of their own. A wrong master key is therefore detected immediately, and the
/// items are encrypted with a random key even if the master key comes from a passphrase. Rotation
/// creates a new key of the items.
struct StoreHeader: Sendable, Equatable {
    /// The versions that can be read. A store has the lowest version until an item that needs a
    /// later one is added.
    static let versions = 1...2
    private static let versionOfServers = 2
    /// The size of the identifier and of the salt, in bytes.
    static let randomSize = 16
    private static let largestAccessGroup = 16 << 10

    let version: Int
    let identifier: [UInt8]
    let accessGroup: String
    let derivation: Derivation?
    let dataKey: [UInt8]

    /// The parameters that derive the master key from a passphrase.
    struct Derivation: Sendable, Equatable {
        let salt: [UInt8]
        let cost: PassphraseCost
    }

    /// Creates a header with a new data key.
    ///
    /// - Throws: `invalidName` for an access group that is too long, `weakPassphrase`, or
    ///   `wrongKey` for a cost that is out of bounds.
    static func make(
        version: Int = versions.lowerBound, identifier: [UInt8], accessGroup: String,
        master: MasterKey
    ) throws(StoreError) -> (header: StoreHeader, dataKey: SymmetricKey) {
        let dataKey = SymmetricKey(size: .bits256)
        let derivation: Derivation? =
            switch master.source {
            case .key: nil
            case .passphrase(_, let cost): Derivation(salt: randomBytes(randomSize), cost: cost)
            }
        guard accessGroup.utf8.count <= largestAccessGroup else {
            throw StoreError(
                .invalidName,
                what: "expected an access group name of at most \(largestAccessGroup) bytes, "
                    + "found \(accessGroup.utf8.count)")
        }
        if case .passphrase(let text, let cost) = master.source {
            try cost.requireStrength(of: text)
        }
        let key = try Self.key(master, derivation)
        let context = context(identifier, accessGroup, derivation)
        let sealed = try Sealing.seal(dataKey.bytes, key, context: context)
        let header = StoreHeader(
            version: version, identifier: identifier, accessGroup: accessGroup,
            derivation: derivation, dataKey: sealed)
        return (header, dataKey)
    }

    static func randomBytes(_ count: Int) -> [UInt8] {
        Array(SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).bytes)
    }

    /// Decrypts the key of the items.
    ///
    /// - Throws: `wrongKey`.
    func openDataKey(_ master: MasterKey) throws(StoreError) -> SymmetricKey {
        let key = try Self.key(master, derivation)
        let context = Self.context(identifier, accessGroup, derivation)
        guard let bytes = Sealing.open(dataKey, key, context: context),
            bytes.count == MasterKey.size
        else {
            throw StoreError(
                .wrongKey,
                what: "the key does not open this store, or the store's header was altered",
                recovery: derivation == nil
                    ? "use the key of this store, or restore a backup"
                    : "ask for the passphrase again, or restore a backup")
        }
        return SymmetricKey(data: bytes)
    }

    private static func key(
        _ master: MasterKey, _ derivation: Derivation?
    ) throws(StoreError) -> SymmetricKey {
        switch (master.source, derivation) {
        case (.key(let key), nil): return key
        case (.passphrase(let text, _), let derivation?):
            return try derivation.cost.key(of: text, salt: derivation.salt)
        case (.key, _):
            throw StoreError(
                .wrongKey, what: "the store is protected by a passphrase, not by a raw key",
                recovery: "open it with `MasterKey(passphrase:)`")
        case (.passphrase, nil):
            throw StoreError(
                .wrongKey, what: "the store is protected by a raw key, not by a passphrase",
                recovery: "open it with `MasterKey(file:)` or `MasterKey(bytes:)`")
        }
    }

    private static func context(
        _ identifier: [UInt8], _ accessGroup: String, _ derivation: Derivation?
    ) -> [UInt8] {
        var context = AuthenticatedContext("store 1")
        context.append(identifier)
        context.append(accessGroup)
        context.append(derivation?.salt)
        context.append((derivation?.cost.rounds).map { UInt64($0) })
        context.append((derivation?.cost.blockSize).map { UInt64($0) })
        context.append((derivation?.cost.parallelism).map { UInt64($0) })
        return context.bytes
    }
}

// MARK: - In the database

extension StoreHeader {
    static let tableDefinition = """
        CREATE TABLE store (version INTEGER NOT NULL, identifier BLOB NOT NULL, \
        accessGroup BLOB NOT NULL, salt BLOB, rounds INTEGER, blockSize INTEGER, \
        parallelism INTEGER, dataKey BLOB NOT NULL) STRICT
        """

    /// The columns in the order of the table.
    private enum Column: Int {
        case version, identifier, accessGroup, salt, rounds, blockSize, parallelism, dataKey
    }

    /// Returns whether this is the current header of a store. Comparing the versions and the data
    /// keys is enough, because only the version can change without a new data key.
    func isCurrent(_ database: Database) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT version, dataKey FROM store")
        guard let row = try Row.fetchOne(statement) else { return false }
        let found: (version: Int?, dataKey: Data?) = (row[0], row[1])
        return found.version == version && found.dataKey == Data(dataKey)
    }

    /// Returns whether both headers belong to the same store. Rotation keeps the identifier and the
    /// access group.
    func isOfSameStore(as other: StoreHeader) -> Bool {
        identifier == other.identifier && ExactText(accessGroup) == ExactText(other.accessGroup)
    }

    /// Reads the header of a store.
    ///
    /// - Throws: `unsupportedVersion`, `invalidDatabase`, or an SQLite error.
    static func read(_ database: Database) throws -> StoreHeader {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT * FROM store LIMIT 2"))
        guard rows.count == 1, let row = rows.first else {
            throw StoreError(
                .invalidDatabase, what: "expected one header in the store, found \(rows.count)",
                recovery: "restore a backup")
        }
        let columns = RowReader<Column>(row)
        let version = try columns.integer(.version)
        guard versions.contains(version) else {
            throw StoreError(
                .unsupportedVersion,
                what: "expected a store of version \(versions.lowerBound) to "
                    + "\(versions.upperBound), found version \(version)",
                recovery: "update the program")
        }
        return StoreHeader(
            version: version,
            identifier: try bytes(columns, .identifier, count: randomSize),
            accessGroup: try accessGroup(columns), derivation: try derivation(columns),
            dataKey: try bytes(
                columns, .dataKey, count: Sealing.size(ofSealed: MasterKey.size)))
    }

    private static func accessGroup(_ columns: RowReader<Column>) throws(StoreError) -> String {
        let name = try columns.text(.accessGroup)
        guard name.utf8.count <= largestAccessGroup else {
            throw RowReader<Column>.malformed(.accessGroup)
        }
        return name
    }

    /// Reads bytes and checks their count. A malicious file could otherwise slow down scrypt with a
    /// long salt.
    private static func bytes(
        _ columns: RowReader<Column>, _ column: Column, count: Int
    ) throws(StoreError) -> [UInt8] {
        let bytes = try columns.bytes(column)
        guard bytes.count == count else { throw RowReader<Column>.malformed(column) }
        return bytes
    }

    private static func derivation(_ columns: RowReader<Column>) throws(StoreError) -> Derivation? {
        if try columns.optionalBytes(.salt) == nil { return nil }
        let salt = try bytes(columns, .salt, count: randomSize)
        let cost = PassphraseCost(
            rounds: try columns.integer(.rounds), blockSize: try columns.integer(.blockSize),
            parallelism: try columns.integer(.parallelism))
        return Derivation(salt: salt, cost: cost)
    }

    /// Raises the version of a store to the one that an item needs, before the item is written.
    ///
    /// Earlier versions of the library then refuse the store instead of reporting the item as
    /// altered.
    static func raiseVersion(for item: Item, in database: Database) throws {
        guard item.attributes.itemClass == .internetPassword else { return }
        try database.cachedStatement(sql: "UPDATE store SET version = ? WHERE version < ?")
            .execute(arguments: [versionOfServers, versionOfServers])
    }

    /// Writes the header, replacing the existing one.
    func write(_ database: Database) throws {
        try database.execute(sql: "DELETE FROM store")
        try database.execute(
            sql: "INSERT INTO store VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                version, Data(identifier), Data(accessGroup.utf8),
                derivation.map { Data($0.salt) }, derivation?.cost.rounds,
                derivation?.cost.blockSize, derivation?.cost.parallelism, Data(dataKey),
            ])
    }
}

#endif
