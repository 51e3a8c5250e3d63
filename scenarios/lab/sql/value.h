// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's values as SQLite keeps them, and back.
//
// A NUMBER has one form only, so that equal numbers are equal to SQLite: an
// integer where 64 bits hold it; a double where 15 decimal digits do, which
// means those digits; else a wide number, a blob of WIDE_BYTES. Points in time
// are blobs of other lengths; see oracle_date.h. No RAW has one of these
// lengths.
#ifndef ORALAB_VALUE_H
#define ORALAB_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/oracle_date.h"
#include "sql/oracle_number.h"

struct sqlite3_context;
struct sqlite3_value;

enum { WIDE_BYTES = 24 };

enum value_class {
    CLASS_NULL,
    CLASS_NUMBER,
    CLASS_TEXT,
    CLASS_DATE,
    CLASS_TIMESTAMP,
    CLASS_TIMESTAMP_TZ,
    CLASS_RAW,
};

enum value_class value_class(struct sqlite3_value *value);
bool class_is_time(enum value_class class);
// Whether no RAW may have so many bytes.
bool is_length_of_others(size_t bytes);

// Raises an error in a function's answer: "ORA-01722: ...".
void raise_ora(struct sqlite3_context *context, unsigned number,
               const char *about);

// A number, or text as Oracle converts it. False after raising an error; NULL
// is none of its business.
bool value_decimal(struct sqlite3_context *context, struct sqlite3_value *value,
                   struct decimal *to);
// The same as an integer, cut after the point.
bool value_whole(struct sqlite3_context *context, struct sqlite3_value *value,
                 int64_t *to);
// A point in time, or text in the session's format. False after an error.
bool value_time(struct sqlite3_context *context, struct sqlite3_value *value,
                struct oracle_date *to);
void answer_decimal(struct sqlite3_context *context,
                    const struct decimal *value);
// The form that a value has that is not small enough for the other two.
void wide_number(const struct decimal *value, uint8_t to[WIDE_BYTES]);
bool wide_to_decimal(const uint8_t from[WIDE_BYTES], struct decimal *to);
// Which of the three forms: SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_BLOB.
int number_form(const struct decimal *value, int64_t *integer, double *real);

struct text {
    const char *at;
    size_t length;
    char room[NUMBER_TEXT];
};

// The value as Oracle's implicit conversion to text shows it. False when it is
// NULL, or after an error.
bool value_text(struct sqlite3_context *context, struct sqlite3_value *value,
                struct text *text);
// Text of length 0 is NULL.
void answer_text(struct sqlite3_context *context, const char *text,
                 size_t length);
void answer_time(struct sqlite3_context *context,
                 const struct oracle_date *time, size_t bytes);

// -1, 0, 1: how the two stand in Oracle's order, after its conversions. False
// after an error; neither is NULL.
bool values_compare(struct sqlite3_context *context, struct sqlite3_value *a,
                    struct sqlite3_value *b, int *order);

#endif
