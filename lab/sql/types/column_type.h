// SPDX-License-Identifier: GPL-2.0-or-later
// Declared types of columns.
#ifndef ORALAB_COLUMN_TYPE_H
#define ORALAB_COLUMN_TYPE_H

#include <stdbool.h>

#include "sql/types/value.h"

struct column_type {
    enum value_class class; // CLASS_NULL: unknown
    int precision, scale;   // of a NUMBER, in digits; precision 0: unlimited
    // of a VARCHAR2 or RAW, in bytes, or characters if `characters`
    unsigned size;
    bool characters;
    bool fixed; // a CHAR: padded with blanks to its size
};

// Parses a type as CREATE TABLE or SYS's tables spell it: "NUMBER(5,2)".
struct column_type column_type_of(const char *declared);
// The type that has the values of all types of this one's kind.
const char *column_type_widest(const char *declared);
// Whether every value of the type is an integer or a double in SQLite.
bool column_type_is_small(const struct column_type *type);
// Whether it is declared as a CHAR.
bool column_type_is_fixed(const char *declared);

#endif
