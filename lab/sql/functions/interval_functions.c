// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that make INTERVALs, and arithmetic with them.
#include <sqlite3.h>
#include <stdint.h>

#include "sql/functions/function.h"
#include "sql/functions/interval_arithmetic.h"
#include "sql/types/calendar.h"
#include "sql/types/interval.h"
#include "sql/types/session_zone.h"
#include "sql/types/value.h"

enum {
    ILLEGAL_ARGUMENT = 1760,
    LEADING_TOO_SMALL = 1873,
    INCONSISTENT = 932,
    NO_SUCH_DAY = 1839,
    NO_SUCH_YEAR = 1841,
    GIGA = 1000000000,
};

static void result(sqlite3_context *context, const struct interval *interval) {
    uint8_t bytes[INTERVAL_YM_BYTES];
    const size_t size =
        interval->months ? INTERVAL_YM_BYTES : INTERVAL_DS_BYTES;
    if (!interval_valid(interval)) {
        value_result_error(context, LEADING_TOO_SMALL, "");
        return;
    }
    interval_write(interval, bytes, size);
    sqlite3_result_blob(context, bytes, (int)size, SQLITE_TRANSIENT);
}

static bool is_interval(sqlite3_value *value) {
    const enum value_class class = value_class(value);
    return class == CLASS_INTERVAL_YM || class == CLASS_INTERVAL_DS;
}

static bool read(sqlite3_value *value, struct interval *to) {
    return is_interval(value) &&
           interval_read(sqlite3_value_blob(value),
                         (size_t)sqlite3_value_bytes(value), to);
}

// NUMTOYMINTERVAL if the function has user data, else NUMTODSINTERVAL.
static void of_number(sqlite3_context *context, int n, sqlite3_value **value) {
    const bool months = sqlite3_user_data(context);
    struct decimal number;
    struct interval interval;
    struct text unit;
    if (functions_any_null(n, value) ||
        !value_decimal(context, value[0], &number) ||
        !value_text(context, value[1], &unit))
        return;
    while (unit.length > 0 && unit.at[unit.length - 1] == ' ')
        unit.length--;
    const enum interval_field field =
        interval_field_named(unit.at, unit.length);
    unsigned error = ILLEGAL_ARGUMENT;
    if (field != FIELD_NONE && (field <= FIELD_MONTH) == months)
        error = interval_of(&number, field, &interval);
    if (error)
        value_result_error(context, error, "");
    else
        result(context, &interval);
}

// TO_YMINTERVAL if the function has user data, else TO_DSINTERVAL.
static void of_text(sqlite3_context *context, int n, sqlite3_value **value) {
    const bool months = sqlite3_user_data(context);
    const struct interval_fields fields = {months ? FIELD_YEAR : FIELD_DAY,
                                           months ? FIELD_MONTH : FIELD_SECOND,
                                           9, 9};
    struct interval interval;
    struct text text;
    if (functions_any_null(n, value) || !value_text(context, value[0], &text))
        return;
    if (text.length > 0 && (text.at[0] == 'P' || text.at[0] == 'p')) {
        value_result_error(context, 3001,
                           "an INTERVAL in the form of ISO 8601");
        return;
    }
    const unsigned error =
        interval_parse(text.at, text.length, &fields, &interval);
    if (error)
        value_result_error(context, error, "");
    else
        result(context, &interval);
}

void interval_result_field(sqlite3_context *context, sqlite3_value *value,
                           const char *field, size_t length) {
    enum { NO_SUCH_FIELD = 30076 };
    struct interval interval;
    struct decimal number;
    if (read(value, &interval) &&
        interval_extract(&interval, interval_field_named(field, length),
                         &number))
        value_result_decimal(context, &number);
    else
        value_result_error(context, NO_SUCH_FIELD, "");
}

// A point in time, which keeps its type.
static void move_time(sqlite3_context *context, sqlite3_value *value,
                      const struct interval *by) {
    const enum value_class class = value_class(value);
    const size_t bytes = class == CLASS_DATE        ? DATE_BYTES
                         : class == CLASS_TIMESTAMP ? TIMESTAMP_BYTES
                                                    : TIMESTAMP_TZ_BYTES;
    struct oracle_date time;
    if (!value_time(context, value, &time))
        return;
    if (by->months) {
        const int day = time.day;
        time.day = 1;
        calendar_add_months(&time, by->count);
        time.day = day;
        if (day > calendar_days_in_month(time.year, time.month)) {
            value_result_error(context, NO_SUCH_DAY, "");
            return;
        }
    } else {
        int64_t seconds = calendar_seconds(&time) + by->count;
        int64_t nanoseconds = (int64_t)time.nanosecond + by->nanosecond;
        seconds += nanoseconds < 0 ? -1 : nanoseconds / GIGA;
        nanoseconds += nanoseconds < 0 ? GIGA : 0;
        if (seconds < 0) {
            value_result_error(context, NO_SUCH_YEAR, "");
            return;
        }
        calendar_set_seconds(&time, seconds);
        time.nanosecond =
            bytes == DATE_BYTES ? 0 : (uint32_t)(nanoseconds % GIGA);
    }
    value_result_time(context, &time, bytes);
}

static void scale(sqlite3_context *context, const struct interval *interval,
                  sqlite3_value *by, bool divides) {
    enum { DIVISOR_IS_ZERO = 1476 };
    struct decimal all = interval_to_decimal(interval), factor;
    struct interval created;
    if (!value_decimal(context, by, &factor))
        return;
    if (divides && factor.count == 0) {
        value_result_error(context, DIVISOR_IS_ZERO, "");
        return;
    }
    const bool succeeded = divides ? decimal_divide(&all, &factor, &all)
                                   : decimal_multiply(&all, &factor, &all);
    if (interval->months)
        decimal_truncate(&all, 0, &all);
    if (succeeded && interval_from_decimal(&all, interval->months, &created))
        result(context, &created);
    else
        value_result_error(context, LEADING_TOO_SMALL, "");
}

static struct interval negated(struct interval interval) {
    interval.count = -interval.count;
    interval.nanosecond = -interval.nanosecond;
    return interval;
}

static void add(sqlite3_context *context, const struct interval *a,
                const struct interval *b) {
    struct interval sum = {a->months, a->count + b->count, 0};
    int64_t nanoseconds = (int64_t)a->nanosecond + b->nanosecond;
    if (a->months != b->months) {
        value_result_error(context, INCONSISTENT, "");
        return;
    }
    sum.count += nanoseconds / GIGA;
    nanoseconds %= GIGA;
    if (sum.count > 0 && nanoseconds < 0) {
        sum.count--;
        nanoseconds += GIGA;
    } else if (sum.count < 0 && nanoseconds > 0) {
        sum.count++;
        nanoseconds -= GIGA;
    }
    sum.nanosecond = (int32_t)nanoseconds;
    result(context, &sum);
}

bool interval_calculate(sqlite3_context *context, char sign,
                        sqlite3_value **value) {
    struct interval a, b;
    const bool first = read(value[0], &a), second = read(value[1], &b);
    const bool time = value_class_is_time(value_class(value[first]));
    if (!first && !second)
        return false;
    const struct interval by = sign == '-' && second ? negated(b) : b;
    if (first && second && (sign == '+' || sign == '-'))
        add(context, &a, &by);
    else if (first && !second && sign == '+' && time)
        move_time(context, value[1], &a);
    else if (second && !first && (sign == '+' || sign == '-') && time)
        move_time(context, value[0], &by);
    else if (first && !second && !time && (sign == '*' || sign == '/'))
        scale(context, &a, value[1], sign == '/');
    else if (second && !first && !time && sign == '*')
        scale(context, &b, value[0], false);
    else
        value_result_error(context, INCONSISTENT, "");
    return true;
}

// -interval
static void negate(sqlite3_context *context, int n, sqlite3_value **value) {
    struct interval interval;
    if (functions_any_null(n, value))
        return;
    if (!read(value[0], &interval)) {
        value_result_error(context, INCONSISTENT, "");
        return;
    }
    interval = negated(interval);
    result(context, &interval);
}

void interval_result_between(sqlite3_context *context,
                             const struct oracle_date *from,
                             const struct oracle_date *to) {
    struct interval interval = {.count = calendar_seconds(to) - to->zone * 60 -
                                         calendar_seconds(from) +
                                         from->zone * 60};
    int64_t nanoseconds = (int64_t)to->nanosecond - from->nanosecond;
    if (interval.count > 0 && nanoseconds < 0) {
        interval.count--;
        nanoseconds += GIGA;
    } else if (interval.count < 0 && nanoseconds > 0) {
        interval.count++;
        nanoseconds -= GIGA;
    }
    interval.nanosecond = (int32_t)nanoseconds;
    result(context, &interval);
}

const struct function interval_functions[] = {
    {"NUMTODSINTERVAL", 2, 2, OPERAND_INTERVAL_DS, FUNCTION_PLAIN, of_number},
    {"NUMTOYMINTERVAL", 2, 2, OPERAND_INTERVAL_YM, FUNCTION_PLAIN, of_number,
     "months"},
    {"TO_DSINTERVAL", 1, 1, OPERAND_INTERVAL_DS, FUNCTION_PLAIN, of_text},
    {"TO_YMINTERVAL", 1, 1, OPERAND_INTERVAL_YM, FUNCTION_PLAIN, of_text,
     "months"},
    {"NEGATE_INTERVAL$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, negate},
    {NULL},
};
