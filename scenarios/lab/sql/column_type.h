// SPDX-License-Identifier: GPL-2.0-or-later
// The types that columns are declared with.
#ifndef ORALAB_COLUMN_TYPE_H
#define ORALAB_COLUMN_TYPE_H

#include <stdbool.h>

#include "sql/value.h"

struct column_type {
    enum value_class class; // CLASS_NULL: not known
    int precision, scale;   // of a NUMBER; precision 0: any
    unsigned size;          // of a VARCHAR2 or RAW
    bool characters;        // which `size` counts, not bytes
};

// As CREATE TABLE or the tables of SYS spell it: "NUMBER(5,2)".
struct column_type column_type_of(const char *declared);
// Whether every value it takes is an integer or a double to SQLite.
bool column_type_is_small(const struct column_type *type);

#endif
