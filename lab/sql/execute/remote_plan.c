// SPDX-License-Identifier: GPL-2.0-or-later
// The remote query for a table: the columns that the statement
// uses, and the rows that its simple comparisons take. SQLite compares them
// again, so it may be given too many rows, but never too few.
#include <sqlite3.h>
#include <stdlib.h>

#include "sql/execute/remote_columns.h"
#include "sql/execute/remote_scan.h"
#include "sql/types/value.h"

enum {
    ALWAYS_TRACKED = 63, // columns of which SQLite knows whether they are used
    MOST_COMPARISONS = 100,
};

bool remote_plan_uses(uint64_t used, unsigned column) {
    return used >> (column < ALWAYS_TRACKED ? column : ALWAYS_TRACKED) & 1;
}

unsigned remote_plan_place(uint64_t used, unsigned column) {
    unsigned place = 0;
    for (unsigned i = 0; i < column; i++)
        place += remote_plan_uses(used, i);
    return place;
}

static int plan_query(const struct remote_definition *of,
                      sqlite3_index_info *info) {
    for (int i = 0; i < info->nConstraint; i++) {
        const int bind = info->aConstraint[i].iColumn - (int)of->columns;
        if (bind < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = bind + 1;
        info->aConstraintUsage[i].omit = true;
    }
    return SQLITE_OK;
}

static const char *sign_of(int op) {
    return op == SQLITE_INDEX_CONSTRAINT_EQ   ? "="
           : op == SQLITE_INDEX_CONSTRAINT_LT ? "<"
           : op == SQLITE_INDEX_CONSTRAINT_LE ? "<="
           : op == SQLITE_INDEX_CONSTRAINT_GT ? ">"
           : op == SQLITE_INDEX_CONSTRAINT_GE ? ">="
                                              : NULL;
}

static int plan_table(const struct remote_definition *of,
                      sqlite3_index_info *info, struct ora_error *error) {
    int comparisons = 0;
    for (unsigned i = 0; i < of->columns; i++)
        if (remote_plan_uses(info->colUsed, i) &&
            !remote_column_usable(&of->column[i], error))
            return SQLITE_ERROR;
    sqlite3_str *plan = sqlite3_str_new(NULL);
    sqlite3_str_appendf(plan, "%llx", info->colUsed);
    for (int i = 0; i < info->nConstraint && comparisons < MOST_COMPARISONS;
         i++) {
        const int column = info->aConstraint[i].iColumn;
        const int op = info->aConstraint[i].op;
        if (column < 0 || !info->aConstraint[i].usable || !sign_of(op) ||
            !remote_column_comparable(&of->column[column]))
            continue;
        info->aConstraintUsage[i].argvIndex = ++comparisons;
        info->estimatedRows /= op == SQLITE_INDEX_CONSTRAINT_EQ ? 20 : 2;
        sqlite3_str_appendf(plan, " %d %d", column, op);
    }
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = true;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

// A remote table is read as seldom as possible: each time is a round trip.
int remote_plan(const struct remote_definition *of, sqlite3_index_info *info,
                struct ora_error *error) {
    enum { USUAL_ROWS = 100000, COST_OF_ROUND_TRIP = 1000000 };
    info->estimatedRows = USUAL_ROWS;
    const int rc =
        of->query ? plan_query(of, info) : plan_table(of, info, error);
    info->estimatedCost = COST_OF_ROUND_TRIP + (double)info->estimatedRows;
    return rc;
}

// Whether a value can be compared with the column's on both sides alike.
static bool fits(const struct column *column, sqlite3_value *value) {
    switch (value_class(value)) {
    case CLASS_NUMBER:
        return column->type == COLUMN_NUMBER;
    case CLASS_TEXT:
        return column->type == COLUMN_VARCHAR2;
    case CLASS_DATE:
        return column->type == COLUMN_DATE;
    case CLASS_TIMESTAMP:
        return column->type == COLUMN_TIMESTAMP;
    default:
        return false;
    }
}

char *remote_plan_text(const struct remote_definition *of, const char *plan,
                       uint64_t *used, int *n, sqlite3_value **value) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    const char *between = "SELECT ", *where = " WHERE ";
    char *position;
    int binds = 0;
    *used = strtoull(plan, &position, 16);
    for (unsigned i = 0; i < of->columns; i++)
        if (remote_plan_uses(*used, i)) {
            sqlite3_str_appendf(sql, "%s\"%w\"", between, of->column[i].name);
            between = ", ";
        }
    if (remote_plan_place(*used, of->columns) == 0)
        sqlite3_str_appendall(sql, "SELECT 1");
    sqlite3_str_appendf(sql, " FROM %s", of->from);
    for (int i = 0; i < *n; i++) {
        const struct column *column =
            &of->column[strtol(position, &position, 10)];
        const char *sign = sign_of((int)strtol(position, &position, 10));
        if (!fits(column, value[i]))
            continue;
        value[binds++] = value[i];
        sqlite3_str_appendf(sql, "%s\"%w\" %s :%d", where, column->name, sign,
                            binds);
        where = " AND ";
    }
    *n = binds;
    return sqlite3_str_finish(sql);
}
