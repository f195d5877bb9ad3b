// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import CSQLite
internal import DatabaseFiles
internal import GRDB
internal import PlatformC
internal import SystemFiles

/// The rollback journal of a store.
///
/// SQLite applies a journal to the database and deletes the file that the journal names as its
/// super-journal. So a journal is used only if it was created by a program that may write the
/// store, and only if it belongs to the current state of the store. ``StoreFiles`` checks an
/// existing journal before reading the store. SQLite opens all journals through ``opener``, which
/// performs the same checks before SQLite applies a journal.
enum StoreJournal {
    /// Opens the journal of a store, and checks its contents.
    ///
    /// `store` is the mode of the store, without the mask of its access control list. `header` is
    /// the header of the store, or nil if it is malformed.
    ///
    /// - Returns: The open journal, or nil if there is none.
    /// - Throws: ``Refusal``, `SystemError`, or `DatabaseFileError`.
    static func openChecked(
        _ journal: String, of store: FileMode, _ header: DatabaseHeader?,
        for access: CompanionFile.Access
    ) throws -> FileDescriptor? {
        guard let file = try open(journal, of: store, for: access) else { return nil }
        do {
            try require(FileSource(reading: file), of: header, storeSize: store.size)
            return file
        } catch {
            file.close()
            throw error
        }
    }

    /// Opens the journal of a store without checking its contents.
    private static func open(
        _ journal: String, of store: FileMode, for access: CompanionFile.Access
    ) throws -> FileDescriptor? {
        do throws(CompanionFile.Failure) {
            return try CompanionFile(journal, of: store, for: access)?.file
        } catch {
            switch error {
            case .refused(let refusal): throw Refusal.file(refusal)
            case .system(let error): throw error
            }
        }
    }

    /// Checks the contents of a journal.
    private static func require(
        _ source: FileSource, of header: DatabaseHeader?, storeSize: Int
    ) throws {
        if try RollbackJournal.namesSuperJournal(source) { throw Refusal.superJournal }
        guard let journal = try RollbackJournal(source) else { return }
        // Without a header, nothing shows that the journal belongs to this store.
        guard let header else { throw Refusal.malformedStore }
        guard let found = journal.header, found.pageSize == header.pageSize,
            journal.hasPagesInEachSegment
        else { throw Refusal.otherFormat }
        let restored = try RollbackJournal.restored(source)
        // SQLite restores the original length of the store. A transaction records every page that
        // it removes, so the journal has a record for each page that the store lacks.
        guard belongs(found, restored.firstPage, to: header),
            Int(clamping: found.originalPageCount) - restored.recordCount
                <= storeSize / found.pageSize
        else { throw Refusal.otherState }
    }

    /// Returns whether a journal belongs to the last, unfinished transaction on a database.
    ///
    /// A transaction records the first page in the journal before it increments the change counter
    /// in that page. Without such a record, the header is still the old one.
    private static func belongs(
        _ journal: RollbackJournal.Header, _ first: RollbackJournal.FirstPage,
        to header: DatabaseHeader
    ) -> Bool {
        switch first {
        case .malformed: false
        case .none: header.pageCount == journal.originalPageCount
        case .header(let restored):
            restored.pageCount == journal.originalPageCount
                && restored.applicationIdentifier == header.applicationIdentifier
                && [restored.changeCounter, restored.changeCounter &+ 1]
                    .contains(header.changeCounter)
        }
    }

    // MARK: For SQLite

    /// Opens a journal for SQLite.
    ///
    /// SQLite opens a journal for reading in order to see whether it is hot. It opens the journal
    /// for writing in order to apply it, while it has exclusive access to the database. The
    /// contents are checked only in the latter case, when nobody else can change the store.
    // SAFETY: SQLite passes NUL-terminated paths that are valid for the call, and the open
    // database.
    static let opener: keyed_journal_opener = { journal, store, database, flags in
        guard let journal = unsafe journal.flatMap({ unsafe String(validatingCString: $0) }),
            let store = unsafe store.flatMap({ unsafe String(validatingCString: $0) })
        else { return -SQLITE_CANTOPEN }
        let access: CompanionFile.Access =
            flags & SQLITE_OPEN_CREATE != 0
            ? .creating : flags & SQLITE_OPEN_READWRITE != 0 ? .writing : .reading
        do {
            let place = FilePlace(store, followingLinks: false)
            let found = try FileMode.existing(at: place)
            guard let mode = try found?.withoutMask(at: store, followingLinks: false),
                unsafe keyed_sqlite_has_moved(database) == 0
            else { throw Refusal.movedStore }
            let file =
                access == .writing
                ? try unsafe openChecked(journal, of: mode, header(of: database), for: access)
                : try open(journal, of: mode, for: access)
            return file?.rawValue ?? -SQLITE_CANTOPEN
        } catch {
            return -code(of: error, access)
        }
    }

    /// Flushes the folder of a journal that was created or removed.
    // SAFETY: SQLite passes a NUL-terminated path that is valid for the call.
    static let flusher: keyed_folder_flusher = { journal in
        guard let journal = unsafe journal.flatMap({ unsafe String(validatingCString: $0) })
        else { return SQLITE_CANTOPEN }
        do throws(SystemError) {
            try synchronizeFolder(of: FilePlace(journal, followingLinks: false))
            return SQLITE_OK
        } catch {
            // `SQLITE_IOERR_DIR_FSYNC`, a macro that Swift does not import.
            return SQLITE_IOERR | 5 << 8
        }
    }

    /// Reads the header of an open database. Returns nil if the file is not a database.
    @unsafe private static func header(
        of database: UnsafeMutablePointer<sqlite3_file>?
    ) throws -> DatabaseHeader? {
        var head = [UInt8](repeating: 0, count: DatabaseHeader.size)
        // SAFETY: the database is open; the buffer belongs to the array and has the size passed.
        let status = unsafe head.withUnsafeMutableBytes { buffer in
            unsafe keyed_sqlite_read_file(database, buffer.baseAddress, Int32(buffer.count), 0)
        }
        guard status == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: status))
        }
        return try? DatabaseHeader(head)
    }

    /// Returns SQLite's result code for an error.
    private static func code(of error: any Error, _ access: CompanionFile.Access) -> Int32 {
        switch error {
        case let refusal as Refusal: SQLITE_PERM | refusal.number << 8
        case let error as DatabaseError: error.extendedResultCode.rawValue
        case let error as SystemError where error.isOutOfSpace: SQLITE_FULL
        case let error as SystemError where error.number == EACCES && access == .creating:
            // `SQLITE_READONLY_DIRECTORY`: the folder is not writable.
            SQLITE_READONLY | 6 << 8
        case is SystemError: SQLITE_CANTOPEN
        default: SQLITE_IOERR | 1 << 8
        }
    }
}

extension StoreJournal {
    /// The reason for refusing a file as the journal of a store.
    enum Refusal: Error, Equatable {
        case file(CompanionFile.Refusal)
        case superJournal, otherFormat, otherState, movedStore, malformedStore

        private static let contents: [Refusal] = [
            .superJournal, .otherFormat, .otherState, .movedStore, .malformedStore,
        ]
        private static let firstNumber: Int32 = 32

        /// The number of the refusal in SQLite's extended result code.
        var number: Int32 {
            if case .file(let refusal) = self { return refusal.rawValue }
            return Self.firstNumber
                + Int32(truncatingIfNeeded: Self.contents.firstIndex(of: self) ?? 0)
        }

        /// Creates the refusal that an SQLite error contains. The result is nil if there is none.
        init?(_ error: DatabaseError) {
            if error.extendedResultCode == .SQLITE_READONLY_DBMOVED {
                self = .movedStore
                return
            }
            guard error.resultCode == .SQLITE_PERM else { return nil }
            let number = error.extendedResultCode.rawValue >> 8
            let index = Int(truncatingIfNeeded: number &- Self.firstNumber)
            if let refusal = CompanionFile.Refusal(rawValue: number) {
                self = .file(refusal)
            } else if Self.contents.indices.contains(index) {
                self = Self.contents[index]
            } else {
                return nil
            }
        }

        /// Returns the error for the journal of a store.
        func error(_ store: String) -> StoreError {
            let place = (try? resolved(store)) ?? store
            if self == .movedStore {
                return StoreError(
                    .invalidDatabase,
                    what: "the store was moved or replaced while it was open", file: place,
                    recovery: "open it again")
            }
            return StoreError(
                .invalidDatabase, what: what(place), file: place + RollbackJournal.suffix,
                recovery: recovery(place))
        }

        private func what(_ store: String) -> String {
            switch self {
            case .file(let refusal): Self.what(refusal, store)
            case .superJournal:
                "the journal beside the store names a file that SQLite would delete"
            case .otherFormat:
                "expected a rollback journal with the page size of the store, found another file"
            case .otherState, .movedStore:
                "the journal belongs to another store, or to another state of this one"
            case .malformedStore:
                "the header of the store is malformed, so its journal cannot be verified"
            }
        }

        private func recovery(_ store: String) -> String {
            switch self {
            case .file(.otherOwner):
                "if a program of that user was interrupted, the store needs the journal: "
                    + "open the store as \(Self.journalOwner(store)), and do not move the journal away"
            case .otherState:
                "the store may need it: open a copy of the store and its journal with SQLite, and "
                    + "move the journal away only if the contents of that copy are older than the "
                    + "store's"
            case .malformedStore:
                "move the store and its journal away, and restore the store from a backup"
            default:
                "stores never create such a journal; move it away if you know where it came from"
            }
        }

        private static func what(_ refusal: CompanionFile.Refusal, _ store: String) -> String {
            switch refusal {
            case .severalNames:
                "expected a journal with one name, found a file with several names (hard links)"
            case .symbolicLink: "expected a journal, found a symbolic link, which is not followed"
            case .notRegular: "expected a regular file as the journal, found another kind of file"
            case .otherOwner:
                "expected a journal owned by \(owner(of: store) ?? "the owner of the store"), found "
                    + "one owned by \(journalOwner(store))"
            case .writableByOthers: "others may write the journal, but not the store"
            }
        }

        private static func journalOwner(_ store: String) -> String {
            owner(of: store + RollbackJournal.suffix) ?? "another user"
        }

        private static func owner(of path: String) -> String? {
            let mode = try? FileMode.existing(at: FilePlace(path, followingLinks: false))
            return mode.map { "user \($0.owner)" }
        }
    }
}

#endif
