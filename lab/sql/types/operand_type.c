// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/operand_type.h"

#include "sql/types/column_type.h"

bool operand_is_number(enum operand_type type) {
    return type == OPERAND_SMALL || type == OPERAND_NUMBER;
}

bool operand_is_binary_number(enum operand_type type) {
    return type == OPERAND_BINARY_FLOAT || type == OPERAND_BINARY_DOUBLE;
}

bool operand_is_time(enum operand_type type) {
    return type == OPERAND_DATE || type == OPERAND_TIMESTAMP ||
           type == OPERAND_TIMESTAMP_TZ;
}

bool operand_is_interval(enum operand_type type) {
    return type == OPERAND_INTERVAL_YM || type == OPERAND_INTERVAL_DS;
}

bool operand_is_lob(enum operand_type type) {
    return type == OPERAND_CLOB || type == OPERAND_BLOB;
}

bool operand_orders_natively(enum operand_type type) {
    return type == OPERAND_SMALL || type == OPERAND_TEXT ||
           type == OPERAND_DATE || type == OPERAND_TIMESTAMP ||
           type == OPERAND_RAW || type == OPERAND_NULL ||
           type == OPERAND_ROWID || operand_is_binary_number(type);
}

enum operand_type operand_type_of_declaration(const char *declared, bool own) {
    struct column_type type = column_type_of(declared);
    switch (type.class) {
    case CLASS_NUMBER:
        return !own || column_type_is_small(&type) ? OPERAND_SMALL
                                                   : OPERAND_NUMBER;
    case CLASS_TEXT:
        return OPERAND_TEXT;
    case CLASS_DATE:
        return OPERAND_DATE;
    case CLASS_TIMESTAMP:
        return OPERAND_TIMESTAMP;
    case CLASS_RAW:
        return OPERAND_RAW;
    case CLASS_INTERVAL_YM:
        return OPERAND_INTERVAL_YM;
    case CLASS_INTERVAL_DS:
        return OPERAND_INTERVAL_DS;
    case CLASS_BINARY_FLOAT:
        return OPERAND_BINARY_FLOAT;
    case CLASS_BINARY_DOUBLE:
        return OPERAND_BINARY_DOUBLE;
    case CLASS_CLOB:
        return OPERAND_CLOB;
    case CLASS_BLOB:
        return OPERAND_BLOB;
    default:
        return OPERAND_UNKNOWN;
    }
}

const char *operand_type_declaration(enum operand_type type) {
    switch (type) {
    case OPERAND_SMALL:
    case OPERAND_NUMBER:
        return "NUMBER";
    case OPERAND_TEXT:
        return "VARCHAR2(4000)";
    case OPERAND_DATE:
        return "DATE";
    case OPERAND_TIMESTAMP:
        return "TIMESTAMP";
    case OPERAND_RAW:
        return "RAW(2000)";
    case OPERAND_INTERVAL_YM:
        return "INTERVAL YM";
    case OPERAND_INTERVAL_DS:
        return "INTERVAL DS";
    case OPERAND_BINARY_FLOAT:
        return "BINARY_FLOAT";
    case OPERAND_BINARY_DOUBLE:
        return "BINARY_DOUBLE";
    case OPERAND_CLOB:
        return "CLOB";
    case OPERAND_BLOB:
        return "BLOB";
    default:
        return NULL;
    }
}

enum operand_type operand_converted(enum operand_type type,
                                    enum operand_type wider) {
    if (type == OPERAND_NULL)
        return wider;
    if (type == wider || wider == OPERAND_NULL || type == OPERAND_UNKNOWN)
        return type;
    if (operand_is_number(type))
        return wider == OPERAND_SMALL ? type : OPERAND_NUMBER;
    return type == OPERAND_TEXT || type == OPERAND_DATE ||
                   operand_is_binary_number(type)
               ? type
               : OPERAND_UNKNOWN;
}
