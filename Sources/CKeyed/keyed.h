// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Property lists, keyed archives and typedstreams for C, and for languages that call C.
//
//     keyed_error *error = NULL;
//     keyed_document *document = keyed_open(bytes, count, NULL, &error);
//     if (!document) { fprintf(stderr, "%s\n", error->message); keyed_free(error); return 1; }
//     keyed_text *json = keyed_json(document, keyed_root(document), KEYED_JSON_OBJECTS, &error);
//     ...
//     keyed_free(json);
//     keyed_free(document);
//
// Rules for all functions:
// - The caller owns each pointer that a function returns or stores in `error`, except the constant that
//   `keyed_kind_of` returns. `keyed_free` frees such a pointer, whatever its type, with everything that it points to. Do
//   not free the pointers within a structure.
// - A function that fails returns NULL (`keyed_check` returns 0), stores an error if `error` is not NULL, and has no
//   other effect. The exception is `keyed_finish`, which also empties the builder.
// - Functions copy their input. The caller may free or change it when the function returns.
// - No function keeps global state, opens a file, or creates an object of a class that the input names.
// - A handle never changes. Several threads may read it at the same time. Free it once, after its last use.
//   A `keyed_builder` changes: only one thread at a time may use it.
// - Text is UTF-8 unless stated otherwise, and ends with a NUL that its count does not include. In text without a count,
//   such as a class name, U+FFFD replaces each NUL. Otherwise a caller would read only the part before it.
// - A count above `SSIZE_MAX` is an error with the code `misuse`.

#ifndef KEYED_H
#define KEYED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the binary interface that this header describes.
#define KEYED_ABI_VERSION 1

/// Returns the version of the library's binary interface.
///
/// The version changes when programs must be recompiled. New functions do not change it.
uint32_t keyed_abi_version(void);

/// Frees a pointer that another function returned. NULL is allowed.
void keyed_free(const void *pointer);

// MARK: - Errors and text

/// The reason for a failure.
typedef struct keyed_error {
    /// The name of the code, such as `truncated`, as in the Swift library.
    const char *code;
    /// A description of the failure, with its location and advice.
    const char *message;
    /// The key path of the value; NULL if it is unknown.
    const char *path;
    /// The byte offset in the input, or in the key path if the failure is in a step of it; -1 if it is unknown.
    int64_t offset;
    /// The line and column in text, counted from 1; 0 if there is none. A step of a key path has only a column.
    int32_t line;
    int32_t column;
    /// 1 if the input exceeded a limit, otherwise 0. A caller that trusts the input may choose a higher preset.
    int32_t is_limit;
} keyed_error;

/// Text or bytes.
typedef struct keyed_text {
    const char *bytes;
    size_t count;
} keyed_text;

// MARK: - Documents

/// A parsed and validated property list of any format.
typedef struct keyed_document keyed_document;

/// A preset of limits on the depth, the size and the expansion of an input.
enum {
    /// For untrusted input: 128 levels, 256 MiB.
    KEYED_LIMITS_UNTRUSTED = 0,
    /// For input of any origin: 512 levels, 4 GiB. The limits admit everything that Apple's software writes, but no
    /// exponential expansion ("billion laughs").
    KEYED_LIMITS_DEFAULT = 1,
    /// For input that your own program wrote.
    KEYED_LIMITS_TRUSTED = 2,
};

/// The options for reading an input. All zeros select strict parsing with the limits for untrusted input.
typedef struct keyed_options {
    /// One of `KEYED_LIMITS_…`.
    uint32_t limits;
    /// 1 accepts the deviations that Apple's parsers accept; 0 rejects them, except control characters in XML.
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

/// Returns the number of the root value, which is its index in a `keyed_table`.
uint32_t keyed_root(const keyed_document *document);

/// Returns the name of a format, detected from the first bytes: `binary property list`, `XML property list`, `OpenStep
/// property list`, `JSON`, `typedstream`, `NIBArchive`, `bplist15`, `bplist16` or `bplist17`. Returns NULL for an
/// unknown format. The name is a constant: do not free it.
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
    /// The byte offset of the value in the source.
    uint32_t offset;
    /// The number of bytes of a string or of data, of elements of an array or a set, or of pairs of a dictionary.
    uint32_t count;
    /// The number of a dictionary key, 1 … `keyed_table.key_count`. Equal keys have equal numbers. 0 for other values.
    uint32_t key;
    union {
        /// An integer, a boolean or a UID. Integers of 2⁶³ and above are in `natural`.
        int64_t integer;
        uint64_t natural;
        /// A real, or a date in seconds since 2001-01-01T00:00:00Z.
        double real;
        /// The content of a string or of data.
        const uint8_t *bytes;
        /// The numbers of the elements. For a dictionary, the numbers of all keys, then of all values.
        const uint32_t *children;
    } u;
} keyed_value;

/// All values of a document. The number of a value is its index in `values`.
///
/// Each child is a number below `value_count`, and no value contains itself. A shared value is in the table once.
/// Hostile input can share values so often that visiting each occurrence takes exponential time: cache results by
/// number.
typedef struct keyed_table {
    const keyed_value *values;
    uint32_t value_count;
    uint32_t root;
    uint32_t key_count;
    /// One of `KEYED_FORMAT_…`.
    uint32_t format;
} keyed_table;

/// Returns a copy of all values of a document. Linear. The table remains valid when the document is freed.
keyed_table *keyed_values(const keyed_document *document, keyed_error **error);

/// Finds the value at a key path, in the notations of the command `keyed`: `a.b[0]`, `/a/b/0`, `:a:b:0`.
///
/// In a keyed archive, a path begins at the root object and traverses Foundation's collections, as in `files[0].name`.
/// `@12` is object 12. If the first key begins with `$` and is a key of the property list's root, as in `$top.root`,
/// the path begins at that root. `!` enters data, or a string, that contains a property list. A path may enter 32
/// property lists, each within the one before it.
///
/// In a dictionary, `[3]` is the value at index 3. This form exists only for a key that a path cannot name: a key
/// without text, such as a date; a key with the same text as an earlier one, for example the string `1` after the
/// number 1 in one `NSDictionary`; and, in a keyed archive, a key such as `$top` at the root object, because a path
/// that begins with it begins at the property list's root.
///
/// Linear in the size of the document for each step.
///
/// Returns the document that contains the value, and stores the number of the value in `value`.
keyed_document *keyed_find(
    const keyed_document *document, const char *path, size_t path_count, uint32_t *value, keyed_error **error);

// MARK: - Archives

/// The form of an object in a keyed archive.
enum {
    /// The `$null` of the archive.
    KEYED_FORM_NULL = 0,
    /// A string, number, boolean, data or date without a class: `parts[0]` is the value.
    KEYED_FORM_PLAIN = 1,
    /// An object of another class: `parts[0]` is the dictionary of its fields.
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
    /// `NSArray`: `parts[0]` is the index in `children` of the first of `count` elements, which are UIDs or plain values.
    KEYED_FORM_ARRAY = 8,
    /// `NSSet`, likewise.
    KEYED_FORM_SET = 9,
    /// `NSOrderedSet`, likewise.
    KEYED_FORM_ORDERED_SET = 10,
    /// `NSDictionary`: `parts[0]` is the index in `children` of the first of `count` keys, `parts[1]` that of the first
    /// value.
    KEYED_FORM_DICTIONARY = 11,
    /// `NSNull`.
    KEYED_FORM_NSNULL = 12,
    /// The description of a class.
    KEYED_FORM_CLASS = 13,
};

/// An object of an archive. A UID is an index into `objects`. In hostile input it may be out of range.
typedef struct keyed_object {
    /// The number of the value that is the entry of `$objects`.
    uint32_t value;
    /// One of `KEYED_FORM_…`.
    uint32_t form;
    /// The index of the object's class in `classes`, or `UINT32_MAX` for none.
    uint32_t class_index;
    /// The numbers of the values that the form refers to; for a collection, indices.
    uint32_t parts[2];
    /// The number of elements or entries of a collection; otherwise 0.
    uint32_t count;
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
    /// The numbers of the elements, keys and values of collections.
    const uint32_t *children;
    /// The number of `$top`, the dictionary of the roots.
    uint32_t top;
    /// The name of the class that wrote the archive, usually `NSKeyedArchiver`.
    const char *archiver;
} keyed_archive;

/// Validates and returns the objects of a keyed archive. Linear.
keyed_archive *keyed_objects(const keyed_document *document, keyed_error **error);

// MARK: - Text

/// The form of JSON.
enum {
    /// Only values that JSON can represent. Dates, data and UIDs are errors.
    KEYED_JSON_STRICT = 0,
    /// Dates and data as text.
    KEYED_JSON_COERCE = 1,
    /// Tagged objects such as `{"$date": …}`, which can be parsed without loss.
    KEYED_JSON_TYPED = 2,
    /// Like `KEYED_JSON_COERCE`, with the objects of an archive resolved. Foundation's collections and values become
    /// arrays, objects and text. Any other object becomes its fields and a `$class` at its first occurrence. Later
    /// occurrences become `{"$ref": "@12"}`, with the key path of the object. A collection is written at each
    /// occurrence, except within itself, where it becomes a `$ref` too.
    KEYED_JSON_OBJECTS = 3,
};

/// Returns a value as JSON on one line, with `mode` one of `KEYED_JSON_…`.
keyed_text *keyed_json(
    const keyed_document *document, uint32_t value, uint32_t mode, keyed_error **error);

/// Serializes a document in a format, one of `KEYED_FORMAT_…`.
keyed_text *keyed_convert(const keyed_document *document, uint32_t format, keyed_error **error);

/// Returns the sorted class names of an archive as a JSON array.
keyed_text *keyed_class_names(const keyed_document *document, keyed_error **error);

/// Returns the text of a string or an attributed string. The string is the root of a typedstream, of a keyed archive or
/// of a property list. The root of a keyed archive may also be a URL without a base. Returns NULL without an error if
/// the root is another value.
keyed_text *keyed_text_of(
    const uint8_t *bytes, size_t count, const keyed_options *options, keyed_error **error);

/// Validates all of the input: a property list, each object of a keyed archive, a typedstream, a NIBArchive, or a
/// bplist15, 16 or 17. The limits apply to all formats. Returns 1 if the input is valid, otherwise 0.
int32_t keyed_check(
    const uint8_t *bytes, size_t count, const keyed_options *options, keyed_error **error);

// MARK: - Rows

/// A value and its location, as a row of a table.
typedef struct keyed_row {
    /// The key path of the value, relative to the value passed to `keyed_list`. `keyed_find` accepts the path if that
    /// value is the root or, in a keyed archive, the root object: the value that an empty path leads to.
    const char *path;
    /// The key in its container; NULL for elements and the root. A key without text is given as a reference to its
    /// object, as in `@12`, or as its kind in parentheses, as in `(date)`.
    const char *key;
    /// The index in its container; -1 for dictionary values and the root.
    int64_t index;
    /// The kind of the value (`string`, `dictionary`, …), or `object`, `uuid`, `url`, `class` or `reference`.
    const char *kind;
    /// The class of a value of kind `object`; NULL for other values.
    const char *class_name;
    /// Containers and objects as JSON; NULL for other values, and in lists with `KEYED_EVERYTHING`.
    const char *json;
    /// The number of the value.
    uint32_t value;
    /// The depth, counted from 0.
    uint32_t level;
    /// The index of the object in an archive; -1 for other values.
    int64_t object;
    /// The byte offset of the value in the source; -1 if it is unknown.
    int64_t offset;
    /// The content of a scalar, as in `keyed_value`. Strings are UTF-8. If the row's `kind` is `date` or `uuid`,
    /// `bytes` is text, whatever `scalar.kind` is. If the row's `kind` is `null`, `scalar.kind` is `KEYED_NULL`.
    keyed_value scalar;
} keyed_row;

/// Rows in document order.
typedef struct keyed_rows {
    const keyed_row *rows;
    size_t count;
} keyed_rows;

/// The scope of `keyed_list`.
enum {
    /// Only the value.
    KEYED_ITSELF = 0,
    /// The children of the value.
    KEYED_CHILDREN = 1,
    /// The value and all its descendants.
    KEYED_EVERYTHING = 2,
};

/// Returns rows for a value. `scope` is one of the constants above. Objects are resolved as in `KEYED_JSON_OBJECTS`.
/// With `KEYED_EVERYTHING`, a shared object with children is listed with them at its first occurrence, and is a
/// `reference` elsewhere.
keyed_rows *keyed_list(
    const keyed_document *document, uint32_t value, int32_t scope, keyed_error **error);

// MARK: - Writing

/// A builder for a document, which receives values in document order.
typedef struct keyed_builder keyed_builder;

/// Returns an empty builder. `limits` is one of `KEYED_LIMITS_…`; `keyed_finish` reports any other number.
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
/// Returns a number for the last complete value in the innermost open container; 0 if there is none. The number is valid
/// for this builder until `keyed_finish`.
size_t keyed_last_value(keyed_builder *builder);
/// Adds another reference to a value, by its number from `keyed_last_value`. The document stores the value once and
/// refers to it several times, as a binary property list does. Text formats repeat the value, within the limits.
void keyed_add_again(keyed_builder *builder, size_t value);

/// Returns the document and empties the builder, also on failure. Mistakes in earlier calls are reported here: calls in
/// the wrong order with the code `unexpectedElement`, text that is not UTF-8 with `invalidString`, an unknown preset of
/// limits, an unknown number for `keyed_add_again` or a count above `SSIZE_MAX` with `misuse`.
keyed_document *keyed_finish(keyed_builder *builder, keyed_error **error);

#ifdef __cplusplus
}
#endif

#endif
