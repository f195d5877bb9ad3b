// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// A file that a program keeps beside a main file, such as the journal of a database.
///
/// Anyone who may write the folder can put a file of that name there. Its contents become a part of the main
/// file, and who opened it before reads what is written to it. So a companion is opened only if its owner and
/// its mode show that nobody else could have made it. The check is made on the descriptor that is then used.
package struct CompanionFile {
    package let file: FileDescriptor

    /// The use of a companion.
    package enum Access: Sendable {
        case reading, writing
        /// Writing to a new file, in the place of an old one that would be taken for a companion.
        case creating
    }

    /// The reason why a file is not taken for a companion.
    package enum Refusal: Int32, Sendable {
        case severalNames = 1
        case symbolicLink, notRegular, otherOwner, writableByOthers
    }

    /// The failure to open a companion.
    package enum Failure: Error {
        case refused(Refusal)
        case system(SystemError)

        fileprivate var isMissing: Bool {
            if case .system(let error) = self { error.isMissing } else { false }
        }

        fileprivate init(_ error: SystemError) {
            self = error.isLink ? .refused(.symbolicLink) : .system(error)
        }
    }

    /// Opens a companion of the file with the mode `main`. A new one gets the owner and the mode of that file.
    ///
    /// `main` is the mode ``FileMode/withoutMask(at:)``, so that the further users of an access control list
    /// may do nothing with the companion.
    ///
    /// - Returns: nil where there is no such file, and none is to be created.
    package init?(_ path: String, of main: FileMode, for access: Access) throws(Failure) {
        let place = FilePlace(path, followingLinks: false)
        guard access == .creating else {
            guard let file = try Self.open(place, main, access) else { return nil }
            self.file = file
            return
        }
        // Again where others create the file meanwhile.
        for _ in 0..<100 {
            try Self.removeOld(place, main)
            if let file = try Self.create(place, main) {
                self.file = file
                return
            }
        }
        throw .system(SystemError(message: "is created by others again and again"))
    }

    /// Removes an old companion, with its contents, mode and access control list.
    private static func removeOld(_ place: FilePlace, _ main: FileMode) throws(Failure) {
        do throws(Failure) {
            try require(attempt { () throws(SystemError) in try FileMode(ofItself: place) }, main)
            _ = try attempt { () throws(SystemError) in try removeFile(place) }
        } catch {
            if !error.isMissing { throw error }
        }
    }

    /// Opens a file; nil where there is none.
    private static func open(
        _ place: FilePlace, _ main: FileMode, _ access: Access
    ) throws(Failure) -> FileDescriptor? {
        let file: FileDescriptor
        do throws(Failure) {
            // Before it is opened: closing another name of the main file would release the locks on it.
            try require(attempt { () throws(SystemError) in try FileMode(ofItself: place) }, main)
            file = try attempt { () throws(SystemError) in
                try FileDescriptor.open(place, access == .reading ? O_RDONLY : O_RDWR)
            }
        } catch {
            if error.isMissing { return nil }
            throw error
        }
        try requireOpen(file, main)
        return file
    }

    private static func requireOpen(_ file: FileDescriptor, _ main: FileMode) throws(Failure) {
        var isMain = false
        do throws(Failure) {
            let found = try attempt { () throws(SystemError) in try FileMode(of: file) }
            isMain = found.isSameFile(as: main)
            try require(found, main)
            // The bits of the group are the list's mask.
            let isList = try attempt { () throws(SystemError) in try AccessList.exists(on: file) }
            if isList, found.mode & 0o020 != 0 { throw .refused(.writableByOthers) }
        } catch {
            // The main file has got this name in the moment before. It stays open, for the locks on it.
            if !isMain { file.close() }
            throw error
        }
    }

    /// Creates a file; nil where there is one.
    private static func create(
        _ place: FilePlace, _ main: FileMode
    ) throws(Failure) -> FileDescriptor? {
        do throws(SystemError) {
            // For the owner alone, until the group is that of the main file.
            let file = try FileDescriptor.create(place, mode: main.mode & 0o600)
            do throws(SystemError) { try main.giveRights(to: file) } catch {
                file.close()
                _ = try? removeFile(place)
                throw error
            }
            return file
        } catch {
            if error.isExisting { return nil }
            throw Failure(error)
        }
    }

    /// Checks that nobody but who may write the main file could have made a file.
    private static func require(_ found: FileMode, _ main: FileMode) throws(Failure) {
        if found.kind == .symbolicLink { throw .refused(.symbolicLink) }
        guard found.isRegular else { throw .refused(.notRegular) }
        if found.linkCount > 1 { throw .refused(.severalNames) }
        guard found.owner == main.owner || found.isOwn || found.owner == 0 else {
            throw .refused(.otherOwner)
        }
        guard found.mode & ~main.mode & 0o022 == 0 else { throw .refused(.writableByOthers) }
    }

    private static func attempt<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        do throws(SystemError) { return try body() } catch { throw Failure(error) }
    }
}

extension FileMode {
    /// Gives a new file that is empty the rights of this one, as ``apply(to:_:)``, where it has not got them. It
    /// gets no access control list.
    fileprivate func giveRights(to file: FileDescriptor) throws(SystemError) {
        // The list that the folder gives to new files. The mode changes with it.
        try AccessList.remove(from: file)
        let new = try FileMode(of: file)
        if new.owner == owner, new.group == group, new.mode == mode & 0o666 { return }
        _ = try apply(to: file, nil)
    }
}
