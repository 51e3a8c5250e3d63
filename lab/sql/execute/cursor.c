// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/cursor.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "process/sql_trace.h"
#include "sql/emit/link_change.h"
#include "sql/execute/annotated_tables.h"
#include "sql/execute/call_trace.h"
#include "sql/execute/command_type.h"
#include "sql/execute/create_as.h"
#include "sql/execute/cursor_parts.h"
#include "sql/execute/link_ddl.h"
#include "sql/execute/pga.h"
#include "sql/execute/plan_statistics.h"
#include "sql/execute/plan_trace.h"
#include "sql/execute/read_ahead.h"
#include "sql/execute/remote.h"
#include "sql/execute/sql_id.h"
#include "sql/execute/statement_journal.h"
#include "sql/views/catalog.h"

enum { NOT_ALL_BOUND = 1008 };

static bool keep_binds(struct cursor *cursor, struct translation *translated) {
    cursor->placeholders = translated->binds;
    cursor->into_from = translated->into_from;
    cursor->into_to = translated->into_to;
    cursor->names = 0;
    free(cursor->first);
    free(cursor->expected);
    free(cursor->column_type);
    cursor->first = calloc(translated->binds + 1, sizeof *cursor->first);
    cursor->expected = malloc(translated->binds + 1);
    cursor->column_type = malloc(translated->columns + 1);
    if (!cursor->first || !cursor->expected || !cursor->column_type)
        return false;
    memcpy(cursor->column_type, translated->column, translated->columns);
    cursor->typed_columns = translated->columns;
    cursor->sets = translated->sets;
    for (unsigned i = 0; i < translated->binds; i++) {
        cursor->first[i] = translated->bind[i].first;
        cursor->expected[i] = translated->bind[i].expected;
        cursor->names += translated->bind[i].first == i;
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
        create = create_as_texts(database, translated, &cursor->fill, error);
        if (!create)
            return false;
    }
    if (translated->second_at > 0 && translated->query_at == 0) {
        cursor->fill =
            sqlite3_mprintf("%s", translated->sql + translated->second_at);
        if (!cursor->fill) {
            ora_error_set(error, 4030, "");
            return false;
        }
    }
    cursor->tables = (struct statement_tables){0};
    database->noting = &cursor->tables;
    annotated_tables_may_change(database, translated->annotates);
    const int rc =
        sqlite3_prepare_v3(database->db, create ? create : translated->sql, -1,
                           SQLITE_PREPARE_PERSISTENT, &cursor->statement, NULL);
    annotated_tables_may_change(database, false);
    database->noting = NULL;
    sqlite3_free(create);
    if (rc != SQLITE_OK)
        ora_error_from_sqlite(error, database->db);
    if (rc == SQLITE_OK)
        plan_statistics_attach(cursor);
    cursor->annotated = rc == SQLITE_OK && cursor->kind == STATEMENT_QUERY &&
                        annotated_tables_are_all(database, &cursor->tables);
    return rc == SQLITE_OK;
}

static bool compile(struct cursor *cursor, struct ora_error *error) {
    const struct plsql_calls *calls = cursor->database->plsql_calls;
    free(cursor->block.direction);
    cursor->block.direction = calloc(cursor->placeholders + 1, 1);
    if (!calls || !cursor->block.direction) {
        ora_error_set(error, calls ? 4030 : 3001, "PL/SQL");
        return false;
    }
    return calls->compile(cursor, error);
}

static bool parse_once(struct cursor *cursor, const uint8_t *known,
                       struct ora_error *error) {
    struct database *database = cursor->database;
    const struct catalog catalog = catalog_of(database);
    database->misses++;
    cursor->definitions = __atomic_load_n(
        &database->sga->result_cache.definitions, __ATOMIC_SEQ_CST);
    database->remote_error = (struct ora_error){0};
    plan_trace_forget(cursor);
    plan_statistics_detach(cursor);
    struct translation *translated = calloc(1, sizeof *translated);
    if (!translated) {
        ora_error_set(error, 4030, "");
        return false;
    }
    translation_make(cursor->sql, cursor->sql_length, database->own_schema,
                     &catalog, known, translated);
    cursor->kind = translated->kind;
    cursor->changed_object = 0;
    cursor->locks = translated->locks;
    cursor->lock_wait = translated->lock_wait;
    cursor->skips_locked = translated->skips_locked;
    cursor->result_cache = translated->result_cache;
    cursor->gathers = translated->gathers;
    cursor->annotates = translated->annotates;
    cursor->forces = translated->forces;
    cursor->sequence = translated->sequence;
    memcpy(cursor->savepoint, translated->savepoint, sizeof cursor->savepoint);
    sqlite3_finalize(cursor->statement);
    cursor->statement = NULL;
    bool succeeded = false;
    remote_query_table_drop(database, cursor->remote_query);
    cursor->remote_query = translated->remote_query;
    if (translated->link) {
        link_change_free(cursor->link);
        cursor->link = translated->link;
        translated->link = NULL;
    }
    if (translated->error) {
        if (translated->error == database->remote_error.number)
            *error = database->remote_error;
        else
            ora_error_set(error, translated->error, translated->about);
        error->position = (unsigned)translated->error_at;
    } else if (!keep_binds(cursor, translated))
        ora_error_set(error, 4030, "");
    else if (!translated->sql)
        succeeded = true;
    else if (!prepare(cursor, translated, error))
        ; // `error` is set
    else if (!cursor_keep_columns(cursor))
        ora_error_set(error, 4030, "");
    else if (cursor->kind == STATEMENT_QUERY && translated->columns == 0 &&
             cursor_names_are_ambiguous(cursor))
        ora_error_set(error, 918, "");
    else
        succeeded = cursor->kind != STATEMENT_BLOCK || compile(cursor, error);
    translation_free(translated);
    free(translated);
    cursor->parsed = succeeded;
    return succeeded;
}

// Tries again where another session has dropped a view meanwhile, which may be
// a table now, and without the half-fetched queries: their snapshot also keeps
// the old definitions of tables.
bool cursor_parse_text(struct cursor *cursor, const uint8_t *known,
                       struct ora_error *error) {
    cursor->database->schema_was_old = false;
    if (parse_once(cursor, known, error))
        return true;
    if (cursor->database->schema_was_old) {
        *error = (struct ora_error){0};
        if (parse_once(cursor, known, error))
            return true;
    }
    if (!read_ahead_is_needed(cursor->database))
        return false;
    *error = (struct ora_error){0};
    return read_ahead_all(cursor->database, cursor, error) &&
           parse_once(cursor, known, error);
}

bool cursor_parse_again(struct cursor *cursor, struct ora_error *error) {
    struct sqlite3_stmt *replaced = cursor->statement;
    cursor->statement = NULL;
    bool succeeded = cursor_parse_text(cursor, cursor->bound, error);
    if (succeeded && replaced && cursor->statement) {
        sqlite_move_binds(replaced, cursor->statement);
    } else if (succeeded && cursor->placeholders > 0) {
        ora_error_set(error, NOT_ALL_BOUND, "");
        succeeded = false;
    }
    sqlite3_finalize(replaced);
    return succeeded;
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
    *cursor = (struct cursor){.database = database, .next = database->cursors};
    database->cursors = cursor;
    statement_call_begins(cursor, PARSE_CALL);
    pga_begin_call();
    cursor->sql_hash = sql_id_of(sql, length, cursor->sql_id);
    cursor->command = command_type_of(sql, length);
    cursor->sql = memdup(sql, length);
    cursor->sql_length = length;
    bool succeeded = cursor->sql && cursor_parse_text(cursor, NULL, error);
    if (cursor->sql)
        link_text_hide(cursor->sql, length);
    if (!cursor->sql)
        ora_error_set(error, 4030, "");
    statement_call_ends(database, 0, error);
    return succeeded;
}

void cursor_forget_types(struct cursor *cursor) {
    free(cursor->shown);
    cursor->shown = NULL;
    cursor->described = false;
}

static void leave_list(struct cursor *cursor) {
    struct cursor **link = &cursor->database->cursors;
    while (*link && *link != cursor)
        link = &(*link)->next;
    if (*link)
        *link = cursor->next;
}

// The memory of a cursor, and its place in the session's list.
static void release(struct cursor *cursor) {
    if (cursor->database)
        leave_list(cursor);
    read_ahead_forget(cursor);
    sqlite3_finalize(cursor->reader);
    sqlite3_finalize(cursor->statement);
    if (cursor->database)
        remote_query_table_drop(cursor->database, cursor->remote_query);
    free(cursor->sql);
    sqlite3_free(cursor->fill);
    free(cursor->first);
    free(cursor->expected);
    free(cursor->column_type);
    if (cursor->block.unit)
        cursor->database->plsql_calls->release(cursor);
    cursor_forget_outcome(cursor);
    free(cursor->block.direction);
    returned_rows_forget(&cursor->returned);
    link_change_free(cursor->link);
    free(cursor->bound);
    free(cursor->column);
    free(cursor->shown);
    plan_trace_forget(cursor);
    plan_statistics_detach(cursor);
    *cursor = (struct cursor){0};
}

void cursor_move(struct cursor *from, struct cursor *to) {
    struct cursor **link = &from->database->cursors;
    while (*link && *link != from)
        link = &(*link)->next;
    if (*link)
        *link = to;
    *to = *from;
    plan_statistics_moved(to);
    *from = (struct cursor){0};
}

void cursor_forget_outcome(struct cursor *cursor) {
    struct block_binds *block = &cursor->block;
    for (unsigned i = 0; block->value && i < cursor->placeholders; i++)
        sqlite3_value_free(block->value[i]);
    for (unsigned i = 0; block->array && i < cursor->placeholders; i++) {
        for (size_t at = 0; at < block->array[i].count; at++)
            sqlite3_value_free(block->array[i].element[at]);
        free(block->array[i].element);
    }
    for (unsigned i = 0; block->cursor && i < cursor->placeholders; i++)
        if (block->cursor[i]) {
            cursor_close(block->cursor[i]);
            free(block->cursor[i]);
        }
    for (unsigned i = 0; i < block->results; i++) {
        cursor_close(block->result[i]);
        free(block->result[i]);
    }
    free(block->value);
    free(block->array);
    free(block->cursor);
    free(block->result);
    block->value = NULL;
    block->array = NULL;
    block->cursor = block->result = NULL;
    block->results = 0;
}

void cursor_cancel(struct cursor *cursor) {
    if (cursor->kind != STATEMENT_QUERY || !cursor->statement)
        return;
    sqlite3_reset(cursor->statement);
    read_ahead_forget(cursor);
    cursor->executed = cursor->row_ready = false;
}

void cursor_close(struct cursor *cursor) {
    if (!cursor->database || !sql_trace_wants(SQL_TRACE_ON)) {
        release(cursor);
        return;
    }
    plan_trace_end(cursor);
    const int64_t began_us = clock_us(), began_cpu_us = cpu_us(0);
    const unsigned depth = cursor->database->depth;
    release(cursor);
    call_trace_close(call_trace_number(cursor), depth, began_us, began_cpu_us);
}
