// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#ifndef KEYED_CSQLITE_SHIM_H
#define KEYED_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Makes a connection wary of what it reads: its schema may call no function that has effects, a page
/// is checked before its cells are believed, no value is longer than `size` bytes.
///
/// A wrapper because `sqlite3_db_config` takes a variable number of arguments, which Swift cannot pass.
static inline int keyed_sqlite_distrust(sqlite3 *connection, int size) {
    int status = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (status == SQLITE_OK)
        status = sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (status == SQLITE_OK)
        status = sqlite3_exec(connection, "PRAGMA cell_size_check=ON", 0, 0, 0);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, size);
    return status;
}

#endif
