// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// A file that gets its final name only when its contents are complete.
///
/// On systems with unnamed files (`O_TMPFILE` on Linux), the file has no name while it is written,
/// so nothing is left behind if the process dies. Elsewhere, the file has a temporary name in the
/// folder of its target. An unnamed file gets such a name only for the moment before it replaces
/// another file. No other program uses such names by accident; see ``TemporaryName``. The process
/// keeps the file locked while it is open. If a file with such a name can be locked, its process is
/// dead, and the file is removed.
///
/// A file that is closed before it has its final name looks dead, so another process may remove it
/// and create its own file under the same name. The file is therefore renamed to a random name
/// first, which no other process uses for its own files. Before using a temporary name, the process
/// checks that the name still refers to this file.
struct TemporaryFile {
    let file: FileDescriptor
    private let target: FilePlace
    /// The identity of the file, which distinguishes it from another file under the same name.
    private let identity: FileMode
    private var name: FilePlace?
    private var isOpen = true

    /// Creates a file without a name in the folder of `target`. The result is nil if the system has
    /// no such files.
    ///
    /// `mode` is the mode before the process's umask is applied.
    init?(unnamedFor target: FilePlace, mode: mode_t) throws(SystemError) {
        #if os(Linux)
        guard FileAccess.usesUnnamedFiles,
            let file = try FileDescriptor.createUnnamed(in: target.folder, mode: mode)
        else { return nil }
        do throws(SystemError) { identity = try FileMode(of: file) } catch {
            file.close()
            throw error
        }
        // No other process can hold the lock. If locking fails, other processes treat the file as
        // alive.
        _ = file.tryLock()
        self.file = file
        self.target = target
        #else
        return nil
        #endif
    }

    /// Creates a file with an unused name in the folder of `target`.
    ///
    /// `mode` is the mode before the process's umask is applied.
    init(namedFor target: FilePlace, mode: mode_t) throws(SystemError) {
        TemporaryName.removeDead(for: target)
        for name in TemporaryName.candidates(for: target) {
            let file: FileDescriptor
            do throws(SystemError) { file = try FileDescriptor.create(name, mode: mode) } catch {
                guard error.isExisting else { throw error }
                continue
            }
            // Another process that removes dead files may have locked this one first. If the file
            // system has no locks, no file counts as dead.
            let isTaken = (try? file.lockIfFree()) == false
            let identity: FileMode
            do throws(SystemError) { identity = try FileMode(of: file) } catch {
                if !isTaken { _ = try? removeFile(name) }
                file.close()
                throw error
            }
            if isTaken || identity.linkCount == 0 {
                file.close()
                continue
            }
            self.file = file
            self.identity = identity
            self.target = target
            self.name = name
            return
        }
        throw SystemError.existing
    }

    /// Gives the file the name of its target. Closes the file first.
    ///
    /// - Throws: An `isExisting` error if there already is a file with that name.
    mutating func publish() throws(SystemError) {
        if let name {
            try moveToRandomName(name)
            close()
            guard let name = self.name, isOwn(name) else { throw SystemError.missing }
            return try linkFile(name, as: target)
        }
        #if os(Linux)
        let handle = try file.openHandle()
        defer { handle.close() }
        close()
        try handle.linkUnnamed(as: target)
        #endif
    }

    /// Moves the file to its target, replacing an existing file.
    ///
    /// - Parameter known: The expected state of the target, or nil to replace any target.
    /// - Throws: An `isExisting` error if the target has changed.
    mutating func replaceTarget(ifUnchangedSince known: FileMode? = nil) throws(SystemError) {
        let source = if let name { name } else { try nameIt() }
        name = source
        guard isOwn(source) else { throw SystemError.missing }
        // This check comes last, because each call before it may take a long time.
        if let known, try !FileMode(of: target).isUnchanged(since: known) {
            throw SystemError.existing
        }
        try moveFile(source, to: target)
        name = nil
    }

    private mutating func moveToRandomName(_ name: FilePlace) throws(SystemError) {
        guard isOwn(name) else { throw SystemError.missing }
        let random = TemporaryName.random(for: target)
        try moveFile(name, to: random)
        self.name = random
    }

    /// Returns whether a name refers to this file.
    private func isOwn(_ name: FilePlace) -> Bool {
        (try? FileMode(ofItself: name))?.isSameFile(as: identity) == true
    }

    private func nameIt() throws(SystemError) -> FilePlace {
        TemporaryName.removeDead(for: target)
        for name in TemporaryName.candidates(for: target) {
            do throws(SystemError) { try file.linkUnnamed(as: name) } catch {
                guard error.isExisting else { throw error }
                continue
            }
            return name
        }
        throw SystemError.existing
    }

    private mutating func close() {
        if isOpen { file.close() }
        isOpen = false
    }

    /// Removes the temporary name, if there is one, and closes the file.
    mutating func finish() {
        if let name, isOwn(name) { _ = try? removeFile(name) }
        close()
    }
}

/// The names of temporary files: `.keyed.`, 13 letters and digits that encode a number, and 13 more
/// that encode the number's checksum. The odds that another file has such a name by accident are
/// one in 2⁶⁴.
enum TemporaryName {
    private static let prefix = ".keyed."
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    /// The number of base-36 digits that any 64-bit number fits in.
    private static let length = 13
    /// The number of candidate names that depend only on the target.
    private static let fixedCount = 4
    /// The number of random candidates, as many as `mkstemp` of musl tries. One is enough unless
    /// somebody guesses names.
    private static let randomCount = 100

    /// Returns the names to try, in the folder of `target`. The first ones are fixed for a target.
    /// A file that a killed process left under a fixed name is found without reading the folder.
    static func candidates(for target: FilePlace) -> some Sequence<FilePlace> {
        let random = (0..<randomCount).lazy.map { _ in Self.random(for: target) }
        return [AnySequence(fixed(for: target)), AnySequence(random)].joined()
    }

    /// Returns a random name in the folder of `target` which no other file has in practice.
    static func random(for target: FilePlace) -> FilePlace {
        target.sibling(name(.random(in: 0...(.max))))
    }

    private static func fixed(for target: FilePlace) -> [FilePlace] {
        let seed = target.name.utf8
            .reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return (0..<fixedCount).map { target.sibling(name(seed &+ UInt64($0))) }
    }

    /// Returns the name that encodes a number.
    static func name(_ number: UInt64) -> String {
        prefix + String(decoding: text(number) + text(check(number)), as: UTF8.self)
    }

    /// Returns the checksum of a number: one step of SplitMix64.
    private static func check(_ number: UInt64) -> UInt64 {
        var mixed = number &+ 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    private static func text(_ number: UInt64) -> [UInt8] {
        var rest = number
        var bytes: [UInt8] = []
        for _ in 0..<length {
            let (quotient, remainder) = rest.quotientAndRemainder(
                dividingBy: UInt64(letters.count))
            bytes.append(letters[Int(remainder)])
            rest = quotient
        }
        return bytes
    }

    private static func number(_ text: some BidirectionalCollection<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for byte in text.reversed() {
            guard let digit = letters.firstIndex(of: byte) else { return nil }
            let product = number.multipliedReportingOverflow(by: UInt64(letters.count))
            let sum = product.partialValue.addingReportingOverflow(UInt64(digit))
            if product.overflow || sum.overflow { return nil }
            number = sum.partialValue
        }
        return number
    }

    private static func isTemporary(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.starts(with: prefix.utf8), bytes.count == prefix.utf8.count + 2 * length,
            let number = number(bytes[prefix.utf8.count...].prefix(length))
        else { return false }
        return bytes.elementsEqual(name(number).utf8)
    }

    /// Removes the temporary files that dead processes of this user left in a folder.
    ///
    /// - Parameter folder: A path that ends in a slash, or `.`.
    /// - Complexity: Linear in the number of the folder's entries.
    static func removeDead(in folder: FilePlace) {
        guard let names = try? names(in: folder, where: isTemporary) else { return }
        for name in names { removeIfDead(folder.sibling(name)) }
    }

    /// Removes the temporary files that dead processes of this user left for a target under its
    /// fixed names.
    static func removeDead(for target: FilePlace) {
        for name in fixed(for: target) { removeIfDead(name) }
    }

    private static func removeIfDead(_ place: FilePlace) {
        guard let found = try? FileMode(ofItself: place), found.isRegular, found.isOwn else {
            return
        }
        // If the file has a second name, the process was killed after giving the file its final
        // name, which stays. The file is not opened, because closing it would release locks that
        // SQLite holds on it in this process.
        if found.linkCount > 1 {
            _ = try? removeFile(place)
            return
        }
        // NFS locks only files that are open for writing.
        guard
            let file = (try? FileDescriptor.open(place, O_RDWR))
                ?? (try? FileDescriptor.open(place, O_RDONLY))
        else { return }
        defer { file.close() }
        guard file.tryLock(),
            // The file may have been renamed in the meantime.
            let open = try? FileMode(of: file), open.isSameFile(as: found),
            let named = try? FileMode(ofItself: place), named.isSameFile(as: found)
        else { return }
        _ = try? removeFile(place)
    }
}
