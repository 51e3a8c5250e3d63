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
        struct plan_statistics *statistics = *link;
        if (kept < MOST_KEPT || statistics->cursor) {
            link = &statistics->next;
            continue;
        }
        *link = statistics->next;
        release(statistics);
    }
}

// Of closed cursors, the statement's with that plan.
static struct plan_statistics *kept(const struct cursor *cursor,
                                    const struct plan_rows *rows) {
    for (struct plan_statistics *entry = cursor->database->plans; entry;
         entry = entry->next)
        if (!entry->cursor && entry->length == cursor->sql_length &&
            memcmp(entry->sql, cursor->sql, entry->length) == 0 &&
            plan_rows_hash(&entry->rows) == plan_rows_hash(rows))
            return entry;
    return NULL;
}

static struct plan_statistics *made(const struct cursor *cursor,
                                    const struct plan_rows *rows) {
    struct plan_statistics *statistics = calloc(1, sizeof *statistics);
    const size_t counts = rows->count + 1;
    if (!statistics)
        return NULL;
    statistics->sql = malloc(cursor->sql_length + 1);
    statistics->last = calloc(2 * counts, sizeof *statistics->last);
    if (!statistics->sql || !statistics->last) {
        release(statistics);
        return NULL;
    }
    memcpy(statistics->sql, cursor->sql, cursor->sql_length);
    statistics->length = cursor->sql_length;
    statistics->kind = cursor->kind;
    memcpy(statistics->sql_id, cursor->sql_id, sizeof statistics->sql_id);
    statistics->before = statistics->last + counts;
    statistics->rows = *rows;
    put_first(cursor->database, statistics);
    return statistics;
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
    const bool succeeded =
        counted_program_make(&cursor->statement, database->self->stat);
    database->lio.db = counted;
    if (!succeeded || !plan_rows_read(cursor, &rows))
        return;
    struct plan_statistics *entry = kept(cursor, &rows);
    if (!entry)
        entry = made(cursor, &rows);
    if (!entry)
        return;
    entry->cursor = cursor;
    cursor->statistics = entry;
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
    struct plan_statistics *statistics = cursor->statistics;
    for (unsigned i = 0; i <= statistics->rows.count; i++) {
        add_counts(&statistics->before[i], &statistics->last[i]);
        statistics->last[i] = (struct plan_counts){0};
    }
    statistics->executions++;
    statistics->last[0] = (struct plan_counts){
        .known = true, .rows_known = true, .work_known = true, .starts = 1};
    counted_program_restart(cursor->statement);
    take_out(cursor->database, statistics);
    put_first(cursor->database, statistics);
}

void plan_statistics_add(const struct statement_call *call,
                         const struct statement_call *end, uint64_t rows) {
    const struct cursor *cursor = call->cursor;
    struct plan_statistics *statistics = cursor->statistics;
    struct plan_counts *total = &statistics->last[0];
    // A change gives no rows to the operation that is above it.
    total->rows += cursor->kind == STATEMENT_QUERY ? rows : 0;
    total->work.gets += end->gets - call->gets;
    total->work.current_gets += end->current_gets - call->current_gets;
    total->work.reads += end->reads - call->reads;
    total->work.ns += (uint64_t)(end->began_us - call->began_us) * NS_PER_US;
    plan_rows_count(&statistics->rows, cursor->statement, &statistics->last[1]);
    for (unsigned i = 1; i <= statistics->rows.count; i++)
        if (statistics->rows.row[i - 1].kind == PLAN_OF_CHANGE)
            statistics->last[i] = *total;
    // The rows that are sorted last are the statement's result.
    if (cursor->kind == STATEMENT_QUERY && !statistics->last[1].rows_known &&
        strncmp(statistics->rows.row[0].operation, "SORT ", 5) == 0) {
        statistics->last[1].rows_known = true;
        statistics->last[1].rows = total->rows;
    }
}

const struct plan_statistics *
plan_statistics_find(const struct database *database, const char *sql_id) {
    const struct cursor *open = database->cursors;
    while (open && (open->statistics || strcmp(open->sql_id, sql_id) != 0))
        open = open->next;
    if (open)
        return NULL; // it was executed again without
    const struct plan_statistics *statistics = database->plans;
    while (statistics && strcmp(statistics->sql_id, sql_id) != 0)
        statistics = statistics->next;
    return statistics && statistics->executions ? statistics : NULL;
}

void plan_statistics_free(struct database *database) {
    while (database->plans) {
        struct plan_statistics *statistics = database->plans;
        database->plans = statistics->next;
        release(statistics);
    }
}
