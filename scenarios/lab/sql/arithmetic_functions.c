// SPDX-License-Identifier: GPL-2.0-or-later
// + - * / of numbers and dates. A number is an integer of 64 bits or a decimal
// of 15 digits (a double that means its first 15): a result that fits neither
// exactly is rounded to 15 digits as Oracle rounds to 38, but integers are
// never rounded: they overflow.
#define _GNU_SOURCE
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sql/database.h"
#include "sql/oracle_date.h"
#include "sql/oracle_number.h"

enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE };

enum { DAY = 86400 };

static const double largest_exact = 1e15; // integers below it are exact

static void raise_error(sqlite3_context *context, const char *text) {
    sqlite3_result_error(context, text, -1);
}

// Rounds to the 15 digits that a double is sure of.
static double decimal(double value) {
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    return strtod(text, NULL);
}

static void answer_real(sqlite3_context *context, double value) {
    if (!isfinite(value) || fabs(value) >= 1e126)
        raise_error(context, "ORA-01426: numeric overflow");
    else if (value == floor(value) && fabs(value) < largest_exact)
        sqlite3_result_int64(context, (sqlite3_int64)value);
    else
        sqlite3_result_double(context, decimal(value));
}

static void of_integers(sqlite3_context *context, enum operation operation,
                        int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflow = false;
    switch (operation) {
    case ADD:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case DIVIDE:
        if (b == 0)
            raise_error(context, "ORA-01476: divisor is equal to zero");
        else if (b == -1)
            of_integers(context, SUBTRACT, 0, a);
        else if (a % b == 0)
            sqlite3_result_int64(context, a / b);
        else if (llabs(a / b) >= (int64_t)largest_exact)
            raise_error(context, "ORA-03001: unimplemented feature: more than "
                                 "15 digits");
        else
            answer_real(context, (double)((long double)a / b));
        return;
    }
    if (overflow)
        raise_error(context, "ORA-01426: numeric overflow");
    else
        sqlite3_result_int64(context, result);
}

static void of_reals(sqlite3_context *context, enum operation operation,
                     double a, double b) {
    if (operation == DIVIDE && b == 0) {
        raise_error(context, "ORA-01476: divisor is equal to zero");
        return;
    }
    answer_real(context, operation == ADD        ? a + b
                         : operation == SUBTRACT ? a - b
                         : operation == MULTIPLY ? a * b
                                                 : a / b);
}

static bool is_date(sqlite3_value *value, struct oracle_date *date) {
    return sqlite3_value_type(value) == SQLITE_BLOB &&
           (sqlite3_value_bytes(value) == DATE_BYTES ||
            sqlite3_value_bytes(value) == TIMESTAMP_BYTES ||
            sqlite3_value_bytes(value) == TIMESTAMP_TZ_BYTES) &&
           oracle_date_read(sqlite3_value_blob(value),
                            (size_t)sqlite3_value_bytes(value), date);
}

static int64_t seconds_of(const struct oracle_date *date) {
    struct tm tm = {.tm_year = date->year - 1900,
                    .tm_mon = date->month - 1,
                    .tm_mday = date->day,
                    .tm_hour = date->hour,
                    .tm_min = date->minute,
                    .tm_sec = date->second};
    return timegm(&tm);
}

static void date_and_days(sqlite3_context *context,
                          const struct oracle_date *date, double days) {
    uint8_t bytes[DATE_BYTES];
    if (fabs(days) > 1e7) {
        raise_error(context, "ORA-01841: (full) year must be between -4713 and "
                             "+9999, and not be 0");
        return;
    }
    struct oracle_date at =
        oracle_date_of(seconds_of(date) + llround(days * DAY), 0);
    if (!oracle_date_valid(&at)) {
        raise_error(context, "ORA-01841: (full) year must be between -4713 and "
                             "+9999, and not be 0");
        return;
    }
    oracle_date_write(&at, bytes, sizeof bytes);
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

// A number as SQLite has it; text is converted as Oracle converts it. False
// after raising an error.
static bool number_of(sqlite3_context *context, sqlite3_value *value,
                      bool *whole, int64_t *integer, double *real) {
    int type = sqlite3_value_type(value);
    uint8_t number[NUMBER_BYTES];
    *whole = false;
    if (type == SQLITE_TEXT &&
        number_from_text((const char *)sqlite3_value_text(value),
                         (size_t)sqlite3_value_bytes(value), number) > 0)
        type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_INTEGER) {
        *whole = true;
        *integer = sqlite3_value_int64(value);
    } else if (type != SQLITE_FLOAT) {
        raise_error(context, type == SQLITE_BLOB
                                 ? "ORA-00932: inconsistent datatypes"
                                 : "ORA-01722: invalid number");
        return false;
    }
    *real = sqlite3_value_double(value);
    return true;
}

static void of_dates(sqlite3_context *context, enum operation operation,
                     sqlite3_value **value, const struct oracle_date date[2],
                     const bool dated[2]) {
    const bool both = dated[0] && dated[1];
    bool whole;
    int64_t integer;
    double days;
    if (both && operation == SUBTRACT) {
        if (sqlite3_value_bytes(value[0]) != DATE_BYTES ||
            sqlite3_value_bytes(value[1]) != DATE_BYTES)
            raise_error(context, "ORA-03001: unimplemented feature: intervals");
        else
            of_integers(context, DIVIDE,
                        seconds_of(&date[0]) - seconds_of(&date[1]), DAY);
    } else if (both || operation > SUBTRACT ||
               (dated[1] && operation == SUBTRACT)) {
        raise_error(context, both && operation == ADD
                                 ? "ORA-00975: date + date not allowed"
                                 : "ORA-00932: inconsistent datatypes");
    } else if (number_of(context, value[dated[0]], &whole, &integer, &days)) {
        date_and_days(context, &date[dated[1]],
                      operation == SUBTRACT ? -days : days);
    }
}

static void calculate(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    const enum operation operation =
        (enum operation)(intptr_t)sqlite3_user_data(context);
    struct oracle_date date[2];
    bool dated[2], whole[2];
    int64_t integer[2];
    double real[2];
    for (int i = 0; i < 2; i++)
        if (sqlite3_value_type(value[i]) == SQLITE_NULL)
            return;
    for (int i = 0; i < 2; i++)
        dated[i] = is_date(value[i], &date[i]);
    if (dated[0] || dated[1]) {
        of_dates(context, operation, value, date, dated);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (!number_of(context, value[i], &whole[i], &integer[i], &real[i]))
            return;
    if (whole[0] && whole[1])
        of_integers(context, operation, integer[0], integer[1]);
    else
        of_reals(context, operation, real[0], real[1]);
}

bool arithmetic_register(struct database *database) {
    static const char *const names[] = {"ADD$", "SUBTRACT$", "MULTIPLY$",
                                        "DIVIDE$"};
    for (intptr_t i = ADD; i <= DIVIDE; i++)
        if (sqlite3_create_function(
                database->db, names[i], 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                (void *)i, calculate, NULL, NULL) != SQLITE_OK)
            return false;
    return true;
}
