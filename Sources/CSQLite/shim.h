// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#ifndef KEYED_CSQLITE_SHIM_H
#define KEYED_CSQLITE_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A VFS that lets SQLite open a database, its rollback journal and temporary files, and nothing else. SQLite reads the
// name of a super-journal from the journal and deletes the file with that name. It also reads a write-ahead log beside
// a database, even if the database does not use one. The VFS refuses super-journals and write-ahead logs on each call,
// so a file that appears after an earlier check does no harm.
//
// The Swift module opens and checks journals. The VFS reads and writes them through the same descriptor.
//
// The VFS is written in C because it is a table of C functions, which SQLite calls with a pointer to that table.

/// The name of the VFS.
#define KEYED_SQLITE_GUARD "keyed-archive-guard"

// MARK: - The bytes of a database

/// Reads a part of a file. Bytes beyond the end of the file are zero.
static inline int keyed_sqlite_read_file(sqlite3_file *file, void *bytes, int size,
                                         sqlite3_int64 offset) {
    if (!file || !file->pMethods) return SQLITE_ERROR;
    int status = file->pMethods->xRead(file, bytes, size, offset);
    return status == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : status;
}

/// Reads a part of the main database through SQLite's own descriptor.
///
/// Another descriptor must not be used: closing it would release all POSIX locks that the process has on the file,
/// including those of other connections.
static inline int keyed_sqlite_read(sqlite3 *connection, void *bytes, int size, sqlite3_int64 offset) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return status == SQLITE_OK ? keyed_sqlite_read_file(file, bytes, size, offset) : status;
}

/// Sets `size` to the size of the main database in bytes, read through SQLite's own descriptor.
static inline int keyed_sqlite_size(sqlite3 *connection, sqlite3_int64 *size) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status != SQLITE_OK) return status;
    return file && file->pMethods ? file->pMethods->xFileSize(file, size) : SQLITE_ERROR;
}

/// Returns whether a database no longer has the name under which it was opened. The result is nonzero if that is
/// unknown.
static inline int keyed_sqlite_has_moved(sqlite3_file *file) {
    int moved = 0;
    if (!file || !file->pMethods) return 1;
    int status = file->pMethods->xFileControl(file, SQLITE_FCNTL_HAS_MOVED, &moved);
    return status != SQLITE_OK || moved;
}

/// Sets `reserved` to whether a connection of any process is about to write to the main database. If so, SQLite does
/// not apply a journal.
static inline int keyed_sqlite_is_reserved(sqlite3 *connection, int *reserved) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status != SQLITE_OK) return status;
    if (!file || !file->pMethods) return SQLITE_ERROR;
    status = file->pMethods->xCheckReservedLock(file, reserved);
    // If a journal is hot, `keyed_guard_is_reserved` returns SQLITE_BUSY.
    if (status == SQLITE_BUSY) *reserved = 1;
    return status == SQLITE_BUSY ? SQLITE_OK : status;
}

// MARK: - Journals

/// Opens the journal of a database, according to SQLITE_OPEN_READONLY, READWRITE and CREATE in `flags`.
///
/// Returns the descriptor, or a negated SQLite error code.
typedef int (*keyed_journal_opener)(const char *journal, const char *store, sqlite3_file *database,
                                    int flags);

/// Flushes the folder of a journal. Returns SQLITE_OK or an SQLite error code.
typedef int (*keyed_folder_flusher)(const char *journal);

typedef struct keyed_journal {
    sqlite3_file base;
    int descriptor;
    /// Nonzero if the journal is new and its folder has not been flushed yet.
    int is_new;
    const char *path;
    keyed_folder_flusher flusher;
} keyed_journal;

static inline int keyed_journal_close(sqlite3_file *file) {
    close(((keyed_journal *)file)->descriptor);
    return SQLITE_OK;
}

static inline int keyed_journal_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset) {
    int filled = 0;
    while (filled < size) {
        ssize_t count = pread(((keyed_journal *)file)->descriptor, (char *)bytes + filled,
                              (size_t)(size - filled), (off_t)(offset + filled));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return SQLITE_IOERR_READ;
        if (count == 0) {
            memset((char *)bytes + filled, 0, (size_t)(size - filled));
            return SQLITE_IOERR_SHORT_READ;
        }
        filled += (int)count;
    }
    return SQLITE_OK;
}

/// Returns whether an error number means that the disk or the user's quota is full, or that the file is too large.
static inline int keyed_journal_is_full(int error) {
    return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

static inline int keyed_journal_write(sqlite3_file *file, const void *bytes, int size,
                                      sqlite3_int64 offset) {
    int written = 0;
    while (written < size) {
        ssize_t count = pwrite(((keyed_journal *)file)->descriptor, (const char *)bytes + written,
                               (size_t)(size - written), (off_t)(offset + written));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0)
            return count == 0 || keyed_journal_is_full(errno) ? SQLITE_FULL : SQLITE_IOERR_WRITE;
        written += (int)count;
    }
    return SQLITE_OK;
}

static inline int keyed_journal_truncate(sqlite3_file *file, sqlite3_int64 size) {
    while (ftruncate(((keyed_journal *)file)->descriptor, (off_t)size) != 0)
        if (errno != EINTR) return SQLITE_IOERR_TRUNCATE;
    return SQLITE_OK;
}

static inline int keyed_journal_sync(sqlite3_file *file, int flags) {
    keyed_journal *journal = (keyed_journal *)file;
    int result;
#if defined(__APPLE__)
    int is_full = (flags & 0x0F) == SQLITE_SYNC_FULL;
    do result = is_full ? fcntl(journal->descriptor, F_FULLFSYNC, 0) : -1;
    while (is_full && result != 0 && errno == EINTR);
    // Some file systems support only `fsync`. It is not tried after a device failure, which it might not report again.
    if (result != 0 && !(is_full && errno == EIO))
        do result = fsync(journal->descriptor);
        while (result != 0 && errno == EINTR);
#else
    (void)flags;
    do result = fdatasync(journal->descriptor);
    while (result != 0 && errno == EINTR);
#endif
    // Some file systems report a full disk only now.
    if (result != 0) return keyed_journal_is_full(errno) ? SQLITE_FULL : SQLITE_IOERR_FSYNC;
    if (!journal->is_new) return SQLITE_OK;
    int status = journal->flusher(journal->path);
    if (status == SQLITE_OK) journal->is_new = 0;
    return status;
}

static inline int keyed_journal_size(sqlite3_file *file, sqlite3_int64 *size) {
    struct stat status;
    if (fstat(((keyed_journal *)file)->descriptor, &status) != 0) return SQLITE_IOERR_FSTAT;
    *size = status.st_size;
    return SQLITE_OK;
}

// Journals are never locked: the locks are on the database.

static inline int keyed_journal_lock(sqlite3_file *file, int kind) {
    (void)file;
    (void)kind;
    return SQLITE_OK;
}

static inline int keyed_journal_is_reserved(sqlite3_file *file, int *reserved) {
    (void)file;
    *reserved = 0;
    return SQLITE_OK;
}

static inline int keyed_journal_control(sqlite3_file *file, int operation, void *argument) {
    (void)file;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static inline int keyed_journal_sector_size(sqlite3_file *file) {
    (void)file;
    return 4096;
}

static inline int keyed_journal_characteristics(sqlite3_file *file) {
    (void)file;
    return 0;
}

static inline const sqlite3_io_methods *keyed_journal_methods(void) {
    static const sqlite3_io_methods methods = {
        .iVersion = 1,
        .xClose = keyed_journal_close,
        .xRead = keyed_journal_read,
        .xWrite = keyed_journal_write,
        .xTruncate = keyed_journal_truncate,
        .xSync = keyed_journal_sync,
        .xFileSize = keyed_journal_size,
        .xLock = keyed_journal_lock,
        .xUnlock = keyed_journal_lock,
        .xCheckReservedLock = keyed_journal_is_reserved,
        .xFileControl = keyed_journal_control,
        .xSectorSize = keyed_journal_sector_size,
        .xDeviceCharacteristics = keyed_journal_characteristics,
    };
    return &methods;
}

// MARK: - The VFS

/// The error for opening or looking for a file that does not belong to a store. SQLite looks for such files in the
/// middle of a rollback. After an I/O error it discards its cached pages and reads the database again. After any other
/// error it would keep the pages of the failed transaction.
#define KEYED_GUARD_REFUSAL SQLITE_IOERR_ACCESS

/// The system's VFS, and the functions that open journals and flush their folders.
typedef struct keyed_guard_data {
    sqlite3_vfs *system;
    keyed_journal_opener opener;
    keyed_folder_flusher flusher;
} keyed_guard_data;

static inline sqlite3_vfs *keyed_guard_system(sqlite3_vfs *guard) {
    return ((keyed_guard_data *)guard->pAppData)->system;
}

/// Returns whether a path ends with a suffix.
static inline int keyed_guard_ends(const char *path, const char *suffix) {
    size_t length = path ? strlen(path) : 0, end = strlen(suffix);
    return length >= end && memcmp(path + length - end, suffix, end) == 0;
}

static inline int keyed_guard_open_journal(sqlite3_vfs *guard, const char *path, sqlite3_file *file,
                                           int flags, int *opened) {
    keyed_guard_data *data = (keyed_guard_data *)guard->pAppData;
    int descriptor = data->opener(path, sqlite3_filename_database(path),
                                  sqlite3_database_file_object(path), flags);
    if (descriptor < 0) return -descriptor;
    keyed_journal *journal = (keyed_journal *)file;
    journal->descriptor = descriptor;
    journal->is_new = (flags & SQLITE_OPEN_CREATE) != 0;
    journal->path = path;
    journal->flusher = data->flusher;
    file->pMethods = keyed_journal_methods();
    if (opened) *opened = flags;
    return SQLITE_OK;
}

// MARK: A database

/// The methods of an open database: those of the system's VFS, with two replaced. This structure follows the file
/// structure of that VFS in memory.
typedef struct keyed_guard_main {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *system;
    sqlite3_vfs *guard;
    const char *path;
} keyed_guard_main;

static inline const keyed_guard_main *keyed_guard_main_of(sqlite3_file *file) {
    // The methods are the first member.
    return (const keyed_guard_main *)file->pMethods;
}

/// Flushes a database. The system's VFS reports any failure as SQLITE_IOERR_FSYNC. This function tries again after an
/// interrupting signal, and returns SQLITE_FULL for a full disk.
static inline int keyed_guard_sync(sqlite3_file *file, int flags) {
    const sqlite3_io_methods *system = keyed_guard_main_of(file)->system;
    for (;;) {
        int error = 0, status = system->xSync(file, flags);
        if (status != SQLITE_IOERR_FSYNC) return status;
        if (system->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error) != SQLITE_OK) return status;
        if (keyed_journal_is_full(error)) return SQLITE_FULL;
        if (error != EINTR) return status;
    }
}

/// Sets `has_journal` to whether the journal of a database is hot. Returns SQLITE_OK or an SQLite error code.
static inline int keyed_guard_has_journal(const keyed_guard_main *main, sqlite3_file *file,
                                          int *has_journal) {
    keyed_guard_data *data = (keyed_guard_data *)main->guard->pAppData;
    unsigned char first = 0;
    ssize_t count;
    int descriptor = data->opener(sqlite3_filename_journal(main->path), main->path, file,
                                  SQLITE_OPEN_READONLY);
    // A journal that cannot be opened now may be gone. It counts as hot, so SQLite tries again after a pause.
    *has_journal = descriptor == -SQLITE_CANTOPEN;
    if (descriptor < 0) return *has_journal ? SQLITE_OK : -descriptor;
    do count = pread(descriptor, &first, 1, 0);
    while (count < 0 && errno == EINTR);
    close(descriptor);
    if (count < 0) return SQLITE_IOERR_READ;
    *has_journal = count == 1 && first != 0;
    return SQLITE_OK;
}

/// Sets `reserved` to whether a connection is about to write to a database. SQLite calls this function while it has a
/// read lock. If a connection is about to write, SQLite does not apply a journal.
///
/// A writer locks one byte of the file. Any process that may read the database can put a read lock on that byte. The
/// system's VFS cannot distinguish this lock from a writer's, so SQLite would ignore the journal and read an incomplete
/// transaction. But a writer locks the database exclusively before it makes its journal hot, and no writer can do that
/// while the caller has its read lock. A hot journal therefore does not belong to the holder of this lock, and the
/// function returns SQLITE_BUSY.
static inline int keyed_guard_is_reserved(sqlite3_file *file, int *reserved) {
    const keyed_guard_main *main = keyed_guard_main_of(file);
    int has_journal = 0, status = main->system->xCheckReservedLock(file, reserved);
    if (status != SQLITE_OK || !*reserved) return status;
    status = keyed_guard_has_journal(main, file, &has_journal);
    return status == SQLITE_OK && has_journal ? SQLITE_BUSY : status;
}

/// Returns the offset of the `keyed_guard_main` structure, which follows the file structure of the system's VFS.
static inline int keyed_guard_main_offset(const sqlite3_vfs *system) {
    return (system->szOsFile + 7) & ~7;
}

/// Replaces the methods of a database that the system's VFS has opened.
static inline void keyed_guard_wrap(sqlite3_vfs *guard, const char *path, sqlite3_file *file) {
    keyed_guard_main *main =
        (keyed_guard_main *)((char *)file + keyed_guard_main_offset(keyed_guard_system(guard)));
    main->methods = *file->pMethods;
    main->methods.xSync = keyed_guard_sync;
    main->methods.xCheckReservedLock = keyed_guard_is_reserved;
    main->system = file->pMethods;
    main->guard = guard;
    main->path = path;
    file->pMethods = &main->methods;
}

static inline int keyed_guard_open(sqlite3_vfs *guard, const char *path, sqlite3_file *file,
                                   int flags, int *opened) {
    file->pMethods = 0;
    // 0x4000 is SQLITE_OPEN_SUPER_JOURNAL, which older headers call by another name.
    if (flags & (0x4000 | SQLITE_OPEN_WAL)) return KEYED_GUARD_REFUSAL;
    if (path && flags & SQLITE_OPEN_MAIN_JOURNAL)
        return keyed_guard_open_journal(guard, path, file, flags, opened);
    sqlite3_vfs *system = keyed_guard_system(guard);
    int status = system->xOpen(system, path, file, flags, opened);
    if (status == SQLITE_OK && path && flags & SQLITE_OPEN_MAIN_DB && file->pMethods)
        keyed_guard_wrap(guard, path, file);
    return status;
}

// MARK: Other calls

static inline int keyed_guard_delete(sqlite3_vfs *guard, const char *path, int sync) {
    if (!keyed_guard_ends(path, "-journal")) return SQLITE_IOERR_DELETE;
    // The system's VFS is not used: it would report an error if the folder cannot be flushed, and it does not flush a
    // folder that the process may write but not read.
    if (unlink(path) != 0)
        return errno == ENOENT ? SQLITE_IOERR_DELETE_NOENT : SQLITE_IOERR_DELETE;
    return sync ? ((keyed_guard_data *)guard->pAppData)->flusher(path) : SQLITE_OK;
}

static inline int keyed_guard_access(sqlite3_vfs *guard, const char *path, int flags, int *result) {
    if (keyed_guard_ends(path, "-wal")) {
        *result = 0;
        return SQLITE_OK;
    }
    if (!keyed_guard_ends(path, "-journal")) return KEYED_GUARD_REFUSAL;
    sqlite3_vfs *system = keyed_guard_system(guard);
    return system->xAccess(system, path, flags, result);
}

static inline int keyed_guard_full_path(sqlite3_vfs *guard, const char *path, int size, char *full) {
    sqlite3_vfs *system = keyed_guard_system(guard);
    return system->xFullPathname(system, path, size, full);
}

static inline int keyed_guard_randomness(sqlite3_vfs *guard, int size, char *bytes) {
    sqlite3_vfs *system = keyed_guard_system(guard);
    return system->xRandomness(system, size, bytes);
}

static inline int keyed_guard_sleep(sqlite3_vfs *guard, int microseconds) {
    sqlite3_vfs *system = keyed_guard_system(guard);
    return system->xSleep(system, microseconds);
}

static inline int keyed_guard_time(sqlite3_vfs *guard, double *days) {
    sqlite3_vfs *system = keyed_guard_system(guard);
    return system->xCurrentTime(system, days);
}

static inline int keyed_guard_last_error(sqlite3_vfs *guard, int size, char *text) {
    sqlite3_vfs *system = keyed_guard_system(guard);
    return system->xGetLastError ? system->xGetLastError(system, size, text) : 0;
}

/// Registers the VFS without making it the default. Call this function only once per process.
///
/// Returns SQLITE_OK, or an SQLite error code if connections cannot use the VFS. Connections select it in a URI
/// filename. The code is SQLITE_MISUSE if SQLite was built without SQLITE_USE_URI, which enables such names by default.
static inline int keyed_sqlite_register_guard(keyed_journal_opener opener,
                                              keyed_folder_flusher flusher) {
    static sqlite3_vfs guard;
    static keyed_guard_data data;
    if (!sqlite3_compileoption_used("USE_URI")) return SQLITE_MISUSE;
    sqlite3_vfs *system = sqlite3_vfs_find(0);
    if (!system) return SQLITE_ERROR;
    data.system = system;
    data.opener = opener;
    data.flusher = flusher;
    guard.iVersion = 1;
    // Also large enough for a `keyed_journal`.
    guard.szOsFile = keyed_guard_main_offset(system) + (int)sizeof(keyed_guard_main);
    guard.mxPathname = system->mxPathname;
    guard.zName = KEYED_SQLITE_GUARD;
    guard.pAppData = &data;
    guard.xOpen = keyed_guard_open;
    guard.xDelete = keyed_guard_delete;
    guard.xAccess = keyed_guard_access;
    guard.xFullPathname = keyed_guard_full_path;
    guard.xDlOpen = system->xDlOpen;
    guard.xDlError = system->xDlError;
    guard.xDlSym = system->xDlSym;
    guard.xDlClose = system->xDlClose;
    guard.xRandomness = keyed_guard_randomness;
    guard.xSleep = keyed_guard_sleep;
    guard.xCurrentTime = keyed_guard_time;
    guard.xGetLastError = keyed_guard_last_error;
    return sqlite3_vfs_register(&guard, 0);
}

#endif
