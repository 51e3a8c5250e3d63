// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of points in time. The database is in UTC.
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sql/calendar.h"
#include "sql/functions.h"
#include "sql/session_zone.h"
#include "sql/value.h"

enum { DAY = 86400 };

static struct timespec began; // the statement

void statement_begins(void) {
    clock_gettime(CLOCK_REALTIME, &began);
}

static struct oracle_date now_in_utc(size_t bytes) {
    const uint32_t microseconds = (uint32_t)began.tv_nsec / 1000;
    return oracle_date_of(began.tv_sec,
                          bytes == DATE_BYTES ? 0 : microseconds * 1000);
}

// `data` is the size of the type that is asked for.
static void now(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    const size_t bytes = (size_t)(intptr_t)sqlite3_user_data(context);
    struct oracle_date date = now_in_utc(bytes);
    answer_time(context, &date, bytes);
}

// The same by the session's clocks.
static void now_here(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    const size_t bytes = (size_t)(intptr_t)sqlite3_user_data(context);
    struct oracle_date date = now_in_utc(bytes);
    session_zone_show(&date);
    answer_time(context, &date, bytes);
}

static void sessiontimezone(sqlite3_context *context, int n,
                            sqlite3_value **value) {
    (void)n, (void)value;
    sqlite3_result_text(context, session_zone_name(), -1, SQLITE_TRANSIENT);
}

static void dbtimezone(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    sqlite3_result_text(context, "+00:00", -1, SQLITE_STATIC);
}

static void months_added(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    struct oracle_date date;
    int64_t months;
    if (any_null(n, value) || !value_time(context, value[0], &date) ||
        !value_whole(context, value[1], &months))
        return;
    if (months > 200000 || months < -200000) {
        raise_ora(context, 1841, "");
        return;
    }
    add_months(&date, months);
    date.nanosecond = 0;
    answer_time(context, &date, DATE_BYTES);
}

static void last_day(sqlite3_context *context, int n, sqlite3_value **value) {
    struct oracle_date date;
    if (any_null(n, value) || !value_time(context, value[0], &date))
        return;
    date.day = days_in_month(date.year, date.month);
    answer_time(context, &date, DATE_BYTES);
}

static void next_day(sqlite3_context *context, int n, sqlite3_value **value) {
    struct oracle_date date;
    struct text name;
    if (any_null(n, value) || !value_time(context, value[0], &date) ||
        !value_text(context, value[1], &name))
        return;
    int64_t day = julian_day(date.year, date.month, date.day);
    for (int i = 0; i < 7; i++)
        if (name.length >= 3 && strncasecmp(name.at, day_names[i], 3) == 0) {
            set_julian_day(&date, day + 7 - (weekday(day) - i + 7) % 7);
            answer_time(context, &date, DATE_BYTES);
            return;
        }
    raise_ora(context, 1846, "");
}

// Whole where the days are the same or both the last of their months; else
// with a fraction of 31 days.
static void months_between(sqlite3_context *context, int n,
                           sqlite3_value **value) {
    struct oracle_date a, b;
    const struct decimal month = decimal_from_integer(31LL * DAY);
    if (any_null(n, value) || !value_time(context, value[0], &a) ||
        !value_time(context, value[1], &b))
        return;
    int64_t months = (a.year - b.year) * 12LL + a.month - b.month;
    struct decimal result = decimal_from_integer(months), rest;
    bool ends = a.day == days_in_month(a.year, a.month) &&
                b.day == days_in_month(b.year, b.month);
    if (a.day != b.day && !ends) {
        int64_t seconds = (a.day - b.day) * (int64_t)DAY +
                          (a.hour - b.hour) * 3600 +
                          (a.minute - b.minute) * 60 + a.second - b.second;
        rest = decimal_from_integer(seconds);
        decimal_divide(&rest, &month, &rest);
        decimal_add(&result, &rest, &result);
    }
    answer_decimal(context, &result);
}

// EXTRACT$('YEAR', d)
static void extract(sqlite3_context *context, int n, sqlite3_value **value) {
    struct oracle_date d;
    const char *field = (const char *)sqlite3_value_text(value[0]);
    if (any_null(n, value) || !field)
        return;
    enum value_class class = value_class(value[1]);
    if (!class_is_time(class)) {
        raise_ora(context, 30076, "");
        return;
    }
    if (!value_time(context, value[1], &d))
        return;
    if (d.zone != 0) // Oracle's rule: in UTC
        set_seconds(&d, seconds_of(&d) - d.zone * 60);
    const bool of_day = strcmp(field, "HOUR") == 0 ||
                        strcmp(field, "MINUTE") == 0 ||
                        strcmp(field, "SECOND") == 0;
    if (of_day && class == CLASS_DATE) {
        raise_ora(context, 30076, "");
        return;
    }
    if (strcmp(field, "SECOND") == 0) {
        const struct decimal giga = decimal_from_integer(1000000000);
        struct decimal seconds =
            decimal_from_integer(d.second * 1000000000LL + d.nanosecond);
        decimal_divide(&seconds, &giga, &seconds);
        answer_decimal(context, &seconds);
        return;
    }
    sqlite3_result_int(context, strcmp(field, "YEAR") == 0    ? d.year
                                : strcmp(field, "MONTH") == 0 ? d.month
                                : strcmp(field, "DAY") == 0   ? d.day
                                : strcmp(field, "HOUR") == 0  ? d.hour
                                                              : d.minute);
}

bool date_functions_register(sqlite3 *db) {
    static const struct function all[] = {
        {"SYSDATE$", 0, 0, now, (void *)DATE_BYTES, true},
        {"CURRENT_DATE$", 0, 0, now_here, (void *)DATE_BYTES, true},
        {"SYSTIMESTAMP$", 0, 0, now, (void *)TIMESTAMP_TZ_BYTES, true},
        {"CURRENT_TIMESTAMP$", 0, 0, now_here, (void *)TIMESTAMP_TZ_BYTES,
         true},
        {"LOCALTIMESTAMP$", 0, 0, now_here, (void *)TIMESTAMP_BYTES, true},
        {"DBTIMEZONE$", 0, 0, dbtimezone, NULL, false},
        {"SESSIONTIMEZONE$", 0, 0, sessiontimezone, NULL, true},
        {"ADD_MONTHS", 2, 2, months_added, NULL, false},
        {"MONTHS_BETWEEN", 2, 2, months_between, NULL, false},
        {"LAST_DAY", 1, 1, last_day, NULL, false},
        {"NEXT_DAY", 2, 2, next_day, NULL, false},
        {"EXTRACT$", 2, 2, extract, NULL, false},
        {0},
    };
    return functions_add(db, all);
}
