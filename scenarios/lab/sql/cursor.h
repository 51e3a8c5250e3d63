// SPDX-License-Identifier: GPL-2.0-or-later
// A cursor: a parsed statement, its binds, and the rows it is returning.
#ifndef ORALAB_CURSOR_H
#define ORALAB_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/database.h"
#include "sql/ora_error.h"
#include "sql/translate.h"

struct sqlite3_stmt;
struct ahead;

enum column_type { // as on the wire
    COLUMN_VARCHAR2 = 1,
    COLUMN_NUMBER = 2,
    COLUMN_DATE = 12,
    COLUMN_RAW = 23,
    COLUMN_TIMESTAMP = 180,
    COLUMN_TIMESTAMP_TZ = 181,
};

enum { LONGEST_VARCHAR2 = 4000, COLUMN_NAME = 129 };

struct column {
    char name[COLUMN_NAME];
    enum column_type type;
    unsigned size;
};

struct bind_value {
    enum {
        BIND_NULL,
        BIND_INTEGER,
        BIND_DOUBLE,
        BIND_WIDE, // a NUMBER that is neither; see value.h
        BIND_TEXT,
        BIND_TIME, // see oracle_date.h
        BIND_RAW,
    } kind;
    int64_t integer;
    double real;
    const void *data;
    size_t length;
};

struct cursor {
    struct database *database;
    struct cursor *next; // of the session's
    enum statement_kind kind;
    char sql_id[14];
    uint32_t sql_hash;
    bool locks;    // a query FOR UPDATE
    int lock_wait; // seconds; -1: as long as it takes
    char *sql;     // as it came
    size_t sql_length;
    char *fill;                     // of CREATE TABLE AS: what inserts the rows
    struct sqlite3_stmt *statement; // NULL: nothing for SQLite to run
    unsigned *first;   // of each placeholder, the first with its name
    uint8_t *expected; // and the type it is taken to have; see translate.h
    uint8_t *told;     // of each column, its type if that is known
    unsigned told_columns;
    unsigned placeholders;
    unsigned names;              // different ones
    unsigned into_from, into_to; // of a block: the placeholders it sets
    struct column *column;
    unsigned columns;
    // What the client was told, where the statement was parsed again since.
    struct column *shown;
    unsigned shown_columns;
    uint8_t *bound; // of each placeholder, the type of its value
    bool parsed;    // the text means something as things are
    bool described; // the columns' types are settled
    bool executed;
    bool row_ready; // cursor_row() stands on a row nobody has taken
    bool at_end;
    uint64_t rows;       // fetched, or changed
    struct ahead *ahead; // the rows left, if they were read ahead
};

// Each returns false with `error` set; the cursor can then only be closed or,
// after cursor_execute() and cursor_advance(), be executed again.
bool cursor_parse(struct cursor *cursor, struct database *database,
                  const char *sql, size_t length, struct ora_error *error);
bool cursor_bind(struct cursor *cursor, const struct bind_value *value,
                 unsigned count, struct ora_error *error);
// Runs the statement; of a query, as far as its first row. The first time it
// settles what types the columns have; after cursor_forget_types() again.
bool cursor_execute(struct cursor *cursor, struct ora_error *error);
void cursor_forget_types(struct cursor *cursor);
// Makes the next row ready, or finds the end.
bool cursor_advance(struct cursor *cursor, struct ora_error *error);
// What has the columns of the row that is ready.
struct sqlite3_stmt *cursor_row(const struct cursor *cursor);
void cursor_close(struct cursor *cursor);

#endif
