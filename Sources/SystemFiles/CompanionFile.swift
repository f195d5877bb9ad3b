// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// A file that a program keeps beside a main file, such as the journal of a database.
///
/// Anyone who may write to the folder can put a file with the companion's name there. The contents
/// of a companion become part of the main file, and a program that opened the companion earlier can
/// read later writes. So a companion is opened only if its owner and mode show that a user who may
/// write the main file created it. The check is repeated on the open descriptor, through which the
/// companion is then read and written.
package struct CompanionFile {
    package let file: FileDescriptor

    /// The intended use of a companion.
    package enum Access: Sendable {
        case reading, writing
        /// Writing to a new file, after removing an existing companion.
        case creating
    }

    /// The reason for refusing a file as a companion.
    package enum Refusal: Int32, Sendable {
        case severalNames = 1
        case symbolicLink, notRegular, otherOwner, writableByOthers
    }

    /// An error that prevents opening a companion.
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

    /// Opens a companion of the file with the mode `main`. A new companion gets the mode of
    /// that file and, if the system allows it, its owner and its group.
    ///
    /// Pass the mode returned by ``FileMode/withoutMask(at:followingLinks:)`` as `main`, so that
    /// users named in an access control list get no rights on the companion.
    ///
    /// - Returns: nil if there is no such file and `access` is not `creating`.
    package init?(_ path: String, of main: FileMode, for access: Access) throws(Failure) {
        let place = FilePlace(path, followingLinks: false)
        guard access == .creating else {
            guard let file = try Self.open(place, main, access) else { return nil }
            self.file = file
            return
        }
        // Retry if another program creates the file in the meantime.
        for _ in 0..<100 {
            try Self.removeOld(place, main)
            if let file = try Self.create(place, main) {
                self.file = file
                return
            }
        }
        throw .system(SystemError(message: "other programs keep creating the file"))
    }

    /// Removes an existing companion together with its contents, mode and access control list.
    private static func removeOld(_ place: FilePlace, _ main: FileMode) throws(Failure) {
        do throws(Failure) {
            try require(attempt { () throws(SystemError) in try FileMode(ofItself: place) }, main)
            _ = try attempt { () throws(SystemError) in try removeFile(place) }
        } catch {
            if !error.isMissing { throw error }
        }
    }

    /// Opens an existing file, or returns nil if there is none.
    private static func open(
        _ place: FilePlace, _ main: FileMode, _ access: Access
    ) throws(Failure) -> FileDescriptor? {
        let file: FileDescriptor
        do throws(Failure) {
            // Check before opening. If the path names the main file, closing a descriptor of it
            // would release its locks.
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
            // With a list, the group bits are the list's mask.
            let isList = try attempt { () throws(SystemError) in try AccessList.exists(on: file) }
            if isList, found.mode & 0o020 != 0 { throw .refused(.writableByOthers) }
        } catch {
            // If the path was changed to name the main file after the first check, the descriptor
            // stays open: closing it would release the locks on the main file.
            if !isMain { file.close() }
            throw error
        }
    }

    /// Creates a file, or returns nil if there already is one.
    private static func create(
        _ place: FilePlace, _ main: FileMode
    ) throws(Failure) -> FileDescriptor? {
        do throws(SystemError) {
            // Only the owner has access until the file has the group of the main file.
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

    /// Checks that only a user who may write the main file could have created a file.
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
    /// Gives a new, empty file the rights of this one, as ``apply(to:_:)`` does, unless it already
    /// has them. The file gets no access control list.
    fileprivate func giveRights(to file: FileDescriptor) throws(SystemError) {
        // New files inherit a list from the folder. Removing it also changes the mode.
        try AccessList.remove(from: file)
        let new = try FileMode(of: file)
        if new.owner == owner, new.group == group, new.mode == mode & 0o777 { return }
        _ = try apply(to: file, nil)
    }
}
