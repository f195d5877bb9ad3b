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

// A VFS through which SQLite opens a database, its rollback journal and temporary files, and nothing
// else. SQLite reads the name of a super-journal from the journal and deletes the file of that name; a
// write-ahead log beside a database is read whatever the database says. Both are refused here, at the
// moment of each call, so no file that appears after a check is a way around it.
//
// The program opens journals itself, and checks them on the descriptor that is then used here.
//
// In C because a VFS is a table of C functions that are called with pointers into it.

/// The name of the VFS.
#define KEYED_SQLITE_GUARD "keyed-archive-guard"

// MARK: - The bytes of a database

/// Reads a part of a file; the rest is zero where the file is shorter.
static inline int keyed_sqlite_read_file(sqlite3_file *file, void *bytes, int size,
                                         sqlite3_int64 offset) {
    if (!file || !file->pMethods) return SQLITE_ERROR;
    int status = file->pMethods->xRead(file, bytes, size, offset);
    return status == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : status;
}

/// Reads a part of the main database through SQLite's own descriptor.
///
/// Another descriptor must not be used: closing it would release all POSIX locks that the process has on
/// the file, those of other connections too.
static inline int keyed_sqlite_read(sqlite3 *connection, void *bytes, int size, sqlite3_int64 offset) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return status == SQLITE_OK ? keyed_sqlite_read_file(file, bytes, size, offset) : status;
}

/// Sets `size` to the length of the main database, in bytes, as SQLite's own descriptor has it.
static inline int keyed_sqlite_size(sqlite3 *connection, sqlite3_int64 *size) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status != SQLITE_OK) return status;
    return file && file->pMethods ? file->pMethods->xFileSize(file, size) : SQLITE_ERROR;
}

/// Whether a database no longer has the name that it was opened by.
static inline int keyed_sqlite_has_moved(sqlite3_file *file) {
    int moved = 0;
    if (!file || !file->pMethods) return 1;
    int status = file->pMethods->xFileControl(file, SQLITE_FCNTL_HAS_MOVED, &moved);
    return status != SQLITE_OK || moved;
}

/// Sets `reserved` to whether a connection, of any process, is about to write to the main database.
/// SQLite does not apply a journal then.
static inline int keyed_sqlite_is_reserved(sqlite3 *connection, int *reserved) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status != SQLITE_OK) return status;
    if (!file || !file->pMethods) return SQLITE_ERROR;
    status = file->pMethods->xCheckReservedLock(file, reserved);
    // As `keyed_guard_is_reserved` says.
    if (status == SQLITE_BUSY) *reserved = 1;
    return status == SQLITE_BUSY ? SQLITE_OK : status;
}

// MARK: - Journals

/// Opens the journal of a database, as SQLITE_OPEN_READONLY, READWRITE and CREATE in `flags` say.
///
/// Returns the descriptor, or the negative of an SQLite error.
typedef int (*keyed_journal_opener)(const char *journal, const char *store, sqlite3_file *database,
                                    int flags);

/// Flushes the folder of a journal. Returns SQLITE_OK or an SQLite error.
typedef int (*keyed_folder_flusher)(const char *journal);

typedef struct keyed_journal {
    sqlite3_file base;
    int descriptor;
    /// The folder is to be flushed with the journal, which is new in it.
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

/// Whether an error says that the disk, or the user's share of it, is full.
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
    // Some file systems support only `fsync`, which may not report a failure of the device again.
    if (result != 0 && !(is_full && errno == EIO))
        do result = fsync(journal->descriptor);
        while (result != 0 && errno == EINTR);
#else
    (void)flags;
    do result = fdatasync(journal->descriptor);
    while (result != 0 && errno == EINTR);
#endif
    // Some file systems find no room only now.
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

/// The error of opening or looking for what is no part of a store. SQLite asks for it in the middle of a
/// rollback. After an error of input or output it discards its pages and reads the database again; after any
/// other it would keep the pages of the transaction that failed.
#define KEYED_GUARD_REFUSAL SQLITE_IOERR_ACCESS

/// The system's VFS, and the program's way to open journals and to flush their folders.
typedef struct keyed_guard_data {
    sqlite3_vfs *system;
    keyed_journal_opener opener;
    keyed_folder_flusher flusher;
} keyed_guard_data;

static inline sqlite3_vfs *keyed_guard_system(sqlite3_vfs *guard) {
    return ((keyed_guard_data *)guard->pAppData)->system;
}

/// Whether a path ends like the name of a companion of a database.
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

/// The methods of an open database: those of the system's VFS, but for two. Behind the file of that VFS.
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

/// Flushes a database. The system's VFS takes a signal for an error, and a full disk for one of the device.
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

/// Whether the journal of a database is in use. Returns SQLITE_OK or an SQLite error.
static inline int keyed_guard_has_journal(const keyed_guard_main *main, sqlite3_file *file,
                                          int *has_journal) {
    keyed_guard_data *data = (keyed_guard_data *)main->guard->pAppData;
    unsigned char first = 0;
    ssize_t count;
    int descriptor = data->opener(sqlite3_filename_journal(main->path), main->path, file,
                                  SQLITE_OPEN_READONLY);
    // One that cannot be opened now may be gone. SQLite looks again after a pause.
    *has_journal = descriptor == -SQLITE_CANTOPEN;
    if (descriptor < 0) return *has_journal ? SQLITE_OK : -descriptor;
    do count = pread(descriptor, &first, 1, 0);
    while (count < 0 && errno == EINTR);
    close(descriptor);
    if (count < 0) return SQLITE_IOERR_READ;
    *has_journal = count == 1 && first != 0;
    return SQLITE_OK;
}

/// Whether a connection is about to write to a database. SQLite asks while it has a lock for reading, and applies
/// no journal then.
///
/// Any process that may read the database can lock the same byte, for reading. The system's VFS cannot tell that lock
/// from a writer's, and SQLite would read half a transaction. But a writer that flushes its journal before it uses it
/// has the database for itself by then. So a journal in use is not the writer's: the database is busy.
static inline int keyed_guard_is_reserved(sqlite3_file *file, int *reserved) {
    const keyed_guard_main *main = keyed_guard_main_of(file);
    int has_journal = 0, status = main->system->xCheckReservedLock(file, reserved);
    if (status != SQLITE_OK || !*reserved) return status;
    status = keyed_guard_has_journal(main, file, &has_journal);
    return status == SQLITE_OK && has_journal ? SQLITE_BUSY : status;
}

/// The place behind the file of the system's VFS.
static inline int keyed_guard_main_offset(const sqlite3_vfs *system) {
    return (system->szOsFile + 7) & ~7;
}

/// Puts the methods of an open database in the place of the system's.
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
    // Not by the system's VFS: it would report an error where a folder cannot be flushed, and flush none that may
    // be written but not read.
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

/// Registers the VFS, beside the default one. To be called once in a process.
///
/// Returns SQLITE_OK, or why connections can't name it: SQLITE_MISUSE where this SQLite takes no
/// parameters in the names of files.
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
    // A journal is smaller.
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
