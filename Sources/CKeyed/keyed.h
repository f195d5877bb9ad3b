// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Property lists, keyed archives and typedstreams for programs in C, and for all that call C.
//
//     keyed_error *error = NULL;
//     keyed_document *document = keyed_open(bytes, count, NULL, &error);
//     if (!document) { fprintf(stderr, "%s\n", error->message); keyed_free(error); return 1; }
//     keyed_text *json = keyed_json(document, keyed_root(document), KEYED_JSON_OBJECTS, &error);
//     ...
//     keyed_free(json);
//     keyed_free(document);
//
// Rules that hold for every function:
// - A pointer that a function returns, or stores in `error`, belongs to the caller. `keyed_free` frees it,
//   whatever its type, and all that it points to. Pointers in a structure are parts of it.
// - A function that fails returns NULL, and stores an error if `error` is not NULL. Nothing else remains.
// - Input is copied. The caller may free or change it when the function returns.
// - No function has global state, opens a file, or makes an object of a class that the input names.
// - Handles never change. All threads may read one handle at a time. The last user frees it, once.
//   A `keyed_builder` changes: one thread at a time may use it.
// - Text is UTF-8 unless stated otherwise, and ends with a NUL that its count does not include.

#ifndef KEYED_H
#define KEYED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the binary interface that this header describes.
#define KEYED_ABI_VERSION 1

/// Returns the version of the binary interface of the library. It changes when a program has to be compiled
/// again. New functions do not change it.
uint32_t keyed_abi_version(void);

/// Frees what any other function returned. NULL is allowed.
void keyed_free(const void *pointer);

// MARK: - Errors and text

/// The reason of a failure.
typedef struct keyed_error {
    /// The name of the code, such as `truncated`, as in the Swift library.
    const char *code;
    /// The failure, its place, and the way to recover, in words.
    const char *message;
    /// The key path of the value; NULL where it is unknown.
    const char *path;
    /// The byte of the input; -1 where it is unknown.
    int64_t offset;
    /// The line and column in text, from 1; 0 where there is none.
    int32_t line;
    int32_t column;
    /// 1 where a limit was exceeded, which a caller who trusts the input may raise; otherwise 0.
    int32_t is_limit;
} keyed_error;

/// Text or bytes.
typedef struct keyed_text {
    const char *bytes;
    size_t count;
} keyed_text;

// MARK: - Documents

/// A property list of any format, parsed and checked.
typedef struct keyed_document keyed_document;

/// The preset of limits on what an input may ask for.
enum {
    /// Input of strangers: 128 levels, 256 MiB.
    KEYED_LIMITS_UNTRUSTED = 0,
    /// All that Apple's software writes, no bombs: 512 levels.
    KEYED_LIMITS_DEFAULT = 1,
    /// Input that is known to be genuine.
    KEYED_LIMITS_TRUSTED = 2,
};

/// The options of `keyed_open`. All zero is strict, for untrusted input.
typedef struct keyed_options {
    /// One of `KEYED_LIMITS_…`.
    uint32_t limits;
    /// 1 lets pass what Apple's parsers let pass; 0 is strict.
    uint32_t lenient;
} keyed_options;

/// The format of a document.
enum {
    KEYED_FORMAT_UNKNOWN = 0,
    KEYED_FORMAT_BINARY = 1,
    KEYED_FORMAT_XML = 2,
    KEYED_FORMAT_OPENSTEP = 3,
    KEYED_FORMAT_JSON = 4,
};

/// Parses a property list. Linear in `count`.
///
/// `options` may be NULL.
keyed_document *keyed_open(
    const uint8_t *bytes, size_t count, const keyed_options *options, keyed_error **error);

/// Returns the format of a document, one of `KEYED_FORMAT_…`.
uint32_t keyed_format(const keyed_document *document);

/// Returns the number of the value that holds all others.
uint32_t keyed_root(const keyed_document *document);

/// Returns the name of what bytes hold, without parsing all of it: `binary property list`, `XML property list`,
/// `OpenStep property list`, `JSON`, `typedstream`, `NIBArchive`, `bplist15`, `bplist16`, `bplist17`; NULL for
/// other bytes. The name is a constant, not to be freed.
const char *keyed_kind_of(const uint8_t *bytes, size_t count);

/// Returns 1 if a document has the keys of a keyed archive, otherwise 0.
int32_t keyed_is_archive(const keyed_document *document);

// MARK: - Values

/// The kind of a value.
enum {
    KEYED_UNREADABLE = 0,
    KEYED_NULL = 1,
    KEYED_BOOLEAN = 2,
    KEYED_INTEGER = 3,
    KEYED_REAL = 4,
    KEYED_DATE = 5,
    KEYED_DATA = 6,
    KEYED_STRING = 7,
    KEYED_UID = 8,
    KEYED_ARRAY = 9,
    KEYED_SET = 10,
    KEYED_DICTIONARY = 11,
};

/// The encoding of a string in a `keyed_table`.
enum { KEYED_ASCII = 0, KEYED_UTF8 = 1, KEYED_UTF16_BE = 2 };

/// A value of a document, in 24 bytes.
typedef struct keyed_value {
    /// One of `KEYED_…` above.
    uint8_t kind;
    /// The encoding of a string.
    uint8_t encoding;
    /// 1 for an integer below zero.
    uint8_t is_negative;
    uint8_t reserved;
    /// The place in the source at which the value begins, in bytes.
    uint32_t offset;
    /// The bytes of a string or of data, the elements of an array or a set, the pairs of a dictionary.
    uint32_t count;
    /// The number of a key's text, 1 … `keyed_table.key_count`: equal texts have equal numbers. 0 for other values.
    uint32_t key;
    union {
        /// An integer, a boolean, a UID. An integer from 2⁶³ on is in `natural`.
        int64_t integer;
        uint64_t natural;
        /// A real; a date in seconds since 2001-01-01T00:00:00Z.
        double real;
        /// The content of a string or of data.
        const uint8_t *bytes;
        /// The numbers of the elements; of a dictionary those of all keys, then those of all values.
        const uint32_t *children;
    } u;
} keyed_value;

/// All values of a document. The number of a value is its index in `values`.
///
/// Each child is a number below `value_count`. No value holds itself. A value that several containers share is
/// there once, so a walk that enters it each time takes exponential time in hostile input: keep what was made of it.
typedef struct keyed_table {
    const keyed_value *values;
    uint32_t value_count;
    uint32_t root;
    uint32_t key_count;
    /// One of `KEYED_FORMAT_…`.
    uint32_t format;
} keyed_table;

/// Returns all values of a document. Linear in the document; the table is independent of it.
keyed_table *keyed_values(const keyed_document *document, keyed_error **error);

/// Returns the value at a key path, in the notations of the command `keyed`: `a.b[0]`, `/a/b/0`, `:a:b:0`.
///
/// In a keyed archive a path begins at the root object and goes through the collections of Foundation, as in
/// `files[0].name`. A path that begins with a `$`, as in `$top.root`, begins at the root of the property list.
/// `!` goes into data that is a property list: the document that is returned has the value.
///
/// `value` receives the number of the value in the document that is returned.
keyed_document *keyed_find(
    const keyed_document *document, const char *path, size_t path_count, uint32_t *value, keyed_error **error);

// MARK: - Archives

/// The form of an object in a keyed archive.
enum {
    /// The `$null` of the archive.
    KEYED_FORM_NULL = 0,
    /// A string, number, boolean or data without a class: `parts[0]` is the value.
    KEYED_FORM_PLAIN = 1,
    /// An object of a class without a known form: `parts[0]` is the dictionary of its fields.
    KEYED_FORM_OBJECT = 2,
    /// `NSString`: `parts[0]` is the text.
    KEYED_FORM_STRING = 3,
    /// `NSData`: `parts[0]` is the data.
    KEYED_FORM_DATA = 4,
    /// `NSDate`: `parts[0]` is the real.
    KEYED_FORM_DATE = 5,
    /// `NSUUID`: `parts[0]` is the data of 16 bytes.
    KEYED_FORM_UUID = 6,
    /// `NSURL`: `parts[0]` is the base (a UID), `parts[1]` the relative text (a UID).
    KEYED_FORM_URL = 7,
    /// `NSArray`: `parts[0]` is the array of elements, as UIDs or plain values.
    KEYED_FORM_ARRAY = 8,
    /// `NSSet`, likewise.
    KEYED_FORM_SET = 9,
    /// `NSOrderedSet`, likewise.
    KEYED_FORM_ORDERED_SET = 10,
    /// `NSDictionary`: `parts[0]` is the array of keys, `parts[1]` that of values, equally long.
    KEYED_FORM_DICTIONARY = 11,
    /// `NSNull`.
    KEYED_FORM_NSNULL = 12,
    /// The description of a class.
    KEYED_FORM_CLASS = 13,
};

/// An object of an archive. A UID is the index of the object that it refers to, and may be out of range in hostile
/// input.
typedef struct keyed_object {
    /// The entry of `$objects`.
    uint32_t value;
    /// One of `KEYED_FORM_…`.
    uint32_t form;
    /// The index of its class in `classes`, `UINT32_MAX` for none.
    uint32_t class_index;
    /// The numbers of the values that the form names.
    uint32_t parts[2];
} keyed_object;

/// A class of an archive.
typedef struct keyed_class {
    /// The name.
    const char *name;
    /// The names of the class and its superclasses, the class first.
    const char *const *chain;
    size_t chain_count;
} keyed_class;

/// The objects of a keyed archive as a graph.
typedef struct keyed_archive {
    const keyed_object *objects;
    uint32_t object_count;
    uint32_t class_count;
    const keyed_class *classes;
    /// The dictionary of the roots, `$top`.
    uint32_t top;
    /// The class that wrote the archive, mostly `NSKeyedArchiver`.
    const char *archiver;
} keyed_archive;

/// Returns the objects of a keyed archive, all checked. Linear in the document.
keyed_archive *keyed_objects(const keyed_document *document, keyed_error **error);

// MARK: - Text

/// The form of JSON.
enum {
    /// Only what JSON has a form for; dates, data and UIDs are errors.
    KEYED_JSON_STRICT = 0,
    /// Dates and data as text.
    KEYED_JSON_COERCE = 1,
    /// `{"$date": …}` and the like, which reads back without loss.
    KEYED_JSON_TYPED = 2,
    /// As coerced; the objects of an archive are resolved: collections and values of Foundation as such, other
    /// objects as their fields with a `$class`. An object of another class that was written before, and all that holds
    /// itself, is `{"$ref": "@12"}`, with the key path of the object.
    KEYED_JSON_OBJECTS = 3,
};

/// Returns a value as JSON on one line, with `mode` one of `KEYED_JSON_…`.
keyed_text *keyed_json(
    const keyed_document *document, uint32_t value, uint32_t mode, keyed_error **error);

/// Returns the document in another format, `KEYED_FORMAT_BINARY`, `_XML` or `_JSON`.
keyed_text *keyed_convert(const keyed_document *document, uint32_t format, keyed_error **error);

/// Returns the names of the classes of an archive as a JSON array, sorted.
keyed_text *keyed_class_names(const keyed_document *document, keyed_error **error);

/// Returns the text of a string or an attributed string: of a typedstream, of the root of a keyed archive, of a
/// property list that is a string. NULL without an error where there is none.
keyed_text *keyed_text_of(
    const uint8_t *bytes, size_t count, const keyed_options *options, keyed_error **error);

/// Checks all of the input: the property list and, of an archive, each object; a typedstream; a NIBArchive;
/// bplist15, 16 and 17. Returns 1 if it is valid, otherwise 0.
int32_t keyed_check(
    const uint8_t *bytes, size_t count, const keyed_options *options, keyed_error **error);

// MARK: - Rows

/// A value and its place, for tables.
typedef struct keyed_row {
    /// The key path of the value, for `keyed_find`.
    const char *path;
    /// The key in its container; NULL for an element and for the root.
    const char *key;
    /// The index in its container; -1 for a key and for the root.
    int64_t index;
    /// The kind: that of the value (`string`, `dictionary`, …) or `object`, `uuid`, `url`, `reference`.
    const char *kind;
    /// The class of an object; NULL for others.
    const char *class_name;
    /// The value as JSON, of containers and objects; NULL for others, and with `KEYED_EVERYTHING`.
    const char *json;
    /// The number of the value.
    uint32_t value;
    /// The depth, from 0.
    uint32_t level;
    /// The number of the object in an archive; -1 for others.
    int64_t object;
    /// The place of the value in the source.
    int64_t offset;
    /// The content of a scalar, as in `keyed_value`. Strings are UTF-8; a `date` and a `uuid` are text, too.
    keyed_value scalar;
} keyed_row;

/// Rows in the order of the document.
typedef struct keyed_rows {
    const keyed_row *rows;
    size_t count;
} keyed_rows;

/// The values that `keyed_list` lists.
enum {
    /// The value alone.
    KEYED_ITSELF = 0,
    /// What it holds directly.
    KEYED_CHILDREN = 1,
    /// The value and all that it holds.
    KEYED_EVERYTHING = 2,
};

/// Returns rows for a value, with `scope` one of those above. Objects are resolved as `KEYED_JSON_OBJECTS` does; with
/// `KEYED_EVERYTHING` a shared object is listed where it first occurs, and is a `reference` elsewhere.
keyed_rows *keyed_list(
    const keyed_document *document, uint32_t value, int32_t scope, keyed_error **error);

// MARK: - Writing

/// Builds a document of values in order.
typedef struct keyed_builder keyed_builder;

/// Returns a builder without values.
keyed_builder *keyed_builder_new(uint32_t limits);

void keyed_add_null(keyed_builder *builder);
void keyed_add_boolean(keyed_builder *builder, int32_t value);
void keyed_add_integer(keyed_builder *builder, int64_t value);
void keyed_add_natural(keyed_builder *builder, uint64_t value);
void keyed_add_real(keyed_builder *builder, double value);
/// Adds a date, in seconds since 2001-01-01T00:00:00Z.
void keyed_add_date(keyed_builder *builder, double seconds);
void keyed_add_uid(keyed_builder *builder, uint32_t value);
void keyed_add_data(keyed_builder *builder, const uint8_t *bytes, size_t count);
void keyed_add_string(keyed_builder *builder, const char *text, size_t count);
/// Adds the key of the value that follows.
void keyed_add_key(keyed_builder *builder, const char *text, size_t count);
void keyed_begin_array(keyed_builder *builder);
void keyed_begin_dictionary(keyed_builder *builder);
/// Ends the innermost container.
void keyed_end(keyed_builder *builder);

/// Returns the document that was built, and leaves the builder empty. A mistake in the order of calls is an error
/// here, with the code `misuse` or `invalidKey`.
keyed_document *keyed_finish(keyed_builder *builder, keyed_error **error);

#ifdef __cplusplus
}
#endif

#endif
