// SPDX-License-Identifier: GPL-2.0-or-later
// SQL in a block: SELECT INTO, changes, FORALL, and COMMIT.
#include "plsql/run_sql.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/transaction.h"

enum {
    NO_DATA_FOUND = 1403,
    TOO_MANY_ROWS = 1422,
    NOT_ENOUGH_VALUES = 947,
    TOO_MANY_VALUES = 913,
    CHANGE_IN_QUERY = 14551,
    COMMIT_IN_QUERY = 14552,
    BULK_ERRORS = 24381,
    CANCELLED = 1013,
    OUT_OF_MEMORY = 4030,
    PGA_EXCEEDED = 4036,
};

struct plsql_query *query_of(struct plsql_session *p, struct embedded *e) {
    struct plsql_query *query = e->idle;
    struct ora_error error = {0};
    if (query) {
        e->idle = NULL;
        return query;
    }
    query = plsql_query_new(p, e->text, e->length, &error);
    if (query)
        query->of = e;
    else
        raise_ora(p, &error);
    return query;
}

// Its own function: an error takes much of the stack.
__attribute__((noinline)) static bool
execute_with(struct plsql_session *p, struct plsql_query *query,
             const struct scalar *value, unsigned count, uint32_t rows) {
    struct ora_error error = {0};
    return plsql_query_execute(query, value, count, rows, &error) ||
           raise_ora(p, &error);
}

bool execute_values(struct plsql_session *p, struct plsql_query *query,
                    const struct scalar *value, unsigned count, uint32_t rows) {
    const enum statement_kind kind = query->cursor.kind;
    if (p->sql_levels > 0 &&
        (kind == STATEMENT_COMMIT || kind == STATEMENT_ROLLBACK ||
         kind == STATEMENT_SAVEPOINT || kind == STATEMENT_ROLLBACK_TO ||
         kind == STATEMENT_DDL))
        return raise_error(p, COMMIT_IN_QUERY, "");
    if (p->sql_levels > 0 && kind != STATEMENT_QUERY && kind != STATEMENT_BLOCK)
        return raise_error(p, CHANGE_IN_QUERY, "");
    return execute_with(p, query, value, count, rows);
}

__attribute__((noinline)) bool
fetch_rows(struct plsql_session *p, struct plsql_query *query, uint64_t most) {
    struct ora_error error = {0};
    return plsql_query_fetch(query, most, &error) || raise_ora(p, &error);
}

// The values of the binds; from sqlite3_malloc().
static struct scalar *values_of(struct plsql_session *p, struct frame *f,
                                const struct embedded *e) {
    struct scalar *value = sqlite3_malloc64((e->binds + 1) * sizeof *value);
    unsigned n = 0;
    bool ok = value || raise_memory(p);
    for (; ok && n < e->binds; n++) {
        struct scalar bind = {.kind = SCALAR_NULL};
        // The targets of RETURNING come last.
        if (!e->returns || n < e->binds - e->intos)
            ok = evaluate_scalar(p, f, e->bind[n], &bind);
        if (ok) {
            value[n] = bind;
            if (!bind.owned && !scalar_copy(&bind, &value[n]))
                ok = raise_memory(p);
        }
        if (!ok)
            break;
    }
    if (ok)
        return value;
    while (n > 0)
        scalar_free(&value[--n]);
    sqlite3_free(value);
    return NULL;
}

bool execute_embedded(struct plsql_session *p, struct frame *f,
                      const struct embedded *e, struct plsql_query *query,
                      uint32_t rows) {
    struct scalar *value = values_of(p, f, e);
    if (!value)
        return false;
    const bool ok = execute_values(p, query, value, e->binds, rows);
    for (unsigned i = 0; i < e->binds; i++)
        scalar_free(&value[i]);
    sqlite3_free(value);
    return ok;
}

static bool store(struct plsql_session *p, struct value *to,
                  const struct type *type, sqlite3_value *from) {
    struct scalar value;
    return scalar_of_value(from, &value) ? assign_scalar(p, to, type, &value)
                                         : raise_memory(p);
}

bool store_record(struct plsql_session *p, struct value *to,
                  const struct type *type, sqlite3_value **row,
                  unsigned columns) {
    const struct field *field = type->fields;
    if (columns != type->count)
        return raise_error(
            p, columns < type->count ? NOT_ENOUGH_VALUES : TOO_MANY_VALUES, "");
    if (!to->field && !value_begin(to, type))
        return raise_memory(p);
    for (unsigned i = 0; i < columns; i++, field = field->next)
        if (!store(p, &to->field[i], field->type, row[i]))
            return false;
    return true;
}

bool store_row(struct plsql_session *p, struct frame *f, struct code **into,
               unsigned intos, sqlite3_value **row, unsigned columns) {
    if (intos == 1 && into[0]->type->kind == TYPE_RECORD) {
        struct value *place = place_of(p, f, into[0], true);
        return place && store_record(p, place, into[0]->type, row, columns);
    }
    if (intos != columns)
        return raise_error(
            p, columns < intos ? NOT_ENOUGH_VALUES : TOO_MANY_VALUES, "");
    for (unsigned i = 0; i < intos; i++) {
        struct value *place = place_of(p, f, into[i], true);
        if (!place || !store(p, place, into[i]->type, row[i]))
            return false;
    }
    return true;
}

bool bulk_begin(struct plsql_session *p, struct frame *f, struct code **into,
                unsigned intos) {
    for (unsigned i = 0; i < intos; i++) {
        struct value *place = place_of(p, f, into[i], true);
        if (!place)
            return false;
        if (into[i]->type->kind != TYPE_TABLE || into[i]->type->by_text)
            return raise_error(p, 3001, "BULK COLLECT into other than tables");
        if (!table_clear(place, into[i]->type))
            return raise_memory(p);
    }
    return true;
}

bool bulk_store(struct plsql_session *p, struct frame *f, struct code **into,
                unsigned intos, sqlite3_value **row, unsigned columns,
                int64_t at) {
    const struct type *element = intos > 0 ? into[0]->type->element : NULL;
    const bool record = intos == 1 && element->kind == TYPE_RECORD;
    if (!record && intos != columns)
        return raise_error(
            p, columns < intos ? NOT_ENOUGH_VALUES : TOO_MANY_VALUES, "");
    for (unsigned i = 0; i < intos; i++) {
        struct value *place = place_of(p, f, into[i], true);
        struct value *new_value =
            place ? table_make(place, into[i]->type, at, NULL) : NULL;
        if (!new_value)
            return place ? raise_memory(p) : false;
        if (record ? !store_record(p, new_value, element, row, columns)
                   : !store(p, new_value, into[i]->type->element, row[i]))
            return false;
    }
    return true;
}

bool bulk_fetch(struct plsql_session *p, struct frame *f,
                struct plsql_query *query, struct code **into, unsigned intos,
                uint64_t most, uint64_t *found) {
    *found = 0;
    if (!bulk_begin(p, f, into, intos) || !fetch_rows(p, query, most))
        return false;
    for (sqlite3_value **row; (row = plsql_query_row(query)); ++*found)
        if (!bulk_store(p, f, into, intos, row, query->cursor.columns,
                        (int64_t)*found + 1))
            return false;
    return true;
}

bool select_into(struct plsql_session *p, struct frame *f,
                 struct plsql_query *query, struct code **into, unsigned intos,
                 bool bulk) {
    enum { EXACTLY = 2 }; // one row more shows that there are too many
    uint64_t row_count = 0;
    p->sql_rows = 0;
    if (bulk) {
        const bool ok =
            bulk_fetch(p, f, query, into, intos, UINT64_MAX, &row_count);
        p->sql_rows = (int64_t)row_count;
        return ok;
    }
    if (!fetch_rows(p, query, EXACTLY))
        return false;
    sqlite3_value **row = plsql_query_row(query);
    if (!row)
        return raise_error(p, NO_DATA_FOUND, "");
    p->sql_rows = 1;
    if (plsql_query_row(query))
        return raise_error(p, TOO_MANY_ROWS, "");
    return store_row(p, f, into, intos, row, query->cursor.columns);
}

// The rows of RETURNING, which stay in the cursor; `at`: how many tables have.
bool returning_into(struct plsql_session *p, struct frame *f,
                    struct plsql_query *query, struct code **into,
                    unsigned intos, bool bulk, int64_t *at) {
    struct returned_rows *rows = &query->cursor.returned;
    const unsigned columns = query->cursor.columns;
    bool ok = true;
    if (!bulk && columns > 0 && rows->count > columns)
        return raise_error(p, TOO_MANY_ROWS, "");
    for (size_t i = 0; ok && columns > 0 && i < rows->count; i += columns)
        ok = bulk ? bulk_store(p, f, into, intos, &rows->value[i], columns,
                               ++*at)
                  : store_row(p, f, into, intos, &rows->value[i], columns);
    returned_rows_forget(rows);
    return ok;
}

static bool run_with(struct plsql_session *p, struct frame *f,
                     struct embedded *e, struct plsql_query *query,
                     int64_t *at) {
    enum { EXACTLY = 2 };
    const bool select = query->cursor.kind == STATEMENT_QUERY;
    if (!execute_embedded(p, f, e, query, select ? EXACTLY : 0))
        return false;
    if (select)
        return select_into(p, f, query, e->into, e->intos, e->bulk);
    p->sql_rows = (int64_t)query->cursor.rows;
    return !e->returns ||
           returning_into(p, f, query, e->into, e->intos, e->bulk, at);
}

bool run_embedded(struct plsql_session *p, struct frame *f,
                  struct embedded *e) {
    struct plsql_query *query = query_of(p, e);
    int64_t index = 0;
    if (!query)
        return false;
    bool ok = !(e->returns && e->bulk) || bulk_begin(p, f, e->into, e->intos);
    ok = ok && run_with(p, f, e, query, &index);
    plsql_query_release(query);
    return ok;
}

static bool note_bulk_rows(struct plsql_session *p, size_t at) {
    uint64_t *grown = realloc(p->bulk_rows, (at + 1) * sizeof *grown);
    if (!grown)
        return raise_memory(p);
    p->bulk_rows = grown;
    p->bulk_rows[at] = (uint64_t)p->sql_rows;
    p->bulk_count = at + 1;
    return true;
}

static bool note_bulk_error(struct plsql_session *p, int64_t iteration) {
    const unsigned number = p->raised.error.number;
    struct bulk_error *grown =
        realloc(p->bulk_error, (p->bulk_errors + 1) * sizeof *grown);
    if (!grown)
        return raise_memory(p);
    p->bulk_error = grown;
    grown[p->bulk_errors++] = (struct bulk_error){iteration, number};
    return true;
}

// The error of a failed iteration, as FORALL saves it. An expression of it that
// is not SQL's can only have failed to find an element.
static void name_bulk_error(struct plsql_session *p, int64_t index) {
    enum { NO_ELEMENT = 22160 };
    char about[40];
    if (p->raised.error.number != NO_DATA_FOUND)
        return;
    snprintf(about, sizeof about, "%lld", (long long)index);
    raise_error(p, NO_ELEMENT, about);
}

// One iteration; *rows: how many it has changed. With SAVE EXCEPTIONS one that
// fails is noted, unless it was cancelled or there is no memory.
static bool run_iteration(struct plsql_session *p, struct frame *f,
                          const struct plsql *s, struct plsql_query *query,
                          int64_t at, int64_t *returned) {
    struct value *variable = &f->slot[s->variable->slot];
    scalar_free(&variable->scalar);
    variable->scalar = (struct scalar){.kind = SCALAR_INTEGER, .integer = at};
    if (run_with(p, f, s->embedded, query, returned))
        return true;
    name_bulk_error(p, at);
    const unsigned error = p->raised.error.number;
    p->sql_rows = 0;
    return note_bulk_error(p, at - p->bulk_low + 1) && s->saves_exceptions &&
           error != CANCELLED && error != OUT_OF_MEMORY &&
           error != PGA_EXCEEDED;
}

bool run_forall(struct plsql_session *p, struct frame *f,
                const struct plsql *s) {
    struct embedded *e = s->embedded;
    int64_t low, high, returned = 0, rows = 0;
    if (!evaluate_whole(p, f, s->low_code, &low) ||
        !evaluate_whole(p, f, s->value_code, &high))
        return false;
    if (low < INT32_MIN || high > INT32_MAX)
        return raise_error(p, 1426, "");
    p->bulk_count = p->bulk_errors = 0;
    p->bulk_low = low;
    p->sql_rows = 0;
    if (low > high)
        return true;
    struct plsql_query *query = query_of(p, e);
    bool ok = query &&
              (!(e->returns && e->bulk) || bulk_begin(p, f, e->into, e->intos));
    for (int64_t i = low; ok && i <= high; i++) {
        ok = run_iteration(p, f, s, query, i, &returned);
        rows += ok ? p->sql_rows : 0;
        ok = ok && note_bulk_rows(p, (size_t)(i - low));
    }
    if (ok)
        p->sql_rows = rows;
    if (ok && p->bulk_errors > 0)
        ok = raise_error(p, BULK_ERRORS, "");
    if (query)
        plsql_query_release(query);
    return ok;
}
