// SPDX-License-Identifier: GPL-2.0-or-later
// The types of values, as name resolution derives them.
#ifndef ORALAB_OPERAND_TYPE_H
#define ORALAB_OPERAND_TYPE_H

#include <stdbool.h>

enum operand_type {
    OPERAND_UNKNOWN,
    OPERAND_NULL,
    // a NUMBER in a form that SQLite orders correctly; see value.h
    OPERAND_SMALL,
    OPERAND_NUMBER,
    OPERAND_TEXT,
    OPERAND_DATE,
    OPERAND_TIMESTAMP,
    OPERAND_TIMESTAMP_TZ,
    OPERAND_RAW,
    OPERAND_INTERVAL_YM,
    OPERAND_INTERVAL_DS,
    OPERAND_BINARY_FLOAT,
    OPERAND_BINARY_DOUBLE,
    OPERAND_ROWID,
    OPERAND_CLOB,
    OPERAND_BLOB,
};

// A NUMBER.
bool operand_is_number(enum operand_type type);
bool operand_is_binary_number(enum operand_type type);
bool operand_is_time(enum operand_type type);
// Whether a value of this type can only be stored, fetched and given to
// functions: ORA-00932 for a comparison or an order.
bool operand_is_interval(enum operand_type type);
bool operand_is_lob(enum operand_type type);
// Whether SQLite orders values of this type as Oracle does.
bool operand_orders_natively(enum operand_type type);
// The type that a column of this declaration holds; `own`: of a user's table,
// whose numbers have as many digits as it allows. SYS's are all small.
enum operand_type operand_type_of_declaration(const char *declared, bool own);
// The declaration of the widest column of this type; NULL: there is none.
const char *operand_type_declaration(enum operand_type type);
// Oracle converts the later arguments of NVL and the like to the first one's
// type: the type that those have which were `type` so far and get one `more`.
enum operand_type operand_converted(enum operand_type type,
                                    enum operand_type more);

#endif
