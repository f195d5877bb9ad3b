// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import Crypto
internal import Foundation
internal import SystemFiles
internal import _CryptoExtras

/// The key of an ``EncryptedItemDatabase``: given as bytes, read from a file, or derived from a
/// passphrase.
public struct MasterKey: Sendable {
    /// The origin of a key.
    enum Source: Sendable {
        case key(SymmetricKey)
        case passphrase(String, PassphraseCost)
    }

    let source: Source

    /// The size of a key, in bytes.
    public static let size = 32

    /// Creates a key from its ``size`` bytes.
    ///
    /// - Throws: ``StoreError`` with `invalidKeyFile` for another number of bytes.
    public init(bytes: some Sequence<UInt8>) throws(StoreError) {
        let bytes = Array(bytes)
        guard bytes.count == Self.size else {
            throw Self.wrongSize("expected a key of \(Self.size) bytes, found \(bytes.count)")
        }
        source = .key(SymmetricKey(data: bytes))
    }

    private static func wrongSize(_ what: String) -> StoreError {
        StoreError(
            .invalidKeyFile, what: what,
            recovery: "use `MasterKey(passphrase:)` for text of any length")
    }

    /// Creates a key that scrypt (RFC 7914) derives from a passphrase each time a store is opened.
    ///
    /// Canonically equivalent passphrases give the same key: they are normalized to NFC and encoded
    /// as UTF-8. New stores and backups refuse an empty passphrase with `weakPassphrase`, unless
    /// ``PassphraseCost/allowsWeakness`` is set.
    public init(passphrase: String, cost: PassphraseCost = .default) {
        source = .passphrase(passphrase, cost)
    }

    /// Reads the key from a file of ``size`` bytes that only its owner may read.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Keep a copy of it: without the key, the items are lost.
    ///   - creatingIfMissing: A Boolean value indicating whether a new key is created if there is
    ///     no file. If several programs do so at the same time, all get the same key.
    /// - Throws: ``StoreError`` with `fileMissing`, `fileAccess` or `outOfSpace`; with
    ///   `invalidName` for a path that contains NUL; with `invalidKeyFile` if the file has another
    ///   size, if other users may access it, or if it belongs to another user.
    public init(file path: String, creatingIfMissing: Bool = false) throws(StoreError) {
        let (bytes, mode): ([UInt8], FileMode)
        do { (bytes, mode) = try Self.read(path, creatingIfMissing) } catch {
            if error.isTooLarge { throw Self.wrongSize(error.message).at(file: path) }
            throw StoreError(error, file: path)
        }
        // A program that was killed while creating the file may have left a temporary hard link.
        if mode.linkCount > 1 { FileAccess.removeDeadTemporaries(beside: path) }
        guard mode.mode & 0o077 == 0 else {
            throw StoreError(
                .invalidKeyFile, what: "other users may access the key file",
                file: path, recovery: "restrict it to its owner with `chmod 600`")
        }
        guard mode.isOwn else {
            throw StoreError(
                .invalidKeyFile,
                what: "the key file belongs to another user, who knows the key",
                file: path, recovery: "create a key of your own, or change the owner with `chown`")
        }
        do { try self.init(bytes: bytes) } catch { throw error.at(file: path) }
    }

    /// Reads a key file. If several programs find it missing at the same time, one of them creates
    /// it and all read it.
    private static func read(
        _ path: String, _ creatingIfMissing: Bool
    ) throws(SystemError) -> (bytes: [UInt8], mode: FileMode) {
        for _ in 0..<100 {
            do {
                let found = try FileAccess.readRegularFile(path, limit: size)
                // Make sure that the file is on disk, because losing the key would lose everything
                // it has encrypted. Another program may have created the file just now.
                if creatingIfMissing { try FileAccess.synchronizeName(of: path) }
                return found
            } catch  where error.isMissing && creatingIfMissing {
                FileAccess.removeDeadTemporaries(beside: path)
                let key = SymmetricKey(size: .bits256).bytes
                do { try FileAccess.create(path, with: key, mode: 0o600) } catch
                    where error.isExisting
                {
                    // Another program was faster, or this is a dangling symbolic link.
                    _ = try FileMode.existing(at: path)
                }
            }
        }
        throw SystemError(message: "other programs keep creating and removing the file")
    }
}

/// The cost of deriving a key from a passphrase: the parameters of scrypt. Stores and sealed
/// backups contain them.
public struct PassphraseCost: Sendable, Hashable {
    /// The number of rounds, a power of two: N.
    public var rounds: Int
    /// The size of a block, in units of 128 bytes: r.
    public var blockSize: Int
    /// The number of independent parts: p.
    public var parallelism: Int
    /// A Boolean value indicating whether new stores and backups accept an empty passphrase, or
    /// less than 2¹⁷ for `rounds × blockSize`. Both make it easier to guess the passphrase of a
    /// copied file. Intended for tests.
    public var allowsWeakness = false

    /// Creates a cost. Deriving a key takes `128 × rounds × blockSize` bytes of memory.
    public init(rounds: Int, blockSize: Int = 8, parallelism: Int = 1) {
        self.rounds = rounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// The default cost: 32 MiB of memory and about a tenth of a second.
    public static let `default` = PassphraseCost(rounds: 1 << 15)

    /// A Boolean value indicating whether the parameters are valid and cheap enough to accept from
    /// an untrusted file. The limits are 32 times the time of the default, about three seconds, and
    /// 1 GiB of memory.
    var isAcceptable: Bool {
        guard (2...1 << 20).contains(rounds), rounds.nonzeroBitCount == 1 else { return false }
        guard (1...32).contains(blockSize), (1...16).contains(parallelism) else { return false }
        // RFC 7914 requires N below 2 to the power of 16 × r. Only r = 1 can violate this here.
        guard blockSize > 1 || rounds < 1 << 16 else { return false }
        // swift-crypto limits scrypt to N × p blocks of memory plus one page. For p = 1, scrypt
        // needs N + 2 blocks. The two extra blocks fit into a page only up to r = 16.
        guard blockSize <= 16 || parallelism > 1 else { return false }
        return rounds * blockSize * parallelism <= 1 << 23
    }

    /// Checks that a new store or backup is protected against guessing the passphrase.
    ///
    /// - Throws: `weakPassphrase`.
    func requireStrength(of passphrase: String) throws(StoreError) {
        if allowsWeakness { return }
        if passphrase.isEmpty {
            throw StoreError(
                .weakPassphrase, what: "the passphrase is empty",
                recovery: "ask for one, or set `PassphraseCost.allowsWeakness`")
        }
        if isAcceptable, rounds * blockSize < 1 << 17 {
            throw StoreError(
                .weakPassphrase,
                what:
                    "scrypt with N = \(rounds), r = \(blockSize) is too cheap to protect anything",
                recovery: "use N × r of at least 2^17, or set `PassphraseCost.allowsWeakness`")
        }
    }

    /// Derives the key of a passphrase.
    ///
    /// - Throws: `wrongKey` for a cost that is not acceptable, or if there is not enough memory.
    func key(of passphrase: String, salt: [UInt8]) throws(StoreError) -> SymmetricKey {
        guard isAcceptable else {
            throw StoreError(
                .wrongKey,
                what:
                    "scrypt with N = \(rounds), r = \(blockSize), p = \(parallelism) is out of bounds",
                recovery:
                    "use a power of two up to 2^20 and below 2^(16 × r) for N, up to 32 for r "
                    + "(16 if p is 1), up to 16 for p, and up to 2^23 for N × r × p")
        }
        do {
            return try KDF.Scrypt.deriveKey(
                from: Array(passphrase.precomposedStringWithCanonicalMapping.utf8), salt: salt,
                outputByteCount: MasterKey.size,
                rounds: rounds, blockSize: blockSize, parallelism: parallelism)
        } catch {
            throw StoreError(
                .wrongKey, what: "scrypt failed: not enough memory for its parameters",
                underlying: error)
        }
    }
}

extension SymmetricKey {
    /// The bytes of the key.
    // SAFETY: the buffer is copied within the call.
    var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

#endif
