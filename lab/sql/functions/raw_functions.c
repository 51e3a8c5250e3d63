// SPDX-License-Identifier: GPL-2.0-or-later
// RAWs as text and back, SYS_GUID, and VSIZE.
#include <openssl/rand.h>
#include <sqlite3.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/types/utf8.h"
#include "sql/types/value.h"

enum { LONGEST_RAW = 2000, GUID_BYTES = 16 };

static void hextoraw(sqlite3_context *context, int n, sqlite3_value **value) {
    uint8_t raw[LONGEST_RAW];
    struct text text;
    (void)n;
    if (!value_text(context, value[0], &text))
        return;
    const size_t bytes = (text.length + 1) / 2;
    if (bytes > sizeof raw || value_length_is_reserved(bytes)) {
        value_result_error(context, 3001, "a RAW of this length");
        return;
    }
    const unsigned error = value_raw_of_text(text.at, text.length, raw);
    if (error)
        value_result_error(context, error, "");
    else if (bytes > 0)
        sqlite3_result_blob(context, raw, (int)bytes, SQLITE_TRANSIENT);
}

static void rawtohex(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text;
    (void)n;
    if (sqlite3_value_type(value[0]) != SQLITE_NULL &&
        value_class(value[0]) != CLASS_RAW)
        value_result_error(context, 3001, "RAWTOHEX of other than a RAW");
    else if (value_text(context, value[0], &text))
        value_result_text(context, text.at, text.length);
}

static void sys_guid(sqlite3_context *context, int n, sqlite3_value **value) {
    uint8_t guid[GUID_BYTES];
    (void)n, (void)value;
    if (RAND_bytes(guid, sizeof guid) == 1)
        sqlite3_result_blob(context, guid, sizeof guid, SQLITE_TRANSIENT);
    else
        value_result_error(context, 600, "no random bytes");
}

// The bytes that Oracle keeps the value in.
static void vsize(sqlite3_context *context, int n, sqlite3_value **value) {
    struct decimal number;
    uint8_t bytes[WIDE_BYTES];
    (void)n;
    switch (value_class(value[0])) {
    case CLASS_NULL:
        return;
    case CLASS_NUMBER:
        if (value_decimal(context, value[0], &number))
            sqlite3_result_int64(context,
                                 (int64_t)number_from_decimal(&number, bytes));
        return;
    case CLASS_TEXT:
    case CLASS_RAW:
    case CLASS_DATE:
        sqlite3_result_int(context, sqlite3_value_bytes(value[0]));
        return;
    default:
        value_result_error(context, 3001, "VSIZE of such a value");
    }
}

// DUMP$(type code, value, format, start, length): the bytes that Oracle keeps.
static void dump(sqlite3_context *context, int n, sqlite3_value **value) {
    enum { NAMES_CHARSET = 1000, TEXT = 1, CHAR = 96 };
    uint8_t number_bytes[WIDE_BYTES];
    const uint8_t *bytes = sqlite3_value_blob(value[1]);
    int64_t size = sqlite3_value_bytes(value[1]), format = 10, start = 1,
            length = 0;
    const int type = sqlite3_value_int(value[0]);
    struct decimal number;
    if (sqlite3_value_type(value[1]) == SQLITE_NULL) {
        sqlite3_result_text(context, "NULL", -1, SQLITE_STATIC);
        return;
    }
    if ((n > 2 && !value_whole(context, value[2], &format)) ||
        (n > 3 && !value_whole(context, value[3], &start)) ||
        (n > 4 && !value_whole(context, value[4], &length)))
        return;
    const bool charset = format > NAMES_CHARSET;
    format -= charset ? NAMES_CHARSET : 0;
    switch (value_class(value[1])) {
    case CLASS_NUMBER:
        if (!value_decimal(context, value[1], &number))
            return;
        size = (int64_t)number_from_decimal(&number, number_bytes);
        bytes = number_bytes;
        break;
    case CLASS_TEXT:
    case CLASS_RAW:
    case CLASS_DATE:
        break;
    default:
        value_result_error(context, 3001, "DUMP of such a value");
        return;
    }
    if ((format != 8 && format != 10 && format != 16) || start < 1) {
        value_result_error(context, 3001, "such a DUMP");
        return;
    }
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "Typ=%d Len=%lld", type, (long long)size);
    if (charset && (type == TEXT || type == CHAR))
        sqlite3_str_appendall(text, " CharacterSet=AL32UTF8");
    for (int64_t i = start - 1;
         i < size && (length == 0 || i < start - 1 + length); i++)
        sqlite3_str_appendf(text,
                            format == 8    ? "%s%o"
                            : format == 10 ? "%s%d"
                                           : "%s%x",
                            i == start - 1 ? ": " : ",", bytes[i]);
    char *result = sqlite3_str_finish(text);
    if (result)
        sqlite3_result_text(context, result, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

// The length of a LOB in characters or bytes.
static void lob_length(sqlite3_context *context, int n, sqlite3_value **value) {
    const char *text;
    (void)n;
    switch (sqlite3_value_type(value[0])) {
    case SQLITE_NULL:
        break;
    case SQLITE_TEXT:
        text = (const char *)sqlite3_value_text(value[0]);
        sqlite3_result_int64(
            context,
            (int64_t)utf8_length(text, text + sqlite3_value_bytes(value[0])));
        break;
    case SQLITE_BLOB:
        sqlite3_result_int(context, sqlite3_value_bytes(value[0]));
        break;
    default:
        value_result_error(context, 932, "expected LOB");
    }
}

const struct function raw_functions[] = {
    {"HEXTORAW", 1, 1, OPERAND_RAW, FUNCTION_PLAIN, hextoraw},
    {"RAWTOHEX", 1, 1, OPERAND_TEXT, FUNCTION_PLAIN, rawtohex},
    {"SYS_GUID", 0, 0, OPERAND_RAW, FUNCTION_PLAIN, sys_guid, .varies = true},
    {"VSIZE", 1, 1, OPERAND_SMALL, FUNCTION_PLAIN, vsize},
    {"DUMP", 1, 4, OPERAND_TEXT, FUNCTION_FORM, NULL},
    {"DUMP$", 2, 5, OPERAND_TEXT, FUNCTION_INTERNAL, dump},
    {"LOB_LENGTH$", 1, 1, OPERAND_NUMBER, FUNCTION_INTERNAL, lob_length},
    {NULL},
};
