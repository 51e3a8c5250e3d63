// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/translate.h"

#include <stdlib.h>

#include "sql/link_ddl.h"
#include "sql/source.h"

// Reads FOR UPDATE [OF column] [NOWAIT | WAIT n] at the end of a query and
// returns where it begins.
static size_t without_for_update(struct translator *t) {
    size_t begins = source_find(t, 0, t->count, "for"), at = begins + 2;
    if (begins == t->count || !source_is(t, begins + 1, "update"))
        return t->count;
    if (source_is(t, at, "of"))
        while (at < t->count && !source_is(t, at, "nowait") &&
               !source_is(t, at, "wait"))
            at++;
    t->result->locks = true;
    t->result->lock_wait = -1;
    if (source_is(t, at, "nowait")) {
        t->result->lock_wait = 0;
        at++;
    } else if (source_is(t, at, "wait") && at + 1 < t->count &&
               t->tokens[at + 1].type == TOKEN_NUMBER) {
        t->result->lock_wait = (int)strtol(t->tokens[at + 1].at, NULL, 10);
        at += 2;
    }
    if (source_is(t, at, "skip"))
        source_refuse(t, 3001, "SKIP LOCKED");
    else if (at < t->count)
        source_refuse(t, 933, "");
    return begins;
}

static bool is_count(const struct translator *t, size_t at) {
    return t->tokens[at].type == TOKEN_NUMBER ||
           t->tokens[at].type == TOKEN_BIND;
}

static bool is_rows(const struct translator *t, size_t at) {
    return source_is(t, at, "row") || source_is(t, at, "rows");
}

// OFFSET n ROWS, FETCH FIRST n ROWS ONLY at the end of the statement's query,
// in [0, to). Emits the query, and them as SQLite has them.
static void emit_limited_query(struct translator *t, size_t to) {
    size_t offset = source_find(t, 0, to, "offset"),
           fetch = source_find(t, 0, to, "fetch");
    if (offset < to && !(is_count(t, offset + 1) && is_rows(t, offset + 2)))
        offset = to; // a name
    if (fetch < to && !source_is(t, fetch + 1, "first") &&
        !source_is(t, fetch + 1, "next"))
        fetch = to;
    emit_query(t, 0, offset < fetch ? offset : fetch);
    if (offset == to && fetch == to)
        return;
    const bool counted = fetch < to && is_count(t, fetch + 2);
    const size_t after = fetch + 2 + counted;
    if ((offset < to && offset + 3 != fetch) ||
        (fetch < to && !(is_rows(t, after) && source_is(t, after + 1, "only") &&
                         after + 2 == to)) ||
        t->result->locks) {
        source_refuse(t, 3001, "such a limit of rows");
        return;
    }
    // SQLite takes a negative number for no limit, Oracle for no row.
    emit_text(t, " LIMIT max(0, ");
    if (counted)
        emit_whole_value(t, fetch + 2, fetch + 3, 933);
    else
        emit_text(t, fetch < to ? "1" : "9223372036854775807");
    emit_text(t, ")");
    if (offset < to) {
        emit_text(t, " OFFSET ");
        emit_whole_value(t, offset + 1, offset + 2, 933);
    }
}

static void by_first_word(struct translator *t) {
    enum statement_kind *kind = &t->result->kind;
    if (source_is(t, 0, "insert") || source_is(t, 0, "update") ||
        source_is(t, 0, "delete"))
        remote_target_refuse(t);
    if (source_is(t, 0, "select") || source_is(t, 0, "with")) {
        *kind = STATEMENT_QUERY;
        emit_limited_query(t, without_for_update(t));
        emit_as_remote_query(t);
    } else if (take_link_ddl(t)) {
        *kind = STATEMENT_LINK;
    } else if (source_is(t, 0, "insert")) {
        *kind = STATEMENT_INSERT;
        emit_with_returning(t, emit_insert);
    } else if (source_is(t, 0, "update")) {
        *kind = STATEMENT_UPDATE;
        emit_with_returning(t, emit_update);
    } else if (source_is(t, 0, "delete")) {
        *kind = STATEMENT_DELETE;
        emit_with_returning(t, emit_delete);
    } else if (source_is(t, 0, "begin") || source_is(t, 0, "declare") ||
               source_is(t, 0, "call")) {
        *kind = STATEMENT_BLOCK;
        emit_plsql_block(t);
    } else if (source_is(t, 0, "commit")) {
        *kind = STATEMENT_COMMIT;
        if (t->count > 1 && !source_is(t, 1, "work") &&
            !source_is(t, 1, "comment") && !source_is(t, 1, "write"))
            source_refuse(t, 2185, "");
    } else if (source_is(t, 0, "rollback") &&
               (t->count == 1 || (t->count == 2 && source_is(t, 1, "work")))) {
        *kind = STATEMENT_ROLLBACK;
    } else if (source_is(t, 0, "alter") && source_is(t, 1, "session")) {
        *kind = STATEMENT_SESSION;
    } else if (source_is(t, 0, "set") && source_is(t, 1, "transaction")) {
        *kind = STATEMENT_SESSION;
        if (source_find(t, 2, t->count, "only") < t->count ||
            source_find(t, 2, t->count, "serializable") < t->count)
            source_refuse(t, 3001, "such a transaction");
    } else if (emit_ddl(t)) {
        *kind = STATEMENT_DDL;
    } else {
        source_refuse(
            t, t->count == 0 || t->tokens[0].type != TOKEN_WORD ? 900 : 3001,
            "");
        if (t->count > 0)
            source_refuse_token(t, 3001, 0);
    }
}

void translation_make(const char *oracle, size_t length, const char *schema,
                      const struct catalog *catalog, const uint8_t *known,
                      struct translation *result) {
    struct translator t = {
        .result = result, .own_schema = schema, .catalog = catalog};
    result->known = known;
    result->work = 0;
    result->columns = 0;
    result->name_to = result->query_at = 0;
    result->error = 0;
    result->remote_query = 0;
    result->link = NULL;
    result->binds = result->into_from = result->into_to = 0;
    result->bind = NULL;
    result->opens = 0;
    result->locks = result->sets = false;
    result->result_cache = 0;
    result->about[0] = '\0';
    result->sql = result->query = NULL;
    if (source_read(&t, oracle, length)) {
        names_read(&t);
        by_first_word(&t);
    }
    result->sql = t.text;
    source_free(&t);
}

void translation_free(struct translation *result) {
    free(result->sql);
    free(result->query);
    free(result->bind);
    link_change_free(result->link);
    result->link = NULL;
    result->sql = result->query = NULL;
    result->bind = NULL;
    for (unsigned i = 0; i < result->opens; i++)
        free(result->opened[i].query);
    result->opens = 0;
}
