// SPDX-License-Identifier: GPL-2.0-or-later
// Values of a cursor's placeholders.
#include <sqlite3.h>
#include <stdlib.h>

#include "sql/execute/cached_result.h"
#include "sql/execute/cursor_parts.h"
#include "sql/execute/read_ahead.h"
#include "sql/types/operand_type.h"
#include "sql/types/oracle_date.h"
#include "sql/types/value.h"

static int bind_one(sqlite3_stmt *statement, int at,
                    const struct bind_value *value) {
    switch (value->kind) {
    case BIND_INTEGER:
        return sqlite3_bind_int64(statement, at, value->integer);
    case BIND_DOUBLE:
        return sqlite3_bind_double(statement, at, value->real);
    case BIND_TEXT:
    case BIND_CLOB:
        return sqlite3_bind_text64(statement, at, value->data, value->length,
                                   SQLITE_TRANSIENT, SQLITE_UTF8);
    case BIND_WIDE:
    case BIND_TIME:
    case BIND_RAW:
    case BIND_INTERVAL:
    case BIND_BINARY:
    case BIND_ROWID:
    case BIND_BLOB:
        return sqlite3_bind_blob64(statement, at, value->data, value->length,
                                   SQLITE_TRANSIENT);
    default:
        return sqlite3_bind_null(statement, at);
    }
}

static enum operand_type type_of(const struct bind_value *value) {
    switch (value->kind) {
    case BIND_INTEGER:
    case BIND_DOUBLE:
        return OPERAND_SMALL;
    case BIND_WIDE:
        return OPERAND_NUMBER;
    case BIND_TEXT:
        return OPERAND_TEXT;
    case BIND_TIME:
        return value->length == DATE_BYTES        ? OPERAND_DATE
               : value->length == TIMESTAMP_BYTES ? OPERAND_TIMESTAMP
                                                  : OPERAND_TIMESTAMP_TZ;
    case BIND_RAW:
        return OPERAND_RAW;
    case BIND_INTERVAL:
        return value->length == INTERVAL_YM_BYTES ? OPERAND_INTERVAL_YM
                                                  : OPERAND_INTERVAL_DS;
    case BIND_BINARY:
        return value->length == BINARY_FLOAT_BYTES ? OPERAND_BINARY_FLOAT
                                                   : OPERAND_BINARY_DOUBLE;
    case BIND_ROWID:
        return OPERAND_ROWID;
    case BIND_CLOB:
        return OPERAND_CLOB;
    case BIND_BLOB:
        return OPERAND_BLOB;
    default:
        return OPERAND_NULL;
    }
}

unsigned cursor_value_of(const struct cursor *cursor, unsigned at,
                         bool by_name) {
    unsigned from = 0;
    if (!by_name)
        return at;
    for (unsigned j = 0; j < cursor->first[at]; j++)
        from += cursor->first[j] == j;
    return from;
}

bool cursor_sets(const struct cursor *cursor, unsigned at) {
    return at >= cursor->into_from && at < cursor->into_to;
}

enum direction cursor_direction(const struct cursor *cursor, unsigned at) {
    return cursor->kind == STATEMENT_BLOCK
               ? cursor->block.direction[cursor->first[at]]
           : cursor_sets(cursor, at) ? DIRECTION_OUT
                                     : DIRECTION_IN;
}

bool cursor_sets_any(const struct cursor *cursor) {
    for (unsigned i = 0; i < cursor->placeholders; i++)
        if (cursor_direction(cursor, i) != DIRECTION_IN)
            return true;
    return false;
}

bool cursor_returns(const struct cursor *cursor) {
    return cursor->kind != STATEMENT_BLOCK &&
           cursor->into_to > cursor->into_from;
}

// The SQL was translated for certain types of binds. For values of other types
// it is translated again.
static bool fit_types(struct cursor *cursor, const struct bind_value *value,
                      bool by_name, struct ora_error *error) {
    uint8_t *actual = malloc(cursor->placeholders + 1);
    bool fits = true;
    if (!actual) {
        ora_error_set(error, 4030, "");
        return false;
    }
    for (unsigned i = 0; i < cursor->placeholders; i++) {
        const enum operand_type expected = cursor->expected[i];
        const enum operand_type type =
            cursor_sets(cursor, i)
                ? OPERAND_UNKNOWN
                : type_of(&value[cursor_value_of(cursor, i, by_name)]);
        actual[i] = (uint8_t)type;
        // That a column is a LOB is not seen from its first row's value, nor
        // from other types that a calculation is one of BINARY_DOUBLE, or of
        // INTERVALs.
        const bool any = expected == OPERAND_UNKNOWN && !operand_is_lob(type) &&
                         !operand_is_binary_number(type) &&
                         !operand_is_interval(type);
        fits = fits && (any || expected == type || type == OPERAND_NULL ||
                        type == OPERAND_UNKNOWN ||
                        (expected == OPERAND_NUMBER && type == OPERAND_SMALL));
    }
    free(cursor->bound);
    cursor->bound = actual;
    return fits || cursor_parse_text(cursor, actual, error);
}

// Drivers send one value per placeholder, or one per distinct name.
bool cursor_bind(struct cursor *cursor, const struct bind_value *value,
                 unsigned count, struct ora_error *error) {
    bool by_name = count != cursor->placeholders;
    if (by_name && count != cursor->names) {
        ora_error_set(error, count < cursor->names ? 1008 : 1006, "");
        return false;
    }
    if (!cursor->parsed && !cursor_parse_text(cursor, NULL, error))
        return false;
    if (!cursor->statement)
        return true;
    sqlite3_reset(cursor->statement);
    read_ahead_forget(cursor);
    cursor->executed = false;
    if (!fit_types(cursor, value, by_name, error))
        return false;
    for (unsigned i = 0; i < cursor->placeholders; i++) {
        if (cursor_sets(cursor, i))
            continue;
        const struct bind_value *bound =
            &value[cursor_value_of(cursor, i, by_name)];
        // The length of a blob identifies its type; see value.h.
        if ((bound->kind == BIND_RAW || bound->kind == BIND_BLOB) &&
            value_length_is_reserved(bound->length)) {
            ora_error_set(error, 3001, "a RAW of 7, 11, 13 or 23 to 28 bytes");
            return false;
        }
        if (bind_one(cursor->statement, (int)i + 1, bound) != SQLITE_OK) {
            ora_error_from_sqlite(error, cursor->database->db);
            return false;
        }
    }
    cached_result_bind(cursor, value, count);
    return true;
}
