// SPDX-License-Identifier: GPL-2.0-or-later
// A cursor: a parsed statement, its binds, and the rows it is returning.
#ifndef ORALAB_CURSOR_H
#define ORALAB_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/emit/translate.h"
#include "sql/execute/database.h"
#include "sql/execute/returned_rows.h"
#include "sql/execute/statement_tables.h"
#include "sql/types/ora_error.h"
#include "sql/types/rowid.h"

struct sqlite3_stmt;
struct ahead;
struct plan;
struct plan_statistics;

enum wire_type { // type numbers of the wire protocol
    COLUMN_VARCHAR2 = 1,
    COLUMN_NUMBER = 2,
    COLUMN_ROWID = 11,
    COLUMN_DATE = 12,
    COLUMN_RAW = 23,
    COLUMN_BINARY_FLOAT = 100,
    COLUMN_BINARY_DOUBLE = 101,
    COLUMN_TIMESTAMP = 180,
    COLUMN_CURSOR = 102,
    COLUMN_CLOB = 112,
    COLUMN_BLOB = 113,
    COLUMN_TIMESTAMP_TZ = 181,
    COLUMN_INTERVAL_YM = 182,
    COLUMN_INTERVAL_DS = 183,
};

enum {
    LONGEST_VARCHAR2 = 4000,
    COLUMN_NAME = 129,
    SCALE_OF_ANY_NUMBER = -127, // of a NUMBER without precision
};

struct column {
    char name[COLUMN_NAME];
    enum wire_type type;
    unsigned size;
    int precision, scale; // as Oracle describes it; see SCALE_OF_ANY_NUMBER
    bool fixed;           // a CHAR, which is else like a VARCHAR2
};

struct bind_value {
    enum {
        BIND_NULL,
        BIND_INTEGER,
        BIND_DOUBLE,
        BIND_WIDE, // any other NUMBER; see value.h
        BIND_TEXT,
        BIND_TIME, // see oracle_date.h
        BIND_RAW,
        BIND_INTERVAL, // see value.h
        BIND_BINARY,   // see binary_number.h
        BIND_ROWID,    // see rowid.h
        BIND_CLOB,     // text
        BIND_BLOB,
    } kind;
    int64_t integer;
    double real;
    const void *data;
    size_t length;
};

// How a block uses its placeholders, and their values afterwards.
enum direction { DIRECTION_IN, DIRECTION_OUT, DIRECTION_IN_OUT };

struct bind_array {                 // the values of a bind that is a table
    struct sqlite3_value **element; // in their order, NULL for NULL
    size_t count;
    bool given;
};

struct block_binds {
    struct unit *unit;  // compiled; see plsql/
    uint8_t *direction; // per placeholder: of its first one's
    // Per placeholder, after an execution; a bind that is a cursor has that.
    struct sqlite3_value **value;
    struct bind_array *array;
    struct cursor **cursor;
    struct cursor **result; // of DBMS_SQL.RETURN_RESULT
    unsigned results;
};

struct cursor {
    struct database *database;
    struct cursor *next; // in the session's list
    enum statement_kind kind;
    char sql_id[14];
    uint32_t sql_hash;
    int command;       // v$session.COMMAND; see command_type.h
    bool locks;        // a query FOR UPDATE
    bool skips_locked; // all rows are, while another session has locks
    int lock_wait;     // seconds; -1: without limit
    char *sql;         // Oracle's text, as received
    size_t sql_length;
    char *fill;                     // of CREATE TABLE AS: the INSERT
    struct sqlite3_stmt *statement; // NULL: SQLite has nothing to run
    unsigned *first; // per placeholder: the first placeholder of the same name
    // per placeholder: the type it was translated for (translate.h)
    uint8_t *expected;
    uint8_t *column_type; // per column: enum operand_type; 0: unknown
    unsigned typed_columns;
    bool sets; // see translate.h
    unsigned placeholders;
    unsigned names; // distinct placeholder names
    // placeholders [from, to) are targets of RETURNING
    unsigned into_from, into_to;
    struct returned_rows returned; // by the last execution with RETURNING
    struct block_binds block;      // of a block
    unsigned remote_query;         // see remote.h
    bool awaits_rows; // the remote query was executed, and nothing fetched yet
    struct link_change *link;         // of CREATE and DROP DATABASE LINK
    struct sequence sequence;         // see translate.h
    char savepoint[LONGEST_NAME + 1]; // see translate.h
    struct column *column;
    unsigned columns;
    // The columns that were described to the client, if the statement was
    // parsed again since.
    struct column *shown;
    unsigned shown_columns;
    uint8_t *bound;          // per placeholder: the type of its value
    uint32_t changed_object; // of the table that it changes; 0: not known yet
    struct rowid last;       // that the last execution changed
    bool parsed;             // the translation is valid
    bool described;          // the columns' types are known
    bool executed;
    bool row_ready; // cursor_row() is a row that was not fetched yet
    bool at_end;
    bool stepping;               // SQLite runs it: it may have called PL/SQL
    uint64_t rows;               // rows fetched or changed
    struct ahead *ahead;         // the remaining rows, if they were read ahead
    struct plan *plan;           // if it was needed; see plan_trace.h
    struct sqlite3_stmt *reader; // of rows read ahead; NULL until there are
    bool gathers;                // its hint requests plan statistics
    bool gathering;              // it was parsed to have them
    struct plan_statistics *statistics; // NULL: it has none
    // For the result cache.
    int result_cache;       // by its hint; see translate.h
    bool annotated;         // all its tables are; see annotated_tables.h
    bool annotates, forces; // see translate.h
    struct statement_tables tables;
    uint64_t definitions; // result_cache.definitions when it was parsed
    uint8_t bind_digest[RESULT_KEY_BYTES]; // of the values that it is bound to
    bool binds_known;                      // bind_digest is valid
};

// Each returns false with `error` set. The cursor can then only be closed or,
// after cursor_execute() and cursor_advance(), executed again.
bool cursor_parse(struct cursor *cursor, struct database *database,
                  const char *sql, size_t length, struct ora_error *error);
bool cursor_bind(struct cursor *cursor, const struct bind_value *value,
                 unsigned count, struct ora_error *error);
// The index, of the values that cursor_bind() was given, of the one for the
// placeholder `at`; `by_name`: there was one for each distinct name.
unsigned cursor_value_of(const struct cursor *cursor, unsigned at,
                         bool by_name);
// Whether the placeholder `at` is one that the statement sets without reading.
bool cursor_sets(const struct cursor *cursor, unsigned at);
enum direction cursor_direction(const struct cursor *cursor, unsigned at);
// Whether a block sets a bind.
bool cursor_sets_any(const struct cursor *cursor);
// Makes `to` the cursor that `from` was, at another address.
void cursor_move(struct cursor *from, struct cursor *to);
// Forgets the results of a block's execution.
void cursor_forget_outcome(struct cursor *cursor);
// Whether it is a change with RETURNING.
bool cursor_returns(const struct cursor *cursor);
// Determines a query's columns without executing it, unless the types of some
// are known only from its rows.
bool cursor_describe(struct cursor *cursor, struct ora_error *error);
// Runs the statement, a query up to its first row. The first execution, and the
// first one after cursor_forget_types(), determines the columns' types.
bool cursor_execute(struct cursor *cursor, struct ora_error *error);
void cursor_forget_types(struct cursor *cursor);
// Makes the next row ready, or sets `at_end`.
bool cursor_advance(struct cursor *cursor, struct ora_error *error);
// The SQLite statement whose columns are the row that is ready.
struct sqlite3_stmt *cursor_row(const struct cursor *cursor);
// Keeps all rows of the query that runs, so that it can be positioned. False
// with `error` set when the client wants the call stopped.
bool cursor_keep_rows(struct cursor *cursor, struct ora_error *error);
// The next row is number `row`, from 1; how many there are. Only after
// cursor_keep_rows().
void cursor_position(struct cursor *cursor, uint64_t row);
uint64_t cursor_row_count(const struct cursor *cursor);
// Drops the rows of a query that were not fetched. It can be executed again.
void cursor_cancel(struct cursor *cursor);
void cursor_close(struct cursor *cursor);

#endif
