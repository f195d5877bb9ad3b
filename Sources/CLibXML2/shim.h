// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Wrappers for libxml2. The input is a whole buffer of text, and the output is the offsets of its
// tags.
//
// The wrappers exist for three reasons: the parser context is a large structure whose fields moved
// between versions; the type of the error callback changed in 2.12; and one call into Swift for
// hundreds of tags is cheaper than one for each tag. The wrappers do not interpret the text.

#ifndef KEYED_LIBXML2_SHIM_H
#define KEYED_LIBXML2_SHIM_H

#include <libxml/xmlversion.h>
// If libxml2 was built with ICU, its headers include those of ICU, which clash with the copy that
// comes with Foundation. This file does not use the fields that the `#undef` hides.
#undef LIBXML_ICU_ENABLED
#include <libxml/encoding.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <stdint.h>
#include <string.h>

#define KEYED_XML_BATCH 512

// A tag, identified by the position of the parser when it reported the tag: the '>' or '/>' of a
// start tag, or the byte after the '>' of an end tag.
typedef struct {
    uint32_t offset;
    uint32_t is_end;
} keyed_xml_event;

typedef struct {
    // The callback for each batch of tags. A result other than 0 stops the parser.
    int (*on_events)(void *owner, const keyed_xml_event *events, int count);
    void *owner;
    xmlParserCtxtPtr context;
    // The first violation of well-formedness: libxml2's error code, the offset and the message. If
    // the document has an internal subset, the offset is that of its '['.
    int error;
    uint32_t error_offset;
    char message[192];
    // The identifiers of the document type declaration; empty if absent or too long.
    char public_identifier[128];
    char system_identifier[128];
    int has_internal_subset;
    int is_stopped;
    int count;
    keyed_xml_event events[KEYED_XML_BATCH];
} keyed_xml_session;

// Returns the position of the parser, in bytes from the beginning of the buffer.
static inline uint32_t keyed_xml_offset(xmlParserCtxtPtr context) {
    const xmlParserInput *input = context->input;
    if (input == NULL) return 0;
    return (uint32_t)(input->consumed + (unsigned long)(input->cur - input->base));
}

static inline void keyed_xml_flush(keyed_xml_session *session) {
    int count = session->count;
    session->count = 0;
    if (count == 0 || session->is_stopped) return;
    if (session->on_events(session->owner, session->events, count) != 0) {
        session->is_stopped = 1;
        xmlStopParser(session->context);
    }
}

static inline void keyed_xml_record(keyed_xml_session *session, uint32_t is_end) {
    if (session->is_stopped) return;
    session->events[session->count].offset = keyed_xml_offset(session->context);
    session->events[session->count].is_end = is_end;
    session->count += 1;
    if (session->count == KEYED_XML_BATCH) keyed_xml_flush(session);
}

static void keyed_xml_on_start(
    void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
    const xmlChar **namespace_list, int attributes, int defaulted, const xmlChar **attribute_list) {
    (void)name, (void)prefix, (void)uri, (void)namespaces, (void)namespace_list;
    (void)attributes, (void)defaulted, (void)attribute_list;
    keyed_xml_record((keyed_xml_session *)user, 0);
}

static void keyed_xml_on_end(
    void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    (void)name, (void)prefix, (void)uri;
    keyed_xml_record((keyed_xml_session *)user, 1);
}

// Handles a document type declaration, which libxml2 reports before it parses the internal subset.
// An internal subset stops the parser, so that no entity is ever declared. libxml2 also treats a
// '[' after the '>' of a declaration as the beginning of a subset, although XML allows none there.
static void keyed_xml_on_doctype(
    void *user, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id) {
    keyed_xml_session *session = (keyed_xml_session *)user;
    (void)name;
    if (system_id != NULL && strlen((const char *)system_id) < sizeof session->system_identifier)
        strcpy(session->system_identifier, (const char *)system_id);
    if (public_id != NULL && strlen((const char *)public_id) < sizeof session->public_identifier)
        strcpy(session->public_identifier, (const char *)public_id);
    if (session->context->input == NULL) return;
    // The text ends with a NUL.
    const xmlChar *rest = session->context->input->cur;
    int is_after = rest[0] == '>' && rest[1] == '[';
    if (rest[0] != '[' && !is_after) return;
    session->error_offset = keyed_xml_offset(session->context) + (uint32_t)is_after;
    if (is_after) {
        session->error = XML_ERR_INTERNAL_ERROR;
        strcpy(session->message, "expected the root element, found `[`");
    } else {
        session->has_internal_subset = 1;
    }
    session->is_stopped = 1;
    xmlStopParser(session->context);
}

// The error became const in libxml2 2.12.
#if LIBXML_VERSION >= 21200
static void keyed_xml_on_error(void *user, const xmlError *error) {
#else
static void keyed_xml_on_error(void *user, xmlErrorPtr error) {
#endif
    keyed_xml_session *session = (keyed_xml_session *)user;
    if (error->level < XML_ERR_FATAL || session->error != 0 || session->is_stopped) return;
    session->error = error->code;
    session->error_offset = keyed_xml_offset(session->context);
    if (error->message != NULL)
        strncpy(session->message, error->message, sizeof session->message - 1);
}

// Returns the options for libxml2. They forbid access to the network. They ignore the declared
// encoding, because the text has already been converted to UTF-8. They lift the limit of 256
// levels, because the caller counts the levels; newer versions of libxml2 still stop at 2048.
// NOENT, DTDLOAD, DTDATTR, XINCLUDE and RECOVER are never set.
static inline int keyed_xml_options(void) {
    int options = XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_HUGE | XML_PARSE_NOERROR
        | XML_PARSE_NOWARNING;
#if LIBXML_VERSION >= 21300
    options |= XML_PARSE_NO_XXE;
#endif
    return options;
}

// Parses `size` bytes of UTF-8. Returns whether they are well-formed XML. The session has the other
// results.
static inline int keyed_xml_parse(keyed_xml_session *session, const char *text, int size) {
    xmlParserCtxtPtr context = xmlCreateMemoryParserCtxt(text, size);
    if (context == NULL) return 0;
    session->context = context;
    xmlCtxtUseOptions(context, keyed_xml_options());
    memset(context->sax, 0, sizeof *context->sax);
    context->sax->initialized = XML_SAX2_MAGIC;
    context->sax->startElementNs = keyed_xml_on_start;
    context->sax->endElementNs = keyed_xml_on_end;
    context->sax->internalSubset = keyed_xml_on_doctype;
    context->sax->serror = keyed_xml_on_error;
    context->userData = session;
    xmlParseDocument(context);
    keyed_xml_flush(session);
    int is_well_formed = context->wellFormed && session->error == 0;
    xmlFreeParserCtxt(context);
    session->context = NULL;
    return is_well_formed;
}

// The error became const in libxml2 2.12.
#if LIBXML_VERSION >= 21200
static void keyed_xml_ignore(void *user, const xmlError *error) { (void)user, (void)error; }
#else
static void keyed_xml_ignore(void *user, xmlErrorPtr error) { (void)user, (void)error; }
#endif

// Converts `input` to UTF-8 and appends it to `output`. Returns whether the whole input could be
// converted.
static inline int keyed_xml_convert(
    xmlCharEncodingHandlerPtr handler, xmlBufferPtr output, xmlBufferPtr input) {
    int remaining = xmlBufferLength(input);
    while (remaining > 0) {
        int result = xmlCharEncInFunc(handler, output, input);
        int left = xmlBufferLength(input);
        if (left == remaining || (result < 0 && result != -3)) return 0;
        remaining = left;
    }
    return 1;
}

// Converts `size` bytes in the encoding `name` to UTF-8. Returns a buffer that the caller must free
// with `xmlBufferFree`. Returns NULL if the encoding is unknown, in which case `is_known` is 0, or
// if the bytes are not valid in that encoding.
//
// By default, libxml2 prints an error to standard error if a conversion fails. The error handler of
// this thread is therefore replaced during the conversion.
static inline xmlBufferPtr keyed_xml_transcode(
    const char *name, const unsigned char *bytes, int size, int *is_known) {
    xmlCharEncodingHandlerPtr handler = xmlFindCharEncodingHandler(name);
    *is_known = handler != NULL;
    if (handler == NULL) return NULL;
    xmlStructuredErrorFunc on_error = xmlStructuredError;
    void *on_error_context = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(NULL, keyed_xml_ignore);
    xmlBufferPtr input = xmlBufferCreateSize((size_t)size + 1);
    xmlBufferPtr output = xmlBufferCreateSize((size_t)size + 64);
    int is_valid = input != NULL && output != NULL && xmlBufferAdd(input, bytes, size) == 0
        && keyed_xml_convert(handler, output, input);
    xmlSetStructuredErrorFunc(on_error_context, on_error);
    xmlCharEncCloseFunc(handler);
    if (input != NULL) xmlBufferFree(input);
    if (!is_valid && output != NULL) {
        xmlBufferFree(output);
        output = NULL;
    }
    return output;
}

#endif
