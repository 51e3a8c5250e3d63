// SPDX-License-Identifier: GPL-2.0-or-later
// REGEXP_LIKE, REGEXP_INSTR, REGEXP_SUBSTR, REGEXP_REPLACE and REGEXP_COUNT.
#include <sqlite3.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/functions/regexp.h"
#include "sql/types/utf8.h"
#include "sql/types/value.h"

enum { LONGEST_SOURCE = 32767 };

struct searching {
    sqlite3_context *context;
    const struct regexp *regexp;
    struct text source, pattern;
    const char *end, *at; // of the source; where the search goes on
    bool failed;          // the result is an error
};

static bool read_flags(sqlite3_context *context, sqlite3_value *value,
                       struct regexp_flags *flags) {
    struct text text = {.at = ""};
    if (value && sqlite3_value_type(value) != SQLITE_NULL &&
        !value_text(context, value, &text))
        return false;
    for (size_t i = 0; i < text.length; i++) {
        switch (text.at[i]) {
        case 'i':
        case 'c': // the last one counts
            flags->ignores_case = text.at[i] == 'i';
            break;
        case 'n':
            flags->dot_is_any = true;
            break;
        case 'm':
            flags->lines = true;
            break;
        case 'x':
            flags->skips_blanks = true;
            break;
        default:
            value_result_error(context, 1760, "");
            return false;
        }
    }
    return true;
}

// The pattern of the last call is kept: it is the next row's, too.
static const struct regexp *read_pattern(sqlite3_context *context,
                                         const struct text *pattern,
                                         struct regexp_flags flags) {
    static struct regexp compiled;
    static char text[LONGEST_REGEXP];
    static size_t length;
    const char *about = "";
    if (length > 0 && length == pattern->length &&
        memcmp(text, pattern->at, length) == 0 &&
        memcmp(&flags, &compiled.flags, sizeof flags) == 0)
        return &compiled;
    const unsigned error =
        regexp_read(&compiled, pattern->at, pattern->length, flags, &about);
    length = error ? 0 : pattern->length;
    memcpy(text, pattern->at, length);
    if (!error)
        return &compiled;
    value_result_error(context, error, about);
    return NULL;
}

// The source, the pattern, the position and the flags of a call; NULL for the
// last two: there are none. False if the result is set: NULL, or an error.
static bool begin(struct searching *s, sqlite3_value **value,
                  sqlite3_value *position, sqlite3_value *how) {
    struct regexp_flags flags = {0};
    int64_t from = 1;
    if (!value_text(s->context, value[0], &s->source) ||
        !value_text(s->context, value[1], &s->pattern) ||
        (position && sqlite3_value_type(position) == SQLITE_NULL) ||
        (position && !value_whole(s->context, position, &from)) ||
        !read_flags(s->context, how, &flags))
        return false;
    if (from < 1 || s->source.length > LONGEST_SOURCE) {
        value_result_error(s->context, from < 1 ? 1428 : 3001,
                           "a regular expression in so long a text");
        return false;
    }
    s->regexp = read_pattern(s->context, &s->pattern, flags);
    s->end = s->source.at + s->source.length;
    s->at = utf8_after(s->source.at, s->end, from - 1);
    return s->regexp != NULL;
}

// The next match; false if there is none, or after an error.
static bool next_match(struct searching *s, struct regexp_match *match) {
    unsigned error = 0;
    const char *about = "";
    if (!s->at)
        return false;
    const bool matches = regexp_find(s->regexp, s->source.at, s->end, s->at,
                                     match, &error, &about);
    s->failed = error;
    if (error)
        value_result_error(s->context, error, about);
    if (!matches)
        return false;
    s->at = match->to[0];
    if (s->at == match->from[0]) // of nothing: the next one begins behind it
        s->at = s->at < s->end ? s->at + utf8_bytes(s->at, s->end) : NULL;
    return true;
}

static bool whole_or(sqlite3_context *context, int n, sqlite3_value **value,
                     int at, int64_t *to) {
    if (at >= n)
        return true;
    return sqlite3_value_type(value[at]) != SQLITE_NULL &&
           value_whole(context, value[at], to);
}

// The occurrence that a call requests, and the group in it.
static bool find(struct searching *s, int64_t occurrence, int64_t group,
                 struct regexp_match *match, bool *found) {
    if (occurrence < 1 || group < 0) {
        value_result_error(s->context, 1428, "");
        return false;
    }
    *found = true;
    for (int64_t i = 0; i < occurrence && *found; i++)
        *found = next_match(s, match);
    if (group >= REGEXP_GROUPS || group > s->regexp->groups)
        *found = false;
    *found = *found && match->from[group];
    return true;
}

static void regexp_like(sqlite3_context *context, int n,
                        sqlite3_value **value) {
    struct searching s = {.context = context};
    struct regexp_match match;
    if (!begin(&s, value, NULL, n > 2 ? value[2] : NULL))
        return;
    const bool matches = next_match(&s, &match);
    if (!s.failed)
        sqlite3_result_int(context, matches);
}

// (source, pattern, position, occurrence, flags, group)
static void regexp_substr(sqlite3_context *context, int n,
                          sqlite3_value **value) {
    struct searching s = {.context = context};
    struct regexp_match match;
    int64_t occurrence = 1, group = 0;
    bool matches;
    if (begin(&s, value, n > 2 ? value[2] : NULL, n > 4 ? value[4] : NULL) &&
        whole_or(context, n, value, 3, &occurrence) &&
        whole_or(context, n, value, 5, &group) &&
        find(&s, occurrence, group, &match, &matches) && matches)
        value_result_text(context, match.from[group],
                          (size_t)(match.to[group] - match.from[group]));
}

// (source, pattern, position, occurrence, end, flags, group)
static void regexp_instr(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    struct searching s = {.context = context};
    struct regexp_match match;
    int64_t occurrence = 1, group = 0, end = 0;
    bool matches;
    if (!begin(&s, value, n > 2 ? value[2] : NULL, n > 5 ? value[5] : NULL) ||
        !whole_or(context, n, value, 3, &occurrence) ||
        !whole_or(context, n, value, 4, &end) ||
        !whole_or(context, n, value, 6, &group))
        return;
    if (end < 0 || end > 1) {
        value_result_error(context, 1428, "");
        return;
    }
    if (!find(&s, occurrence, group, &match, &matches) || s.failed)
        return;
    sqlite3_result_int(context, 0);
    if (matches)
        sqlite3_result_int64(
            context,
            1 + (int64_t)utf8_length(s.source.at, end ? match.to[group]
                                                      : match.from[group]));
}

static bool is_of_nothing(struct searching *s,
                          const struct regexp_match *match) {
    const bool nothing = match->from[0] == match->to[0];
    if (nothing)
        value_result_error(s->context, 3001,
                           "a regular expression that matches nothing");
    return nothing;
}

static void regexp_count(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    struct searching s = {.context = context};
    struct regexp_match match;
    int count = 0;
    if (!begin(&s, value, n > 2 ? value[2] : NULL, n > 3 ? value[3] : NULL))
        return;
    for (; next_match(&s, &match); count++)
        if (is_of_nothing(&s, &match))
            return;
    if (!s.failed)
        sqlite3_result_int(context, count);
}

struct made {
    char text[MOST_TEXT];
    size_t length;
};

static bool put(struct made *made, const char *from, const char *to) {
    const size_t length = from ? (size_t)(to - from) : 0;
    if (made->length + length > value_longest_text)
        return false;
    memcpy(made->text + made->length, from ? from : "", length);
    made->length += length;
    return true;
}

// \1 to \9 are groups.
static bool put_replacement(struct made *made, const struct text *text,
                            const struct regexp_match *match) {
    const char *end = text->at + text->length;
    bool room = true;
    for (const char *at = text->at; at < end && room; at++) {
        const bool escaped = *at == '\\' && at + 1 < end;
        if (escaped && at[1] >= '1' && at[1] <= '9') {
            at++;
            room = put(made, match->from[*at - '0'], match->to[*at - '0']);
        } else {
            at += escaped && at[1] == '\\';
            room = put(made, at, at + 1);
        }
    }
    return room;
}

static void replace_all(struct searching *s, const struct text *with,
                        int64_t occurrence) {
    struct regexp_match match;
    static struct made result;
    const char *copied_to = s->source.at;
    bool room = true;
    result.length = 0;
    for (int64_t i = 1; room && next_match(s, &match); i++) {
        if (is_of_nothing(s, &match))
            return;
        if (occurrence > 0 && i != occurrence)
            continue;
        room = put(&result, copied_to, match.from[0]) &&
               put_replacement(&result, with, &match);
        copied_to = match.to[0];
        if (i == occurrence)
            break;
    }
    if (s->failed)
        return;
    if (room && put(&result, copied_to, s->end))
        value_result_text(s->context, result.text, result.length);
    else
        value_result_error(s->context, 1489, "");
}

// (source, pattern, replacement, position, occurrence, flags)
static void regexp_replace(sqlite3_context *context, int n,
                           sqlite3_value **value) {
    struct searching s = {.context = context};
    struct text with = {.at = ""};
    int64_t occurrence = 0;
    if (sqlite3_value_type(value[1]) == SQLITE_NULL) {
        sqlite3_result_value(context, value[0]);
        return;
    }
    if (!begin(&s, value, n > 3 ? value[3] : NULL, n > 5 ? value[5] : NULL) ||
        !whole_or(context, n, value, 4, &occurrence))
        return;
    if (n > 2 && sqlite3_value_type(value[2]) != SQLITE_NULL &&
        !value_text(context, value[2], &with))
        return;
    if (occurrence < 0)
        value_result_error(context, 1428, "");
    else
        replace_all(&s, &with, occurrence);
}

const struct function regexp_functions[] = {
    {"REGEXP_LIKE$", 2, 3, OPERAND_SMALL, FUNCTION_INTERNAL, regexp_like},
    {"REGEXP_SUBSTR", 2, 6, OPERAND_TEXT, FUNCTION_PLAIN, regexp_substr},
    {"REGEXP_INSTR", 2, 7, OPERAND_SMALL, FUNCTION_PLAIN, regexp_instr},
    {"REGEXP_COUNT", 2, 4, OPERAND_SMALL, FUNCTION_PLAIN, regexp_count},
    {"REGEXP_REPLACE", 2, 6, OPERAND_TEXT, FUNCTION_PLAIN, regexp_replace},
    {NULL},
};
