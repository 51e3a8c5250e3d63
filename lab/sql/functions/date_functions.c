// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of points in time. The database's time zone is UTC.
#define _GNU_SOURCE
#include <sqlite3.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sql/types/calendar.h"
#include "sql/functions/function.h"
#include "sql/functions/interval_arithmetic.h"
#include "sql/types/session_zone.h"
#include "sql/types/value.h"

enum { DAY = 86400 };

static struct timespec began; // when the running statement began

void date_functions_begin_statement(void) {
    clock_gettime(CLOCK_REALTIME, &began);
}

static struct oracle_date now_in_utc(size_t bytes) {
    const uint32_t microseconds = (uint32_t)began.tv_nsec / 1000;
    return oracle_date_of(began.tv_sec,
                          bytes == DATE_BYTES ? 0 : microseconds * 1000);
}

// The user data is the size of the result's type in bytes.
static void now(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    const size_t bytes = (size_t)(intptr_t)sqlite3_user_data(context);
    struct oracle_date date = now_in_utc(bytes);
    value_result_time(context, &date, bytes);
}

// The same in the session's time zone.
static void now_here(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    const size_t bytes = (size_t)(intptr_t)sqlite3_user_data(context);
    struct oracle_date date = now_in_utc(bytes);
    session_zone_show(&date);
    value_result_time(context, &date, bytes);
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
    if (functions_any_null(n, value) || !value_time(context, value[0], &date) ||
        !value_whole(context, value[1], &months))
        return;
    if (months > 200000 || months < -200000) {
        value_result_error(context, 1841, "");
        return;
    }
    calendar_add_months(&date, months);
    date.nanosecond = 0;
    value_result_time(context, &date, DATE_BYTES);
}

static void last_day(sqlite3_context *context, int n, sqlite3_value **value) {
    struct oracle_date date;
    if (functions_any_null(n, value) || !value_time(context, value[0], &date))
        return;
    date.day = calendar_days_in_month(date.year, date.month);
    value_result_time(context, &date, DATE_BYTES);
}

static void next_day(sqlite3_context *context, int n, sqlite3_value **value) {
    struct oracle_date date;
    struct text name;
    if (functions_any_null(n, value) || !value_time(context, value[0], &date) ||
        !value_text(context, value[1], &name))
        return;
    int64_t day = calendar_julian_day(date.year, date.month, date.day);
    for (int i = 0; i < 7; i++)
        if (name.length >= 3 &&
            strncasecmp(name.at, calendar_day_names[i], 3) == 0) {
            calendar_set_julian_day(
                &date, day + 7 - (calendar_weekday(day) - i + 7) % 7);
            value_result_time(context, &date, DATE_BYTES);
            return;
        }
    value_result_error(context, 1846, "");
}

// A whole number if both are the same day of the month or both the last one;
// else with a fraction of 31 days.
static void months_between(sqlite3_context *context, int n,
                           sqlite3_value **value) {
    struct oracle_date a, b;
    const struct decimal month = decimal_from_integer(31LL * DAY);
    if (functions_any_null(n, value) || !value_time(context, value[0], &a) ||
        !value_time(context, value[1], &b))
        return;
    int64_t months = (a.year - b.year) * 12LL + a.month - b.month;
    struct decimal result = decimal_from_integer(months), rest;
    bool ends = a.day == calendar_days_in_month(a.year, a.month) &&
                b.day == calendar_days_in_month(b.year, b.month);
    if (a.day != b.day && !ends) {
        int64_t seconds = (a.day - b.day) * (int64_t)DAY +
                          (a.hour - b.hour) * 3600 +
                          (a.minute - b.minute) * 60 + a.second - b.second;
        rest = decimal_from_integer(seconds);
        decimal_divide(&rest, &month, &rest);
        decimal_add(&result, &rest, &result);
    }
    value_result_decimal(context, &result);
}

// EXTRACT$('YEAR', d)
static void extract(sqlite3_context *context, int n, sqlite3_value **value) {
    struct oracle_date d;
    const char *field = (const char *)sqlite3_value_text(value[0]);
    if (functions_any_null(n, value) || !field)
        return;
    enum value_class class = value_class(value[1]);
    if (!value_class_is_time(class)) {
        interval_result_field(context, value[1], field, strlen(field));
        return;
    }
    if (!value_time(context, value[1], &d))
        return;
    if (d.zone != 0) // Oracle extracts fields in UTC
        calendar_set_seconds(&d, calendar_seconds(&d) - d.zone * 60);
    const bool of_day = strcmp(field, "HOUR") == 0 ||
                        strcmp(field, "MINUTE") == 0 ||
                        strcmp(field, "SECOND") == 0;
    if (of_day && class == CLASS_DATE) {
        value_result_error(context, 30076, "");
        return;
    }
    if (strcmp(field, "SECOND") == 0) {
        const struct decimal giga = decimal_from_integer(1000000000);
        struct decimal seconds =
            decimal_from_integer(d.second * 1000000000LL + d.nanosecond);
        decimal_divide(&seconds, &giga, &seconds);
        value_result_decimal(context, &seconds);
        return;
    }
    sqlite3_result_int(context, strcmp(field, "YEAR") == 0    ? d.year
                                : strcmp(field, "MONTH") == 0 ? d.month
                                : strcmp(field, "DAY") == 0   ? d.day
                                : strcmp(field, "HOUR") == 0  ? d.hour
                                                              : d.minute);
}

const struct function date_functions[] = {
    {"SYSDATE", 0, 0, OPERAND_DATE, FUNCTION_BARE, now, (void *)DATE_BYTES,
     .varies = true},
    {"CURRENT_DATE", 0, 0, OPERAND_DATE, FUNCTION_BARE, now_here,
     (void *)DATE_BYTES, .varies = true},
    {"SYSTIMESTAMP", 0, 0, OPERAND_TIMESTAMP_TZ, FUNCTION_BARE, now,
     (void *)TIMESTAMP_TZ_BYTES, .varies = true},
    {"CURRENT_TIMESTAMP", 0, 0, OPERAND_TIMESTAMP_TZ, FUNCTION_BARE, now_here,
     (void *)TIMESTAMP_TZ_BYTES, .varies = true},
    {"LOCALTIMESTAMP", 0, 0, OPERAND_TIMESTAMP, FUNCTION_BARE, now_here,
     (void *)TIMESTAMP_BYTES, .varies = true},
    {"DBTIMEZONE", 0, 0, OPERAND_TEXT, FUNCTION_BARE, dbtimezone, NULL,
     .varies = true},
    {"SESSIONTIMEZONE", 0, 0, OPERAND_TEXT, FUNCTION_BARE, sessiontimezone,
     NULL, .varies = true},
    {"ADD_MONTHS", 2, 2, OPERAND_DATE, FUNCTION_PLAIN, months_added},
    {"MONTHS_BETWEEN", 2, 2, OPERAND_NUMBER, FUNCTION_PLAIN, months_between},
    {"LAST_DAY", 1, 1, OPERAND_DATE, FUNCTION_PLAIN, last_day},
    {"NEXT_DAY", 2, 2, OPERAND_DATE, FUNCTION_PLAIN, next_day},
    {"EXTRACT$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, extract},
    {NULL},
};
