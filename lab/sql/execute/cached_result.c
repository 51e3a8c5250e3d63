// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/cached_result.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/cursor_parts.h"
#include "sql/execute/read_ahead.h"
#include "sql/execute/result_digest.h"
#include "sql/types/operand_type.h"

void cached_result_bind(struct cursor *cursor, const struct bind_value *value,
                        unsigned count) {
    cursor->binds_known = false;
    if (!cached_result_is_wanted(cursor))
        return;
    struct result_digest digest;
    result_digest_begin(&digest);
    for (unsigned i = 0; i < count; i++) {
        const bool bytes = value[i].kind != BIND_NULL &&
                           value[i].kind != BIND_INTEGER &&
                           value[i].kind != BIND_DOUBLE;
        result_digest_add(&digest, &value[i].kind, sizeof value[i].kind);
        if (value[i].kind == BIND_INTEGER)
            result_digest_add(&digest, &value[i].integer,
                              sizeof value[i].integer);
        else if (value[i].kind == BIND_DOUBLE)
            result_digest_add(&digest, &value[i].real, sizeof value[i].real);
        else if (bytes)
            result_digest_add(&digest, value[i].data, value[i].length);
    }
    cursor->binds_known = result_digest_end(&digest, cursor->bind_digest);
}

static bool has_lobs(const struct cursor *cursor) {
    bool varies = false;
    for (unsigned i = 0; i < cursor->typed_columns && !varies; i++)
        varies = operand_is_lob((enum operand_type)cursor->column_type[i]);
    for (unsigned i = 0; i < cursor->columns && cursor->statement && !varies;
         i++) {
        const char *declared =
            sqlite3_column_decltype(cursor->statement, (int)i);
        varies = declared && strstr(declared, "LOB");
    }
    return varies;
}

bool cached_result_is_possible(const struct cursor *cursor) {
    const struct result_cache *cache = &cursor->database->sga->result_cache;
    const struct statement_tables *tables = &cursor->tables;
    return cursor->kind == STATEMENT_QUERY && cursor->result_cache >= 0 &&
           cache->limit > 0 && !cache->bypass && !cursor->locks &&
           tables->reads > 0 && !tables->others && !tables->varies &&
           !tables->calls;
}

bool cached_result_is_wanted(const struct cursor *cursor) {
    const struct database *database = cursor->database;
    const struct statement_tables *tables = &cursor->tables;
    const bool requested = cursor->result_cache > 0 || cursor->annotated ||
                           database->cached_results.force;
    if (!requested || !cached_result_is_possible(cursor) || has_lobs(cursor))
        return false;
    for (unsigned i = 0; i < tables->reads; i++)
        if (result_changes_include(database->sga, database->self,
                                   &tables->read[i]))
            return false;
    return true;
}

static bool make_key(const struct cursor *cursor, struct result_key *key) {
    struct result_digest digest;
    result_digest_begin(&digest);
    result_digest_add(&digest, cursor->sql, cursor->sql_length);
    if (cursor->placeholders > 0) {
        result_digest_add(&digest, cursor->bind_digest,
                          sizeof cursor->bind_digest);
        result_digest_add(&digest, cursor->bound, cursor->placeholders);
    }
    result_digest_add(&digest, &cursor->definitions,
                      sizeof cursor->definitions);
    result_digest_add_session(&digest);
    memset(key->name, 0, sizeof key->name);
    size_t length = cursor->sql_length;
    if (length > sizeof key->name - 1)
        length = sizeof key->name - 1;
    while (length > 0 && length < cursor->sql_length &&
           (cursor->sql[length] & 0xc0) == 0x80)
        length--;
    memcpy(key->name, cursor->sql, length);
    return result_digest_end(&digest, key->digest);
}

// The cursor's rows are those of the pinned result. False if it was given up.
static bool take(struct cursor *cursor, struct cached_result *result) {
    struct database *database = cursor->database;
    const struct result_size size =
        result_cache_size(database->sga, &result->search);
    // Given up meanwhile, it may say anything.
    const bool sane = size.columns == cursor->columns &&
                      size.bytes <= sizeof(struct result_cache);
    void *rows = sane ? malloc(size.bytes + 1) : NULL;
    if (rows)
        result_cache_copy(database->sga, &result->search, rows);
    const bool valid =
        result_cache_unpin(database->sga, database->self, &result->search);
    if (rows && valid && read_ahead_take(cursor, rows, size.bytes, size.rows))
        return true;
    free(rows);
    return false;
}

bool cached_result_find(struct cursor *cursor, struct cached_result *result) {
    struct database *database = cursor->database;
    result->search = (struct result_search){
        .key = &result->key,
        .table = cursor->tables.read,
        .tables = cursor->tables.reads,
        .since = database->snapshot,
        .mode =
            database->cached_results.exclusive ? LATCH_EXCLUSIVE : LATCH_SHARED,
    };
    result->began_us = clock_us();
    result->misses = database->misses;
    if ((cursor->placeholders > 0 && !cursor->binds_known) ||
        !make_key(cursor, &result->key))
        return false;
    return result_cache_find(database->sga, database->self, &result->search) &&
           take(cursor, result);
}

bool cached_result_keep(struct cursor *cursor, struct cached_result *result,
                        struct ora_error *error) {
    struct database *database = cursor->database;
    struct result_size size = {.columns = cursor->columns};
    void *rows = NULL;
    // Parsed again while it began, it is another statement.
    if (!result->search.keep || result->misses != database->misses)
        return true;
    if (cursor->row_ready) {
        const uint64_t limit = result_cache_most(database->sga);
        if (!read_ahead_within(cursor, limit, error))
            return false;
        if (cursor->ahead)
            rows = read_ahead_rows(cursor, &size.bytes, &size.rows);
        else
            result_cache_refused(database->sga);
        if (!cursor_advance(cursor, error)) {
            free(rows);
            return false;
        }
        if (!rows)
            return true;
    }
    result_cache_keep(database->sga, database->self, &result->search, &size,
                      rows, (uint64_t)(clock_us() - result->began_us));
    free(rows);
    return true;
}
