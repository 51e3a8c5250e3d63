// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's functions that SQLite lacks or means differently.
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sql/database.h"
#include "sql/oracle_date.h"
#include "sql/oracle_number.h"

static void ora_error(sqlite3_context *context, const char *text) {
    sqlite3_result_error(context, text, -1);
}

// A value as Oracle's implicit conversion to text shows it.
static const char *as_text(sqlite3_value *value, char *room) {
    uint8_t number[NUMBER_BYTES];
    size_t n = 0;
    if (sqlite3_value_type(value) == SQLITE_FLOAT) {
        n = number_from_double(sqlite3_value_double(value), number);
        if (n == 0 || !number_to_text(number, n, room))
            return "~";
        // Oracle writes no zero before the point.
        char *zero = room + (*room == '-');
        if (zero[0] == '0' && zero[1] == '.')
            memmove(zero, zero + 1, strlen(zero));
        return room;
    }
    return (const char *)sqlite3_value_text(value);
}

static bool refuse_bytes(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(value[i]) == SQLITE_BLOB) {
            ora_error(context,
                      "ORA-03001: unimplemented feature: date as text");
            return true;
        }
    return false;
}

// a || b, where NULL is the empty string and the empty string is NULL.
static void concatenate(sqlite3_context *context, int n,
                        sqlite3_value **value) {
    char room[2][NUMBER_TEXT];
    if (refuse_bytes(context, n, value))
        return;
    const char *a = as_text(value[0], room[0]);
    const char *b = as_text(value[1], room[1]);
    char *both = sqlite3_mprintf("%s%s", a ? a : "", b ? b : "");
    if (!both)
        sqlite3_result_error_nomem(context);
    else if (!*both)
        sqlite3_free(both);
    else
        sqlite3_result_text(context, both, -1, sqlite3_free);
}

static void nvl(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    bool null = sqlite3_value_type(value[0]) == SQLITE_NULL;
    sqlite3_result_value(context, value[null]);
}

static void nvl2(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    bool null = sqlite3_value_type(value[0]) == SQLITE_NULL;
    sqlite3_result_value(context, value[1 + null]);
}

// How many rows `ROWNUM comparison bound` lets through.
static void rownum_limit(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    (void)n;
    const char *comparison = (const char *)sqlite3_value_text(value[0]);
    int type = sqlite3_value_numeric_type(value[1]);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
        ora_error(context, "ORA-01722: invalid number");
        return;
    }
    double bound = sqlite3_value_double(value[1]), rows = 0;
    if (type == SQLITE_NULL || !comparison)
        rows = 0;
    else if (strcmp(comparison, "<=") == 0)
        rows = floor(bound);
    else if (strcmp(comparison, "<") == 0)
        rows = ceil(bound) - 1;
    else if (strcmp(comparison, "=") == 0)
        rows = bound == 1;
    else // > and >=: the first row is number 1 until one gets through
        rows = bound < 1 || (comparison[1] && bound == 1) ? 1e18 : 0;
    sqlite3_result_int64(context, rows < 0      ? 0
                                  : rows > 1e18 ? (int64_t)1e18
                                                : (int64_t)rows);
}

static void sysdate(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    uint8_t bytes[DATE_BYTES];
    struct oracle_date now = oracle_date_of(time(NULL), 0);
    oracle_date_write(&now, bytes, sizeof bytes);
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

static void timestamp_now(sqlite3_context *context, size_t size) {
    uint8_t bytes[TIMESTAMP_TZ_BYTES];
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    struct oracle_date now = oracle_date_of(
        ts.tv_sec, (uint32_t)ts.tv_nsec / 1000 * 1000); // microseconds
    oracle_date_write(&now, bytes, size);
    sqlite3_result_blob(context, bytes, (int)size, SQLITE_TRANSIENT);
}

static void systimestamp(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    (void)n, (void)value;
    timestamp_now(context, TIMESTAMP_TZ_BYTES);
}

static void localtimestamp(sqlite3_context *context, int n,
                           sqlite3_value **value) {
    (void)n, (void)value;
    timestamp_now(context, TIMESTAMP_BYTES);
}

static void dbtimezone(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    sqlite3_result_text(context, "+00:00", -1, SQLITE_STATIC);
}

static void to_date(sqlite3_context *context, int n, sqlite3_value **value) {
    const char *text = (const char *)sqlite3_value_text(value[0]);
    const char *format =
        n > 1 ? (const char *)sqlite3_value_text(value[1]) : NULL;
    struct oracle_date date = {.hour = 0};
    uint8_t bytes[DATE_BYTES];
    int end = 0;
    if (!text)
        return;
    bool day = format && strcasecmp(format, "YYYY-MM-DD") == 0;
    bool time = format && strcasecmp(format, "YYYY-MM-DD HH24:MI:SS") == 0;
    if (!day && !time) {
        ora_error(context, "ORA-03001: unimplemented feature: date format");
        return;
    }
    int fields = sscanf(text, day ? "%4d-%2d-%2d%n" : "%4d-%2d-%2d %n",
                        &date.year, &date.month, &date.day, &end);
    if (fields == 3 && time) {
        int more = 0;
        if (sscanf(text + end, "%2d:%2d:%2d%n", &date.hour, &date.minute,
                   &date.second, &more) == 3)
            end += more;
    }
    if (fields != 3 || text[end] || !oracle_date_valid(&date)) {
        ora_error(context, "ORA-01861: literal does not match format string");
        return;
    }
    oracle_date_write(&date, bytes, sizeof bytes);
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

static void to_char(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    char room[NUMBER_TEXT];
    if (sqlite3_value_type(value[0]) == SQLITE_NULL ||
        refuse_bytes(context, 1, value))
        return;
    sqlite3_result_text(context, as_text(value[0], room), -1, SQLITE_TRANSIENT);
}

static void to_number(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    uint8_t number[NUMBER_BYTES];
    const char *text = (const char *)sqlite3_value_text(value[0]);
    if (!text)
        return;
    if (number_from_text(text, strlen(text), number) == 0)
        ora_error(context, "ORA-01722: invalid number");
    else if (strpbrk(text, ".eE"))
        sqlite3_result_double(context, strtod(text, NULL));
    else
        sqlite3_result_int64(context, strtoll(text, NULL, 10));
}

static void modulo(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    for (int i = 0; i < 2; i++)
        if (sqlite3_value_type(value[i]) == SQLITE_NULL)
            return;
    double a = sqlite3_value_double(value[0]);
    double b = sqlite3_value_double(value[1]);
    sqlite3_result_double(context, b == 0 ? a : fmod(a, b));
}

static void pad(sqlite3_context *context, int n, sqlite3_value **value) {
    const bool left = sqlite3_user_data(context) != NULL;
    const char *text = (const char *)sqlite3_value_text(value[0]);
    const char *fill = n > 2 ? (const char *)sqlite3_value_text(value[2]) : " ";
    int64_t width = sqlite3_value_int64(value[1]);
    if (!text || !fill || !*fill || width < 1 ||
        sqlite3_value_type(value[1]) == SQLITE_NULL)
        return;
    if (width > 4000)
        width = 4000; // the longest VARCHAR2
    size_t length = strlen(text), want = (size_t)width;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c >= 0x80) {
            ora_error(context, "ORA-03001: unimplemented feature: padding of "
                               "non-ASCII text");
            return;
        }
    char padded[4001];
    size_t missing = want > length ? want - length : 0;
    size_t kept = want - missing;
    memcpy(padded + (left ? missing : 0), text, kept);
    for (size_t i = 0; i < missing; i++)
        padded[(left ? 0 : kept) + i] = fill[i % strlen(fill)];
    sqlite3_result_text(context, padded, (int)want, SQLITE_TRANSIENT);
}

bool functions_register(struct database *database) {
    static char on_the_left;
    const struct {
        const char *name;
        int arguments;
        bool varies; // not the same for the same arguments
        void *data;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } all[] = {
        {"CONCAT", 2, false, NULL, concatenate},
        {"NVL", 2, false, NULL, nvl},
        {"NVL2", 3, false, NULL, nvl2},
        {"ROWNUM_LIMIT$", 2, false, NULL, rownum_limit},
        {"SYSDATE$", 0, true, NULL, sysdate},
        {"CURRENT_DATE$", 0, true, NULL, sysdate},
        {"SYSTIMESTAMP$", 0, true, NULL, systimestamp},
        {"CURRENT_TIMESTAMP$", 0, true, NULL, systimestamp},
        {"LOCALTIMESTAMP$", 0, true, NULL, localtimestamp},
        {"DBTIMEZONE$", 0, false, NULL, dbtimezone},
        {"SESSIONTIMEZONE$", 0, false, NULL, dbtimezone},
        {"TO_DATE", 1, false, NULL, to_date},
        {"TO_DATE", 2, false, NULL, to_date},
        {"TO_CHAR", 1, false, NULL, to_char},
        {"TO_NUMBER", 1, false, NULL, to_number},
        {"MOD", 2, false, NULL, modulo},
        {"LPAD", 2, false, &on_the_left, pad},
        {"LPAD", 3, false, &on_the_left, pad},
        {"RPAD", 2, false, NULL, pad},
        {"RPAD", 3, false, NULL, pad},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int flags = SQLITE_UTF8 | (all[i].varies ? 0 : SQLITE_DETERMINISTIC);
        if (sqlite3_create_function(database->db, all[i].name, all[i].arguments,
                                    flags, all[i].data, all[i].call, NULL,
                                    NULL) != SQLITE_OK)
            return false;
    }
    return true;
}
