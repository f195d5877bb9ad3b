// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Tests the C interface. `Scripts/data --test` runs it directly, under AddressSanitizer and under Valgrind.
//
//     interface [--growth] FILE...
//
// Each FILE is checked, parsed, converted and listed, and no function may crash. With `--growth`, the files are instead
// opened again and again, and the memory in use must not grow over 100,000 calls.

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "keyed.h"

static int checks, failures;

#define CHECK(condition) \
    do { \
        checks++; \
        if (!(condition)) { failures++; fprintf(stderr, "line %d: %s\n", __LINE__, #condition); } \
    } while (0)

// MARK: - Helpers

static keyed_document *open_text(const char *text, keyed_error **error) {
    return keyed_open((const uint8_t *)text, strlen(text), NULL, error);
}

static char *json_of(const char *text, uint32_t mode) {
    keyed_document *document = open_text(text, NULL);
    keyed_text *json = document ? keyed_json(document, keyed_root(document), mode, NULL) : NULL;
    char *copy = json ? strdup(json->bytes) : NULL;
    keyed_free(json);
    keyed_free(document);
    return copy;
}

static int has_json(const char *text, uint32_t mode, const char *expected) {
    char *found = json_of(text, mode);
    int same = found && strcmp(found, expected) == 0;
    if (!same) fprintf(stderr, "expected %s, found %s\n", expected, found ? found : "an error");
    free(found);
    return same;
}

#define KEY(name) keyed_add_key(b, name, strlen(name))
#define TEXT(text) keyed_add_string(b, text, strlen(text))

/// Begins an archive, up to its roots.
static keyed_builder *begin_archive(uint32_t limits) {
    keyed_builder *b = keyed_builder_new(limits);
    keyed_begin_dictionary(b);
    KEY("$version"); keyed_add_integer(b, 100000);
    KEY("$archiver"); TEXT("NSKeyedArchiver");
    KEY("$top"); keyed_begin_dictionary(b);
    return b;
}

/// Adds the description of a class.
static void add_class(keyed_builder *b, const char *name) {
    keyed_begin_dictionary(b);
    KEY("$classname"); TEXT(name);
    KEY("$classes"); keyed_begin_array(b); TEXT(name); TEXT("NSObject"); keyed_end(b);
    keyed_end(b);
}

/// Ends the objects and the archive.
static keyed_document *end_archive(keyed_builder *b) {
    keyed_end(b);
    keyed_end(b);
    keyed_document *document = keyed_finish(b, NULL);
    keyed_free(b);
    return document;
}

/// An archive of a dictionary that contains a date, itself, and an object of the class `Save`.
static keyed_document *sample(void) {
    keyed_builder *b = begin_archive(KEYED_LIMITS_DEFAULT);
    KEY("root"); keyed_add_uid(b, 1); keyed_end(b);
    KEY("$objects"); keyed_begin_array(b);
    TEXT("$null");
    keyed_begin_dictionary(b);  // 1
    KEY("NS.keys"); keyed_begin_array(b); keyed_add_uid(b, 2); keyed_add_uid(b, 3); keyed_add_uid(b, 8); keyed_end(b);
    KEY("NS.objects"); keyed_begin_array(b); keyed_add_uid(b, 4); keyed_add_uid(b, 1); keyed_add_uid(b, 5); keyed_end(b);
    KEY("$class"); keyed_add_uid(b, 6); keyed_end(b);
    TEXT("born");  // 2
    TEXT("self");  // 3
    keyed_begin_dictionary(b);  // 4
    KEY("NS.time"); keyed_add_real(b, 0); KEY("$class"); keyed_add_uid(b, 7); keyed_end(b);
    keyed_begin_dictionary(b);  // 5
    KEY("level"); keyed_add_integer(b, -3); KEY("name"); keyed_add_uid(b, 3);
    KEY("$class"); keyed_add_uid(b, 9); keyed_end(b);
    const char *classes[] = { "NSDictionary", "NSDate", NULL, "Save" };
    for (int index = 0; index < 4; index++) {
        if (classes[index]) add_class(b, classes[index]); else TEXT("save");
    }
    return end_archive(b);
}

/// An archive of a dictionary with 20,000 keys, all of which are references to one string of `size` letters.
static keyed_document *with_one_key(size_t size) {
    enum { REFERENCES = 20000 };
    char *text = malloc(size);
    memset(text, 's', size);
    keyed_builder *b = begin_archive(KEYED_LIMITS_UNTRUSTED);
    KEY("root"); keyed_add_uid(b, 1); keyed_end(b);
    KEY("$objects"); keyed_begin_array(b);
    TEXT("$null");
    keyed_begin_dictionary(b);  // 1
    KEY("NS.keys"); keyed_begin_array(b);
    for (int index = 0; index < REFERENCES; index++) keyed_add_uid(b, 2);
    keyed_end(b);
    KEY("NS.objects"); keyed_begin_array(b);
    for (int index = 0; index < REFERENCES; index++) keyed_add_uid(b, 0);
    keyed_end(b);
    KEY("$class"); keyed_add_uid(b, 3); keyed_end(b);
    keyed_add_string(b, text, size);  // 2
    add_class(b, "NSDictionary");  // 3
    free(text);
    return end_archive(b);
}

/// Returns the growth of the peak memory of the process, in KiB.
static long growth_since(const struct rusage *before) {
    struct rusage after;
    getrusage(RUSAGE_SELF, &after);
    return after.ru_maxrss - before->ru_maxrss;
}

// MARK: - Tests

static void values_are_in_the_table(void) {
    keyed_document *document = open_text("{\"a\":[1,-2,true],\"b\":\"x\"}", NULL);
    CHECK(document && keyed_format(document) == KEYED_FORMAT_JSON);
    keyed_table *table = keyed_values(document, NULL);
    const keyed_value *root = &table->values[table->root];
    CHECK(root->kind == KEYED_DICTIONARY && root->count == 2);
    const keyed_value *key = &table->values[root->u.children[0]];
    CHECK(key->kind == KEYED_STRING && key->count == 1 && key->u.bytes[0] == 'a' && key->key != 0);
    const keyed_value *list = &table->values[root->u.children[2]];
    CHECK(list->kind == KEYED_ARRAY && list->count == 3);
    CHECK(table->values[list->u.children[1]].u.integer == -2);
    CHECK(table->values[list->u.children[1]].is_negative == 1);
    CHECK(table->values[list->u.children[2]].kind == KEYED_BOOLEAN);
    keyed_free(document);
    // The table is independent of the document.
    CHECK(root->count == 2 && key->u.bytes[0] == 'a');
    keyed_free(table);
}

static void errors_are_located(void) {
    keyed_error *error = NULL;
    keyed_document *document = open_text("<plist><array><integer>x</integer></array></plist>", &error);
    CHECK(!document && error);
    CHECK(error && error->offset > 0 && error->line == 1 && error->column > 1 && strlen(error->message) > 10);
    CHECK(error && strcmp(error->code, "invalidNumber") == 0);
    keyed_free(error);
    CHECK(!open_text("bplist00", NULL));
    // A message begins with the format.
    const char *inputs[] = { "NIBArchive", "bplist16", "\x04\x0bstreamtyped" };
    const char *beginnings[] = { "NIBArchive: ", "bplist16: ", "typedstream: " };
    for (int index = 0; index < 3; index++) {
        error = NULL;
        CHECK(!keyed_check((const uint8_t *)inputs[index], strlen(inputs[index]), NULL, &error) && error);
        CHECK(error && strncmp(error->message, beginnings[index], strlen(beginnings[index])) == 0);
        keyed_free(error);
    }
    keyed_options wrong = { 77, 0 };
    error = NULL;
    CHECK(!keyed_open((const uint8_t *)"{}", 2, &wrong, &error) && error && strcmp(error->code, "misuse") == 0);
    keyed_free(error);
    error = NULL;
    CHECK(!keyed_open((const uint8_t *)"{}", (size_t)-1, NULL, &error) && error && strcmp(error->code, "misuse") == 0);
    keyed_free(error);
    keyed_document *empty = keyed_open((const uint8_t *)"{}", 2, NULL, NULL);
    error = NULL;
    CHECK(!keyed_find(empty, "a\xff", 2, NULL, &error) && error && strcmp(error->code, "invalidKeyPath") == 0);
    keyed_free(error);
    error = NULL;
    CHECK(!keyed_find(empty, "a", (size_t)-1, NULL, &error) && error && strcmp(error->code, "misuse") == 0);
    keyed_free(error);
    keyed_free(empty);
    keyed_free(NULL);
}

static void limits_are_those_of_the_preset(void) {
    char text[2001];
    memset(text, '[', 1000);
    memset(text + 1000, ']', 1000);
    text[2000] = 0;
    keyed_error *error = NULL;
    CHECK(!open_text(text, &error) && error && error->is_limit == 1);
    keyed_free(error);
    // A size beyond the limit is refused before a function reads the input.
    const uint8_t *bytes = (const uint8_t *)text;
    size_t huge = (size_t)1 << 40;
    error = NULL;
    CHECK(!keyed_open(bytes, huge, NULL, &error) && error && strcmp(error->code, "sizeLimitExceeded") == 0);
    keyed_free(error);
    error = NULL;
    CHECK(!keyed_check(bytes, huge, NULL, &error) && error && strcmp(error->code, "sizeLimitExceeded") == 0);
    keyed_free(error);
    error = NULL;
    CHECK(!keyed_text_of(bytes, huge, NULL, &error) && error && strcmp(error->code, "sizeLimitExceeded") == 0);
    keyed_free(error);
}

static void json_has_modes(void) {
    const char *date = "<plist><dict><key>d</key><date>2001-01-01T00:00:00Z</date></dict></plist>";
    CHECK(!json_of(date, KEYED_JSON_STRICT));
    CHECK(has_json(date, KEYED_JSON_COERCE, "{\"d\":\"2001-01-01T00:00:00Z\"}"));
    CHECK(has_json(date, KEYED_JSON_OBJECTS, "{\"d\":\"2001-01-01T00:00:00Z\"}"));
    CHECK(has_json(date, KEYED_JSON_TYPED, "{\"d\":{\"$date\":\"2001-01-01T00:00:00Z\"}}"));
    keyed_document *document = open_text("[]", NULL);
    keyed_error *error = NULL;
    CHECK(!keyed_json(document, keyed_root(document), 9, &error));
    CHECK(error && strcmp(error->message, "expected a JSON mode from 0 to 3, found 9") == 0);
    keyed_free(error);
    keyed_free(document);
}

static void archives_are_graphs(void) {
    keyed_document *document = sample();
    CHECK(document && keyed_is_archive(document));
    keyed_archive *archive = keyed_objects(document, NULL);
    CHECK(archive && archive->object_count == 10 && archive->class_count == 3);
    CHECK(archive->objects[0].form == KEYED_FORM_NULL);
    CHECK(archive->objects[1].form == KEYED_FORM_DICTIONARY);
    CHECK(archive->objects[4].form == KEYED_FORM_DATE);
    CHECK(archive->objects[5].form == KEYED_FORM_OBJECT);
    const keyed_class *class = &archive->classes[archive->objects[5].class_index];
    CHECK(strcmp(class->name, "Save") == 0 && class->chain_count == 2 && strcmp(class->chain[1], "NSObject") == 0);
    CHECK(strcmp(archive->archiver, "NSKeyedArchiver") == 0);
    keyed_free(archive);
    keyed_text *json = keyed_json(document, keyed_root(document), KEYED_JSON_OBJECTS, NULL);
    CHECK(json && strcmp(json->bytes, "{\"born\":\"2001-01-01T00:00:00Z\",\"self\":{\"$ref\":\"@1\"},"
        "\"save\":{\"$class\":\"Save\",\"level\":-3,\"name\":\"self\"}}") == 0);
    if (json) printf("%s\n", json->bytes);
    keyed_free(json);
    json = keyed_class_names(document, NULL);
    CHECK(json && strcmp(json->bytes, "[\"NSDate\",\"NSDictionary\",\"Save\"]") == 0);
    keyed_free(json);
    keyed_free(document);
}

/// The elements of an ordered set are in the order of their numbers, not of the fields.
static void ordered_sets_are_lists(void) {
    keyed_builder *b = begin_archive(KEYED_LIMITS_DEFAULT);
    KEY("root"); keyed_add_uid(b, 1); keyed_end(b);
    KEY("$objects"); keyed_begin_array(b);
    TEXT("$null");
    keyed_begin_dictionary(b);  // 1
    KEY("NS.object.1"); keyed_add_uid(b, 2); KEY("$class"); keyed_add_uid(b, 4);
    KEY("NS.object.0"); keyed_add_uid(b, 3); keyed_end(b);
    TEXT("second"); TEXT("first");
    add_class(b, "NSOrderedSet");
    keyed_document *document = end_archive(b);
    keyed_archive *archive = document ? keyed_objects(document, NULL) : NULL;
    CHECK(archive && archive->objects[1].form == KEYED_FORM_ORDERED_SET);
    CHECK(archive && archive->objects[1].count == 2);
    keyed_table *table = document ? keyed_values(document, NULL) : NULL;
    const uint32_t *elements = archive ? archive->children + archive->objects[1].parts[0] : NULL;
    CHECK(table && elements && table->values[elements[0]].u.natural == 3);
    CHECK(table && elements && table->values[elements[1]].u.natural == 2);
    keyed_free(table);
    keyed_free(archive);
    uint32_t value = 0;
    keyed_document *found = document ? keyed_find(document, "", 0, &value, NULL) : NULL;
    keyed_text *json = found ? keyed_json(found, value, KEYED_JSON_OBJECTS, NULL) : NULL;
    CHECK(json && strcmp(json->bytes, "[\"first\",\"second\"]") == 0);
    keyed_free(json);
    keyed_rows *rows = found ? keyed_list(found, value, KEYED_CHILDREN, NULL) : NULL;
    CHECK(rows && rows->count == 2 && strcmp(rows->rows[0].path, "[0]") == 0);
    keyed_free(rows);
    keyed_free(found);
    found = document ? keyed_find(document, "[1]", 3, &value, NULL) : NULL;
    json = found ? keyed_json(found, value, KEYED_JSON_OBJECTS, NULL) : NULL;
    CHECK(json && strcmp(json->bytes, "\"second\"") == 0);
    keyed_free(json);
    keyed_free(found);
    CHECK(!keyed_find(document, "[2]", 3, &value, NULL));
    keyed_free(document);
}

static void paths_go_through_objects(void) {
    keyed_document *document = sample();
    uint32_t value = 0;
    keyed_document *found = keyed_find(document, "save.level", 10, &value, NULL);
    keyed_text *json = found ? keyed_json(found, value, KEYED_JSON_OBJECTS, NULL) : NULL;
    CHECK(json && strcmp(json->bytes, "-3") == 0);
    keyed_free(json);
    keyed_free(found);
    found = keyed_find(document, "$top.root.self.born", 19, &value, NULL);
    CHECK(found);
    keyed_free(found);
    // The path of a `$ref`.
    const char *save = "{\"$class\":\"Save\",\"level\":-3,\"name\":\"self\"}";
    found = keyed_find(document, "@5", 2, &value, NULL);
    json = found ? keyed_json(found, value, KEYED_JSON_OBJECTS, NULL) : NULL;
    CHECK(json && strcmp(json->bytes, save) == 0);
    keyed_free(json);
    keyed_rows *rows = found ? keyed_list(found, value, KEYED_ITSELF, NULL) : NULL;
    CHECK(rows && rows->rows[0].json && strcmp(rows->rows[0].json, save) == 0);
    keyed_free(rows);
    keyed_free(found);
    keyed_error *error = NULL;
    CHECK(!keyed_find(document, "save.nothing", 12, &value, &error) && error && strcmp(error->code, "noSuchValue") == 0);
    CHECK(error && strcmp(error->message,
        "no value at step 2 of `save.nothing`: the object before it has no such key or index") == 0);
    keyed_free(error);
    error = NULL;
    CHECK(!keyed_find(document, "save.name[0]", 12, &value, &error) && error && strcmp(error->message,
        "no value at step 3 of `save.name[0]`: the value before it is of kind string and has no children") == 0);
    keyed_free(error);
    error = NULL;
    CHECK(!keyed_find(document, "save.level!", 11, &value, &error) && error && strcmp(error->message, "property list: "
        "expected data or a string for `!`, found a value of kind integer at column 11 of the key path") == 0);
    keyed_free(error);
    keyed_free(document);
}

static void paths_enter_32_property_lists(void) {
    enum { LIMIT = 32 };
    keyed_document *document = open_text("[]", NULL);
    for (int level = 0; level <= LIMIT; level++) {
        keyed_text *content = keyed_convert(document, KEYED_FORMAT_BINARY, NULL);
        keyed_free(document);
        keyed_builder *b = keyed_builder_new(KEYED_LIMITS_DEFAULT);
        keyed_add_data(b, (const uint8_t *)content->bytes, content->count);
        document = keyed_finish(b, NULL);
        keyed_free(b);
        keyed_free(content);
    }
    char path[LIMIT + 1];
    memset(path, '!', LIMIT + 1);
    uint32_t value = 0;
    keyed_document *found = keyed_find(document, path, LIMIT, &value, NULL);
    CHECK(found);
    keyed_free(found);
    keyed_error *error = NULL;
    CHECK(!keyed_find(document, path, LIMIT + 1, &value, &error) && error && error->is_limit);
    CHECK(error && strcmp(error->message,
        "property list: expected at most 32 nested property lists, found 33 at column 33 of the key path") == 0);
    keyed_free(error);
    keyed_free(document);
}

/// Returns the seconds that it takes to look up a key that is absent and as long as the keys of the dictionary.
static double seconds_to_miss(size_t size) {
    keyed_document *document = with_one_key(size);
    char *path = malloc(size);
    memset(path, 's', size);
    path[size - 1] = 't';
    uint32_t value = 0;
    keyed_error *error = NULL;
    clock_t start = clock();
    CHECK(!keyed_find(document, path, size, &value, &error) && error && strcmp(error->code, "noSuchValue") == 0);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    keyed_free(error);
    keyed_free(document);
    free(path);
    return seconds;
}

static void a_long_key_is_compared_once(void) {
    // The limit is relative to a short key, because Valgrind slows both searches down.
    CHECK(seconds_to_miss(1000000) < 10 * seconds_to_miss(10) + 0.5);
}

static void an_index_has_no_sign_and_no_leading_zeros(void) {
    keyed_document *document = open_text("{\"list\":[1,2]}", NULL);
    uint32_t value = 0;
    const char *valid[] = { "list[1]", "list.1", "/list/1", ":list:1" };
    for (int index = 0; index < 4; index++) {
        keyed_document *found = keyed_find(document, valid[index], strlen(valid[index]), &value, NULL);
        CHECK(found);
        keyed_free(found);
    }
    const char *invalid[] = { "list.01", "list.+1", "/list/01", ":list:-0" };
    for (int index = 0; index < 4; index++) {
        keyed_error *error = NULL;
        CHECK(!keyed_find(document, invalid[index], strlen(invalid[index]), &value, &error));
        CHECK(error && strcmp(error->code, "noSuchValue") == 0);
        keyed_free(error);
    }
    keyed_free(document);
}

static void rows_list_values(void) {
    keyed_document *document = sample();
    uint32_t value = 0;
    keyed_document *found = keyed_find(document, "", 0, &value, NULL);
    keyed_rows *rows = keyed_list(found, value, KEYED_CHILDREN, NULL);
    CHECK(rows && rows->count == 3 && strcmp(rows->rows[0].key, "born") == 0);
    CHECK(strcmp(rows->rows[0].kind, "date") == 0);
    CHECK(strcmp(rows->rows[2].class_name, "Save") == 0 && rows->rows[2].json);
    keyed_free(rows);
    rows = keyed_list(found, value, KEYED_EVERYTHING, NULL);
    CHECK(rows && rows->count == 6 && strcmp(rows->rows[2].kind, "reference") == 0);
    CHECK(strcmp(rows->rows[4].path, "save.level") == 0 && rows->rows[4].scalar.u.integer == -3);
    keyed_free(rows);
    CHECK(!keyed_list(found, UINT32_MAX, KEYED_CHILDREN, NULL));
    keyed_free(found);
    keyed_free(document);
}

static void rows_of_roots_have_paths_that_lead_to_them(void) {
    keyed_builder *b = begin_archive(KEYED_LIMITS_DEFAULT);
    KEY("$top"); keyed_add_integer(b, 7); KEY("a"); keyed_add_integer(b, 8); keyed_end(b);
    KEY("$objects"); keyed_begin_array(b);
    TEXT("$null");
    keyed_document *document = end_archive(b);
    uint32_t value = 0;
    keyed_document *found = keyed_find(document, "", 0, &value, NULL);
    const char *paths[] = { "[0]", "a" };
    for (int scope = KEYED_CHILDREN; scope <= KEYED_EVERYTHING; scope++) {
        keyed_rows *rows = keyed_list(found, value, scope, NULL);
        CHECK(rows && rows->count >= 2);
        for (size_t index = 0; rows && index < 2; index++) {
            const keyed_row *row = &rows->rows[rows->count - 2 + index];
            CHECK(strcmp(row->path, paths[index]) == 0);
            uint32_t target = UINT32_MAX;
            keyed_free(keyed_find(document, row->path, strlen(row->path), &target, NULL));
            CHECK(target == row->value);
        }
        keyed_free(rows);
    }
    keyed_free(found);
    keyed_free(document);
}

static void rows_with_a_long_key_are_limited(void) {
    keyed_document *document = with_one_key(250000);
    uint32_t value = 0;
    keyed_document *found = keyed_find(document, "", 0, &value, NULL);
    struct rusage before;
    getrusage(RUSAGE_SELF, &before);
    for (int scope = KEYED_CHILDREN; scope <= KEYED_EVERYTHING; scope++) {
        keyed_error *error = NULL;
        CHECK(!keyed_list(found, value, scope, &error) && error && error->is_limit);
        keyed_free(error);
    }
    CHECK(growth_since(&before) < 1 << 20);
    keyed_free(found);
    keyed_free(document);
}

/// Writes a 4-byte big-endian integer, and returns the position after it.
static uint8_t *put(uint8_t *place, uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) *place++ = (uint8_t)(number >> shift);
    return place;
}

static void rows_of_shared_values_are_limited(void) {
    // 126 nested arrays around an array of a million references to one Boolean, in 1 MB.
    enum { NESTED = 126, REFERENCES = 1000000 };
    uint8_t *bytes = calloc(1, REFERENCES + 4096);
    memcpy(bytes, "bplist00", 8);
    uint8_t *end = bytes + 8;
    for (int number = 0; number < NESTED; number++) {
        *end++ = 0xA1;
        *end++ = (uint8_t)(number + 1);
    }
    *end++ = 0xAF;
    *end++ = 0x12;
    end = put(end, REFERENCES);
    memset(end, NESTED + 1, REFERENCES);
    end += REFERENCES;
    uint32_t boolean = (uint32_t)(end - bytes);
    *end++ = 0x09;
    uint32_t offsets = (uint32_t)(end - bytes);
    for (uint32_t number = 0; number <= NESTED; number++) end = put(end, 8 + 2 * number);
    end = put(end, boolean);
    end += 6;
    *end++ = 4;
    *end++ = 1;
    end = put(end + 4, NESTED + 2);
    end = put(end + 4, 0);
    end = put(end + 4, offsets);
    keyed_document *document = keyed_open(bytes, (size_t)(end - bytes), NULL, NULL);
    CHECK(document);
    struct rusage before;
    getrusage(RUSAGE_SELF, &before);
    keyed_error *error = NULL;
    CHECK(document && !keyed_list(document, keyed_root(document), KEYED_EVERYTHING, &error));
    CHECK(error && error->is_limit);
    // 1 GiB, because AddressSanitizer keeps memory that was freed.
    CHECK(growth_since(&before) < 1 << 20);
    keyed_free(error);
    keyed_free(document);
    free(bytes);
}

static void builders_store_a_value_once(void) {
    keyed_builder *builder = keyed_builder_new(KEYED_LIMITS_DEFAULT);
    CHECK(keyed_last_value(builder) == 0);
    keyed_begin_array(builder);
    CHECK(keyed_last_value(builder) == 0);
    keyed_begin_array(builder);
    keyed_add_string(builder, "once", 4);
    keyed_end(builder);
    size_t number = keyed_last_value(builder);
    CHECK(number);
    keyed_add_again(builder, number);
    keyed_add_again(builder, number);
    keyed_end(builder);
    keyed_document *document = keyed_finish(builder, NULL);
    keyed_text *json = document ? keyed_json(document, keyed_root(document), KEYED_JSON_STRICT, NULL) : NULL;
    CHECK(json && strcmp(json->bytes, "[[\"once\"],[\"once\"],[\"once\"]]") == 0);
    keyed_text *binary = document ? keyed_convert(document, KEYED_FORMAT_BINARY, NULL) : NULL;
    CHECK(binary && binary->count == 8 + 4 + 2 + 5 + 3 + 32);
    keyed_free(binary);
    keyed_free(json);
    keyed_free(document);
    // The number of a value is valid only until the document is finished.
    keyed_begin_array(builder);
    keyed_add_again(builder, number);
    keyed_end(builder);
    keyed_error *error = NULL;
    CHECK(!keyed_finish(builder, &error) && error && strcmp(error->code, "misuse") == 0);
    keyed_free(error);
    keyed_free(builder);
}

static void builders_report_misuse(void) {
    keyed_builder *builder = keyed_builder_new(KEYED_LIMITS_DEFAULT);
    keyed_begin_dictionary(builder);
    keyed_add_integer(builder, 1);
    keyed_error *error = NULL;
    CHECK(!keyed_finish(builder, &error) && error);
    keyed_free(error);
    keyed_add_string(builder, "\xFF", 1);
    error = NULL;
    CHECK(!keyed_finish(builder, &error) && error && strcmp(error->code, "invalidString") == 0);
    keyed_free(error);
    keyed_add_natural(builder, UINT64_MAX);
    keyed_document *document = keyed_finish(builder, NULL);
    keyed_text *xml = document ? keyed_convert(document, KEYED_FORMAT_XML, NULL) : NULL;
    CHECK(xml && strstr(xml->bytes, "18446744073709551615"));
    keyed_free(xml);
    keyed_free(document);
    keyed_add_string(builder, "a", (size_t)-1);
    error = NULL;
    CHECK(!keyed_finish(builder, &error) && error && strcmp(error->code, "misuse") == 0);
    keyed_free(error);
    keyed_free(builder);
    builder = keyed_builder_new(77);
    for (int turn = 0; turn < 2; turn++) {
        keyed_add_integer(builder, 1);
        error = NULL;
        CHECK(!keyed_finish(builder, &error) && error && strcmp(error->code, "misuse") == 0);
        keyed_free(error);
    }
    keyed_free(builder);
}

// MARK: - Threads

static void *read_one(void *handle) {
    for (int turn = 0; turn < 200; turn++) {
        keyed_text *json = keyed_json(handle, keyed_root(handle), KEYED_JSON_OBJECTS, NULL);
        if (!json || json->count < 10) return handle;
        keyed_free(json);
    }
    return NULL;
}

static void threads_share_a_handle(void) {
    keyed_document *document = sample();
    pthread_t threads[4];
    for (int index = 0; index < 4; index++) pthread_create(&threads[index], NULL, read_one, document);
    for (int index = 0; index < 4; index++) {
        void *failed;
        pthread_join(threads[index], &failed);
        CHECK(!failed);
    }
    keyed_free(document);
}

// MARK: - Files

/// Passes bytes to each function that takes bytes, then converts and lists the document.
static void take(const uint8_t *bytes, size_t count) {
    keyed_error *error = NULL;
    keyed_kind_of(bytes, count);
    int valid = keyed_check(bytes, count, NULL, &error);
    CHECK(valid == (error == NULL));
    keyed_free(error);
    keyed_free(keyed_text_of(bytes, count, NULL, NULL));
    error = NULL;
    keyed_document *document = keyed_open(bytes, count, NULL, &error);
    if (!document) CHECK(error && error->message[0]);
    keyed_free(error);
    if (!document) return;
    for (uint32_t mode = 0; mode < 4; mode++) {
        keyed_free(keyed_json(document, keyed_root(document), mode, NULL));
    }
    for (uint32_t format = 1; format < 5; format++) keyed_free(keyed_convert(document, format, NULL));
    keyed_free(keyed_values(document, NULL));
    keyed_free(keyed_objects(document, NULL));
    keyed_free(keyed_class_names(document, NULL));
    keyed_free(keyed_list(document, keyed_root(document), KEYED_CHILDREN, NULL));
    keyed_free(keyed_list(document, keyed_root(document), KEYED_EVERYTHING, NULL));
    keyed_free(document);
}

static uint8_t *read_file(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(2); }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
    *count = fread(bytes, 1, (size_t)size, file);
    fclose(file);
    return bytes;
}

static void memory_returns(int count, char **paths) {
    if (count == 0) return;
    size_t before = 0;
    for (int turn = 0; turn < 110000; turn++) {
        // Measured after the first calls, which fill caches.
        if (turn == 10000) before = mallinfo2().uordblks;
        size_t size;
        uint8_t *bytes = read_file(paths[turn % count], &size);
        keyed_document *document = keyed_open(bytes, size, NULL, NULL);
        if (document) keyed_free(keyed_json(document, keyed_root(document), KEYED_JSON_OBJECTS, NULL));
        keyed_free(document);
        free(bytes);
    }
    size_t after = mallinfo2().uordblks;
    printf("memory in use before 100,000 calls: %zu bytes, after: %zu\n", before, after);
    CHECK(after <= before + 4096);
}

int main(int count, char **arguments) {
    int growth = count > 1 && strcmp(arguments[1], "--growth") == 0;
    CHECK(keyed_abi_version() == KEYED_ABI_VERSION);
    values_are_in_the_table();
    errors_are_located();
    limits_are_those_of_the_preset();
    json_has_modes();
    archives_are_graphs();
    ordered_sets_are_lists();
    paths_go_through_objects();
    paths_enter_32_property_lists();
    a_long_key_is_compared_once();
    an_index_has_no_sign_and_no_leading_zeros();
    rows_list_values();
    rows_of_roots_have_paths_that_lead_to_them();
    // In a debug build, each of these takes seconds to reach the limit.
    if (!getenv("KEYED_DEBUG_BUILD")) {
        rows_with_a_long_key_are_limited();
        rows_of_shared_values_are_limited();
    }
    builders_store_a_value_once();
    builders_report_misuse();
    threads_share_a_handle();
    if (growth) memory_returns(count - 2, arguments + 2);
    for (int index = 1 + growth; index < count && !growth; index++) {
        size_t size;
        uint8_t *bytes = read_file(arguments[index], &size);
        take(bytes, size);
        free(bytes);
    }
    printf("%d passed, %d failed\n", checks - failures, failures);
    return failures != 0;
}
