// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of texts. An empty text is NULL, as an argument and as a result.
#define _GNU_SOURCE
#include <sqlite3.h>
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "sql/functions/function.h"
#include "sql/types/like_pattern.h"
#include "sql/types/utf8.h"
#include "sql/types/value.h"

// Reads the first `n` arguments as texts. False if one is NULL, or after an
// error.
static bool texts(sqlite3_context *context, int n, sqlite3_value **value,
                  struct text *text) {
    if (functions_any_null(n, value))
        return false;
    for (int i = 0; i < n; i++)
        if (!value_text(context, value[i], &text[i]))
            return false;
    return true;
}

// The user data is "U" for UPPER, "L" for LOWER, "I" for INITCAP.
static void change_case(sqlite3_context *context, int n,
                        sqlite3_value **value) {
    static locale_t unicode;
    const char how = *(const char *)sqlite3_user_data(context);
    static char changed[MOST_TEXT + 4];
    size_t length = 0;
    bool in_word = false;
    struct text text;
    if (!texts(context, n, value, &text))
        return;
    if (!unicode)
        unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
    const char *end = text.at + text.length;
    for (const char *at = text.at; at < end;) {
        size_t bytes = utf8_bytes(at, end);
        wint_t c = utf8_code(at, bytes);
        if (!unicode && c >= 0x80) {
            value_result_error(context, 3001, "the case of such letters");
            return;
        }
        bool upper = how == 'U' || (how == 'I' && !in_word);
        wint_t to = !unicode
                        ? (wint_t)(upper ? toupper((int)c) : tolower((int)c))
                    : upper ? towupper_l(c, unicode)
                            : towlower_l(c, unicode);
        in_word = unicode ? iswalnum_l(c, unicode) : isalnum((int)c);
        if (length > value_longest_text) {
            value_result_error(context, 1489, "");
            return;
        }
        if (to == c) {
            memcpy(changed + length, at, bytes);
            length += bytes;
        } else {
            length += utf8_write((uint32_t)to, changed + length);
        }
        at += bytes;
    }
    if (length > value_longest_text)
        value_result_error(context, 1489, "");
    else
        value_result_text(context, changed, length);
}

// LENGTHB if the function has user data, else LENGTH.
static void length(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text;
    if (texts(context, n, value, &text))
        sqlite3_result_int64(
            context,
            (sqlite3_int64)(sqlite3_user_data(context)
                                ? text.length
                                : utf8_length(text.at, text.at + text.length)));
}

static void substring(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text;
    int64_t from, count = INT64_MAX;
    if (functions_any_null(n, value) || !texts(context, 1, value, &text) ||
        !value_whole(context, value[1], &from) ||
        (n > 2 && !value_whole(context, value[2], &count)))
        return;
    const char *end = text.at + text.length;
    const int64_t length = (int64_t)utf8_length(text.at, end);
    if (from < 0)
        from = length + from + 1; // counts from the end
    else if (from == 0)
        from = 1;
    if (from < 1 || from > length || count < 1)
        return;
    const char *begin = utf8_after(text.at, end, from - 1);
    value_result_text(context, begin,
                      (size_t)(utf8_after(begin, end, count) - begin));
}

// INSTR(text, part, position, occurrence)
static void in_string(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text[2];
    int64_t position = 1, occurrence = 1;
    if (functions_any_null(n, value) || !texts(context, 2, value, text) ||
        (n > 2 && !value_whole(context, value[2], &position)) ||
        (n > 3 && !value_whole(context, value[3], &occurrence)))
        return;
    if (occurrence < 1) {
        value_result_error(context, 1428, "");
        return;
    }
    const char *end = text[0].at + text[0].length;
    const int64_t length = (int64_t)utf8_length(text[0].at, end);
    const int step = position < 0 ? -1 : 1;
    int64_t place = position < 0 ? length + position + 1 : position;
    sqlite3_result_int(context, 0);
    if (position == 0)
        return;
    for (; place >= 1 && place <= length; place += step) {
        const char *start = utf8_after(text[0].at, end, place - 1);
        if ((size_t)(end - start) >= text[1].length &&
            memcmp(start, text[1].at, text[1].length) == 0 &&
            --occurrence == 0) {
            sqlite3_result_int64(context, place);
            return;
        }
    }
}

// LPAD if the function has user data, else RPAD.
static void pad(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text[2] = {{.at = ""}, {.at = " ", .length = 1}};
    static char padded[MOST_TEXT];
    int64_t width;
    if (functions_any_null(n, value) || !texts(context, 1, value, text) ||
        !value_whole(context, value[1], &width) ||
        (n > 2 && !texts(context, 1, value + 2, text + 1)) || width < 1)
        return;
    // Oracle counts wide characters as two columns.
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < text[i].length; j++)
            if ((unsigned char)text[i].at[j] >= 0xe1) {
                value_result_error(context, 3001, "padding of such characters");
                return;
            }
    const char *end = text[0].at + text[0].length;
    const char *fill_end = text[1].at + text[1].length;
    int64_t length = (int64_t)utf8_length(text[0].at, end);
    const size_t kept =
        (size_t)(utf8_after(text[0].at, end, width) - text[0].at);
    if (kept > value_longest_text) { // a bind may be longer than any column
        value_result_error(context, 1489, "");
        return;
    }
    size_t filled = 0;
    const char *fill = text[1].at;
    for (; length < width && filled + kept + 4 <= value_longest_text;
         length++) {
        size_t bytes = utf8_bytes(fill, fill_end);
        memcpy(padded + filled, fill, bytes);
        filled += bytes;
        fill = fill + bytes == fill_end ? text[1].at : fill + bytes;
    }
    while (length < width && filled + kept<value_longest_text && * fill> 0) {
        padded[filled++] = *fill++; // the remaining ones have one byte each
        fill = fill == fill_end ? text[1].at : fill;
        length++;
    }
    // SQL cuts it off there, PL/SQL does not.
    if (length < width && value_longest_text == MOST_TEXT) {
        value_result_error(context, 1489, "");
        return;
    }
    if (sqlite3_user_data(context)) {
        memcpy(padded + filled, text[0].at, kept);
    } else {
        memmove(padded + kept, padded, filled);
        memcpy(padded, text[0].at, kept);
    }
    value_result_text(context, padded, kept + filled);
}

static bool in_set(const char *at, size_t bytes, const struct text *set) {
    const char *end = set->at + set->length;
    for (const char *c = set->at; c < end; c += utf8_bytes(c, end))
        if (utf8_bytes(c, end) == bytes && memcmp(c, at, bytes) == 0)
            return true;
    return false;
}

// The user data names the ends: "L", "R" or "LR". TRIM takes a set of one
// character only.
static void trim(sqlite3_context *context, int n, sqlite3_value **value) {
    const char *ends = sqlite3_user_data(context);
    struct text text[2] = {{.at = ""}, {.at = " ", .length = 1}};
    if (!texts(context, n, value, text))
        return;
    const char *position = text[0].at, *end = position + text[0].length;
    while (strchr(ends, 'L') && position < end &&
           in_set(position, utf8_bytes(position, end), &text[1]))
        position += utf8_bytes(position, end);
    while (strchr(ends, 'R') && position < end) {
        const char *last = end - 1;
        while (last > position && ((unsigned char)*last & 0xc0) == 0x80)
            last--;
        if (!in_set(last, (size_t)(end - last), &text[1]))
            break;
        end = last;
    }
    value_result_text(context, position, (size_t)(end - position));
}

static void replace(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text[3] = {{.at = ""}, {.at = ""}, {.at = ""}};
    static char result[MOST_TEXT];
    size_t length = 0;
    if (!texts(context, 1, value, text))
        return;
    for (int i = 1; i < n; i++)
        if (sqlite3_value_type(value[i]) != SQLITE_NULL &&
            !value_text(context, value[i], &text[i]))
            return;
    const char *end = text[0].at + text[0].length;
    for (const char *at = text[0].at; at < end;) {
        const bool matches = text[1].length > 0 &&
                             (size_t)(end - at) >= text[1].length &&
                             memcmp(at, text[1].at, text[1].length) == 0;
        const char *from = matches ? text[2].at : at;
        size_t bytes = matches ? text[2].length : utf8_bytes(at, end);
        if (length + bytes > value_longest_text) {
            value_result_error(context, 1489, "");
            return;
        }
        memcpy(result + length, from, bytes);
        length += bytes;
        at += matches ? text[1].length : bytes;
    }
    value_result_text(context, result, length);
}

// TRANSLATE(text, from, to): maps character by character; characters of `from`
// without a counterpart in `to` are dropped.
static void translate_text(sqlite3_context *context, int n,
                           sqlite3_value **value) {
    struct text text[3];
    static char result[MOST_TEXT];
    size_t length = 0;
    if (!texts(context, n, value, text))
        return;
    const char *end = text[0].at + text[0].length;
    const char *from_end = text[1].at + text[1].length;
    const char *to_end = text[2].at + text[2].length;
    for (const char *at = text[0].at; at < end;) {
        const size_t bytes = utf8_bytes(at, end);
        const char *put = at;
        size_t put_bytes = bytes;
        int64_t place = 0;
        for (const char *c = text[1].at; c < from_end;
             c += utf8_bytes(c, from_end), place++)
            if (utf8_bytes(c, from_end) == bytes && memcmp(c, at, bytes) == 0) {
                put = utf8_after(text[2].at, to_end, place);
                put_bytes = utf8_bytes(put, to_end);
                break;
            }
        if (length + put_bytes > value_longest_text) {
            value_result_error(context, 1489, "");
            return;
        }
        memcpy(result + length, put, put_bytes);
        length += put_bytes;
        at += bytes;
    }
    value_result_text(context, result, length);
}

static void ascii(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text;
    if (texts(context, n, value, &text) && text.length > 0) {
        uint32_t code = 0; // the character's bytes as one number
        for (size_t i = 0; i < utf8_bytes(text.at, text.at + text.length); i++)
            code = code << 8 | (unsigned char)text.at[i];
        sqlite3_result_int64(context, code);
    }
}

static void chr(sqlite3_context *context, int n, sqlite3_value **value) {
    int64_t code;
    if (functions_any_null(n, value) || !value_whole(context, value[0], &code))
        return;
    if (code < 1 || code > 127) {
        value_result_error(context, 3001, "CHR of other than 1 to 127");
        return;
    }
    value_result_text(context, (const char[]){(char)code}, 1);
}

// LIKE_PATTERN$(pattern, escape): the pattern, once it is known to be legal.
static void like_pattern(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    struct text text[2];
    if (!texts(context, n, value, text))
        return;
    const unsigned error = like_pattern_error(text[0].at, text[0].length,
                                              text[1].at, text[1].length);
    if (error)
        value_result_error(context, error, "");
    else
        sqlite3_result_value(context, value[0]);
}

const struct function text_functions[] = {
    {"UPPER", 1, 1, OPERAND_TEXT, FUNCTION_PLAIN, change_case, "U"},
    {"LOWER", 1, 1, OPERAND_TEXT, FUNCTION_PLAIN, change_case, "L"},
    {"INITCAP", 1, 1, OPERAND_TEXT, FUNCTION_PLAIN, change_case, "I"},
    {"LENGTH", 1, 1, OPERAND_SMALL, FUNCTION_PLAIN, length},
    {"LENGTHB", 1, 1, OPERAND_SMALL, FUNCTION_PLAIN, length, "bytes"},
    {"SUBSTR", 2, 3, OPERAND_TEXT, FUNCTION_PLAIN, substring},
    {"INSTR", 2, 4, OPERAND_SMALL, FUNCTION_PLAIN, in_string},
    {"LPAD", 2, 3, OPERAND_TEXT, FUNCTION_PLAIN, pad, "left"},
    {"RPAD", 2, 3, OPERAND_TEXT, FUNCTION_PLAIN, pad},
    {"TRIM", 1, 1, OPERAND_TEXT, FUNCTION_PLAIN, trim, "LR"},
    {"TRIM$", 2, 2, OPERAND_TEXT, FUNCTION_INTERNAL, trim, "LR"},
    {"LTRIM", 1, 2, OPERAND_TEXT, FUNCTION_PLAIN, trim, "L"},
    {"RTRIM", 1, 2, OPERAND_TEXT, FUNCTION_PLAIN, trim, "R"},
    {"REPLACE", 2, 3, OPERAND_TEXT, FUNCTION_PLAIN, replace},
    {"TRANSLATE", 3, 3, OPERAND_TEXT, FUNCTION_PLAIN, translate_text},
    {"ASCII", 1, 1, OPERAND_SMALL, FUNCTION_PLAIN, ascii},
    {"CHR", 1, 1, OPERAND_TEXT, FUNCTION_PLAIN, chr},
    {"LIKE_PATTERN$", 2, 2, OPERAND_TEXT, FUNCTION_INTERNAL, like_pattern},
    {NULL},
};
