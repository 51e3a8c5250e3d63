// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/plan_statistics.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 100, NS_PER_US = 1000 };

static void release(struct plan_statistics *one) {
    free(one->sql);
    free(one->last);
    free(one);
}

static void take_out(struct database *database,
                     const struct plan_statistics *one) {
    struct plan_statistics **link = &database->plans;
    while (*link && *link != one)
        link = &(*link)->next;
    if (*link)
        *link = one->next;
}

static void put_first(struct database *database, struct plan_statistics *one) {
    one->next = database->plans;
    database->plans = one;
}

// Drops those behind the latest that no cursor has.
static void drop_oldest(struct database *database) {
    struct plan_statistics **link = &database->plans;
    for (unsigned kept = 0; *link; kept++) {
        struct plan_statistics *one = *link;
        if (kept < MOST_KEPT || one->cursor) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        release(one);
    }
}

// Of closed cursors, the statement's with that plan.
static struct plan_statistics *kept(const struct cursor *cursor,
                                    const struct plan_rows *rows) {
    for (struct plan_statistics *one = cursor->database->plans; one;
         one = one->next)
        if (!one->cursor && one->length == cursor->sql_length &&
            memcmp(one->sql, cursor->sql, one->length) == 0 &&
            plan_rows_hash(&one->rows) == plan_rows_hash(rows))
            return one;
    return NULL;
}

static struct plan_statistics *made(const struct cursor *cursor,
                                    const struct plan_rows *rows) {
    struct plan_statistics *one = calloc(1, sizeof *one);
    const size_t counts = rows->count + 1;
    if (!one)
        return NULL;
    one->sql = malloc(cursor->sql_length + 1);
    one->last = calloc(2 * counts, sizeof *one->last);
    if (!one->sql || !one->last) {
        release(one);
        return NULL;
    }
    memcpy(one->sql, cursor->sql, cursor->sql_length);
    one->length = cursor->sql_length;
    one->kind = cursor->kind;
    memcpy(one->sql_id, cursor->sql_id, sizeof one->sql_id);
    one->before = one->last + counts;
    one->rows = *rows;
    put_first(cursor->database, one);
    return one;
}

static bool has_plan(const struct cursor *cursor) {
    return cursor->statement && (cursor->kind == STATEMENT_QUERY ||
                                 (cursor->kind >= STATEMENT_INSERT &&
                                  cursor->kind <= STATEMENT_DELETE));
}

static bool wanted(const struct cursor *cursor) {
    return cursor->gathers || cursor->database->gathers;
}

bool plan_statistics_is_other(const struct cursor *cursor) {
    return cursor->gathering != wanted(cursor) && has_plan(cursor);
}

void plan_statistics_attach(struct cursor *cursor) {
    static struct plan_rows rows;
    struct database *database = cursor->database;
    cursor->gathering = wanted(cursor);
    if (!cursor->gathering || !has_plan(cursor))
        return;
    struct sqlite3 *counted = database->lio.db;
    database->lio.db = NULL; // to prepare it again makes no gets
    const bool done =
        counted_program_make(&cursor->statement, database->self->stat);
    database->lio.db = counted;
    if (!done || !plan_rows_read(cursor, &rows))
        return;
    struct plan_statistics *one = kept(cursor, &rows);
    if (!one)
        one = made(cursor, &rows);
    if (!one)
        return;
    one->cursor = cursor;
    cursor->statistics = one;
    drop_oldest(database);
    // An execution had it parsed again.
    if (database->call.cursor == cursor &&
        (database->call.kind == EXEC_CALL || database->call.kind == FETCH_CALL))
        plan_statistics_execution(cursor);
}

void plan_statistics_detach(struct cursor *cursor) {
    if (cursor->statistics)
        cursor->statistics->cursor = NULL;
    cursor->statistics = NULL;
}

void plan_statistics_moved(struct cursor *cursor) {
    if (cursor->statistics)
        cursor->statistics->cursor = cursor;
}

static void add_counts(struct plan_counts *to, const struct plan_counts *more) {
    to->starts += more->starts;
    to->rows += more->rows;
    plan_work_add(&to->work, &more->work);
}

void plan_statistics_execution(struct cursor *cursor) {
    struct plan_statistics *one = cursor->statistics;
    for (unsigned i = 0; i <= one->rows.count; i++) {
        add_counts(&one->before[i], &one->last[i]);
        one->last[i] = (struct plan_counts){0};
    }
    one->executions++;
    one->last[0] = (struct plan_counts){
        .known = true, .rows_known = true, .work_known = true, .starts = 1};
    counted_program_restart(cursor->statement);
    take_out(cursor->database, one);
    put_first(cursor->database, one);
}

void plan_statistics_add(const struct statement_call *call,
                         const struct statement_call *end, uint64_t rows) {
    const struct cursor *cursor = call->cursor;
    struct plan_statistics *one = cursor->statistics;
    struct plan_counts *whole = &one->last[0];
    // A change gives no rows to the operation that is above it.
    whole->rows += cursor->kind == STATEMENT_QUERY ? rows : 0;
    whole->work.gets += end->gets - call->gets;
    whole->work.current_gets += end->current_gets - call->current_gets;
    whole->work.reads += end->reads - call->reads;
    whole->work.ns += (uint64_t)(end->began_us - call->began_us) * NS_PER_US;
    plan_rows_count(&one->rows, cursor->statement, &one->last[1]);
    for (unsigned i = 1; i <= one->rows.count; i++)
        if (one->rows.row[i - 1].kind == PLAN_OF_CHANGE)
            one->last[i] = *whole;
    // What is sorted last is what the statement gives.
    if (cursor->kind == STATEMENT_QUERY && !one->last[1].rows_known &&
        strncmp(one->rows.row[0].operation, "SORT ", 5) == 0) {
        one->last[1].rows_known = true;
        one->last[1].rows = whole->rows;
    }
}

const struct plan_statistics *
plan_statistics_find(const struct database *database, const char *sql_id) {
    const struct cursor *open = database->cursors;
    while (open && (open->statistics || strcmp(open->sql_id, sql_id) != 0))
        open = open->next;
    if (open)
        return NULL; // it was executed again without
    const struct plan_statistics *one = database->plans;
    while (one && strcmp(one->sql_id, sql_id) != 0)
        one = one->next;
    return one && one->executions ? one : NULL;
}

void plan_statistics_free(struct database *database) {
    while (database->plans) {
        struct plan_statistics *one = database->plans;
        database->plans = one->next;
        release(one);
    }
}
