// SPDX-License-Identifier: GPL-2.0-or-later
#include "plsql/query.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/pga.h"
#include "sql/types/value.h"

static void out_of_memory(struct ora_error *error) {
    ora_error_set(error, pga_is_exceeded() ? 4036 : 4030, "");
}

struct plsql_query *plsql_query_new(struct plsql_session *session,
                                    const char *sql, size_t length,
                                    struct ora_error *error) {
    struct plsql_query *query = calloc(1, sizeof *query);
    if (!query) {
        out_of_memory(error);
        return NULL;
    }
    query->session = session;
    query->references = 1;
    const struct statement_call outer =
        statement_call_deeper(session->database);
    const bool ok =
        cursor_parse(&query->cursor, session->database, sql, length, error);
    statement_call_back(session->database, outer);
    if (ok) {
        session->database->self->stat[STAT_CURSORS_OPENED]++;
        return query;
    }
    plsql_query_free(query);
    return NULL;
}

static void forget_rows(struct query_rows *rows) {
    for (size_t i = 0; i < rows->count; i++)
        sqlite3_value_free(rows->value[i]);
    rows->count = rows->at = 0;
}

void plsql_query_free(struct plsql_query *query) {
    struct database *database = query->session->database;
    forget_rows(&query->rows);
    sqlite3_free(query->rows.value);
    const struct statement_call outer = statement_call_deeper(database);
    cursor_close(&query->cursor);
    statement_call_back(database, outer);
    free(query);
}

struct plsql_query *plsql_query_share(struct plsql_query *query) {
    if (query)
        query->references++;
    return query;
}

void plsql_query_release(struct plsql_query *query) {
    if (--query->references > 0)
        return;
    plsql_query_close(query);
    if (query->of && !query->of->idle) {
        query->references = 1;
        query->of->idle = query;
    } else {
        plsql_query_free(query);
    }
}

static struct bind_value bind_of(const struct scalar *scalar) {
    sqlite3_value *value = scalar->value;
    struct bind_value bind = {.kind = BIND_NULL};
    if (scalar->kind == SCALAR_INTEGER)
        return (struct bind_value){.kind = BIND_INTEGER,
                                   .integer = scalar->integer};
    if (scalar->kind == SCALAR_NULL)
        return bind;
    const enum value_class class = value_class(value);
    switch (class) {
    case CLASS_NUMBER:
        if (sqlite3_value_type(value) == SQLITE_FLOAT)
            return (struct bind_value){.kind = BIND_DOUBLE,
                                       .real = sqlite3_value_double(value)};
        bind.kind = BIND_WIDE;
        break;
    case CLASS_TEXT:
        bind.kind = BIND_TEXT;
        bind.data = sqlite3_value_text(value);
        bind.length = (size_t)sqlite3_value_bytes(value);
        return bind;
    case CLASS_DATE:
    case CLASS_TIMESTAMP:
    case CLASS_TIMESTAMP_TZ:
        bind.kind = BIND_TIME;
        break;
    case CLASS_INTERVAL_YM:
    case CLASS_INTERVAL_DS:
        bind.kind = BIND_INTERVAL;
        break;
    case CLASS_BINARY_FLOAT:
    case CLASS_BINARY_DOUBLE:
        bind.kind = BIND_BINARY;
        break;
    case CLASS_ROWID:
        bind.kind = BIND_ROWID;
        break;
    default:
        bind.kind = BIND_RAW;
    }
    bind.data = sqlite3_value_blob(value);
    bind.length = (size_t)sqlite3_value_bytes(value);
    return bind;
}

bool plsql_query_execute(struct plsql_query *query, const struct scalar *value,
                         unsigned count, uint32_t rows,
                         struct ora_error *error) {
    struct database *database = query->session->database;
    struct cursor *cursor = &query->cursor;
    struct bind_value *bind = calloc(count + 1, sizeof *bind);
    if (!bind) {
        out_of_memory(error);
        return false;
    }
    for (unsigned i = 0; i < count; i++)
        bind[i] = bind_of(&value[i]);
    const bool fetch_follows = database->fetch_follows;
    const uint32_t rows_wanted = database->rows_wanted;
    const struct statement_call outer = statement_call_deeper(database);
    database->fetch_follows = rows > 0;
    database->rows_wanted = rows;
    forget_rows(&query->rows);
    query->ended = query->fetched_once = query->last_found = false;
    query->fetched = 0;
    statement_call_begins(cursor, EXEC_CALL);
    const bool none = cursor->placeholders == 0 && count == 0;
    const bool ok = (none || cursor_bind(cursor, bind, count, error)) &&
                    cursor_execute(cursor, error);
    // A query goes on with a fetch, which is a call of its own.
    if (!ok || rows == 0)
        statement_call_ends(database, ok ? cursor->rows : 0, error);
    if (database->call.kind == FETCH_CALL)
        query->session->fetching = database->call;
    else
        query->session->fetching.kind = NO_CALL;
    database->fetch_follows = fetch_follows;
    database->rows_wanted = rows_wanted;
    statement_call_back(database, outer);
    free(bind);
    query->open = ok;
    return ok;
}

static bool keep_row(struct plsql_query *query) {
    struct cursor *cursor = &query->cursor;
    struct query_rows *rows = &query->rows;
    if (rows->count + cursor->columns > rows->room) {
        const size_t room = 2 * rows->room + cursor->columns + 16;
        void *grown =
            sqlite3_realloc64(rows->value, room * sizeof *rows->value);
        if (!grown)
            return false;
        rows->value = grown;
        rows->room = room;
    }
    for (unsigned i = 0; i < cursor->columns; i++) {
        sqlite3_value *copy =
            sqlite3_value_dup(sqlite3_column_value(cursor_row(cursor), (int)i));
        if (!copy)
            return false;
        rows->value[rows->count++] = copy;
    }
    return true;
}

bool plsql_query_fetch(struct plsql_query *query, uint64_t most,
                       struct ora_error *error) {
    struct plsql_session *session = query->session;
    struct database *database = session->database;
    struct cursor *cursor = &query->cursor;
    const struct statement_call outer = statement_call_deeper(database);
    const uint32_t rows_wanted = database->rows_wanted;
    uint64_t row_count = 0;
    database->rows_wanted = most < 100000 ? (uint32_t)most : 0;
    if (session->fetching.kind == FETCH_CALL &&
        session->fetching.cursor == cursor)
        database->call = session->fetching; // that the execution began
    session->fetching.kind = NO_CALL;
    statement_call_begins(cursor, FETCH_CALL);
    forget_rows(&query->rows);
    bool ok = true;
    while (ok && row_count < most && !query->ended) {
        ok = cursor_advance(cursor, error);
        if (!ok || cursor->at_end) {
            query->ended = true;
        } else if (!keep_row(query)) {
            out_of_memory(error);
            ok = false;
        } else {
            cursor->row_ready = false;
            cursor->rows++;
            row_count++;
        }
    }
    statement_call_ends(database, row_count, error);
    database->rows_wanted = rows_wanted;
    statement_call_back(database, outer);
    return ok;
}

struct sqlite3_value **plsql_query_row(struct plsql_query *query) {
    struct query_rows *rows = &query->rows;
    if (rows->at >= rows->count)
        return NULL;
    struct sqlite3_value **row = &rows->value[rows->at];
    rows->at += query->cursor.columns;
    return row;
}

void plsql_query_close(struct plsql_query *query) {
    forget_rows(&query->rows);
    cursor_cancel(&query->cursor);
    query->open = false;
}
