// SPDX-License-Identifier: GPL-2.0-or-later
#include "plsql/plsql.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "plsql/compile.h"
#include "plsql/run.h"
#include "plsql/supplied.h"
#include "sql/execute/savepoint.h"
#include "sql/execute/transaction.h"
#include "sql/types/value.h"

static bool compile(struct cursor *cursor, struct ora_error *error) {
    struct plsql_session *p = cursor->database->plsql;
    if (p->depth == 0)
        units_refresh(p);
    struct unit *unit = unit_new(p, cursor->sql, cursor->sql_length);
    if (!unit) {
        ora_error_set(error, 4030, "");
        return false;
    }
    memset(cursor->block.direction, 0, cursor->placeholders);
    if (!unit_compile(unit, cursor, error)) {
        unit_free(unit);
        return false;
    }
    unit_free(cursor->block.unit);
    cursor->block.unit = unit;
    return true;
}

static void release(struct cursor *cursor) {
    unit_free(cursor->block.unit);
    cursor->block.unit = NULL;
}

// The client's values: the columns of the cursor's SELECT ?1, ?2, ...
static bool take_binds(struct plsql_session *p, struct cursor *cursor) {
    p->bind = calloc(cursor->placeholders + 1, sizeof *p->bind);
    if (!p->bind || sqlite3_step(cursor->statement) != SQLITE_ROW)
        return raise_memory(p);
    bool ok = true;
    for (unsigned i = 0; i < cursor->placeholders && ok; i++)
        if (cursor->first[i] == i)
            ok =
                scalar_of_value(sqlite3_column_value(cursor->statement, (int)i),
                                &p->bind[i].scalar);
    sqlite3_reset(cursor->statement);
    return ok || raise_memory(p);
}

static bool give_value(struct plsql_session *p, const struct scalar *from,
                       sqlite3_value **to) {
    if (from->kind == SCALAR_NULL)
        return true;
    if (from->kind == SCALAR_VALUE) {
        *to = sqlite3_value_dup(from->value);
        return *to || raise_memory(p);
    }
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(p->database->db, "SELECT ?1", -1, &statement,
                           NULL) == SQLITE_OK &&
        scalar_bind(statement, 1, from) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        *to = sqlite3_value_dup(sqlite3_column_value(statement, 0));
    sqlite3_finalize(statement);
    return *to || raise_memory(p);
}

// An open cursor becomes the client's; PL/SQL's variables have it no longer.
static struct cursor *give_cursor(struct plsql_query *query) {
    struct cursor *new_cursor = malloc(sizeof *new_cursor);
    if (!new_cursor)
        return NULL;
    cursor_move(&query->cursor, new_cursor);
    query->open = false;
    query->of = NULL;
    return new_cursor;
}

static bool give_array(struct plsql_session *p, const struct table *table,
                       struct bind_array *array) {
    array->given = true;
    array->element = calloc(table->count + 1, sizeof *array->element);
    if (!array->element)
        return raise_memory(p);
    for (; array->count < table->count; array->count++)
        if (!give_value(p, &table->element[array->count].value.scalar,
                        &array->element[array->count]))
            return false;
    return true;
}

static bool give_outs(struct plsql_session *p, struct cursor *cursor) {
    struct block_binds *block = &cursor->block;
    const size_t count = cursor->placeholders + 1;
    cursor_forget_outcome(cursor);
    block->value = calloc(count, sizeof *block->value);
    block->array = calloc(count, sizeof *block->array);
    block->cursor = calloc(count, sizeof *block->cursor);
    if (!block->value || !block->array || !block->cursor)
        return raise_memory(p);
    for (unsigned i = 0; i < cursor->placeholders; i++) {
        struct value *bind = &p->bind[i];
        if (cursor->first[i] != i ||
            cursor_direction(cursor, i) == DIRECTION_IN)
            continue;
        if (bind->query && bind->query->open) {
            block->cursor[i] = give_cursor(bind->query);
            if (!block->cursor[i])
                return raise_memory(p);
        } else if (bind->table) {
            if (!give_array(p, bind->table, &block->array[i]))
                return false;
        } else if (!give_value(p, &bind->scalar, &block->value[i])) {
            return false;
        }
    }
    return true;
}

static bool give_results(struct plsql_session *p, struct cursor *cursor) {
    struct block_binds *block = &cursor->block;
    if (p->results == 0 || p->depth > 0)
        return true;
    block->result = calloc(p->results, sizeof *block->result);
    for (unsigned i = 0; block->result && i < p->results; i++) {
        struct cursor *new_cursor =
            p->result[i]->open ? give_cursor(p->result[i]) : NULL;
        if (new_cursor)
            block->result[block->results++] = new_cursor;
    }
    return block->result || raise_memory(p);
}

static void forget_results(struct plsql_session *p) {
    for (unsigned i = 0; i < p->results; i++)
        plsql_query_release(p->result[i]);
    sqlite3_free(p->result);
    p->result = NULL;
    p->results = 0;
}

// A block that fails leaves nothing that it has changed and not committed.
static void undo(struct plsql_session *p, bool saved) {
    struct database *database = p->database;
    if (sqlite3_get_autocommit(database->db))
        return;
    if (!saved || !savepoints_undo_block(database))
        transaction_rollback(database);
}

static bool run_block_of(struct plsql_session *p, struct cursor *cursor) {
    struct frame frame;
    struct unit *unit = cursor->block.unit;
    if (!take_binds(p, cursor) || !frame_begin(p, &frame, unit->main, NULL))
        return false;
    const bool outermost = p->depth == 0 && p->sql_levels == 0;
    const bool saved = outermost && savepoints_begin_block(p->database);
    const uint32_t jobs = p->database->sga->jobs.made;
    bool ok = run_routine(p, &frame);
    ok = ok && give_outs(p, cursor) && give_results(p, cursor);
    if (!ok && outermost && p->database->has_jobs)
        jobs_undo(p, jobs);
    if (!ok && outermost)
        undo(p, saved);
    else if (saved)
        savepoints_end_block(p->database);
    frame_end(&frame);
    return ok;
}

static bool execute_once(struct plsql_session *p, struct cursor *cursor) {
    struct value *bind = p->bind;
    const struct raised *handled = p->handled;
    p->bind = NULL;
    p->handled = NULL;
    const bool ok = run_block_of(p, cursor);
    static const struct type cursor_type = {.kind = TYPE_CURSOR};
    for (unsigned i = 0; p->bind && i < cursor->placeholders; i++)
        value_free(&p->bind[i], &cursor_type);
    free(p->bind);
    p->bind = bind;
    p->handled = handled;
    if (p->depth == 0)
        forget_results(p);
    return ok;
}

// Its time without that of the SQL in it.
static void count_time(struct database *database, int64_t began_us,
                       uint64_t inner_us) {
    const uint64_t us = (uint64_t)(clock_us() - began_us);
    const uint64_t inner = database->inner_us - inner_us;
    database->self->time.plsql_us += us > inner ? us - inner : 0;
}

static bool execute(struct cursor *cursor, struct ora_error *error) {
    struct database *database = cursor->database;
    struct plsql_session *p = database->plsql;
    const int64_t began_us = clock_us();
    const uint64_t inner_us = database->inner_us;
    if (p->depth == 0)
        units_refresh(p);
    if (cursor->block.unit->generation != p->generation &&
        !compile(cursor, error))
        return false;
    if (p->blocks >= MOST_SQL_LEVELS) {
        ora_error_set(error, 36, "");
        return false;
    }
    if (p->depth == 0)
        p->sql_rows = -1;
    cursor->at_end = true;
    p->blocks++;
    const bool ok = execute_once(p, cursor);
    p->blocks--;
    if (!ok)
        *error = p->raised.error;
    if (p->depth == 0 && p->sql_levels == 0)
        count_time(database, began_us, inner_us);
    return ok;
}

// A function's name, of one to three parts.
static const struct routine *routine_named(struct plsql_session *p,
                                           const char *name, unsigned arguments,
                                           struct ora_error *error) {
    char parts[STORED_NAME];
    const size_t owner = strlen(p->database->sga->user);
    if (strncmp(name, p->database->sga->user, owner) == 0 && name[owner] == '.')
        name += owner + 1;
    if (strlen(name) >= sizeof parts)
        return NULL;
    strcpy(parts, name);
    char *point = strchr(parts, '.');
    if (point)
        *point++ = '\0';
    struct unit *unit =
        unit_stored(p, parts, point ? UNIT_PACKAGE : UNIT_ROUTINE, error);
    const struct symbol *symbol =
        unit && unit->scope ? unit->scope->symbols : NULL;
    while (symbol && point && strcmp(symbol->name, point) != 0)
        symbol = symbol->next;
    const struct routine *routine =
        symbol && symbol->kind == SYMBOL_ROUTINE ? symbol->routine : NULL;
    while (routine && routine->next && routine->parameters != arguments)
        routine = routine->next;
    return routine;
}

static const struct supplied *supplied_function(const char *name) {
    char package[STORED_NAME];
    if (strncmp(name, "SYS.", 4) == 0)
        name += 4;
    const char *point = strchr(name, '.');
    if (!point || strlen(name) >= sizeof package)
        return NULL;
    memcpy(package, name, (size_t)(point - name));
    package[point - name] = '\0';
    const struct supplied *subprogram = supplied_named(package, point + 1);
    return subprogram && subprogram->result ? subprogram : NULL;
}

static bool function_type(struct database *database, const char *name,
                          int *type) {
    struct plsql_session *p = database->plsql;
    struct ora_error error = {0};
    const struct supplied *supplied = supplied_function(name);
    if (supplied) {
        *type = (int)supplied->result;
        return true;
    }
    if (p->depth == 0 && p->sql_levels == 0)
        units_refresh(p);
    const struct routine *routine = routine_named(p, name, 0, &error);
    if (!routine || !routine->result || routine->result->kind != TYPE_SCALAR)
        return false;
    *type = (int)routine->result->operand;
    return true;
}

static void answer(sqlite3_context *context, const struct scalar *result) {
    if (result->kind == SCALAR_INTEGER)
        sqlite3_result_int64(context, result->integer);
    else if (result->kind == SCALAR_VALUE)
        sqlite3_result_value(context, result->value);
}

// Whether a function may return this value to SQL.
static bool fits_sql(const struct routine *routine,
                     const struct scalar *result) {
    return routine->result->column.class != CLASS_TEXT ||
           result->kind != SCALAR_VALUE ||
           sqlite3_value_bytes(result->value) <= MOST_SQL_TEXT;
}

// The call that the arguments of a function of SQLite's are.
static bool call_with(struct plsql_session *p, const char *name, int n,
                      sqlite3_value **value, struct scalar *result) {
    enum { MOST = 100, WRONG_NUMBER = 6553, VALUE_ERROR = 6502 };
    struct code constant[MOST], *list[MOST];
    struct code call = {.list = list, .count = (unsigned)n};
    struct ora_error error = {0};
    bool ok = true;
    call.supplied = supplied_function(name);
    call.routine =
        call.supplied
            ? NULL
            : (struct routine *)routine_named(p, name, (unsigned)n, &error);
    const unsigned limit = call.supplied  ? supplied_parameters(call.supplied)
                           : call.routine ? call.routine->parameters
                                          : 0;
    if (error.number)
        return raise_ora(p, &error);
    if ((!call.supplied && !call.routine) || n > (int)limit || limit > MOST)
        return raise_error(p, WRONG_NUMBER, "");
    for (unsigned i = 0; i < limit; i++) {
        constant[i] = (struct code){.kind = CODE_CONSTANT};
        list[i] = i < (unsigned)n ? &constant[i] : NULL;
        if (i < (unsigned)n)
            ok = scalar_of_value(value[i], &constant[i].constant) && ok;
    }
    call.count = limit;
    for (unsigned i = (unsigned)n; call.routine && i < limit; i++)
        ok = ok && call.routine->parameter[i].value;
    struct value argument = {0};
    if (!ok)
        raise_error(p, WRONG_NUMBER, "");
    else if (call.supplied)
        ok = call_supplied(p, NULL, &call, result);
    else if ((ok = call_routine(p, NULL, &call, &argument)))
        *result = argument.scalar;
    if (ok && call.routine && !fits_sql(call.routine, result)) {
        scalar_free(result);
        ok = raise_error(p, VALUE_ERROR, ": character string buffer too small");
    }
    for (int i = 0; i < n && i < (int)limit; i++)
        scalar_free(&constant[i].constant);
    return ok;
}

static void call_function(sqlite3_context *context, struct database *database,
                          int n, sqlite3_value **value) {
    struct plsql_session *p = database->plsql;
    struct scalar result = {.kind = SCALAR_NULL};
    const char *name = (const char *)sqlite3_value_text(value[0]);
    const bool stepping = database->stepping;
    const bool current = database->lio.current_mode,
               undoable = database->lio.undoable;
    const struct raised *handled = p->handled;
    struct value *bind = p->bind;
    if (p->sql_levels >= MOST_SQL_LEVELS) {
        value_result_error(context, 36, "");
        return;
    }
    database->stepping = database->lio.current_mode = false;
    database->lio.undoable = false;
    p->handled = NULL;
    p->bind = NULL;
    p->sql_levels++;
    const bool ok = call_with(p, name, n - 1, value + 1, &result);
    p->sql_levels--;
    p->handled = handled;
    p->bind = bind;
    database->stepping = stepping;
    database->lio.current_mode = current;
    database->lio.undoable = undoable;
    if (ok)
        answer(context, &result);
    else if (p->raised.error.number != 1403) // in SQL it is NULL
        sqlite3_result_error(context, p->raised.error.text, -1);
    if (result.owned)
        scalar_free(&result);
}

static const struct plsql_calls calls = {
    .compile = compile,
    .execute = execute,
    .release = release,
    .define = unit_define,
    .function_type = function_type,
    .call_function = call_function,
};

bool plsql_open(struct database *database) {
    struct plsql_session *p = calloc(1, sizeof *p);
    if (!p)
        return false;
    p->database = database;
    p->sql_rows = -1;
    database->plsql = p;
    database->plsql_calls = &calls;
    return true;
}

void plsql_close(struct database *database) {
    struct plsql_session *p = database->plsql;
    if (!p)
        return;
    units_forget(p);
    output_free(&p->output);
    sqlite3_finalize(p->convert);
    sqlite3_finalize(p->box);
    free(p->bulk_rows);
    free(p->bulk_error);
    free(p);
    database->plsql = NULL;
    database->plsql_calls = NULL;
}
