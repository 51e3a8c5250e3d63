// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's values as stored in SQLite.
//
// A NUMBER has a single form, so that equal numbers are equal to SQLite: an
// integer if it fits 64 bits; a double if it has at most 15 decimal digits, and
// the double stands for exactly those; else a wide number, a blob of
// WIDE_BYTES. Points in time are blobs of other lengths; see oracle_date.h. An
// INTERVAL is the bytes that it has on the wire, which sort by its length, and
// zeros up to INTERVAL_YM_BYTES or INTERVAL_DS_BYTES; so are a BINARY_FLOAT, a
// BINARY_DOUBLE (binary_number.h) and a ROWID (rowid.h). No RAW may have one of
// these lengths. A CLOB is text, a BLOB a RAW.
#ifndef ORALAB_VALUE_H
#define ORALAB_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/types/oracle_date.h"
#include "sql/types/oracle_number.h"

struct sqlite3_context;
struct sqlite3_value;

enum {
    WIDE_BYTES = 24,
    INTERVAL_DS_BYTES = 23,
    INTERVAL_YM_BYTES = 25,
    BINARY_FLOAT_BYTES = 26,
    BINARY_DOUBLE_BYTES = 27,
    ROWID_BYTES = 28,
    INTERVAL_DS_WIRE = 11,
    INTERVAL_YM_WIRE = 5,
};

enum value_class {
    CLASS_NULL,
    CLASS_NUMBER,
    CLASS_TEXT,
    CLASS_DATE,
    CLASS_TIMESTAMP,
    CLASS_TIMESTAMP_TZ,
    CLASS_RAW,
    CLASS_INTERVAL_YM,
    CLASS_INTERVAL_DS,
    CLASS_BINARY_FLOAT,
    CLASS_BINARY_DOUBLE,
    CLASS_ROWID,
    CLASS_CLOB, // of columns only: a value is CLASS_TEXT
    CLASS_BLOB, // and here CLASS_RAW
};

enum value_class value_class(struct sqlite3_value *value);
bool value_class_is_time(enum value_class class);
bool value_class_is_binary(enum value_class class);
// The bytes of a BINARY_FLOAT or BINARY_DOUBLE in SQLite.
size_t value_binary_bytes(enum value_class class);
// Whether a RAW of this length would be taken for another type.
bool value_length_is_reserved(size_t bytes);

// Makes an ORA- error the function's result: "ORA-01722: ...".
void value_result_error(struct sqlite3_context *context, unsigned number,
                        const char *about);

// A NUMBER, or text converted as Oracle does. False after raising an error. The
// value is not NULL.
bool value_decimal(struct sqlite3_context *context, struct sqlite3_value *value,
                   struct decimal *to);
// The same, truncated to an integer.
bool value_whole(struct sqlite3_context *context, struct sqlite3_value *value,
                 int64_t *to);
// A point in time, or text in the session's format. False after an error.
bool value_time(struct sqlite3_context *context, struct sqlite3_value *value,
                struct oracle_date *to);
void value_result_decimal(struct sqlite3_context *context,
                          const struct decimal *value);
// The form of a value that is too big for the other two.
void value_wide_from_decimal(const struct decimal *value,
                             uint8_t to[WIDE_BYTES]);
bool value_wide_to_decimal(const uint8_t from[WIDE_BYTES], struct decimal *to);
// Which of the three forms: SQLITE_INTEGER, SQLITE_FLOAT or SQLITE_BLOB.
int value_number_form(const struct decimal *value, int64_t *integer,
                      double *real);

// Hexadecimal digits as bytes, half as many. Returns 0 or an ORA- error's
// number.
unsigned value_raw_of_text(const char *text, size_t length, uint8_t *to);

enum { MOST_SQL_TEXT = 4000, MOST_TEXT = 32767 };
// How many bytes a text may have that a function makes: MOST_SQL_TEXT in SQL,
// MOST_TEXT in an expression of PL/SQL. Longer ones are ORA-01489.
extern size_t value_longest_text;

struct text {
    const char *at;
    size_t length;
    char room[NUMBER_TEXT];
};

// The value as text by Oracle's implicit conversion. False if it is NULL, or
// after an error.
bool value_text(struct sqlite3_context *context, struct sqlite3_value *value,
                struct text *text);
// Text of length 0 becomes NULL.
void value_result_text(struct sqlite3_context *context, const char *text,
                       size_t length);
void value_result_time(struct sqlite3_context *context,
                       const struct oracle_date *time, size_t bytes);

// Sets *order to -1, 0 or 1 by Oracle's order, after its conversions. False
// after an error. Neither value is NULL.
bool values_compare(struct sqlite3_context *context, struct sqlite3_value *a,
                    struct sqlite3_value *b, int *order);

#endif
