// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/functions/annotation_functions.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/parse/lexer.h"

enum { LENGTH = sizeof ANNOTATION_FORCE - 1 };

// Where the annotation is in the text of a table; NULL: nowhere.
static const char *find(const char *text, size_t length) {
    const char *position = text, *end = text + length;
    struct token token = lexer_next(&position, end);
    while (token.type != TOKEN_END && token.type != TOKEN_BAD &&
           !token_is(&token, "("))
        token = lexer_next(&position, end);
    return token.type == TOKEN_SIGN && end - position >= LENGTH ? position
                                                                : NULL;
}

static const char *find_in(sqlite3_value *value) {
    const char *text = (const char *)sqlite3_value_text(value);
    return text ? find(text, (size_t)sqlite3_value_bytes(value)) : NULL;
}

// (text of a table): FORCE or DEFAULT
static void annotation(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    const char *position = find_in(value[0]);
    const bool force =
        position && memcmp(position, ANNOTATION_FORCE, LENGTH) == 0;
    sqlite3_result_text(context, force ? "FORCE" : "DEFAULT", -1,
                        SQLITE_STATIC);
}

// (text of a table, whether FORCE): the text with that annotation
static void annotated(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    const char *text = (const char *)sqlite3_value_text(value[0]);
    const char *position = find_in(value[0]);
    if (!position) {
        sqlite3_result_value(context, value[0]);
        return;
    }
    sqlite3_str *created = sqlite3_str_new(NULL);
    sqlite3_str_append(created, text, (int)(position - text));
    sqlite3_str_appendall(created, sqlite3_value_int(value[1])
                                       ? ANNOTATION_FORCE
                                       : ANNOTATION_DEFAULT);
    sqlite3_str_appendall(created, position + LENGTH);
    char *result = sqlite3_str_finish(created);
    if (result)
        sqlite3_result_text(context, result, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

const struct function annotation_functions[] = {
    {"ANNOTATION$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, annotation},
    {"ANNOTATED$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, annotated},
    {NULL},
};
