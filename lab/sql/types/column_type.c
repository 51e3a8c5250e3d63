// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/column_type.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct column_type column_type_of(const char *declared) {
    struct column_type type = {.class = CLASS_NULL};
    const char *size = declared ? strchr(declared, '(') : NULL;
    char unit[8] = "";
    if (!declared)
        return type;
    if (strncasecmp(declared, "NUMBER", 6) == 0) {
        type.class = CLASS_NUMBER;
        if (size && sscanf(size, "(%d,%d", &type.precision, &type.scale) < 1)
            type.precision = 0;
    } else if (strcasecmp(declared, "INT") == 0) {
        type.class = CLASS_NUMBER;
        type.precision = 38;
    } else if (strncasecmp(declared, "VARCHAR", 7) == 0) {
        type.class = CLASS_TEXT;
        type.size = 4000;
        if (size)
            sscanf(size, "(%u %4s", &type.size, unit);
        // type_names.c writes the second form into CREATE TABLE.
        type.characters = strncasecmp(unit, "CHAR", 4) == 0 ||
                          strncasecmp(declared, "VARCHAR2 CHAR", 13) == 0;
    } else if (strncasecmp(declared, "CHAR", 4) == 0) {
        type.class = CLASS_TEXT;
        type.size = 1;
        if (size)
            sscanf(size, "(%u %4s", &type.size, unit);
        type.characters = strncasecmp(unit, "CHAR", 4) == 0 ||
                          strncasecmp(declared, "CHAR CHAR", 9) == 0;
        type.fixed = true;
    } else if (strncasecmp(declared, "TIMESTAMP", 9) == 0) {
        type.class = CLASS_TIMESTAMP;
    } else if (strcasecmp(declared, "DATE") == 0) {
        type.class = CLASS_DATE;
    } else if (strcasecmp(declared, "CLOB") == 0) {
        type.class = CLASS_CLOB;
    } else if (strcasecmp(declared, "BLOB") == 0) {
        type.class = CLASS_BLOB;
    } else if (strcasecmp(declared, "INTERVAL YM") == 0) {
        type.class = CLASS_INTERVAL_YM;
    } else if (strcasecmp(declared, "INTERVAL DS") == 0) {
        type.class = CLASS_INTERVAL_DS;
    } else if (strcasecmp(declared, "BINARY_FLOAT") == 0) {
        type.class = CLASS_BINARY_FLOAT;
    } else if (strcasecmp(declared, "BINARY_DOUBLE") == 0) {
        type.class = CLASS_BINARY_DOUBLE;
    } else if (strncasecmp(declared, "RAW", 3) == 0) {
        type.class = CLASS_RAW;
        type.size = 2000;
        if (size)
            sscanf(size, "(%u", &type.size);
    }
    return type;
}

bool column_type_is_fixed(const char *declared) {
    return declared && strncasecmp(declared, "CHAR", 4) == 0;
}

bool column_type_is_small(const struct column_type *type) {
    enum { SURE_DIGITS = 15, WHOLE_DIGITS = 18 };
    return type->class == CLASS_NUMBER && type->precision > 0 &&
           (type->precision <= SURE_DIGITS ||
            (type->scale == 0 && type->precision <= WHOLE_DIGITS));
}

const char *column_type_widest(const char *declared) {
    switch (column_type_of(declared).class) {
    case CLASS_NUMBER:
        return "NUMBER";
    case CLASS_TEXT:
        return "VARCHAR2(4000)";
    case CLASS_RAW:
        return "RAW(2000)";
    default:
        return declared;
    }
}
