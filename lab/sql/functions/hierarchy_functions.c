// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a row's ancestors that CONNECT BY needs: their keys, one after
// the other, each with its length before it.
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/types/value.h"

enum { LOOP = 1436 };

// The values of a key, each with its type and length before it. Equal NUMBERs
// have one form.
static void put_key(sqlite3_str *to, int n, sqlite3_value **value) {
    for (int i = 0; i < n; i++) {
        const char type = (char)sqlite3_value_type(value[i]);
        const void *bytes = sqlite3_value_blob(value[i]);
        const int length = sqlite3_value_bytes(value[i]);
        sqlite3_str_append(to, &type, 1);
        sqlite3_str_append(to, (const char *)&length, sizeof length);
        if (length > 0)
            sqlite3_str_append(to, bytes, length);
    }
}

static bool has_key(sqlite3_value *path, const char *key, int length) {
    const char *position = sqlite3_value_blob(path);
    const char *end =
        position ? position + sqlite3_value_bytes(path) : position;
    while (position && position < end) {
        int32_t size;
        memcpy(&size, position, sizeof size);
        position += sizeof size;
        if (size == length && memcmp(position, key, (size_t)length) == 0)
            return true;
        position += size;
    }
    return false;
}

// CONNECT_PATH$(whether loops are fine, the parent's path, key ...): the row's
// path. Without a key there are no loops.
static void connect_path(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    sqlite3_str *key = sqlite3_str_new(NULL), *path = sqlite3_str_new(NULL);
    const void *parent = sqlite3_value_blob(value[1]);
    put_key(key, n - 2, value + 2);
    const int32_t length = sqlite3_str_length(key);
    if (n > 2 && !sqlite3_value_int(value[0]) &&
        has_key(value[1], sqlite3_str_value(key), length)) {
        value_result_error(context, LOOP, "");
    } else if (n > 2) {
        if (parent)
            sqlite3_str_append(path, parent, sqlite3_value_bytes(value[1]));
        sqlite3_str_append(path, (const char *)&length, sizeof length);
        sqlite3_str_append(path, sqlite3_str_value(key), length);
        sqlite3_result_blob(context, sqlite3_str_value(path),
                            sqlite3_str_length(path), SQLITE_TRANSIENT);
    }
    if (sqlite3_str_errcode(path) != SQLITE_OK ||
        sqlite3_str_errcode(key) != SQLITE_OK)
        sqlite3_result_error_nomem(context);
    sqlite3_free(sqlite3_str_finish(path));
    sqlite3_free(sqlite3_str_finish(key));
}

// CONNECT_LOOPS$(the parent's path, key ...)
static void connect_loops(sqlite3_context *context, int n,
                          sqlite3_value **value) {
    sqlite3_str *key = sqlite3_str_new(NULL);
    put_key(key, n - 1, value + 1);
    sqlite3_result_int(context,
                       n > 1 && has_key(value[0], sqlite3_str_value(key),
                                        sqlite3_str_length(key)));
    if (sqlite3_str_errcode(key) != SQLITE_OK)
        sqlite3_result_error_nomem(context);
    sqlite3_free(sqlite3_str_finish(key));
}

// CONNECT_STEP$(the parent's text, value, separator)
static void connect_step(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    enum { LONGEST = 4000, SEPARATOR_INSIDE = 30004, TOO_LONG = 1489 };
    struct text step = {0}, separator;
    const bool null = sqlite3_value_type(value[1]) == SQLITE_NULL;
    (void)n;
    if (sqlite3_value_type(value[2]) == SQLITE_NULL) {
        value_result_error(context, 30003, "");
        return;
    }
    if ((!null && !value_text(context, value[1], &step)) ||
        !value_text(context, value[2], &separator))
        return;
    if (!null && memmem(step.at, step.length, separator.at, separator.length)) {
        value_result_error(context, SEPARATOR_INSIDE, "");
        return;
    }
    sqlite3_str *text = sqlite3_str_new(NULL);
    if (sqlite3_value_type(value[0]) != SQLITE_NULL)
        sqlite3_str_append(text, (const char *)sqlite3_value_text(value[0]),
                           sqlite3_value_bytes(value[0]));
    sqlite3_str_append(text, separator.at, (int)separator.length);
    if (!null)
        sqlite3_str_append(text, step.at, (int)step.length);
    if (sqlite3_str_errcode(text) != SQLITE_OK)
        sqlite3_result_error_nomem(context);
    else if (sqlite3_str_length(text) > LONGEST)
        value_result_error(context, TOO_LONG, "");
    else
        value_result_text(context, sqlite3_str_value(text),
                          (size_t)sqlite3_str_length(text));
    sqlite3_free(sqlite3_str_finish(text));
}

const struct function hierarchy_functions[] = {
    {"CONNECT_PATH$", 2, 99, OPERAND_UNKNOWN, FUNCTION_INTERNAL, connect_path},
    {"CONNECT_LOOPS$", 1, 99, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     connect_loops},
    {"CONNECT_STEP$", 3, 3, OPERAND_TEXT, FUNCTION_INTERNAL, connect_step},
    {NULL},
};
