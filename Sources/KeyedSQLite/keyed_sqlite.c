// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// SQL functions for property lists and keyed archives, as a loadable extension of SQLite.
//
//     sqlite> .load ./keyed_sqlite
//     sqlite> SELECT keyed_get(file, 'RelativePath') FROM Files LIMIT 3;
//
// | function | result |
// |---|---|
// | `keyed_kind(blob)` | the format of a blob; NULL for an unknown one |
// | `keyed_json(blob [, path [, errors]])` | the value at a path as JSON, objects of an archive resolved |
// | `keyed_get(blob, path [, errors])` | the value at a path as text, a number or a blob; other values as JSON |
// | `keyed_text(blob [, errors])` | the text of a string or an attributed string |
// | `keyed_classes(blob [, errors])` | the names of an archive's classes, as a JSON array |
// | `keyed_xml(blob [, errors])` | the property list as XML |
// | `keyed_valid(blob)` | 1 if all of the blob is valid, otherwise 0 |
// | `keyed_error(blob)` | the error of an invalid blob; NULL for a valid one |
// | `keyed_each(blob [, path])` | a table of the children of the value at a path |
// | `keyed_tree(blob [, path])` | a table of the value at a path and all its descendants |
//
// An integer of 2⁶³ or more, which SQLite cannot represent, is returned as decimal text.
// If a blob cannot be decoded or has no value at the path, the result is NULL, and a table has no rows. With `'error'`
// as the last argument, the statement fails with the error instead. If the blob can be decoded, a malformed path makes
// the statement fail even without `'error'`.
// Each call applies the limits for untrusted input. All functions are deterministic and innocuous: the result depends
// only on the arguments, and no function opens a file.

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <limits.h>
#include <string.h>

#include "keyed.h"

static const keyed_options untrusted = { KEYED_LIMITS_UNTRUSTED, 0 };

// MARK: - Arguments and results

typedef struct input {
    const uint8_t *bytes;
    size_t count;
} input;

/// Reads a blob or a text. Returns 0 for NULL, otherwise 1.
static int take(sqlite3_value *value, input *result) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) return 0;
    result->bytes = type == SQLITE_BLOB ? sqlite3_value_blob(value) : sqlite3_value_text(value);
    result->count = (size_t)sqlite3_value_bytes(value);
    return 1;
}

/// Returns whether the optional argument at index `place` requests errors: 1 for 'error', 0 for NULL or no argument.
/// For any other value, sets the result to an error and returns -1.
static int wants_errors(sqlite3_context *context, int count, sqlite3_value **arguments, int place) {
    if (count <= place || sqlite3_value_type(arguments[place]) == SQLITE_NULL) return 0;
    const unsigned char *text = sqlite3_value_text(arguments[place]);
    if (text && strcmp((const char *)text, "error") == 0) return 1;
    sqlite3_result_error(context, "expected 'error' as the last argument, found another value", -1);
    return -1;
}

/// Returns whether an error is a malformed path, which is a mistake in the statement.
static int is_mistake(const keyed_error *error) {
    return error && strcmp(error->code, "invalidKeyPath") == 0;
}

/// Sets the result to the error if errors are `wanted`, or if the error is a mistake in the statement.
/// Otherwise sets the result to NULL. Frees the error.
static void fail(sqlite3_context *context, keyed_error *error, int wanted) {
    if (error && (wanted || is_mistake(error))) {
        sqlite3_result_error(context, error->message, -1);
    } else {
        sqlite3_result_null(context);
    }
    keyed_free(error);
}

/// Sets the result to a copy of a text. SQLite cannot free the original, because the text is part of a structure that
/// `keyed_free` frees as a whole.
static void result_text(sqlite3_context *context, const char *bytes, size_t count) {
    sqlite3_result_text64(context, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void result(sqlite3_context *context, keyed_text *text, keyed_error *error, int wanted) {
    if (!text) return fail(context, error, wanted);
    result_text(context, text->bytes, text->count);
    keyed_free(text);
}

/// Opens the document in a blob and finds the value at a path. `path` may be NULL.
static keyed_document *find(
    const input *source, sqlite3_value *path, uint32_t *value, keyed_error **error
) {
    keyed_document *document = keyed_open(source->bytes, source->count, &untrusted, error);
    if (!document) return NULL;
    *value = keyed_root(document);
    if (!path || sqlite3_value_type(path) == SQLITE_NULL) return document;
    const char *text = (const char *)sqlite3_value_text(path);
    keyed_document *found =
        keyed_find(document, text ? text : "", (size_t)sqlite3_value_bytes(path), value, error);
    keyed_free(document);
    return found;
}

// MARK: - Functions

static void kind(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    input source;
    if (!take(arguments[0], &source)) return;
    const char *name = keyed_kind_of(source.bytes, source.count);
    if (!name) return;
    if (strcmp(name, "binary property list") == 0 || strcmp(name, "XML property list") == 0) {
        keyed_document *document = keyed_open(source.bytes, source.count, &untrusted, NULL);
        if (document && keyed_is_archive(document)) name = "keyed archive";
        keyed_free(document);
    }
    sqlite3_result_text(context, name, -1, SQLITE_STATIC);
}

static void json(sqlite3_context *context, int count, sqlite3_value **arguments) {
    input source;
    if (!take(arguments[0], &source)) return;
    int wanted = wants_errors(context, count, arguments, 2);
    if (wanted < 0) return;
    keyed_error *error = NULL;
    uint32_t value = 0;
    keyed_document *document = find(&source, count > 1 ? arguments[1] : NULL, &value, &error);
    if (!document) return fail(context, error, wanted);
    keyed_text *found = keyed_json(document, value, KEYED_JSON_OBJECTS, &error);
    result(context, found, error, wanted);
    keyed_free(document);
}

/// Sets the result to the digits of an integer that SQLite cannot represent. A real would lose some of them.
static void result_natural(sqlite3_context *context, uint64_t number) {
    char digits[24];
    sqlite3_snprintf(sizeof digits, digits, "%llu", (unsigned long long)number);
    sqlite3_result_text(context, digits, -1, SQLITE_TRANSIENT);
}

/// Sets the result to the value of a row. A scalar becomes an SQL value, and a container or an object becomes JSON. In
/// `keyed_tree`, the rows of containers have no JSON, and the result is NULL.
static void result_row(sqlite3_context *context, const keyed_row *row) {
    const keyed_value *scalar = &row->scalar;
    if (row->json) return result_text(context, row->json, strlen(row->json));
    if (strcmp(row->kind, "uuid") == 0 || strcmp(row->kind, "date") == 0) {
        return result_text(context, (const char *)scalar->u.bytes, scalar->count);
    }
    switch (scalar->kind) {
    case KEYED_STRING: return result_text(context, (const char *)scalar->u.bytes, scalar->count);
    case KEYED_DATA:
        return sqlite3_result_blob64(context, scalar->u.bytes, scalar->count, SQLITE_TRANSIENT);
    case KEYED_INTEGER:
        if (!scalar->is_negative && scalar->u.natural > INT64_MAX) return result_natural(context, scalar->u.natural);
        return sqlite3_result_int64(context, scalar->u.integer);
    case KEYED_BOOLEAN:
    case KEYED_UID: return sqlite3_result_int64(context, scalar->u.integer);
    case KEYED_REAL: return sqlite3_result_double(context, scalar->u.real);
    default: return sqlite3_result_null(context);
    }
}

/// Sets the result to a value: text without quotes, data as a blob, dates as text, containers as JSON.
static void get(sqlite3_context *context, int count, sqlite3_value **arguments) {
    input source;
    if (!take(arguments[0], &source) || sqlite3_value_type(arguments[1]) == SQLITE_NULL) return;
    int wanted = wants_errors(context, count, arguments, 2);
    if (wanted < 0) return;
    keyed_error *error = NULL;
    uint32_t value = 0;
    keyed_document *document = find(&source, arguments[1], &value, &error);
    if (!document) return fail(context, error, wanted);
    keyed_rows *rows = keyed_list(document, value, KEYED_ITSELF, &error);
    if (!rows) {
        fail(context, error, wanted);
    } else if (rows->count == 1) {
        result_row(context, &rows->rows[0]);
    }
    keyed_free(rows);
    keyed_free(document);
}

static void text(sqlite3_context *context, int count, sqlite3_value **arguments) {
    input source;
    if (!take(arguments[0], &source)) return;
    int wanted = wants_errors(context, count, arguments, 1);
    if (wanted < 0) return;
    keyed_error *error = NULL;
    keyed_text *found = keyed_text_of(source.bytes, source.count, &untrusted, &error);
    result(context, found, error, wanted);
}

static void classes(sqlite3_context *context, int count, sqlite3_value **arguments) {
    input source;
    if (!take(arguments[0], &source)) return;
    int wanted = wants_errors(context, count, arguments, 1);
    if (wanted < 0) return;
    keyed_error *error = NULL;
    keyed_document *document = keyed_open(source.bytes, source.count, &untrusted, &error);
    if (!document) return fail(context, error, wanted);
    keyed_text *found = keyed_class_names(document, &error);
    result(context, found, error, wanted);
    keyed_free(document);
}

static void xml(sqlite3_context *context, int count, sqlite3_value **arguments) {
    input source;
    if (!take(arguments[0], &source)) return;
    int wanted = wants_errors(context, count, arguments, 1);
    if (wanted < 0) return;
    keyed_error *error = NULL;
    keyed_document *document = keyed_open(source.bytes, source.count, &untrusted, &error);
    if (!document) return fail(context, error, wanted);
    keyed_text *found = keyed_convert(document, KEYED_FORMAT_XML, &error);
    result(context, found, error, wanted);
    keyed_free(document);
}

static void valid(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    input source;
    if (!take(arguments[0], &source)) return;
    sqlite3_result_int(context, keyed_check(source.bytes, source.count, &untrusted, NULL));
}

static void error_of(sqlite3_context *context, int count, sqlite3_value **arguments) {
    (void)count;
    input source;
    if (!take(arguments[0], &source)) return;
    keyed_error *error = NULL;
    if (!keyed_check(source.bytes, source.count, &untrusted, &error) && error) {
        result_text(context, error->message, strlen(error->message));
    }
    keyed_free(error);
}

// MARK: - Tables

/// The columns, in the order of the declaration.
enum { KEY, VALUE, KIND, CLASS, PATH, LEVEL, OBJECT, OFFSET, BLOB, START };

static const char declaration[] =
    "CREATE TABLE x(key, value, kind TEXT, class TEXT, path TEXT, level INTEGER, object INTEGER, offset INTEGER,"
    " blob HIDDEN, start HIDDEN)";

typedef struct table {
    sqlite3_vtab base;
    int32_t scope;
    /// Random keys for the row numbers. Without them, an attacker could craft blobs whose row numbers collide.
    uint64_t secret[3];
} table;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    keyed_rows *rows;
    size_t position;
    /// The number of the first row; 0 before it is computed.
    uint64_t first_row;
    /// Copies of the arguments, for the hidden columns. `start` is NULL without a path.
    sqlite3_value *blob, *start;
} cursor;

static int connect(
    sqlite3 *database, void *data, int count, const char *const *arguments, sqlite3_vtab **result, char **error
) {
    (void)count; (void)arguments; (void)error;
    int status = sqlite3_declare_vtab(database, declaration);
    if (status != SQLITE_OK) return status;
    table *made = sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    made->scope = data ? KEYED_EVERYTHING : KEYED_CHILDREN;
    sqlite3_randomness(sizeof made->secret, made->secret);
    *result = &made->base;
    sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base) {
    sqlite3_free(base);
    return SQLITE_OK;
}

/// Plans a query. The blob and the path, if there is one, become arguments of `filter`. If a statement has two
/// constraints on one of them, `filter` gets the last, and SQLite checks the other against the hidden column.
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    (void)base;
    int blob = -1, start = -1, unusable = 0;
    for (int index = 0; index < info->nConstraint; index++) {
        if (info->aConstraint[index].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        int column = info->aConstraint[index].iColumn;
        if (column != BLOB && column != START) continue;
        if (!info->aConstraint[index].usable) unusable = 1;
        else if (column == BLOB) blob = index;
        else start = index;
    }
    if (unusable) return SQLITE_CONSTRAINT;
    info->idxNum = 0;
    if (blob >= 0) {
        info->aConstraintUsage[blob].argvIndex = 1;
        info->aConstraintUsage[blob].omit = 1;
        info->idxNum = 1;
        if (start >= 0) {
            info->aConstraintUsage[start].argvIndex = 2;
            info->aConstraintUsage[start].omit = 1;
            info->idxNum = 2;
        }
    }
    info->estimatedCost = blob >= 0 ? 100 : 1e9;
    info->estimatedRows = 100;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **result) {
    (void)base;
    cursor *made = sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    *result = &made->base;
    return SQLITE_OK;
}

/// Frees the rows and the copies of the arguments.
static void clear(cursor *open) {
    keyed_free(open->rows);
    sqlite3_value_free(open->blob);
    sqlite3_value_free(open->start);
    open->rows = NULL;
    open->blob = open->start = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    clear((cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/// Returns a failure for a mistake in the statement, and success for other errors, which result in no rows. Frees the
/// error.
static int status_for(sqlite3_vtab *base, keyed_error *error) {
    int status = is_mistake(error) ? SQLITE_ERROR : SQLITE_OK;
    if (status != SQLITE_OK) {
        sqlite3_free(base->zErrMsg);
        base->zErrMsg = sqlite3_mprintf("%s", error->message);
    }
    keyed_free(error);
    return status;
}

/// Lists the rows of one blob. A blob that cannot be decoded has no rows.
static int filter(
    sqlite3_vtab_cursor *base, int number, const char *name, int count, sqlite3_value **arguments
) {
    (void)name; (void)count;
    cursor *open = (cursor *)base;
    clear(open);
    open->position = 0;
    open->first_row = 0;
    input source;
    if (number == 0 || !take(arguments[0], &source)) return SQLITE_OK;
    open->blob = sqlite3_value_dup(arguments[0]);
    if (number > 1) open->start = sqlite3_value_dup(arguments[1]);
    if (!open->blob || (number > 1 && !open->start)) return SQLITE_NOMEM;
    uint32_t value = 0;
    // Without a path, the empty path is looked up, because it names the root object of an archive.
    keyed_document *document = keyed_open(source.bytes, source.count, &untrusted, NULL);
    if (!document) return SQLITE_OK;
    const char *path = number > 1 ? (const char *)sqlite3_value_text(arguments[1]) : NULL;
    keyed_error *error = NULL;
    keyed_document *found = keyed_find(
        document, path ? path : "", path ? (size_t)sqlite3_value_bytes(arguments[1]) : 0, &value, &error);
    keyed_free(document);
    if (!found) return status_for(base->pVtab, error);
    open->rows = keyed_list(found, value, ((table *)base->pVtab)->scope, NULL);
    keyed_free(found);
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base) {
    ((cursor *)base)->position++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base) {
    cursor *open = (cursor *)base;
    return !open->rows || open->position >= open->rows->count;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number) {
    cursor *open = (cursor *)base;
    const keyed_row *row = &open->rows->rows[open->position];
    switch (number) {
    case KEY:
        if (row->key) sqlite3_result_text(context, row->key, -1, SQLITE_TRANSIENT);
        else if (row->index >= 0) sqlite3_result_int64(context, row->index);
        break;
    case VALUE: result_row(context, row); break;
    case KIND: sqlite3_result_text(context, row->kind, -1, SQLITE_TRANSIENT); break;
    case CLASS:
        if (row->class_name) sqlite3_result_text(context, row->class_name, -1, SQLITE_TRANSIENT);
        break;
    case PATH: sqlite3_result_text(context, row->path, -1, SQLITE_TRANSIENT); break;
    case LEVEL: sqlite3_result_int64(context, row->level); break;
    case OBJECT:
        if (row->object >= 0) sqlite3_result_int64(context, row->object);
        break;
    case OFFSET:
        if (row->offset >= 0) sqlite3_result_int64(context, row->offset);
        break;
    case BLOB: sqlite3_result_value(context, open->blob); break;
    case START:
        if (open->start) sqlite3_result_value(context, open->start);
        break;
    default: break;
    }
    return SQLITE_OK;
}

/// Adds a blob or a path to two hashes. Each hash is a polynomial in a secret number, modulo 2³¹ - 1.
static void add_to_hashes(uint64_t *hashes, const uint64_t *secret, sqlite3_value *value) {
    const uint64_t prime = (1ULL << 31) - 1;
    input source = { NULL, 0 };
    uint64_t word = value && take(value, &source) ? 1 : 0;
    for (size_t place = 0;; place += 3) {
        for (int half = 0; half < 2; half++) {
            hashes[half] = (hashes[half] + word) * (secret[half] % prime) % prime;
        }
        if (place >= source.count) return;
        word = 2;
        for (size_t next = place; next < place + 3 && next < source.count; next++) {
            word = word << 8 | source.bytes[next];
        }
    }
}

/// Returns the number of a row. If a condition has `OR`, SQLite may list several blobs with one cursor, and then treats
/// rows with equal numbers as one row. The number of a blob's first row is therefore a keyed hash of the arguments,
/// which makes a collision very unlikely.
static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *number) {
    cursor *open = (cursor *)base;
    if (open->first_row == 0) {
        uint64_t hashes[2] = { 1, 1 };
        const uint64_t *secret = ((table *)base->pVtab)->secret;
        add_to_hashes(hashes, secret, open->blob);
        add_to_hashes(hashes, secret, open->start);
        uint64_t mixed = (hashes[0] << 31 | hashes[1]) ^ secret[2];
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
        open->first_row = (mixed ^ mixed >> 31) | 1;
    }
    *number = (sqlite3_int64)(open->first_row + open->position);
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 0,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = row_number,
};

// MARK: - Registration

typedef struct function {
    const char *name;
    int least, most;
    void (*body)(sqlite3_context *, int, sqlite3_value **);
} function;

static const function functions[] = {
    { "keyed_kind", 1, 1, kind },
    { "keyed_json", 1, 3, json },
    { "keyed_get", 2, 3, get },
    { "keyed_text", 1, 2, text },
    { "keyed_classes", 1, 2, classes },
    { "keyed_xml", 1, 2, xml },
    { "keyed_valid", 1, 1, valid },
    { "keyed_error", 1, 1, error_of },
};

__attribute__((visibility("default"))) int sqlite3_keyedsqlite_init(
    sqlite3 *database, char **error, const sqlite3_api_routines *api
) {
    (void)error;
    SQLITE_EXTENSION_INIT2(api);
    int status = SQLITE_OK;
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        const function *item = &functions[index];
        for (int count = item->least; status == SQLITE_OK && count <= item->most; count++) {
            status = sqlite3_create_function_v2(
                database, item->name, count, flags, NULL, item->body, NULL, NULL, NULL);
        }
    }
    if (status == SQLITE_OK) status = sqlite3_create_module_v2(database, "keyed_each", &module, NULL, NULL);
    if (status == SQLITE_OK) {
        status = sqlite3_create_module_v2(database, "keyed_tree", &module, (void *)&module, NULL);
    }
    return status;
}
