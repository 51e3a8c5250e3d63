// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "sql/cursor.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/alter_session.h"
#include "sql/catalog.h"
#include "sql/create_as.h"
#include "sql/oracle_date.h"
#include "sql/source.h"
#include "sql/sql_id.h"
#include "sql/statement_journal.h"
#include "sql/transaction.h"
#include "sql/value.h"

static bool keep_binds(struct cursor *cursor,
                       const struct translation *translated) {
    cursor->placeholders = translated->binds;
    cursor->into_from = translated->into_from;
    cursor->into_to = translated->into_to;
    cursor->names = 0;
    free(cursor->first);
    free(cursor->expected);
    free(cursor->told);
    cursor->first = calloc(translated->binds + 1, sizeof *cursor->first);
    cursor->expected = malloc(translated->binds + 1);
    cursor->told = malloc(translated->columns + 1);
    if (!cursor->first || !cursor->expected || !cursor->told)
        return false;
    memcpy(cursor->expected, translated->expected, translated->binds);
    memcpy(cursor->told, translated->column, translated->columns);
    cursor->told_columns = translated->columns;
    for (unsigned i = 0; i < translated->binds; i++) {
        cursor->first[i] = translated->bind[i].first;
        cursor->names += translated->bind[i].first == i;
    }
    return true;
}

static bool keep_columns(struct cursor *cursor) {
    cursor->columns = (unsigned)sqlite3_column_count(cursor->statement);
    free(cursor->column);
    cursor->column = calloc(cursor->columns + 1, sizeof *cursor->column);
    if (!cursor->column)
        return false;
    for (unsigned i = 0; i < cursor->columns; i++) {
        const char *name = sqlite3_column_name(cursor->statement, (int)i);
        snprintf(cursor->column[i].name, COLUMN_NAME, "%s", name ? name : "");
    }
    return true;
}

static bool prepare(struct cursor *cursor, const struct translation *translated,
                    struct ora_error *error) {
    struct database *database = cursor->database;
    char *create = NULL;
    sqlite3_free(cursor->fill);
    cursor->fill = NULL;
    if (translated->query_at > 0) {
        create = create_as(database, translated, &cursor->fill, error);
        if (!create)
            return false;
    }
    const int rc =
        sqlite3_prepare_v3(database->db, create ? create : translated->sql, -1,
                           SQLITE_PREPARE_PERSISTENT, &cursor->statement, NULL);
    sqlite3_free(create);
    if (rc != SQLITE_OK)
        ora_error_from_sqlite(error, database->db);
    return rc == SQLITE_OK;
}

// `known`: the binds' types, or NULL.
static bool parse(struct cursor *cursor, const uint8_t *known,
                  struct ora_error *error) {
    struct database *database = cursor->database;
    const struct catalog catalog = catalog_of(database);
    struct translation *translated = calloc(1, sizeof *translated);
    if (!translated) {
        ora_error_set(error, 4030, "");
        return false;
    }
    translate(cursor->sql, cursor->sql_length, database->own_schema, &catalog,
              known, translated);
    cursor->kind = translated->kind;
    cursor->locks = translated->locks;
    cursor->lock_wait = translated->lock_wait;
    sqlite3_finalize(cursor->statement);
    cursor->statement = NULL;
    bool done = false;
    if (translated->error)
        ora_error_set(error, translated->error, translated->about);
    else if (!keep_binds(cursor, translated))
        ora_error_set(error, 4030, "");
    else if (cursor->kind == STATEMENT_SESSION &&
             !alter_session(database, cursor->sql, cursor->sql_length))
        ora_error_set(error, 922, "");
    else if (!translated->sql)
        done = true;
    else if (!prepare(cursor, translated, error))
        ; // it has said why
    else if (!keep_columns(cursor))
        ora_error_set(error, 4030, "");
    else
        done = true;
    translation_free(translated);
    free(translated);
    return done;
}

static char *memdup(const char *from, size_t length) {
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, from, length);
        copy[length] = '\0';
    }
    return copy;
}

bool cursor_parse(struct cursor *cursor, struct database *database,
                  const char *sql, size_t length, struct ora_error *error) {
    const int64_t began = clock_us();
    *cursor = (struct cursor){.database = database};
    database->self->stat[STAT_PARSES]++;
    cursor->sql_hash = sql_id_of(sql, length, cursor->sql_id);
    cursor->sql = memdup(sql, length);
    cursor->sql_length = length;
    bool done = cursor->sql && parse(cursor, NULL, error);
    if (!cursor->sql)
        ora_error_set(error, 4030, "");
    database->self->time.parse_us += (uint64_t)(clock_us() - began);
    return done;
}

static int bind_one(sqlite3_stmt *statement, int at,
                    const struct bind_value *value) {
    switch (value->kind) {
    case BIND_INTEGER:
        return sqlite3_bind_int64(statement, at, value->integer);
    case BIND_DOUBLE:
        return sqlite3_bind_double(statement, at, value->real);
    case BIND_TEXT:
        return sqlite3_bind_text64(statement, at, value->data, value->length,
                                   SQLITE_TRANSIENT, SQLITE_UTF8);
    case BIND_WIDE:
    case BIND_TIME:
    case BIND_RAW:
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
    default:
        return OPERAND_NULL;
    }
}

// Which of the values placeholder `at` has.
static unsigned value_of(const struct cursor *cursor, unsigned at,
                         bool by_name) {
    unsigned from = 0;
    if (!by_name)
        return at;
    for (unsigned j = 0; j < cursor->first[at]; j++)
        from += cursor->first[j] == j;
    return from;
}

// The SQL takes the binds to have certain types. With values of others it is
// translated anew.
static bool fit_types(struct cursor *cursor, const struct bind_value *value,
                      bool by_name, struct ora_error *error) {
    uint8_t *actual = malloc(cursor->placeholders + 1);
    bool fits = true, done = true;
    if (!actual) {
        ora_error_set(error, 4030, "");
        return false;
    }
    for (unsigned i = 0; i < cursor->placeholders; i++) {
        const enum operand_type expected = cursor->expected[i];
        const enum operand_type type =
            i >= cursor->into_from && i < cursor->into_to
                ? OPERAND_UNKNOWN
                : type_of(&value[value_of(cursor, i, by_name)]);
        actual[i] = (uint8_t)type;
        fits = fits && (expected == OPERAND_UNKNOWN || expected == type ||
                        type == OPERAND_NULL || type == OPERAND_UNKNOWN ||
                        (expected == OPERAND_NUMBER && type == OPERAND_SMALL));
    }
    if (!fits)
        done = parse(cursor, actual, error);
    free(actual);
    return done;
}

// Drivers send a value for every placeholder, or one for every name.
bool cursor_bind(struct cursor *cursor, const struct bind_value *value,
                 unsigned count, struct ora_error *error) {
    bool by_name = count != cursor->placeholders;
    if (by_name && count != cursor->names) {
        ora_error_set(error, count < cursor->names ? 1008 : 1006, "");
        return false;
    }
    if (!cursor->statement)
        return true;
    sqlite3_reset(cursor->statement);
    if (!fit_types(cursor, value, by_name, error))
        return false;
    for (unsigned i = 0; i < cursor->placeholders; i++) {
        if (i >= cursor->into_from && i < cursor->into_to)
            continue; // comes out
        const struct bind_value *one = &value[value_of(cursor, i, by_name)];
        // Their lengths tell the types of bytes; see value.h.
        if (one->kind == BIND_RAW && is_length_of_others(one->length)) {
            ora_error_set(error, 3001, "a RAW of 7, 11, 13 or 24 bytes");
            return false;
        }
        if (bind_one(cursor->statement, (int)i + 1, one) != SQLITE_OK) {
            ora_error_from_sqlite(error, cursor->database->db);
            return false;
        }
    }
    return true;
}

static void type_from_declaration(struct column *column, const char *declared) {
    static const struct {
        const char *begins;
        enum column_type type;
        unsigned size;
    } types[] = {
        {"NUMBER", COLUMN_NUMBER, 22},       {"INT", COLUMN_NUMBER, 22},
        {"FLOAT", COLUMN_NUMBER, 22},        {"DATE", COLUMN_DATE, 7},
        {"TIMESTAMP", COLUMN_TIMESTAMP, 11}, {"RAW", COLUMN_RAW, 2000},
        {"VARCHAR", COLUMN_VARCHAR2, 4000},  {"CHAR", COLUMN_VARCHAR2, 4000},
        {"NVARCHAR", COLUMN_VARCHAR2, 4000},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncasecmp(declared, types[i].begins, strlen(types[i].begins)) ==
            0) {
            column->type = types[i].type;
            column->size = types[i].size;
            const char *size = strchr(declared, '(');
            bool sized =
                column->type == COLUMN_VARCHAR2 || column->type == COLUMN_RAW;
            if (size && sized && atoi(size + 1) > 0)
                column->size = (unsigned)atoi(size + 1);
            return;
        }
}

static void type_from_value(struct column *column, sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
        *column = (struct column){.type = COLUMN_NUMBER, .size = 22};
    } else if (type == SQLITE_BLOB) {
        int bytes = sqlite3_value_bytes(value);
        column->type = bytes == WIDE_BYTES           ? COLUMN_NUMBER
                       : bytes == DATE_BYTES         ? COLUMN_DATE
                       : bytes == TIMESTAMP_BYTES    ? COLUMN_TIMESTAMP
                       : bytes == TIMESTAMP_TZ_BYTES ? COLUMN_TIMESTAMP_TZ
                                                     : COLUMN_RAW;
        column->size = column->type == COLUMN_RAW      ? 2000
                       : column->type == COLUMN_NUMBER ? 22
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
    };
    if (type > OPERAND_NULL)
        *column = types[type];
}

// SQLite types values, Oracle types columns: by their declaration, else by
// the first row's value.
static void settle_types(struct cursor *cursor) {
    for (unsigned i = 0; i < cursor->columns; i++) {
        struct column *column = &cursor->column[i];
        struct column found = {.type = COLUMN_VARCHAR2,
                               .size = LONGEST_VARCHAR2};
        const char *declared =
            sqlite3_column_decltype(cursor->statement, (int)i);
        if (declared && *declared)
            type_from_declaration(&found, declared);
        else if (cursor->row_ready &&
                 sqlite3_column_type(cursor->statement, (int)i) != SQLITE_NULL)
            type_from_value(&found,
                            sqlite3_column_value(cursor->statement, (int)i));
        else if (cursor->told_columns == cursor->columns)
            type_from_operand(&found, cursor->told[i]);
        column->type = found.type;
        column->size = found.size;
    }
    cursor->described = true;
}

// Oracle's name for the function that fetches.
__attribute__((noinline)) static int opifch2(struct cursor *cursor) {
    return sqlite3_step(cursor->statement);
}

// And for the one that executes what is not a query.
__attribute__((noinline)) static int opiexe(struct cursor *cursor) {
    int rc;
    do
        rc = cursor->kind == STATEMENT_DDL ? sqlite3_step(cursor->statement)
                                           : step_undoably(cursor->statement);
    while (rc == SQLITE_ROW);
    return rc;
}

static void count_sorts(struct cursor *cursor) {
    cursor->database->self->stat[STAT_SORTS] += (uint64_t)sqlite3_stmt_status(
        cursor->statement, SQLITE_STMTSTATUS_SORT, true);
}

bool cursor_advance(struct cursor *cursor, struct ora_error *error) {
    if (cursor->row_ready || cursor->at_end)
        return true;
    int rc = opifch2(cursor);
    cursor->row_ready = rc == SQLITE_ROW;
    cursor->at_end = rc != SQLITE_ROW;
    if (rc == SQLITE_ROW)
        return true;
    if (rc != SQLITE_DONE)
        ora_error_from_sqlite(error, cursor->database->db);
    count_sorts(cursor);
    sqlite3_reset(cursor->statement);
    cursor->executed = rc == SQLITE_DONE;
    return rc == SQLITE_DONE;
}

// CREATE TABLE AS, both or neither.
static int create_and_fill(struct cursor *cursor) {
    sqlite3 *db = cursor->database->db;
    int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_step(cursor->statement);
    sqlite3_reset(cursor->statement);
    if (rc == SQLITE_DONE)
        rc = sqlite3_exec(db, cursor->fill, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    return rc == SQLITE_OK ? SQLITE_DONE : rc;
}

// A change opens a transaction; a change of what tables there are ends the
// open one first and is one of its own.
static bool run(struct cursor *cursor, struct ora_error *error) {
    struct database *database = cursor->database;
    sqlite3 *db = database->db;
    if (!(cursor->kind == STATEMENT_DDL ? transaction_commit(database)
                                        : transaction_begin(database))) {
        ora_error_from_sqlite(error, db);
        return false;
    }
    database->lio.current_mode = true;
    database->lio.cancelled = false;
    database->lio.undoable = cursor->kind != STATEMENT_DDL;
    int rc = cursor->fill ? create_and_fill(cursor) : opiexe(cursor);
    database->lio.current_mode = database->lio.undoable = false;
    if (rc == SQLITE_DONE && cursor->kind != STATEMENT_DDL)
        cursor->rows = (uint64_t)sqlite3_changes64(db);
    else if (rc != SQLITE_DONE && database->lio.cancelled)
        ora_error_set(error, 1013, "");
    else if (rc != SQLITE_DONE)
        ora_error_from_sqlite(error, db);
    // Which of the two Oracle raises says what kind of change it was.
    if (error->number == 1400 && cursor->kind == STATEMENT_UPDATE)
        ora_error_set(error, 1407, "");
    sqlite3_reset(cursor->statement);
    if (rc != SQLITE_DONE && cursor->fill && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    cursor->at_end = true;
    return rc == SQLITE_DONE;
}

// What v$session shows of the statement.
static void show(const struct cursor *cursor) {
    static const int commands[] = {
        [STATEMENT_QUERY] = 3,     [STATEMENT_INSERT] = 2,
        [STATEMENT_UPDATE] = 6,    [STATEMENT_DELETE] = 7,
        [STATEMENT_DDL] = 1,       [STATEMENT_COMMIT] = 44,
        [STATEMENT_ROLLBACK] = 45, [STATEMENT_SESSION] = 42,
        [STATEMENT_BLOCK] = 47,
    };
    struct session_slot *self = cursor->database->self;
    memcpy(self->previous_sql_id, self->sql_id, sizeof self->sql_id);
    memcpy(self->sql_id, cursor->sql_id, sizeof self->sql_id);
    self->previous_sql_hash = self->sql_hash;
    self->sql_hash = cursor->sql_hash;
    self->command = commands[cursor->kind];
}

static bool end_transaction(struct cursor *cursor, struct ora_error *error) {
    cursor->at_end = true;
    bool done = cursor->kind == STATEMENT_COMMIT
                    ? transaction_commit(cursor->database)
                : cursor->kind == STATEMENT_ROLLBACK
                    ? transaction_rollback(cursor->database)
                    : true;
    if (!done)
        ora_error_from_sqlite(error, cursor->database->db);
    return done;
}

static bool lock(struct cursor *cursor, struct ora_error *error) {
    enum { NOWAIT = 54, WAIT_EXPIRED = 30006 };
    struct database *database = cursor->database;
    database->lock_wait_s = cursor->lock_wait;
    const bool begun = transaction_begin(database);
    database->lock_wait_s = -1;
    if (begun)
        return true;
    if (sqlite3_errcode(database->db) == SQLITE_BUSY)
        ora_error_set(error, cursor->lock_wait == 0 ? NOWAIT : WAIT_EXPIRED,
                      "");
    else
        ora_error_from_sqlite(error, database->db);
    return false;
}

static bool execute(struct cursor *cursor, struct ora_error *error) {
    if (!cursor->statement)
        return end_transaction(cursor, error);
    sqlite3_reset(cursor->statement);
    if (cursor->kind != STATEMENT_QUERY && cursor->kind != STATEMENT_BLOCK)
        return run(cursor, error);
    if (cursor->locks && !lock(cursor, error))
        return false;
    if (!cursor_advance(cursor, error))
        return false;
    if (!cursor->described)
        settle_types(cursor);
    return true;
}

bool cursor_execute(struct cursor *cursor, struct ora_error *error) {
    struct session_slot *self = cursor->database->self;
    const int64_t began = clock_us();
    self->stat[STAT_EXECUTES]++;
    cursor->rows = 0;
    cursor->row_ready = cursor->at_end = false;
    cursor->executed = true;
    show(cursor);
    bool done = execute(cursor, error);
    self->time.execute_us += (uint64_t)(clock_us() - began);
    return done;
}

void cursor_forget_types(struct cursor *cursor) {
    cursor->described = false;
}

void cursor_close(struct cursor *cursor) {
    sqlite3_finalize(cursor->statement);
    free(cursor->sql);
    sqlite3_free(cursor->fill);
    free(cursor->first);
    free(cursor->expected);
    free(cursor->told);
    free(cursor->column);
    *cursor = (struct cursor){0};
}
