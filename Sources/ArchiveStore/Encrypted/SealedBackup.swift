// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

public import PropertyList

// The format of a sealed backup:
//
// | bytes | content |
// |---|---|
// | 0–7 | `keyedbk1` |
// | 8–23 | the salt of scrypt |
// | 24–27, 28–31, 32–35 | N, r, p of scrypt, big-endian |
// | 36– | the result of ``ItemBackup/archived(limits:)``, encrypted by `Sealing` |
//
// The context of the encryption is the first 36 bytes.

extension ItemBackup {
    private static let magic = Array("keyedbk1".utf8)
    private static let headerSize = 36

    /// Returns the backup, encrypted with a key that is derived from a passphrase. The archive is
    /// read back before it is encrypted.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase. Its Unicode normalization form does not matter.
    ///   - cost: The cost of deriving the key.
    ///   - limits: The limits on reading the archive. Pass the same limits to
    ///     ``init(opening:passphrase:limits:)``.
    /// - Returns: The sealed backup.
    /// - Throws: `wrongKey` for a cost that is out of bounds, `weakPassphrase`, and the errors of
    ///   ``archived(limits:)``.
    public func sealed(
        passphrase: String, cost: PassphraseCost = .default, limits: ParsingLimits = .default
    ) throws -> [UInt8] {
        try cost.requireStrength(of: passphrase)
        let salt = StoreHeader.randomBytes(StoreHeader.randomSize)
        let key = try cost.key(of: passphrase, salt: salt)
        var header = Self.magic + salt
        for number in [cost.rounds, cost.blockSize, cost.parallelism] {
            header += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        return header + (try Sealing.seal(archived(limits: limits), key, context: header))
    }

    /// Opens the result of ``sealed(passphrase:cost:limits:)``. The archive in the backup is parsed
    /// only after it was authenticated.
    ///
    /// - Throws: ``StoreError`` with `invalidContents` for bytes that are not a sealed backup,
    ///   `wrongKey` for a wrong passphrase or a backup that was altered, and the errors of
    ///   ``init(parsing:limits:)``.
    public init(
        opening bytes: some Sequence<UInt8>, passphrase: String, limits: ParsingLimits = .default
    ) throws {
        let bytes = Array(bytes)
        guard bytes.count > Self.headerSize, bytes.starts(with: Self.magic) else {
            throw StoreError(
                .invalidContents, what: "this is not a sealed backup",
                recovery: "use `ItemBackup(parsing:)` for a backup that is not sealed")
        }
        let numbers = stride(from: 24, to: Self.headerSize, by: 4).map { start in
            bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        let cost = PassphraseCost(
            rounds: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
        let key = try cost.key(of: passphrase, salt: Array(bytes[8..<24]))
        let header = Array(bytes[..<Self.headerSize])
        guard
            let archive = Sealing.open(
                Array(bytes[Self.headerSize...]), key, context: header)
        else {
            throw StoreError(
                .wrongKey, what: "the passphrase is wrong, or the backup was altered",
                recovery: "ask for the passphrase again, or take another copy of the backup")
        }
        try self.init(parsing: archive, limits: limits)
    }
}

#endif
