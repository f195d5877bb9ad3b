// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import DatabaseFiles
import PropertyList
import SystemFiles

/// A database opened for reading, with notes about its companion files.
///
/// SQLite keeps recent changes in `NAME-wal`. The committed pages of this log replace those of the
/// file. SQLite keeps the rollback data of an interrupted change in `NAME-journal`. The journal is
/// reported, but neither applied nor removed. No other file is opened, and no file is written.
struct DatabaseInput {
    let pages: DatabasePages
    /// The number of bytes of the file and its write-ahead log.
    let size: Int
    /// The lines for standard error.
    private(set) var notes: [String] = []
    /// A Boolean value that says whether the contents are incomplete or differ from those that
    /// SQLite would show.
    private(set) var isPartial = false
    /// The file, or the contents of standard input or of a device.
    let main: any ByteSource
    /// The write-ahead log whose changes are included, and its path.
    private(set) var log: (path: String, source: any ByteSource)?

    init(_ path: String, limits: ParsingLimits) throws(Failure) {
        do {
            let isFile: Bool
            (main, isFile) = try Self.open(path, limits)
            let head = try main.read(at: 0, count: DatabaseHeader.size)
            if let problem = Self.problem(head) { throw DatabaseFileError(problem) }
            guard isFile else {
                pages = try DatabasePages(main)
                size = main.size
                if pages.header.usesWriteAheadLog {
                    notes = [
                        "\(TerminalText.escaped(path)): the database uses a write-ahead log, which "
                            + "can be found only beside a regular file, so its changes are not "
                            + "shown"
                    ]
                }
                return
            }
            var notes = DatabaseNotes(try Self.target(of: path))
            notes.inspectJournal(pageSize: try DatabaseHeader(head).pageSize)
            (pages, size) = try notes.pages(main)
            (self.notes, isPartial) = (notes.lines, notes.isPartial)
            log = notes.log
        } catch let failure as Failure {
            throw failure
        } catch let error as SystemError {
            throw Failure(.invalid, "\(TerminalText.escaped(path)): \(error.message)")
        } catch {
            throw Failure(.invalid, "\(TerminalText.escaped(path)): \(error)")
        }
    }

    private static func open(
        _ path: String, _ limits: ParsingLimits
    ) throws -> (any ByteSource, isFile: Bool) {
        if path != FileAccess.standardInput, try FileMode(of: path).isRegular {
            return (try FileSource(path), true)
        }
        return (MemorySource(try Input.bytes(path, limits)), false)
    }

    /// Returns the path of the file that a symbolic link leads to. SQLite keeps the other files of
    /// a database beside that file. A path that is not a link is returned unchanged.
    private static func target(of path: String) throws -> String {
        let place = FilePlace(path, followingLinks: false)
        return try FileMode(of: place).kind == .symbolicLink ? resolved(path) : path
    }

    /// Returns the reason why a file is not a database, with an alternative to try, or nil for a
    /// database.
    private static func problem(_ head: [UInt8]) -> String? {
        if head.isEmpty { return "is empty" }
        if head.starts(with: DatabaseHeader.magic) { return nil }
        let isPropertyList = (try? PropertyListFormat.detect(head)) != nil
        return isPropertyList
            ? "expected an SQLite database, found a property list (read it with keyed show)"
            : "expected an SQLite database, found another format (search any file with keyed carve)"
    }
}

/// The notes about the companion files of a database.
private struct DatabaseNotes {
    let path: String
    private(set) var lines: [String] = []
    private(set) var isPartial = false
    /// The write-ahead log whose changes are included, and its path.
    private(set) var log: (path: String, source: any ByteSource)?

    init(_ path: String) { self.path = path }

    private mutating func note(_ suffix: String, _ text: String, isPartial: Bool = true) {
        lines.append("\(TerminalText.escaped(path))\(suffix): \(text)")
        self.isPartial = self.isPartial || isPartial
    }

    /// Opens a companion file of the database, or returns nil if it is missing or empty.
    private mutating func companion(_ suffix: String) -> FileSource? {
        do {
            let source = try FileSource(path + suffix)
            return source.size > 0 ? source : nil
        } catch {
            if !error.isMissing {
                note(suffix, "\(error.message); the database is shown without this file")
            }
            return nil
        }
    }

    /// Reports a rollback journal, unless it is missing, empty, or invalid because its first byte
    /// is zero.
    ///
    /// The page size of the journal may differ from that of the database: an interrupted `VACUUM`
    /// that changes it leaves such files, and SQLite restores them.
    mutating func inspectJournal(pageSize: Int) {
        let suffix = RollbackJournal.suffix
        guard let source = companion(suffix) else { return }
        do {
            guard let journal = try RollbackJournal(source, databasePageSize: pageSize)
            else { return }
            guard journal.header != nil else {
                return note(
                    suffix,
                    "is not a valid rollback journal"
                        + (journal.namesSuperJournal
                            ? ", but SQLite would delete a file that it names" : "")
                        + "; it is ignored",
                    isPartial: false)
            }
            let pages = TreeForm.count(journal.recordCount, "page", "pages")
            note(
                suffix,
                "is the rollback journal of an interrupted change and would restore up to \(pages)"
                    + (journal.namesSuperJournal ? " and delete a file that it names" : "")
                    + "; it is not applied, and the database is shown as it is")
        } catch {
            note(suffix, "\(error.what); it is not applied")
        }
    }

    /// Reports the frames after the end of a log. If one of them ends a transaction, the log is
    /// damaged or was not written completely. Otherwise they may remain from a transaction that was
    /// rolled back.
    private mutating func noteLeftFrames(_ log: WriteAheadLog) {
        guard let left = log.leftFrames else { return }
        let frames = TreeForm.count(left.count, "frame", "frames")
        note(
            WriteAheadLog.suffix,
            "ignored \(frames), starting at frame \(left.first), as SQLite does (commit frames: "
                + "\(left.commitCount)): frame \(left.first) is incomplete or has a wrong checksum",
            isPartial: left.commitCount > 0)
    }

    /// Returns the pages of the database, combined with those of its write-ahead log, and the size
    /// of both files in bytes.
    mutating func pages(_ main: any ByteSource) throws -> (DatabasePages, size: Int) {
        let suffix = WriteAheadLog.suffix
        if let source = companion(suffix) {
            do {
                let log = try WriteAheadLog(source)
                if log.pageCount > 0 {
                    let pages = try DatabasePages(main, log: (log, source))
                    note(suffix, "its committed changes are included", isPartial: false)
                    noteLeftFrames(log)
                    self.log = (path + suffix, source)
                    return (pages, main.size + source.size)
                }
                note(suffix, "contains no committed change; it is ignored", isPartial: false)
                noteLeftFrames(log)
            } catch {
                note(suffix, "\(error); the database is shown without this file")
            }
        }
        return (try DatabasePages(main), main.size)
    }
}
