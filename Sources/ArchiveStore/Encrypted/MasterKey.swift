// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import Crypto
internal import FoundationEssentials
internal import SystemFiles
internal import _CryptoExtras

/// What opens an ``EncryptedItemDatabase``: a key in a file, or a passphrase.
public struct MasterKey: Sendable {
    /// How a key is made of what the program knows.
    enum Source: Sendable {
        case key(SymmetricKey)
        case passphrase(String, PassphraseCost)
    }

    let source: Source

    /// How many bytes a key has.
    public static let size = 32

    /// A key of ``size`` bytes.
    ///
    /// - Throws: ``StoreError`` with `invalidKeyFile` for another number of bytes.
    public init(bytes: some Sequence<UInt8>) throws(StoreError) {
        let bytes = Array(bytes)
        guard bytes.count == Self.size else {
            throw StoreError(
                .invalidKeyFile, what: "a key has \(Self.size) bytes, here are \(bytes.count)")
        }
        source = .key(SymmetricKey(data: bytes))
    }

    /// A key made of a passphrase by scrypt (RFC 7914), which takes `cost` each time a store is opened.
    public init(passphrase: String, cost: PassphraseCost = .default) {
        source = .passphrase(passphrase, cost)
    }

    /// The key in a file of ``size`` bytes that only its owner may read.
    ///
    /// - Parameters:
    ///   - path: the file. Keep a copy of it: without it the items are lost.
    ///   - creatingIfMissing: whether a new key is put there where there is no file; of several
    ///     programs that do so at once, all get the same one.
    /// - Throws: ``StoreError`` with `fileMissing`, `fileAccess`, `outOfSpace`; `invalidKeyFile` where
    ///   it has another size, or where others may read or write it.
    public init(file path: String, creatingIfMissing: Bool = false) throws(StoreError) {
        do {
            if creatingIfMissing, try FileMode.existing(at: path) == nil {
                try Self.create(path)
            }
            let (bytes, mode) = try FileAccess.readRegularFile(path, limit: Self.size)
            guard mode.mode & 0o077 == 0 else {
                throw StoreError(
                    .invalidKeyFile, what: "the file of a key is one that others may use",
                    file: path, recovery: "chmod 600")
            }
            do { try self.init(bytes: bytes) } catch { throw error.at(file: path) }
        } catch let error as SystemError {
            throw StoreError(error, file: path)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.fileAccess, what: "\(error)", file: path, underlying: error)
        }
    }

    private static func create(_ path: String) throws(SystemError) {
        let key = SymmetricKey(size: .bits256).bytes
        do {
            try FileAccess.create(path, with: key, mode: 0o600)
        } catch  where error.isExisting {
            // Another program was faster; its key is the one.
        }
    }
}

/// What it costs to make a key of a passphrase: the parameters of scrypt, as a store keeps them.
public struct PassphraseCost: Sendable, Hashable {
    /// How often, a power of two: N.
    public var rounds: Int
    /// The size of a block, in units of 128 bytes: r.
    public var blockSize: Int
    /// How many independent parts: p.
    public var parallelism: Int

    /// Creates a cost. It needs `128 × rounds × blockSize` bytes of memory.
    public init(rounds: Int, blockSize: Int = 8, parallelism: Int = 1) {
        self.rounds = rounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// 32 MiB of memory and about a tenth of a second.
    public static let `default` = PassphraseCost(rounds: 1 << 15)

    /// Whether a store that says so may ask for it: at most 1 GiB of memory, and sixteen times the
    /// work that this takes.
    var isAcceptable: Bool {
        guard (2...1 << 20).contains(rounds), rounds.nonzeroBitCount == 1 else { return false }
        guard (1...32).contains(blockSize), (1...16).contains(parallelism) else { return false }
        return 128 * rounds * blockSize <= 1 << 30
    }

    /// The key of a passphrase.
    ///
    /// - Throws: `wrongKey` for a cost that is not acceptable.
    func key(of passphrase: String, salt: [UInt8]) throws(StoreError) -> SymmetricKey {
        guard isAcceptable else {
            throw StoreError(
                .wrongKey,
                what:
                    "scrypt with N = \(rounds), r = \(blockSize), p = \(parallelism) is out of bounds",
                recovery: "N a power of two up to 2^20, r up to 32, p up to 16, 1 GiB of memory")
        }
        do {
            return try KDF.Scrypt.deriveKey(
                from: Array(passphrase.utf8), salt: salt, outputByteCount: MasterKey.size,
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
