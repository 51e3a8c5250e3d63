// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of a query. SQLite types values, Oracle types columns.
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/execute/cursor_parts.h"
#include "sql/types/binary_number.h"
#include "sql/types/column_type.h"
#include "sql/types/operand_type.h"
#include "sql/types/oracle_date.h"
#include "sql/types/value.h"

bool cursor_keep_columns(struct cursor *cursor) {
    if (cursor->described && !cursor->shown) {
        cursor->shown = cursor->column;
        cursor->shown_columns = cursor->columns;
    } else {
        free(cursor->column);
    }
    cursor->described = false;
    cursor->columns = (unsigned)sqlite3_column_count(cursor->statement);
    cursor->column = calloc(cursor->columns + 1, sizeof *cursor->column);
    if (!cursor->column)
        return false;
    for (unsigned i = 0; i < cursor->columns; i++) {
        const char *name = sqlite3_column_name(cursor->statement, (int)i);
        snprintf(cursor->column[i].name, COLUMN_NAME, "%s", name ? name : "");
    }
    return true;
}

// Also the digits of a TIMESTAMP's fraction are its scale.
static void describe_number(struct column *column, const char *declared) {
    const char *size = strchr(declared, '(');
    column->precision = column->scale = 0;
    if (column->type == COLUMN_TIMESTAMP || column->type == COLUMN_TIMESTAMP_TZ)
        column->scale = size ? atoi(size + 1) : 6;
    if (column->type == COLUMN_INTERVAL_YM ||
        column->type == COLUMN_INTERVAL_DS) {
        column->precision = 2; // digits of the years or days
        column->scale = column->type == COLUMN_INTERVAL_DS ? 6 : 0;
    }
    if (column->type != COLUMN_NUMBER)
        return;
    column->scale = SCALE_OF_ANY_NUMBER;
    if (strncasecmp(declared, "INT", 3) == 0) {
        column->precision = 38;
        column->scale = 0;
    } else if (strncasecmp(declared, "FLOAT", 5) == 0) {
        column->precision = size ? atoi(size + 1) : 126;
    } else if (size) {
        const char *comma = strchr(size, ',');
        column->precision = size[1] == '*' ? 38 : atoi(size + 1);
        column->scale = comma ? atoi(comma + 1) : 0;
    }
}

// The description of a value of the type without a declaration.
static void describe_any(struct column *column) {
    const bool interval = column->type == COLUMN_INTERVAL_YM ||
                          column->type == COLUMN_INTERVAL_DS;
    column->precision = interval ? 9 : 0;
    column->scale = column->type == COLUMN_NUMBER         ? SCALE_OF_ANY_NUMBER
                    : column->type == COLUMN_TIMESTAMP    ? 9
                    : column->type == COLUMN_TIMESTAMP_TZ ? 9
                    : column->type == COLUMN_INTERVAL_DS  ? 9
                                                          : 0;
}

static void type_from_declaration(struct column *column, const char *declared) {
    static const struct {
        const char *begins;
        enum wire_type type;
        unsigned size;
    } types[] = {
        {"INTERVAL YM", COLUMN_INTERVAL_YM, INTERVAL_YM_WIRE},
        {"INTERVAL DS", COLUMN_INTERVAL_DS, INTERVAL_DS_WIRE},
        {"BINARY_FLOAT", COLUMN_BINARY_FLOAT, BINARY_FLOAT_WIRE},
        {"BINARY_DOUBLE", COLUMN_BINARY_DOUBLE, BINARY_DOUBLE_WIRE},
        {"NUMBER", COLUMN_NUMBER, 22},
        {"INT", COLUMN_NUMBER, 22},
        {"FLOAT", COLUMN_NUMBER, 22},
        {"DATE", COLUMN_DATE, 7},
        {"TIMESTAMP", COLUMN_TIMESTAMP, 11},
        {"RAW", COLUMN_RAW, 2000},
        {"VARCHAR", COLUMN_VARCHAR2, 4000},
        {"CHAR", COLUMN_VARCHAR2, 4000},
        {"NVARCHAR", COLUMN_VARCHAR2, 4000},
        {"CLOB", COLUMN_CLOB, 4000},
        {"BLOB", COLUMN_BLOB, 4000},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncasecmp(declared, types[i].begins, strlen(types[i].begins)) ==
            0) {
            column->type = types[i].type;
            column->size = types[i].size;
            describe_number(column, declared);
            const char *size = strchr(declared, '(');
            bool sized =
                column->type == COLUMN_VARCHAR2 || column->type == COLUMN_RAW;
            if (size && sized && atoi(size + 1) > 0)
                column->size = (unsigned)atoi(size + 1);
            column->fixed = column_type_is_fixed(declared);
            if (column->fixed && !size)
                column->size = 1;
            if (strstr(declared, " CHAR("))
                column->size = column->size * 4 < LONGEST_VARCHAR2
                                   ? column->size * 4
                                   : LONGEST_VARCHAR2;
            return;
        }
}

static void type_from_value(struct column *column, sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
        *column = (struct column){.type = COLUMN_NUMBER, .size = 22};
    } else if (type == SQLITE_BLOB) {
        int bytes = sqlite3_value_bytes(value);
        column->type = bytes == WIDE_BYTES            ? COLUMN_NUMBER
                       : bytes == DATE_BYTES          ? COLUMN_DATE
                       : bytes == TIMESTAMP_BYTES     ? COLUMN_TIMESTAMP
                       : bytes == TIMESTAMP_TZ_BYTES  ? COLUMN_TIMESTAMP_TZ
                       : bytes == INTERVAL_YM_BYTES   ? COLUMN_INTERVAL_YM
                       : bytes == INTERVAL_DS_BYTES   ? COLUMN_INTERVAL_DS
                       : bytes == BINARY_FLOAT_BYTES  ? COLUMN_BINARY_FLOAT
                       : bytes == BINARY_DOUBLE_BYTES ? COLUMN_BINARY_DOUBLE
                       : bytes == ROWID_BYTES         ? COLUMN_ROWID
                                                      : COLUMN_RAW;
        column->size = column->type == COLUMN_RAW            ? 2000
                       : column->type == COLUMN_NUMBER       ? 22
                       : column->type == COLUMN_INTERVAL_YM  ? INTERVAL_YM_WIRE
                       : column->type == COLUMN_INTERVAL_DS  ? INTERVAL_DS_WIRE
                       : column->type == COLUMN_BINARY_FLOAT ? BINARY_FLOAT_WIRE
                       : column->type == COLUMN_BINARY_DOUBLE
                           ? BINARY_DOUBLE_WIRE
                       : column->type == COLUMN_ROWID ? ROWID_TEXT
                                                      : (unsigned)bytes;
    }
}

static void type_from_operand(struct column *column, enum operand_type type) {
    static const struct column types[] = {
        [OPERAND_SMALL] = {.type = COLUMN_NUMBER, .size = 22},
        [OPERAND_NUMBER] = {.type = COLUMN_NUMBER, .size = 22},
        [OPERAND_TEXT] = {.type = COLUMN_VARCHAR2, .size = LONGEST_VARCHAR2},
        [OPERAND_DATE] = {.type = COLUMN_DATE, .size = DATE_BYTES},
        [OPERAND_TIMESTAMP] = {.type = COLUMN_TIMESTAMP,
                               .size = TIMESTAMP_BYTES},
        [OPERAND_TIMESTAMP_TZ] = {.type = COLUMN_TIMESTAMP_TZ,
                                  .size = TIMESTAMP_TZ_BYTES},
        [OPERAND_RAW] = {.type = COLUMN_RAW, .size = 2000},
        [OPERAND_INTERVAL_YM] = {.type = COLUMN_INTERVAL_YM,
                                 .size = INTERVAL_YM_WIRE},
        [OPERAND_INTERVAL_DS] = {.type = COLUMN_INTERVAL_DS,
                                 .size = INTERVAL_DS_WIRE},
        [OPERAND_BINARY_FLOAT] = {.type = COLUMN_BINARY_FLOAT,
                                  .size = BINARY_FLOAT_WIRE},
        [OPERAND_BINARY_DOUBLE] = {.type = COLUMN_BINARY_DOUBLE,
                                   .size = BINARY_DOUBLE_WIRE},
        [OPERAND_ROWID] = {.type = COLUMN_ROWID, .size = ROWID_TEXT},
        [OPERAND_CLOB] = {.type = COLUMN_CLOB, .size = 4000},
        [OPERAND_BLOB] = {.type = COLUMN_BLOB, .size = 4000},
    };
    if (type > OPERAND_NULL)
        *column = types[type];
}

bool cursor_names_are_ambiguous(const struct cursor *cursor) {
    for (unsigned i = 0; i < cursor->columns; i++) {
        const char *name = cursor->column[i].name;
        const char *colon = strrchr(name, ':');
        if (!colon || strspn(colon + 1, "0123456789") != strlen(colon + 1))
            continue;
        const size_t length = (size_t)(colon - name);
        for (unsigned j = 0; j < i; j++)
            if (strlen(cursor->column[j].name) == length &&
                strncmp(cursor->column[j].name, name, length) == 0)
                return true;
    }
    return false;
}

// Whether the columns are still those that were described to the client.
static bool same_as_shown(const struct cursor *cursor,
                          struct ora_error *error) {
    enum { NOT_IN_SELECT_LIST = 1007, INCONSISTENT_TYPES = 932 };
    if (cursor->columns != cursor->shown_columns) {
        ora_error_set(error, NOT_IN_SELECT_LIST, "");
        return false;
    }
    for (unsigned i = 0; i < cursor->columns; i++) {
        const struct column *column = &cursor->column[i];
        const struct column *described = &cursor->shown[i];
        if (column->type != described->type ||
            strcmp(column->name, described->name) != 0) {
            ora_error_set(error, INCONSISTENT_TYPES, "");
            return false;
        }
    }
    return true;
}

// The type of an expression's value, which the first row does not show when it
// is NULL there: then the rows that follow do.
static bool type_from_rows(struct cursor *cursor, unsigned at,
                           struct column *column, struct ora_error *error) {
    if (!cursor->row_ready)
        return true;
    sqlite3_value *value = sqlite3_column_value(cursor_row(cursor), (int)at);
    if (sqlite3_value_type(value) != SQLITE_NULL) {
        type_from_value(column, value);
        return true;
    }
    if (!cursor_keep_rows(cursor, error))
        return false;
    cursor_position(cursor, 1);
    bool has_row = false, fine = true;
    while (!has_row && (fine = cursor_advance(cursor, error)) &&
           cursor->row_ready) {
        value = sqlite3_column_value(cursor_row(cursor), (int)at);
        has_row = sqlite3_value_type(value) != SQLITE_NULL;
        if (has_row)
            type_from_value(column, value);
        cursor->row_ready = false;
    }
    if (!fine)
        return false;
    cursor_position(cursor, 1);
    return cursor_advance(cursor, error);
}

bool cursor_types_are_known(const struct cursor *cursor) {
    const bool types_known = cursor->typed_columns == cursor->columns;
    for (unsigned i = 0; i < cursor->columns; i++) {
        const char *declared =
            sqlite3_column_decltype(cursor->statement, (int)i);
        if (!(declared && *declared) &&
            !(types_known && cursor->column_type[i] != OPERAND_UNKNOWN))
            return false;
    }
    return true;
}

bool cursor_settle_types(struct cursor *cursor, struct ora_error *error) {
    for (unsigned i = 0; i < cursor->columns; i++) {
        struct column *column = &cursor->column[i];
        struct column type = {.type = COLUMN_VARCHAR2,
                              .size = LONGEST_VARCHAR2};
        const bool types_known = cursor->typed_columns == cursor->columns;
        const char *declared =
            sqlite3_column_decltype(cursor->statement, (int)i);
        if (declared && cursor->sets)
            declared = column_type_widest(declared);
        if (declared && *declared) {
            type_from_declaration(&type, declared);
        } else {
            if (types_known && cursor->column_type[i] != OPERAND_UNKNOWN)
                type_from_operand(&type, cursor->column_type[i]);
            else if (!type_from_rows(cursor, i, &type, error))
                return false;
            describe_any(&type);
        }
        column->type = type.type;
        column->size = type.size;
        column->fixed = type.fixed;
        column->precision = type.precision;
        column->scale = type.scale;
    }
    if (cursor->shown && cursor->kind == STATEMENT_QUERY &&
        !same_as_shown(cursor, error))
        return false;
    cursor_forget_types(cursor);
    cursor->described = true;
    return true;
}
