// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#ifndef KEYED_CSQLITE_SHIM_H
#define KEYED_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <string.h>

// A VFS through which SQLite opens a database, its rollback journal and temporary files, and nothing
// else. SQLite reads the name of a super-journal from the journal and deletes the file of that name; a
// write-ahead log beside a database is read whatever the database says. Both are refused here, at the
// moment of each call, so no file that appears after a check is a way around it.
//
// In C because a VFS is a table of C functions that are called with pointers into it.

/// The name of the VFS.
#define KEYED_SQLITE_GUARD "keyed-archive-guard"

static inline sqlite3_vfs *keyed_guard_system(sqlite3_vfs *guard) {
    return (sqlite3_vfs *)guard->pAppData;
}

/// Whether a path ends like the name of a companion of a database.
static inline int keyed_guard_ends(const char *path, const char *suffix) {
    size_t length = path ? strlen(path) : 0, end = strlen(suffix);
    return length >= end && memcmp(path + length - end, suffix, end) == 0;
}

static inline int keyed_guard_open(sqlite3_vfs *guard, const char *path, sqlite3_file *file,
                                   int flags, int *opened) {
    // 0x4000 is SQLITE_OPEN_SUPER_JOURNAL, which older headers call by another name.
    if (flags & (0x4000 | SQLITE_OPEN_WAL)) {
        file->pMethods = 0;
        return SQLITE_PERM;
    }
    sqlite3_vfs *system = keyed_guard_system(guard);
    return system->xOpen(system, path, file, flags, opened);
}

static inline int keyed_guard_delete(sqlite3_vfs *guard, const char *path, int sync) {
    if (!keyed_guard_ends(path, "-journal")) return SQLITE_PERM;
    sqlite3_vfs *system = keyed_guard_system(guard);
    return system->xDelete(system, path, sync);
}

static inline int keyed_guard_access(sqlite3_vfs *guard, const char *path, int flags, int *result) {
    if (keyed_guard_ends(path, "-wal")) {
        *result = 0;
        return SQLITE_OK;
    }
    if (!keyed_guard_ends(path, "-journal")) return SQLITE_PERM;
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
static inline int keyed_sqlite_register_guard(void) {
    static sqlite3_vfs guard;
    if (!sqlite3_compileoption_used("USE_URI")) return SQLITE_MISUSE;
    sqlite3_vfs *system = sqlite3_vfs_find(0);
    if (!system) return SQLITE_ERROR;
    guard.iVersion = 1;
    guard.szOsFile = system->szOsFile;
    guard.mxPathname = system->mxPathname;
    guard.zName = KEYED_SQLITE_GUARD;
    guard.pAppData = system;
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

/// Reads the beginning of the main database through SQLite's own descriptor; the rest is zero where the
/// file is shorter.
///
/// Another descriptor must not be used: closing it would release all POSIX locks that the process has on
/// the file, those of other connections too.
static inline int keyed_sqlite_read_head(sqlite3 *connection, void *bytes, int size) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status != SQLITE_OK) return status;
    if (!file || !file->pMethods) return SQLITE_ERROR;
    status = file->pMethods->xRead(file, bytes, size, 0);
    return status == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : status;
}

/// Sets `reserved` to whether a connection, of any process, is about to write to the main database.
/// SQLite does not apply a journal then.
static inline int keyed_sqlite_is_reserved(sqlite3 *connection, int *reserved) {
    sqlite3_file *file = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status != SQLITE_OK) return status;
    if (!file || !file->pMethods) return SQLITE_ERROR;
    return file->pMethods->xCheckReservedLock(file, reserved);
}

#endif
