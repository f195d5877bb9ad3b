// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Creates Python objects from the tables of the C interface. Uses the stable ABI of Python 3.10.
//
// Containers are created empty and filled later from a worklist. Reading therefore needs no recursion, a shared value
// becomes one object, and cycles in archives need no special case. Code of the caller's types runs last, so that it
// finds complete values.

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "keyed.h"

// MARK: - Errors

/// Raises `keyedarchive.KeyedArchiveError` with the parts of an error. Frees the error and returns NULL.
static PyObject *raise(keyed_error *error) {
    if (!error) return PyErr_NoMemory();
    PyObject *module = PyImport_ImportModule("keyedarchive._errors");
    PyObject *type = module ? PyObject_GetAttrString(module, "KeyedArchiveError") : NULL;
    PyObject *value = !type ? NULL : PyObject_CallFunction(
        type, "sszLiii", error->message, error->code, error->path, (long long)error->offset,
        (int)error->line, (int)error->column, (int)error->is_limit);
    if (value) PyErr_SetObject(type, value);
    Py_XDECREF(value);
    Py_XDECREF(type);
    Py_XDECREF(module);
    keyed_free(error);
    return NULL;
}

/// Raises an exception of `keyedarchive._errors` with a message, a code and a byte offset, or -1. Releases the message
/// and returns NULL.
static PyObject *raise_as(const char *name, PyObject *message, const char *code, long long offset) {
    PyObject *module = message ? PyImport_ImportModule("keyedarchive._errors") : NULL;
    PyObject *type = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *value = type ? PyObject_CallFunction(type, "OszL", message, code, NULL, offset) : NULL;
    if (value) PyErr_SetObject(type, value);
    Py_XDECREF(value);
    Py_XDECREF(type);
    Py_XDECREF(module);
    Py_XDECREF(message);
    return NULL;
}

/// Raises a `KeyedArchiveError`. The parameters are those of `raise_as`.
static PyObject *raise_message(PyObject *message, const char *code, long long offset) {
    return raise_as("KeyedArchiveError", message, code, offset);
}

/// Opens a document without holding the interpreter lock.
static keyed_document *open_document(const char *bytes, Py_ssize_t count, int limits, int lenient) {
    keyed_options options = { (uint32_t)limits, (uint32_t)lenient };
    keyed_error *error = NULL;
    keyed_document *document;
    Py_BEGIN_ALLOW_THREADS
    document = keyed_open((const uint8_t *)bytes, (size_t)count, &options, &error);
    Py_END_ALLOW_THREADS
    if (!document) raise(error);
    return document;
}

// MARK: - Scalars

/// An attribute of a type. Where it is a slot, the functions of its descriptor are called directly: `PyObject_SetAttr`
/// looks the name up in all base classes each time.
typedef struct attribute {
    PyObject *name, *descriptor;
    descrgetfunc get;
    descrsetfunc set;
} attribute;

/// Finds an attribute of a type; `type` is NULL where no slot is wanted. Returns -1 after an error.
static int attribute_begin(attribute *self, PyObject *type, const char *name) {
    self->name = PyUnicode_InternFromString(name);
    if (!self->name) return -1;
    self->descriptor = type ? PyObject_GetAttr(type, self->name) : NULL;
    PyErr_Clear();
    if (self->descriptor) {
        self->get = (descrgetfunc)PyType_GetSlot(Py_TYPE(self->descriptor), Py_tp_descr_get);
        self->set = (descrsetfunc)PyType_GetSlot(Py_TYPE(self->descriptor), Py_tp_descr_set);
    }
    return 0;
}

static void attribute_end(attribute *self) {
    Py_XDECREF(self->name);
    Py_XDECREF(self->descriptor);
}

/// Sets an attribute of an instance of the type itself, not of a subclass.
static int attribute_set(const attribute *self, PyObject *object, PyObject *value) {
    return self->set ? self->set(self->descriptor, object, value) : PyObject_SetAttr(object, self->name, value);
}

static PyObject *attribute_get(const attribute *self, PyObject *object) {
    return self->set && self->get ? self->get(self->descriptor, object, (PyObject *)Py_TYPE(object))
                                  : PyObject_GetAttr(object, self->name);
}

/// The Python types and functions that create values.
typedef struct makers {
    PyObject *dict_type;  // NULL for `dict`
    PyObject *datetime;
    PyObject *zone;       // the last argument of `datetime`: None or UTC
    PyObject *far_date;   // replaces dates outside the years 1 to 9999; if None, they are errors
    PyObject *no_arguments;  // the empty tuple
    // Only for plain property lists:
    PyObject *uid;
    PyObject *data_name;     // "data", the attribute of a UID
    // Only for archives:
    PyObject *object_type;  // ArchivedObject(name, chain, fields)
    PyObject *uuid;
    PyObject *classes;      // a mapping from class names to types, or None
    PyObject *new_object;   // creates an empty instance of a type
    PyObject *fill_object;  // sets its fields
    int inert_forms;        // a bit for each form whose objects become inert
    int lenient;            // whether to keep one of several equal keys or elements, instead of raising
    // The attributes of `object_type`.
    attribute class_name, class_chain, fields;
} makers;

/// Finds the attributes. Returns -1 after an error.
static int makers_begin(makers *self) {
    self->no_arguments = PyTuple_New(0);
    self->data_name = PyUnicode_InternFromString("data");
    return !self->no_arguments || !self->data_name
        || attribute_begin(&self->class_name, self->object_type, "class_name")
        || attribute_begin(&self->class_chain, self->object_type, "class_chain")
        || attribute_begin(&self->fields, self->object_type, "fields") ? -1 : 0;
}

static void makers_end(makers *self) {
    Py_XDECREF(self->no_arguments);
    Py_XDECREF(self->data_name);
    attribute_end(&self->class_name);
    attribute_end(&self->class_chain);
    attribute_end(&self->fields);
}

/// Creates an instance of a Python type without calling its initializer.
static PyObject *instance(PyObject *type, const makers *with) {
    newfunc make = (newfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_new);
    return make((PyTypeObject *)type, with->no_arguments, NULL);
}

/// An entry of a cache of key sets: the last dictionary whose keys hash to this entry. Once a second dictionary has the
/// same keys, `model` is a Python dictionary with these keys.
typedef struct key_set {
    const keyed_value *source;
    PyObject *model;
} key_set;

enum { key_set_count = 64 };

/// A growing stack of numbers.
typedef struct worklist {
    uint64_t *items;
    size_t count, room;
} worklist;

typedef struct reader {
    const keyed_table *table;
    const keyed_archive *archive;  // NULL for a plain property list
    const makers *with;
    PyObject **values;   // by number of the value
    PyObject **keys;     // by key number
    PyObject **uids;     // for a plain property list, by the number in the UID
    uint32_t uid_count;
    PyObject **objects;  // by number of the object
    PyObject **class_names;
    PyObject **class_chains;
    key_set key_sets[key_set_count];
    // The containers to fill: numbers of values, or numbers of objects combined with `object_mark`.
    worklist pending;
    // The containers that are filled after all others. `instances`: instances of types that the caller chose, by
    // number of the object. `keyed_by_instances`: sets and dictionaries whose keys are such instances, numbered as in
    // `pending`.
    worklist instances, keyed_by_instances;
} reader;

static const uint64_t object_mark = (uint64_t)1 << 32;

static int enqueue(worklist *self, uint64_t item) {
    if (self->count == self->room) {
        size_t room = self->room ? self->room * 2 : 64;
        uint64_t *grown = realloc(self->items, room * sizeof *grown);
        if (!grown) { PyErr_NoMemory(); return -1; }
        self->items = grown;
        self->room = room;
    }
    self->items[self->count++] = item;
    return 0;
}

static PyObject *string_of(const keyed_value *value) {
    if (value->encoding == KEYED_UTF16_BE) {
        int order = 1;
        return PyUnicode_DecodeUTF16((const char *)value->u.bytes, value->count, "surrogatepass", &order);
    }
    return PyUnicode_FromStringAndSize((const char *)value->u.bytes, value->count);
}

/// Returns whether seconds since 2001 are within the years 1 to 9999, which `datetime` supports. Rounding to
/// microseconds does not leave these years, because dates near the year 9999 are multiples of 2⁻¹⁵ seconds.
static int has_datetime(double seconds) {
    return seconds >= -63113904000.0 && seconds < 252423993600.0;
}

/// Creates a `datetime` from seconds since 2001, rounded to microseconds.
static PyObject *date_of(double seconds, const makers *with) {
    if (!has_datetime(seconds)) {
        if (with->far_date != Py_None) {
            Py_INCREF(with->far_date);
            return with->far_date;
        }
        // The number of days may be too large for a `long long`.
        PyObject *message = !(fabs(seconds) < 1e18)
            ? PyUnicode_FromString("date value out of range: not within the years 1 to 9999")
            : PyUnicode_FromFormat("date value out of range: %lld days from 2001", (long long)(seconds / 86400));
        return raise_as("DateRangeError", message, "dateOutOfRange", -1);
    }
    double whole = floor(seconds);
    long micros = lrint((seconds - whole) * 1e6);
    if (micros == 1000000) { whole += 1; micros = 0; }
    int64_t total = (int64_t)whole;
    int64_t day = total >= 0 ? total / 86400 : -((86399 - total) / 86400);
    int second = (int)(total - day * 86400);
    // Converts days since 0000-03-01 to a date, by cycles of 400 years.
    int64_t z = day + 11323 + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    unsigned doe = (unsigned)(z - era * 146097);
    unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = (5 * doy + 2) / 153;
    int dom = (int)(doy - (153 * mp + 2) / 5 + 1);
    int month = (int)(mp < 10 ? mp + 3 : mp - 9);
    int year = (int)((int64_t)yoe + era * 400) + (month <= 2);
    // Creates the `datetime` from the state that pickle would pass. Eight separate arguments would take three times as
    // long.
    const char state[10] = { (char)(year >> 8), (char)year, (char)month, (char)dom, (char)(second / 3600),
        (char)(second / 60 % 60), (char)(second % 60), (char)(micros >> 16), (char)(micros >> 8), (char)micros };
    PyObject *fields = PyBytes_FromStringAndSize(state, sizeof state);
    PyObject *arguments = !fields ? NULL
        : with->zone == Py_None ? PyTuple_Pack(1, fields) : PyTuple_Pack(2, fields, with->zone);
    PyObject *made = arguments ? PyObject_Call(with->datetime, arguments, NULL) : NULL;
    Py_XDECREF(arguments);
    Py_XDECREF(fields);
    return made;
}

/// Creates a `UID`. Equal UIDs of one document are the same object if their number is below the number of values.
static PyObject *uid_of(reader *self, uint64_t number) {
    if (number < self->uid_count && self->uids[number]) {
        Py_INCREF(self->uids[number]);
        return self->uids[number];
    }
    PyObject *made = instance(self->with->uid, self->with);
    PyObject *data = made ? PyLong_FromUnsignedLongLong(number) : NULL;
    if (!data || PyObject_SetAttr(made, self->with->data_name, data)) Py_CLEAR(made);
    Py_XDECREF(data);
    if (made && number < self->uid_count) {
        self->uids[number] = made;
        Py_INCREF(made);
    }
    return made;
}

static PyObject *object(reader *self, uint64_t number);
static PyObject *value(reader *self, uint32_t number);

/// Returns the number of a key of a dictionary; 0 for a key that is not text.
static uint32_t key_number(const reader *self, const keyed_value *source, uint32_t index) {
    const keyed_value *key = &self->table->values[source->u.children[index]];
    return key->kind == KEYED_STRING ? key->key : 0;
}

/// Returns the cache entry for the keys of a dictionary, or NULL if a key is not text.
static key_set *key_set_of(reader *self, const keyed_value *source) {
    uint32_t hash = source->count;
    for (uint32_t index = 0; index < source->count; index++) {
        uint32_t key = key_number(self, source, index);
        if (!key) return NULL;
        hash = hash * 31 + key;
    }
    return &self->key_sets[(hash ^ hash >> 6) % key_set_count];
}

static int has_same_keys(const reader *self, const keyed_value *left, const keyed_value *right) {
    if (left->count != right->count) return 0;
    for (uint32_t index = 0; index < left->count; index++) {
        if (key_number(self, left, index) != key_number(self, right, index)) return 0;
    }
    return 1;
}

/// Creates a dictionary that is filled later. If the previous dictionary with the same hash has the same keys, copies a
/// model with these keys, because a copy has its full capacity from the start. Dictionaries of up to five keys never
/// grow, so they are not copied.
static PyObject *dictionary_for(reader *self, const keyed_value *source) {
    key_set *known = source->count > 5 && source->count <= 1024 ? key_set_of(self, source) : NULL;
    if (!known) return PyDict_New();
    if (!known->source || !has_same_keys(self, known->source, source)) {
        known->source = source;
        Py_CLEAR(known->model);
        return PyDict_New();
    }
    if (!known->model) {
        known->model = PyDict_New();
        for (uint32_t index = 0; known->model && index < source->count; index++) {
            PyObject *key = value(self, source->u.children[index]);
            if (!key || PyDict_SetItem(known->model, key, Py_None)) Py_CLEAR(known->model);
        }
        if (!known->model) return NULL;
    }
    return PyDict_Copy(known->model);
}

/// Creates the Python object for a value, or an empty container that is filled later. Returns a borrowed reference.
static PyObject *value(reader *self, uint32_t number) {
    PyObject *known = self->values[number];
    if (known) return known;
    const keyed_value *item = &self->table->values[number];
    PyObject *made = NULL;
    switch (item->kind) {
    case KEYED_STRING:
        if (item->key && self->keys[item->key]) {
            made = self->keys[item->key];
            Py_INCREF(made);
        } else {
            made = string_of(item);
            if (made && item->key) { self->keys[item->key] = made; Py_INCREF(made); }
        }
        break;
    case KEYED_INTEGER:
        made = item->is_negative ? PyLong_FromLongLong(item->u.integer)
                                 : PyLong_FromUnsignedLongLong(item->u.natural);
        break;
    case KEYED_REAL: made = PyFloat_FromDouble(item->u.real); break;
    case KEYED_BOOLEAN: made = PyBool_FromLong((long)item->u.integer); break;
    case KEYED_DATE: made = date_of(item->u.real, self->with); break;
    case KEYED_DATA: made = PyBytes_FromStringAndSize((const char *)item->u.bytes, item->count); break;
    case KEYED_UID:
        if (self->archive) {
            made = object(self, item->u.natural);
            Py_XINCREF(made);
        } else {
            made = uid_of(self, item->u.natural);
        }
        break;
    case KEYED_ARRAY:
    case KEYED_SET:
        made = PyList_New(item->count);
        if (made && enqueue(&self->pending, number)) Py_CLEAR(made);
        break;
    case KEYED_DICTIONARY:
        made = self->with->dict_type ? PyObject_CallFunctionObjArgs(self->with->dict_type, NULL)
                                     : dictionary_for(self, item);
        if (made && enqueue(&self->pending, number)) Py_CLEAR(made);
        break;
    default:
        made = Py_None;
        Py_INCREF(made);
    }
    self->values[number] = made;
    return made;
}

/// The numbers of some children.
typedef struct { const uint32_t *first; size_t count; } numbers;

/// Returns the children of a value. Those of a dictionary are its keys and then its values. A scalar has none.
static numbers children_of(const keyed_value *item) {
    switch (item->kind) {
    case KEYED_DICTIONARY: return (numbers){ item->u.children, (size_t)item->count * 2 };
    case KEYED_ARRAY:
    case KEYED_SET: return (numbers){ item->u.children, item->count };
    default: return (numbers){ NULL, 0 };
    }
}

/// Returns one of the parts of a collection: its elements, keys or values.
static numbers part_of(const reader *self, const keyed_object *collection, int part) {
    return (numbers){ self->archive->children + collection->parts[part], collection->count };
}

static int fill_list(reader *self, PyObject *list, numbers elements) {
    for (size_t index = 0; index < elements.count; index++) {
        PyObject *element = value(self, elements.first[index]);
        if (!element) return -1;
        Py_INCREF(element);
        if (PyList_SetItem(list, (Py_ssize_t)index, element)) return -1;
    }
    return 0;
}

/// Calls `hashable` of `_objects.py` if the last call failed to hash a value. It wraps the value, such as a list, in
/// `Unhashable`, or raises the error for a missing field. Returns NULL also if the call failed for another reason.
static PyObject *hashable(PyObject *value) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_AttributeError)) return NULL;
    PyErr_Clear();
    PyObject *module = PyImport_ImportModule("keyedarchive._objects");
    PyObject *made = module ? PyObject_CallMethod(module, "hashable", "O", value) : NULL;
    Py_XDECREF(module);
    return made;
}

/// Sets the value for a key, which is wrapped in `Unhashable` if it cannot be hashed.
static int set_pair(PyObject *dictionary, PyObject *key, PyObject *item) {
    if (!PyDict_SetItem(dictionary, key, item)) return 0;
    PyObject *wrapped = hashable(key);
    int status = wrapped ? PyDict_SetItem(dictionary, wrapped, item) : -1;
    Py_XDECREF(wrapped);
    return status;
}

/// The entries that `fill_dictionary` adds: all, the fields of an object, or the attributes of an instance. `$class` is
/// not a field. A field whose key is not text is not an attribute: the key may be an instance that is not filled yet,
/// and hashing it would run its code.
enum { ALL_ENTRIES, FIELDS, ATTRIBUTES };

static int fill_dictionary(reader *self, PyObject *dictionary, const keyed_value *source, int entries) {
    int is_plain = PyDict_CheckExact(dictionary);
    for (uint32_t index = 0; index < source->count; index++) {
        const keyed_value *name = &self->table->values[source->u.children[index]];
        if (entries != ALL_ENTRIES && name->kind == KEYED_STRING && name->count == 6 && name->encoding == KEYED_ASCII
            && memcmp(name->u.bytes, "$class", 6) == 0) continue;
        PyObject *key = value(self, source->u.children[index]);
        PyObject *item = key ? value(self, source->u.children[source->count + index]) : NULL;
        if (!item) return -1;
        if (entries == ATTRIBUTES && !PyUnicode_Check(key)) continue;
        if (is_plain ? set_pair(dictionary, key, item) : PyObject_SetItem(dictionary, key, item)) return -1;
    }
    return 0;
}

// MARK: - Archived objects

static PyObject *class_name(reader *self, uint32_t number) {
    if (!self->class_names[number]) {
        const keyed_class *class = &self->archive->classes[number];
        self->class_names[number] = PyUnicode_FromString(class->name);
        PyObject *chain = PyTuple_New((Py_ssize_t)class->chain_count);
        for (size_t index = 0; chain && index < class->chain_count; index++) {
            PyObject *name = PyUnicode_FromString(class->chain[index]);
            if (!name) Py_CLEAR(chain);
            else PyTuple_SetItem(chain, (Py_ssize_t)index, name);
        }
        self->class_chains[number] = chain;
        if (!chain) Py_CLEAR(self->class_names[number]);
    }
    return self->class_names[number];
}

/// Creates the object for an instance of a class that has no type in Python: an inert object, or an
/// instance of the type that the caller chose. The same applies to a date that `datetime` does not
/// support. Such a date is always allowed.
static PyObject *inert(reader *self, const keyed_object *item) {
    PyObject *name = class_name(self, item->class_index);
    if (!name) return NULL;
    if (self->with->classes != Py_None
        && (item->form != KEYED_FORM_DATE || PySequence_Contains(self->with->classes, name) != 0)) {
        if (PyErr_Occurred()) return NULL;
        PyObject *type = PyObject_GetItem(self->with->classes, name);
        if (!type) return NULL;
        if (type != Py_None) {
            PyObject *made = PyObject_CallFunctionObjArgs(
                self->with->new_object, type, name, self->class_chains[item->class_index], NULL);
            Py_DECREF(type);
            return made;
        }
        Py_DECREF(type);
    }
    PyObject *fields = PyDict_New();
    PyObject *made = fields ? instance(self->with->object_type, self->with) : NULL;
    if (made && (attribute_set(&self->with->class_name, made, name)
            || attribute_set(&self->with->class_chain, made, self->class_chains[item->class_index])
            || attribute_set(&self->with->fields, made, fields))) Py_CLEAR(made);
    Py_XDECREF(fields);
    return made;
}

/// Returns the form of an object in Python.
static uint32_t form_of(const reader *self, const keyed_object *item) {
    if (item->class_index == UINT32_MAX) return item->form;
    if (item->form == KEYED_FORM_DATE && !has_datetime(self->table->values[item->parts[0]].u.real)) {
        return KEYED_FORM_OBJECT;
    }
    return self->with->inert_forms >> item->form & 1 ? KEYED_FORM_OBJECT : item->form;
}

/// Creates the Python object for an archived object, or an empty one that is filled later. Returns a borrowed
/// reference.
static PyObject *object(reader *self, uint64_t number) {
    if (number >= self->archive->object_count) {
        return raise_message(PyUnicode_FromFormat(
            "keyed archive: expected a reference to one of %u objects, found one to object %llu",
            self->archive->object_count, (unsigned long long)number), "danglingReference", -1);
    }
    PyObject *known = self->objects[number];
    if (known) return known;
    const keyed_object *item = &self->archive->objects[number];
    const keyed_value *values = self->table->values;
    PyObject *made = NULL;
    switch (form_of(self, item)) {
    case KEYED_FORM_NULL:
    case KEYED_FORM_NSNULL:
    case KEYED_FORM_CLASS:
        made = Py_None;
        Py_INCREF(made);
        break;
    case KEYED_FORM_PLAIN:
    case KEYED_FORM_STRING:
    case KEYED_FORM_DATA:
        made = value(self, item->parts[0]);
        Py_XINCREF(made);
        break;
    case KEYED_FORM_DATE: made = date_of(values[item->parts[0]].u.real, self->with); break;
    case KEYED_FORM_UUID:
        made = PyObject_CallFunction(self->with->uuid, "Oy#", Py_None,
            (const char *)values[item->parts[0]].u.bytes, (Py_ssize_t)values[item->parts[0]].count);
        break;
    case KEYED_FORM_ARRAY:
    case KEYED_FORM_ORDERED_SET:
        made = PyList_New(item->count);
        if (made && enqueue(&self->pending, number | object_mark)) Py_CLEAR(made);
        break;
    case KEYED_FORM_SET:
        made = PySet_New(NULL);
        if (made && enqueue(&self->pending, number | object_mark)) Py_CLEAR(made);
        break;
    case KEYED_FORM_DICTIONARY:
        made = PyDict_New();
        if (made && enqueue(&self->pending, number | object_mark)) Py_CLEAR(made);
        break;
    default:
        made = inert(self, item);
        if (made && enqueue(&self->pending, number | object_mark)) Py_CLEAR(made);
    }
    self->objects[number] = made;
    return made;
}

/// Checks that no two keys of a dictionary, or elements of a set, are equal in Python, unless the caller is lenient.
/// Only one of them would be kept. Returns -1 after an error.
static int check_count(
    const reader *self, const keyed_object *object, size_t expected, Py_ssize_t count, const char *noun
) {
    if (count < 0) return -1;
    if ((size_t)count == expected || self->with->lenient) return 0;
    raise_message(PyUnicode_FromFormat(
        "keyed archive: object %zu: expected %zu different %s, found only %zd, because some are equal in Python (keep "
        "one of them with `lenient=True`)", (size_t)(object - self->archive->objects), expected, noun, count),
        "malformedObject", -1);
    return -1;
}

/// Fills a set. An element that cannot be hashed is wrapped in `Unhashable`.
static int fill_set(reader *self, PyObject *set, const keyed_object *object, numbers elements) {
    for (size_t index = 0; index < elements.count; index++) {
        PyObject *element = value(self, elements.first[index]);
        if (!element) return -1;
        if (PySet_Add(set, element)) {
            PyObject *wrapped = hashable(element);
            int status = wrapped ? PySet_Add(set, wrapped) : -1;
            Py_XDECREF(wrapped);
            if (status) return -1;
        }
    }
    return check_count(self, object, elements.count, PySet_Size(set), "elements of a set");
}

static int fill_pairs(reader *self, PyObject *dictionary, const keyed_object *object, numbers keys, numbers items) {
    for (size_t index = 0; index < keys.count; index++) {
        PyObject *key = value(self, keys.first[index]);
        PyObject *item = key ? value(self, items.first[index]) : NULL;
        if (!item || set_pair(dictionary, key, item)) return -1;
    }
    return check_count(self, object, keys.count, PyDict_Size(dictionary), "keys of a dictionary");
}

static int fill_object(reader *self, PyObject *made, const keyed_object *item) {
    const keyed_value *entry = &self->table->values[item->value];
    int is_inert = (PyObject *)Py_TYPE(made) == self->with->object_type;
    PyObject *fields = is_inert ? attribute_get(&self->with->fields, made) : PyDict_New();
    if (!fields) return -1;
    int status = fill_dictionary(self, fields, entry, is_inert ? FIELDS : ATTRIBUTES);
    if (!status && !is_inert) {
        PyObject *done = PyObject_CallFunctionObjArgs(self->with->fill_object, made, fields, NULL);
        status = done ? 0 : -1;
        Py_XDECREF(done);
    }
    Py_DECREF(fields);
    return status;
}

/// Fills the container of an object.
static int fill_archived(reader *self, uint64_t number) {
    const keyed_object *item = &self->archive->objects[number];
    PyObject *made = self->objects[number];
    switch (form_of(self, item)) {
    case KEYED_FORM_ARRAY:
    case KEYED_FORM_ORDERED_SET: return fill_list(self, made, part_of(self, item, 0));
    case KEYED_FORM_SET: return fill_set(self, made, item, part_of(self, item, 0));
    case KEYED_FORM_DICTIONARY: return fill_pairs(self, made, item, part_of(self, item, 0), part_of(self, item, 1));
    default: return fill_object(self, made, item);
    }
}

/// Fills a container: a value, or an object if its number has `object_mark`.
static int fill_container(reader *self, uint64_t container) {
    uint32_t number = (uint32_t)container;
    if (container & object_mark) return fill_archived(self, number);
    const keyed_value *item = &self->table->values[number];
    PyObject *made = self->values[number];
    return item->kind == KEYED_DICTIONARY ? fill_dictionary(self, made, item, ALL_ENTRIES)
                                          : fill_list(self, made, children_of(item));
}

/// Creates the values of some numbers, and queues the containers among them. Returns -1 after an error.
static int create(reader *self, numbers children) {
    for (size_t index = 0; index < children.count; index++) {
        if (!value(self, children.first[index])) return -1;
    }
    return 0;
}

/// Returns whether an object is an instance of a type that the caller chose.
static int is_instance(const reader *self, uint64_t number) {
    uint32_t form = form_of(self, &self->archive->objects[number]);
    return (form == KEYED_FORM_OBJECT || form == KEYED_FORM_URL)
        && (PyObject *)Py_TYPE(self->objects[number]) != self->with->object_type;
}

/// Returns whether an element of an array, or a key of a dictionary, is an instance of a type that the caller chose.
/// Creates the objects that it examines. Returns -1 after an error.
static int has_instance(reader *self, numbers keys) {
    for (size_t index = 0; index < keys.count; index++) {
        uint32_t child = keys.first[index];
        if (self->table->values[child].kind != KEYED_UID) continue;
        if (!value(self, child)) return -1;
        if (is_instance(self, self->table->values[child].u.natural)) return 1;
    }
    return 0;
}

/// The children of a container whose keys or elements are hashed: those that are hashed, and all others.
typedef struct { numbers hashed, others; } hashed_children;

/// Returns the children of a dictionary of the property list.
static hashed_children entries_of(const keyed_value *dictionary) {
    const uint32_t *first = dictionary->u.children;
    return (hashed_children){ { first, dictionary->count }, { first + dictionary->count, dictionary->count } };
}

/// Returns the children of a container; none for a list.
static hashed_children hashed_children_of(const reader *self, uint64_t container) {
    const hashed_children list = { { NULL, 0 }, { NULL, 0 } };
    const keyed_value *values = self->table->values;
    if (!(container & object_mark)) {
        const keyed_value *item = &values[(uint32_t)container];
        return item->kind == KEYED_DICTIONARY ? entries_of(item) : list;
    }
    const keyed_object *item = &self->archive->objects[(uint32_t)container];
    switch (form_of(self, item)) {
    case KEYED_FORM_ARRAY:
    case KEYED_FORM_ORDERED_SET: return list;
    case KEYED_FORM_SET: return (hashed_children){ part_of(self, item, 0), { NULL, 0 } };
    case KEYED_FORM_DICTIONARY: return (hashed_children){ part_of(self, item, 0), part_of(self, item, 1) };
    default: return entries_of(&values[item->value]);
    }
}

/// Fills a container, or queues it for `fill_last`. Returns -1 after an error.
static int fill_or_wait(reader *self, uint64_t container) {
    if (!self->archive || self->with->classes == Py_None) return fill_container(self, container);
    uint32_t number = (uint32_t)container;
    const keyed_object *item = container & object_mark ? &self->archive->objects[number] : NULL;
    if (item && is_instance(self, number)) {
        return create(self, children_of(&self->table->values[item->value])) ? -1 : enqueue(&self->instances, number);
    }
    hashed_children children = hashed_children_of(self, container);
    int waits = has_instance(self, children.hashed);
    if (waits <= 0) return waits ? -1 : fill_container(self, container);
    if (create(self, children.hashed) || create(self, children.others)) return -1;
    return enqueue(&self->keyed_by_instances, container);
}

/// Returns the set or dictionary of a container whose keys are hashed, as a new reference.
static PyObject *hashed_container(const reader *self, uint64_t container) {
    uint32_t number = (uint32_t)container;
    PyObject *made = container & object_mark ? self->objects[number] : self->values[number];
    if ((PyObject *)Py_TYPE(made) == self->with->object_type) return attribute_get(&self->with->fields, made);
    Py_INCREF(made);
    return made;
}

/// Checks that each key of a set or dictionary has the hash that it was added with. Returns -1 after an error.
static int check_hashes(PyObject *container) {
    PyObject *keys = PySequence_List(container);
    if (!keys) return -1;
    int status = 0;
    for (Py_ssize_t index = 0; !status && index < PyList_Size(keys); index++) {
        PyObject *key = PyList_GetItem(keys, index);
        int is_found = PySequence_Contains(container, key);
        if (is_found == 0) {
            raise_message(PyUnicode_FromFormat(
                "keyed archive: expected a constant hash of each key, found a key of type %R whose hash depends on the "
                "set or dictionary that contains it (exclude the field that refers to the set or dictionary from "
                "`__hash__`, or allow the class by name)",
                (PyObject *)Py_TYPE(key)), "referenceCycle", -1);
        }
        if (is_found <= 0) status = -1;
    }
    Py_DECREF(keys);
    return status;
}

/// Fills the objects whose filling runs code of types that the caller chose, such as `__hash__`. This code finds all
/// other containers complete.
static int fill_last(reader *self) {
    const worklist *instances = &self->instances, *containers = &self->keyed_by_instances;
    // The hash of a key may depend on the fields of any instance.
    for (size_t index = 0; index < instances->count; index++) {
        if (fill_archived(self, instances->items[index])) return -1;
    }
    // Fills the containers in reverse order of discovery, because a key of an outer container may
    // contain an inner one.
    for (size_t index = containers->count; index > 0; index--) {
        if (fill_container(self, containers->items[index - 1])) return -1;
    }
    for (size_t index = 0; index < containers->count; index++) {
        PyObject *container = hashed_container(self, containers->items[index]);
        int status = container ? check_hashes(container) : -1;
        Py_XDECREF(container);
        if (status) return -1;
    }
    return 0;
}

/// Fills all pending containers, including those that are created meanwhile.
static int fill_all(reader *self) {
    while (self->pending.count) {
        if (fill_or_wait(self, self->pending.items[--self->pending.count])) return -1;
    }
    return fill_last(self);
}

static const uint64_t visited_mark = (uint64_t)1 << 32;

/// Creates a value of a plain property list after the containers in it. A custom dictionary type may read the values
/// that it receives, so they must be complete by then. Returns a borrowed reference.
static PyObject *complete_value(reader *self, uint32_t root) {
    worklist stack = { 0 };
    int status = enqueue(&stack, root);
    while (!status && stack.count) {
        uint64_t next = stack.items[stack.count - 1];
        uint32_t number = (uint32_t)next;
        if (next & visited_mark || self->values[number]) {
            stack.count--;
            status = value(self, number) ? fill_all(self) : -1;
            continue;
        }
        stack.items[stack.count - 1] |= visited_mark;
        numbers children = children_of(&self->table->values[number]);
        for (size_t index = 0; !status && index < children.count; index++) {
            uint32_t child = children.first[index];
            if (!self->values[child] && children_of(&self->table->values[child]).count) status = enqueue(&stack, child);
        }
    }
    free(stack.items);
    return status ? NULL : self->values[root];
}

static void release(PyObject **list, size_t count) {
    for (size_t index = 0; list && index < count; index++) Py_XDECREF(list[index]);
    free(list);
}

/// Creates the Python objects for a table. Returns the root, or the dictionary of the roots for an archive.
static PyObject *read_tables(const keyed_table *table, const keyed_archive *archive, const makers *with) {
    reader self = { .table = table, .archive = archive, .with = with };
    size_t objects = archive ? archive->object_count : 0, classes = archive ? archive->class_count : 0;
    if (!archive) {
        self.uid_count = table->value_count;
        self.uids = calloc(self.uid_count + 1u, sizeof *self.uids);
    }
    self.values = calloc(table->value_count + 1u, sizeof *self.values);
    self.keys = calloc((size_t)table->key_count + 1, sizeof *self.keys);
    self.objects = calloc(objects + 1, sizeof *self.objects);
    self.class_names = calloc(classes + 1, sizeof *self.class_names);
    self.class_chains = calloc(classes + 1, sizeof *self.class_chains);
    PyObject *result = NULL;
    if (!self.values || !self.keys || !self.objects || !self.class_names || !self.class_chains
        || (!archive && !self.uids)) {
        PyErr_NoMemory();
    } else {
        // None of these objects can be garbage yet, and the collector would traverse them again and again.
        int collects = PyGC_Disable();
        uint32_t root = archive ? archive->top : table->root;
        result = with->dict_type ? complete_value(&self, root) : value(&self, root);
        if (result && fill_all(&self)) result = NULL;
        Py_XINCREF(result);
        if (collects) PyGC_Enable();
    }
    for (size_t index = 0; index < key_set_count; index++) Py_XDECREF(self.key_sets[index].model);
    release(self.uids, self.uid_count);
    release(self.values, table->value_count);
    release(self.keys, (size_t)table->key_count + 1);
    release(self.objects, objects);
    release(self.class_names, classes);
    release(self.class_chains, classes);
    free(self.pending.items);
    free(self.instances.items);
    free(self.keyed_by_instances.items);
    return result;
}

// MARK: - Reading

/// Raises the error for a document in a format that the caller does not accept.
static PyObject *wrong_format(uint32_t format) {
    static const char *const names[] = { "other bytes", "binary", "XML", "OpenStep", "JSON" };
    return raise_message(PyUnicode_FromFormat(
        "expected a property list of the format that `fmt` names (by default binary or XML), found %s",
        names[format < 5 ? format : 0]), "unrecognizedFormat", 0);
}

/// loads(data, dict_type, datetime, zone, far_date, uid, formats, limits, lenient)
///
/// `formats` has a bit set for each accepted format.
static PyObject *loads(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *bytes;
    Py_ssize_t count;
    makers with = { 0 };
    int formats, limits, lenient;
    if (!PyArg_ParseTuple(arguments, "y#OOOOOiii", &bytes, &count, &with.dict_type, &with.datetime, &with.zone,
            &with.far_date, &with.uid, &formats, &limits, &lenient)) return NULL;
    if (with.dict_type == (PyObject *)&PyDict_Type) with.dict_type = NULL;
    keyed_document *document = open_document(bytes, count, limits, lenient);
    if (!document) return NULL;
    uint32_t format = keyed_format(document);
    if (!(formats >> format & 1)) {
        keyed_free(document);
        return wrong_format(format);
    }
    keyed_error *error = NULL;
    keyed_table *table = keyed_values(document, &error);
    keyed_free(document);
    if (!table) return raise(error);
    PyObject *result = makers_begin(&with) ? NULL : read_tables(table, NULL, &with);
    makers_end(&with);
    keyed_free(table);
    return result;
}

/// unarchive(data, datetime, zone, far_date, object_type, uuid, classes, new_object, fill_object, inert_forms, limits,
/// lenient)
static PyObject *unarchive(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *bytes;
    Py_ssize_t count;
    makers with = { 0 };
    int limits;
    if (!PyArg_ParseTuple(arguments, "y#OOOOOOOOiii", &bytes, &count, &with.datetime, &with.zone, &with.far_date,
            &with.object_type, &with.uuid, &with.classes, &with.new_object, &with.fill_object, &with.inert_forms,
            &limits, &with.lenient)) return NULL;
    keyed_document *document = open_document(bytes, count, limits, with.lenient);
    if (!document) return NULL;
    keyed_error *error = NULL;
    keyed_archive *archive = keyed_objects(document, &error);
    keyed_table *table = archive ? keyed_values(document, &error) : NULL;
    keyed_free(document);
    PyObject *result = NULL;
    if (!table) raise(error);
    else if (!makers_begin(&with)) result = read_tables(table, archive, &with);
    makers_end(&with);
    keyed_free(table);
    keyed_free(archive);
    return result;
}

static PyObject *text_result(keyed_text *text, keyed_error *error) {
    if (!text && !error) Py_RETURN_NONE;
    if (!text) return raise(error);
    PyObject *result = PyUnicode_DecodeUTF8(text->bytes, (Py_ssize_t)text->count, "replace");
    keyed_free(text);
    return result;
}

/// json(data, path or None, mode, limits, lenient)
static PyObject *json(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *bytes, *path;
    Py_ssize_t count, path_count;
    int mode, limits, lenient;
    if (!PyArg_ParseTuple(arguments, "y#z#iii", &bytes, &count, &path, &path_count, &mode, &limits, &lenient)) {
        return NULL;
    }
    keyed_document *document = open_document(bytes, count, limits, lenient);
    if (!document) return NULL;
    keyed_error *error = NULL;
    uint32_t value = keyed_root(document);
    if (path) {
        keyed_document *found = keyed_find(document, path, (size_t)path_count, &value, &error);
        keyed_free(document);
        document = found;
    }
    if (!document) return raise(error);
    keyed_text *found = keyed_json(document, value, (uint32_t)mode, &error);
    keyed_free(document);
    return text_result(found, error);
}

static PyObject *classes(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *bytes;
    Py_ssize_t count;
    int limits, lenient;
    if (!PyArg_ParseTuple(arguments, "y#ii", &bytes, &count, &limits, &lenient)) return NULL;
    keyed_document *document = open_document(bytes, count, limits, lenient);
    if (!document) return NULL;
    keyed_error *error = NULL;
    keyed_text *names = keyed_class_names(document, &error);
    PyObject *result = names ? text_result(names, NULL) : raise(error);
    keyed_free(document);
    return result;
}

static PyObject *text(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *bytes;
    Py_ssize_t count;
    int limits, lenient;
    if (!PyArg_ParseTuple(arguments, "y#ii", &bytes, &count, &limits, &lenient)) return NULL;
    keyed_options options = { (uint32_t)limits, (uint32_t)lenient };
    keyed_error *error = NULL;
    keyed_text *found = keyed_text_of((const uint8_t *)bytes, (size_t)count, &options, &error);
    return text_result(found, error);
}

static PyObject *kind(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *bytes;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(arguments, "y#", &bytes, &count)) return NULL;
    const char *name = keyed_kind_of((const uint8_t *)bytes, (size_t)count);
    if (!name) Py_RETURN_NONE;
    return PyUnicode_FromString(name);
}

// MARK: - Writing

typedef struct writer {
    keyed_builder *builder;
    int sorts_keys, skips_keys;
    PyObject *datetime, *seconds, *uid;
    PyObject *known;  // maps the address of each container that may occur again to its number and the container
} writer;

/// Writes a value. If its reference count is at most `owners`, which includes the caller's
/// reference, the value occurs only once.
static int write_value(writer *self, PyObject *value, Py_ssize_t owners);

static int write_text(writer *self, PyObject *text, void (*add)(keyed_builder *, const char *, size_t)) {
    Py_ssize_t count;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &count);
    if (!bytes) return -1;
    add(self->builder, bytes, (size_t)count);
    return 0;
}

static int write_dictionary(writer *self, PyObject *value) {
    PyObject *items = PyMapping_Items(value);
    if (!items || (self->sorts_keys && PyList_Sort(items))) { Py_XDECREF(items); return -1; }
    keyed_begin_dictionary(self->builder);
    // The dictionary, the pair and this function refer to a value that occurs once. A subclass may
    // create its values on request, so 0 makes every container count as shared.
    Py_ssize_t owners = PyDict_CheckExact(value) ? 3 : 0;
    int status = 0;
    for (Py_ssize_t index = 0; !status && index < PyList_Size(items); index++) {
        PyObject *pair = PyList_GetItem(items, index);
        PyObject *key = PySequence_GetItem(pair, 0), *item = PySequence_GetItem(pair, 1);
        if (!key || !item) status = -1;
        else if (PyUnicode_Check(key)) {
            status = write_text(self, key, keyed_add_key) || write_value(self, item, owners) ? -1 : 0;
        } else if (!self->skips_keys) {
            PyErr_SetString(PyExc_TypeError, "keys must be strings");
            status = -1;
        }
        Py_XDECREF(key);
        Py_XDECREF(item);
    }
    Py_DECREF(items);
    keyed_end(self->builder);
    return status;
}

/// Raises the error for an integer that a property list cannot represent. Returns -1.
static int raise_integer(PyObject *value) {
    // A long integer is not printed: Python limits the number of its digits.
    PyObject *count = PyObject_CallMethod(value, "bit_length", NULL);
    long bits = count ? PyLong_AsLong(count) : 0;
    Py_XDECREF(count);
    if (PyErr_Occurred()) return -1;
    const char *expected = "expected an integer from -2**63 to 2**64-1, found";
    if (bits > 256) PyErr_Format(PyExc_OverflowError, "%s one of %ld bits", expected, bits);
    else PyErr_Format(PyExc_OverflowError, "%s %R", expected, value);
    return -1;
}

static int write_integer(writer *self, PyObject *value) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (number == -1 && PyErr_Occurred()) return -1;
    if (!overflow) {
        keyed_add_integer(self->builder, number);
        return 0;
    }
    unsigned long long natural = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_Clear();
        return raise_integer(value);
    }
    keyed_add_natural(self->builder, natural);
    return 0;
}

static int write_list(writer *self, PyObject *value) {
    int is_exact = PyList_CheckExact(value) || PyTuple_CheckExact(value);
    // A subclass chooses its elements, and its methods may raise.
    PyObject *elements = is_exact ? value : PySequence_List(value);
    if (!elements) return -1;
    if (is_exact) Py_INCREF(elements);
    keyed_begin_array(self->builder);
    // The list and this function refer to an element that occurs once. The elements of a subclass
    // always count as shared.
    Py_ssize_t owners = is_exact ? 2 : 0;
    int status = 0;
    for (Py_ssize_t index = 0; !status && index < PySequence_Size(elements); index++) {
        PyObject *item = PySequence_GetItem(elements, index);
        status = item ? write_value(self, item, owners) : -1;
        Py_XDECREF(item);
    }
    Py_DECREF(elements);
    if (!status) keyed_end(self->builder);
    return status;
}

static int write_new(writer *self, PyObject *value) {
    return PyDict_Check(value) ? write_dictionary(self, value) : write_list(self, value);
}

/// Writes a dictionary or a list. Stores a container that occurs several times once, as plistlib
/// does.
static int write_container(writer *self, PyObject *value, Py_ssize_t owners) {
    // Most containers occur once. Recording them too would take three times as long.
    if (Py_REFCNT(value) <= owners) return write_new(self, value);
    PyObject *address = PyLong_FromVoidPtr(value);
    PyObject *found = address ? PyDict_GetItemWithError(self->known, address) : NULL;
    if (!address || (!found && PyErr_Occurred())) { Py_XDECREF(address); return -1; }
    int status = 0;
    if (found) {
        keyed_add_again(self->builder, PyLong_AsSize_t(PyTuple_GetItem(found, 0)));
    } else {
        status = write_new(self, value);
        size_t number = status ? 0 : keyed_last_value(self->builder);
        // The tuple keeps the container alive, because its address could be reused.
        PyObject *entry = number ? Py_BuildValue("(nO)", (Py_ssize_t)number, value) : NULL;
        if (number && (!entry || PyDict_SetItem(self->known, address, entry))) status = -1;
        Py_XDECREF(entry);
    }
    Py_DECREF(address);
    return status;
}

static int write_other(writer *self, PyObject *value) {
    int is_date = PyObject_IsInstance(value, self->datetime);
    if (is_date < 0) return -1;
    if (is_date) {
        PyObject *seconds = PyObject_CallFunctionObjArgs(self->seconds, value, NULL);
        if (!seconds) return -1;
        keyed_add_date(self->builder, PyFloat_AsDouble(seconds));
        Py_DECREF(seconds);
        return PyErr_Occurred() ? -1 : 0;
    }
    int is_uid = PyObject_IsInstance(value, self->uid);
    if (is_uid < 0) return -1;
    if (is_uid) {
        PyObject *number = PyObject_GetAttrString(value, "data");
        unsigned long long natural = number ? PyLong_AsUnsignedLongLong(number) : 0;
        Py_XDECREF(number);
        if (PyErr_Occurred()) return -1;
        if (natural > UINT32_MAX) {
            PyErr_Format(PyExc_OverflowError, "expected a UID up to 2**32-1, found %llu", natural);
            return -1;
        }
        keyed_add_uid(self->builder, (uint32_t)natural);
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "unsupported type: %R", (PyObject *)Py_TYPE(value));
    return -1;
}

static int write_value(writer *self, PyObject *value, Py_ssize_t owners) {
    if (Py_EnterRecursiveCall(" while writing a property list")) return -1;
    int status = 0;
    if (PyUnicode_Check(value)) status = write_text(self, value, keyed_add_string);
    else if (value == Py_True || value == Py_False) keyed_add_boolean(self->builder, value == Py_True);
    else if (PyLong_Check(value)) status = write_integer(self, value);
    else if (PyFloat_Check(value)) keyed_add_real(self->builder, PyFloat_AsDouble(value));
    else if (PyDict_Check(value) || PyList_Check(value) || PyTuple_Check(value)) {
        status = write_container(self, value, owners);
    } else if (PyBytes_Check(value) || PyByteArray_Check(value)) {
        // `PyObject_Size` would call a method that a subclass may override.
        int is_immutable = PyBytes_Check(value);
        const char *bytes = is_immutable ? PyBytes_AsString(value) : PyByteArray_AsString(value);
        Py_ssize_t count = is_immutable ? PyBytes_Size(value) : PyByteArray_Size(value);
        keyed_add_data(self->builder, (const uint8_t *)bytes, (size_t)count);
    } else status = write_other(self, value);
    Py_LeaveRecursiveCall();
    return status;
}

/// dumps(value, format, sort_keys, skipkeys, datetime, seconds, uid)
static PyObject *dumps(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *value;
    int format;
    writer self = { 0 };
    if (!PyArg_ParseTuple(arguments, "OippOOO", &value, &format, &self.sorts_keys, &self.skips_keys,
            &self.datetime, &self.seconds, &self.uid)) return NULL;
    self.known = PyDict_New();
    if (!self.known) return NULL;
    self.builder = keyed_builder_new(KEYED_LIMITS_TRUSTED);
    PyObject *result = NULL;
    if (!write_value(&self, value, 0)) {
        keyed_error *error = NULL;
        keyed_document *document = keyed_finish(self.builder, &error);
        keyed_text *text = document ? keyed_convert(document, (uint32_t)format, &error) : NULL;
        result = text ? PyBytes_FromStringAndSize(text->bytes, (Py_ssize_t)text->count) : raise(error);
        keyed_free(text);
        keyed_free(document);
    }
    keyed_free(self.builder);
    Py_DECREF(self.known);
    return result;
}

// MARK: - Arrow

// The structures of the Arrow C data interface, as specified.
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

/// A growing column of text.
typedef struct column {
    int64_t *offsets;
    uint8_t *valid;
    char *bytes;
    size_t size, room;
    int64_t rows, nulls;
} column;

static int column_begin(column *self, int64_t rows) {
    self->offsets = calloc((size_t)rows + 1, sizeof *self->offsets);
    self->valid = calloc(((size_t)rows + 7) / 8 + 1, 1);
    self->room = 1024;
    self->bytes = malloc(self->room);
    return self->offsets && self->valid && self->bytes ? 0 : -1;
}

static void column_free(column *self) {
    free(self->offsets);
    free(self->valid);
    free(self->bytes);
}

/// Appends text, or null for NULL.
static int column_add(column *self, const char *text, size_t count) {
    if (text) {
        if (count > self->room - self->size) {
            size_t room = self->room * 2 > self->size + count ? self->room * 2 : self->size + count;
            char *grown = realloc(self->bytes, room);
            if (!grown) return -1;
            self->bytes = grown;
            self->room = room;
        }
        memcpy(self->bytes + self->size, text, count);
        self->size += count;
        self->valid[self->rows / 8] |= (uint8_t)(1u << (self->rows % 8));
    } else {
        self->nulls++;
    }
    self->offsets[++self->rows] = (int64_t)self->size;
    return 0;
}

enum { COLUMN_JSON = 0, COLUMN_TEXT = 1, COLUMN_CLASSES = 2, COLUMN_PATHS = 3 };

typedef struct batch {
    int operation, limits;
    Py_ssize_t path_count;
    const char **paths;
    // One column for each path, or a single one, followed by the column of errors.
    column *columns;
    Py_ssize_t column_count;
} batch;

/// Adds a scalar as text, or any other value as JSON.
static int add_value(column *to, const keyed_document *document, uint32_t value, keyed_error **error) {
    keyed_rows *rows = keyed_list(document, value, KEYED_ITSELF, error);
    if (!rows) return column_add(to, NULL, 0);
    const keyed_row *row = rows->rows;
    const char *kind = row->kind;
    int status;
    if (strcmp(kind, "null") == 0) {
        status = column_add(to, NULL, 0);
    } else if (strcmp(kind, "string") == 0 || strcmp(kind, "uuid") == 0 || strcmp(kind, "date") == 0
               || strcmp(kind, "url") == 0) {
        status = column_add(to, (const char *)row->scalar.u.bytes, row->scalar.count);
    } else {
        keyed_text *json = keyed_json(document, value, KEYED_JSON_OBJECTS, error);
        int quoted = json && json->count >= 2 && json->bytes[0] == '"';
        status = column_add(to, json ? json->bytes + quoted : NULL, json ? json->count - (quoted ? 2 : 0) : 0);
        keyed_free(json);
    }
    keyed_free(rows);
    return status;
}

/// Returns whether an error says that a path leads to no value.
static int is_missing(const keyed_error *error) {
    return error && strcmp(error->code, "noSuchValue") == 0;
}

/// Adds the value at a path, or null. A missing value is not an error.
static int add_found(column *to, const keyed_document *document, const char *path, keyed_error **error) {
    uint32_t value = 0;
    keyed_document *found = keyed_find(document, path, strlen(path), &value, error);
    if (!found) {
        if (is_missing(*error)) {
            keyed_free(*error);
            *error = NULL;
        }
        return column_add(to, NULL, 0);
    }
    int status = add_value(to, found, value, error);
    keyed_free(found);
    return status;
}

/// Checks that the key paths are well-formed, by looking them up in an empty document. Returns -1 after an error.
static int check_paths(const batch *self) {
    keyed_document *empty = open_document("{}", 2, KEYED_LIMITS_UNTRUSTED, 0);
    int status = empty ? 0 : -1;
    for (Py_ssize_t index = 0; !status && index < self->path_count; index++) {
        uint32_t value;
        keyed_error *error = NULL;
        keyed_free(keyed_find(empty, self->paths[index], strlen(self->paths[index]), &value, &error));
        if (error && !is_missing(error)) {
            raise(error);
            status = -1;
        } else {
            keyed_free(error);
        }
    }
    keyed_free(empty);
    return status;
}

/// Adds a row for one blob. Returns -1 if memory is exhausted.
static int add_row(batch *self, const uint8_t *bytes, size_t count) {
    keyed_options options = { (uint32_t)self->limits, 0 };
    keyed_error *error = NULL;
    keyed_document *document = NULL;
    keyed_text *text = NULL;
    int status = 0;
    if (self->operation == COLUMN_TEXT) {
        text = keyed_text_of(bytes, count, &options, &error);
    } else {
        document = keyed_open(bytes, count, &options, &error);
        if (document && self->operation == COLUMN_JSON) {
            text = keyed_json(document, keyed_root(document), KEYED_JSON_OBJECTS, &error);
        } else if (document && self->operation == COLUMN_CLASSES) {
            text = keyed_class_names(document, &error);
        }
    }
    if (self->operation != COLUMN_PATHS) {
        status = column_add(&self->columns[0], text ? text->bytes : NULL, text ? text->count : 0);
    }
    for (Py_ssize_t index = 0; !status && index < self->path_count; index++) {
        keyed_error *flaw = NULL;
        status = document ? add_found(&self->columns[index], document, self->paths[index], &flaw)
                          : column_add(&self->columns[index], NULL, 0);
        if (flaw && !error) error = flaw;
        else keyed_free(flaw);
    }
    if (!status) {
        status = column_add(&self->columns[self->column_count - 1], error ? error->message : NULL,
            error ? strlen(error->message) : 0);
    }
    keyed_free(text);
    keyed_free(document);
    keyed_free(error);
    return status;
}

static void release_column(struct ArrowArray *array) {
    free((void *)array->buffers[0]);
    free((void *)array->buffers[1]);
    free((void *)array->buffers[2]);
    free(array->buffers);
    array->release = NULL;
}

static void release_struct(struct ArrowArray *array) {
    for (int64_t index = 0; index < array->n_children; index++) {
        if (array->children[index]->release) array->children[index]->release(array->children[index]);
        free(array->children[index]);
    }
    free(array->children);
    free(array->buffers);
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t index = 0; index < schema->n_children; index++) {
        if (schema->children[index]->release) schema->children[index]->release(schema->children[index]);
        free(schema->children[index]);
    }
    free(schema->children);
    free((void *)schema->name);
    schema->release = NULL;
}

static void delete_array(PyObject *capsule) {
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (array && array->release) array->release(array);
    free(array);
}

static void delete_schema(PyObject *capsule) {
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema && schema->release) schema->release(schema);
    free(schema);
}

/// Moves a column into a struct array and its schema, which then own its memory. Returns -1 after an error.
static int export_column(column *source, PyObject *name, struct ArrowArray *array, struct ArrowSchema *schema) {
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text) return -1;
    struct ArrowArray *part = calloc(1, sizeof *part);
    struct ArrowSchema *type = calloc(1, sizeof *type);
    const void **buffers = calloc(3, sizeof *buffers);
    char *copy = strdup(text);
    if (!part || !type || !buffers || !copy) {
        free(part);
        free(type);
        free(buffers);
        free(copy);
        PyErr_NoMemory();
        return -1;
    }
    buffers[0] = source->valid;
    buffers[1] = source->offsets;
    buffers[2] = source->bytes;
    *part = (struct ArrowArray){ .length = source->rows, .null_count = source->nulls, .n_buffers = 3,
        .buffers = buffers, .release = release_column };
    *type = (struct ArrowSchema){ .format = "U", .name = copy, .flags = 2, .release = release_schema };
    array->children[array->n_children++] = part;
    schema->children[schema->n_children++] = type;
    memset(source, 0, sizeof *source);
    return 0;
}

/// Moves the columns into a struct array and its schema. Returns -1 after an error; both then own the columns moved so
/// far.
static int export_all(
    batch *self, PyObject *names, int64_t rows, struct ArrowArray *array, struct ArrowSchema *schema
) {
    size_t count = (size_t)self->column_count;
    *array = (struct ArrowArray){ .length = rows, .n_buffers = 1, .buffers = calloc(1, sizeof *array->buffers),
        .children = calloc(count, sizeof *array->children), .release = release_struct };
    *schema = (struct ArrowSchema){ .format = "+s", .children = calloc(count, sizeof *schema->children),
        .release = release_schema };
    if (!array->buffers || !array->children || !schema->children) { PyErr_NoMemory(); return -1; }
    for (size_t index = 0; index < count; index++) {
        PyObject *name = PyList_GetItem(names, (Py_ssize_t)index);
        if (!name || export_column(&self->columns[index], name, array, schema)) return -1;
    }
    return 0;
}

/// Moves the columns into capsules, which then own their memory.
static PyObject *export_columns(batch *self, PyObject *names, int64_t rows) {
    struct ArrowArray *array = calloc(1, sizeof *array);
    struct ArrowSchema *schema = calloc(1, sizeof *schema);
    PyObject *types = schema ? PyCapsule_New(schema, "arrow_schema", delete_schema) : PyErr_NoMemory();
    PyObject *values = array ? PyCapsule_New(array, "arrow_array", delete_array) : PyErr_NoMemory();
    if (!types) free(schema);
    if (!values) free(array);
    if (types && values && !export_all(self, names, rows, array, schema)) return Py_BuildValue("NN", types, values);
    Py_XDECREF(types);
    Py_XDECREF(values);
    return NULL;
}

/// Processes the rows of an array of binary values or text. `wide` is nonzero if its offsets have 64 bits.
static int run(batch *self, const struct ArrowArray *array, int wide) {
    const uint8_t *valid = array->buffers[0];
    const uint8_t *bytes = array->buffers[2];
    for (int64_t row = 0; row < array->length; row++) {
        int64_t place = row + array->offset;
        int status = 0;
        if (valid && !(valid[place / 8] >> (place % 8) & 1)) {
            for (Py_ssize_t index = 0; index < self->column_count; index++) {
                status |= column_add(&self->columns[index], NULL, 0);
            }
        } else {
            int64_t start = wide ? ((const int64_t *)array->buffers[1])[place] : ((const int32_t *)array->buffers[1])[place];
            int64_t end = wide ? ((const int64_t *)array->buffers[1])[place + 1] : ((const int32_t *)array->buffers[1])[place + 1];
            status = add_row(self, bytes + start, (size_t)(end - start));
        }
        if (status) return -1;
    }
    return 0;
}

/// columns(schema, array, operation, paths, names, limits): returns the capsules of a struct array of strings.
static PyObject *columns(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *schema_capsule, *array_capsule, *paths, *names;
    batch self = { 0 };
    if (!PyArg_ParseTuple(arguments, "OOiO!O!i", &schema_capsule, &array_capsule, &self.operation,
            &PyList_Type, &paths, &PyList_Type, &names, &self.limits)) return NULL;
    struct ArrowSchema *schema = PyCapsule_GetPointer(schema_capsule, "arrow_schema");
    struct ArrowArray *array = schema ? PyCapsule_GetPointer(array_capsule, "arrow_array") : NULL;
    if (!array) return NULL;
    // The importer of the structures sets `release` to NULL, so these were already imported.
    if (!schema->release || !array->release) {
        return PyErr_Format(PyExc_ValueError, "expected an array, found one that was imported already");
    }
    int wide = strcmp(schema->format, "Z") == 0 || strcmp(schema->format, "U") == 0;
    if (!wide && strcmp(schema->format, "z") != 0 && strcmp(schema->format, "u") != 0) {
        return PyErr_Format(PyExc_TypeError,
            "expected an array of binary, large_binary, string or large_string, found the format %s", schema->format);
    }
    self.path_count = self.operation == COLUMN_PATHS ? PyList_Size(paths) : 0;
    self.column_count = (self.operation == COLUMN_PATHS ? self.path_count : 1) + 1;
    self.paths = calloc((size_t)self.path_count + 1, sizeof *self.paths);
    self.columns = calloc((size_t)self.column_count, sizeof *self.columns);
    int status = self.paths && self.columns ? 0 : -1;
    for (Py_ssize_t index = 0; !status && index < self.path_count; index++) {
        self.paths[index] = PyUnicode_AsUTF8AndSize(PyList_GetItem(paths, index), NULL);
        if (!self.paths[index]) status = -1;
    }
    if (!status && self.path_count) status = check_paths(&self);
    for (Py_ssize_t index = 0; !status && index < self.column_count; index++) {
        status = column_begin(&self.columns[index], array->length);
    }
    if (!status) {
        Py_BEGIN_ALLOW_THREADS
        status = run(&self, array, wide);
        Py_END_ALLOW_THREADS
    }
    PyObject *result = NULL;
    if (!status) result = export_columns(&self, names, array->length);
    else if (!PyErr_Occurred()) PyErr_NoMemory();
    for (Py_ssize_t index = 0; self.columns && index < self.column_count; index++) column_free(&self.columns[index]);
    free(self.columns);
    free(self.paths);
    return result;
}

// MARK: - Module

static PyMethodDef methods[] = {
    { "loads", loads, METH_VARARGS, NULL },
    { "unarchive", unarchive, METH_VARARGS, NULL },
    { "dumps", dumps, METH_VARARGS, NULL },
    { "json", json, METH_VARARGS, NULL },
    { "classes", classes, METH_VARARGS, NULL },
    { "text", text, METH_VARARGS, NULL },
    { "kind", kind, METH_VARARGS, NULL },
    { "columns", columns, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "keyedarchive._core", "The core of keyedarchive.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void) {
    if (keyed_abi_version() != KEYED_ABI_VERSION) {
        PyErr_Format(PyExc_ImportError, "expected version %d of the binary interface, found %u", KEYED_ABI_VERSION,
            keyed_abi_version());
        return NULL;
    }
    return PyModule_Create(&definition);
}
