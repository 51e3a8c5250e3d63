// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/remote_columns.h"

#include <stdio.h>

static void declare_number(const struct column *column,
                           char declared[DECLARED_TYPE]) {
    if (column->precision == 0)
        snprintf(declared, DECLARED_TYPE, "NUMBER");
    else if (column->scale == SCALE_OF_ANY_NUMBER)
        snprintf(declared, DECLARED_TYPE, "FLOAT(%d)", column->precision);
    else
        snprintf(declared, DECLARED_TYPE, "NUMBER(%d,%d)", column->precision,
                 column->scale);
}

void remote_column_declare(const struct column *column,
                           char declared[DECLARED_TYPE]) {
    const unsigned size = column->size ? column->size : LONGEST_VARCHAR2;
    const char *word = "";
    switch (column->type) {
    case COLUMN_NUMBER:
        declare_number(column, declared);
        return;
    case COLUMN_VARCHAR2:
        snprintf(declared, DECLARED_TYPE, "%s(%u)",
                 column->fixed ? "CHAR" : "VARCHAR2", size);
        return;
    case COLUMN_RAW:
        snprintf(declared, DECLARED_TYPE, "RAW(%u)", size);
        return;
    case COLUMN_TIMESTAMP:
        snprintf(declared, DECLARED_TYPE, "TIMESTAMP(%d)", column->scale);
        return;
    case COLUMN_DATE:
        word = "DATE";
        break;
    case COLUMN_INTERVAL_YM:
        word = "INTERVAL YM";
        break;
    case COLUMN_INTERVAL_DS:
        word = "INTERVAL DS";
        break;
    case COLUMN_BINARY_FLOAT:
        word = "BINARY_FLOAT";
        break;
    case COLUMN_BINARY_DOUBLE:
        word = "BINARY_DOUBLE";
        break;
    default:
        break;
    }
    snprintf(declared, DECLARED_TYPE, "%s", word);
}

bool remote_column_usable(const struct column *column,
                          struct ora_error *error) {
    enum { LOCATOR_OF_REMOTE_TABLE = 22992, NOT_IMPLEMENTED = 3001 };
    char about[64];
    switch (column->type) {
    case COLUMN_VARCHAR2:
    case COLUMN_NUMBER:
    case COLUMN_DATE:
    case COLUMN_RAW:
    case COLUMN_TIMESTAMP:
    case COLUMN_TIMESTAMP_TZ:
    case COLUMN_INTERVAL_YM:
    case COLUMN_INTERVAL_DS:
    case COLUMN_BINARY_FLOAT:
    case COLUMN_BINARY_DOUBLE:
        return true;
    case COLUMN_CLOB:
    case COLUMN_BLOB:
        ora_error_set(error, LOCATOR_OF_REMOTE_TABLE, "");
        return false;
    default:
        snprintf(about, sizeof about, "a remote column of type %d",
                 (int)column->type);
        ora_error_set(error, NOT_IMPLEMENTED, about);
        return false;
    }
}

bool remote_column_comparable(const struct column *column) {
    return (column->type == COLUMN_VARCHAR2 && !column->fixed) ||
           column->type == COLUMN_NUMBER || column->type == COLUMN_DATE ||
           column->type == COLUMN_TIMESTAMP;
}
