// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A file that gets its name when its contents are complete.
///
/// Where the system has files without a name (`O_TMPFILE` on Linux), nothing is left of one when the
/// process dies. Elsewhere, and for the moment before a file replaces another, it has a name in the same
/// folder, `.keyed.` and nine letters or digits. The process holds a lock on it as long as it lives, so
/// a file of such a name that can be locked is dead and is removed.
struct TemporaryFile {
    let file: FileDescriptor
    private let target: String
    private var name: String?

    /// Creates a file without a name in the folder of `target`; nil where there are none.
    ///
    /// - Parameter mode: the mode, before the process's umask is applied to it.
    init?(unnamedFor target: String, mode: mode_t) {
        #if os(Linux)
        guard let file = FileDescriptor.createUnnamed(inFolder: folder(of: target), mode: mode)
        else { return nil }
        // Nobody else can have the lock; without it the file counts as alive.
        _ = file.tryLock()
        self.file = file
        self.target = target
        #else
        return nil
        #endif
    }

    /// Creates a file with a name that is not used, in the folder of `target`.
    ///
    /// - Parameter mode: the mode, before the process's umask is applied to it.
    init(namedFor target: String, mode: mode_t) throws(SystemError) {
        for name in TemporaryName.candidates(for: target) {
            let file: FileDescriptor
            do throws(SystemError) { file = try FileDescriptor.create(name, mode: mode) } catch {
                guard error.isExisting else { throw error }
                continue
            }
            // A process that removes dead files may have locked this one before it was locked here.
            let isTaken = !file.tryLock() && SystemError.last.isNotReady
            let linkCount = try FileMode(of: file).linkCount
            if isTaken || linkCount == 0 {
                file.close()
                continue
            }
            self.file = file
            self.target = target
            self.name = name
            return
        }
        throw SystemError.existing
    }

    /// Gives the file the name of its target.
    ///
    /// - Throws: an error that `isExisting` where there is a file of that name.
    func publish() throws(SystemError) {
        guard let name else { return try file.linkUnnamed(as: target) }
        try linkFile(name, as: target)
    }

    /// Puts the file in the place of its target.
    mutating func replaceTarget() throws(SystemError) {
        let source = if let name { name } else { try nameIt() }
        name = source
        try moveFile(source, to: target)
        name = nil
    }

    private func nameIt() throws(SystemError) -> String {
        for name in TemporaryName.candidates(for: target) {
            do throws(SystemError) { try file.linkUnnamed(as: name) } catch {
                guard error.isExisting else { throw error }
                continue
            }
            return name
        }
        throw SystemError.existing
    }

    /// Removes the temporary name, if there is one, and closes the file.
    func finish() {
        if let name { _ = try? removeFile(name) }
        file.close()
    }
}

/// The names of temporary files.
enum TemporaryName {
    private static let prefix = ".keyed."
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let length = 9
    /// The number of names that depend on the target alone.
    private static let fixedCount = 4
    /// As many as `mkstemp` tries; one is enough unless somebody guesses names.
    private static let randomCount = 100

    /// Returns names to try, in the folder of `target`. The first ones are always the same for a target,
    /// so a file that a killed process left there is found and removed without reading the folder.
    static func candidates(for target: String) -> some Sequence<String> {
        let start = folderPrefix(of: target) + prefix
        let seed = target.utf8.dropFirst(folderPrefix(of: target).utf8.count)
            .reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let fixed = (0..<fixedCount).map { start + text(seed &+ UInt64($0)) }
        for name in fixed { removeIfDead(name) }
        let random = (0..<randomCount).lazy.map { _ in start + text(.random(in: 0...(.max))) }
        return [AnySequence(fixed), AnySequence(random)].joined()
    }

    private static func text(_ number: UInt64) -> String {
        var rest = number
        var bytes: [UInt8] = []
        for _ in 0..<length {
            let (quotient, remainder) = rest.quotientAndRemainder(
                dividingBy: UInt64(letters.count))
            bytes.append(letters[Int(remainder)])
            rest = quotient
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.utf8.dropFirst(prefix.utf8.count)
        return rest.count == length && rest.allSatisfy { letters.contains($0) }
    }

    /// Removes the temporary files that dead processes of this user left in a folder. Linear in the
    /// number of its entries.
    static func removeDead(inFolder folder: String) {
        guard let names = try? names(inFolder: folder, startingWith: prefix) else { return }
        for name in names where isTemporary(name) { removeIfDead("\(folder)/\(name)") }
    }

    private static func removeIfDead(_ path: String) {
        guard let file = try? FileDescriptor.openItself(path) else { return }
        defer { file.close() }
        guard let mode = try? FileMode(of: file), mode.isRegular, mode.isOwn, file.tryLock(),
            // Meanwhile the file may have got another name.
            let named = try? FileMode(ofItself: path), named.isSameFile(as: mode)
        else { return }
        _ = try? removeFile(path)
    }
}
