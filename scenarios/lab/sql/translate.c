// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/translate.h"

#include <stdlib.h>

#include "sql/source.h"

// Reads FOR UPDATE [OF column] [NOWAIT | WAIT n] at the end of a query, and
// returns where it begins.
static size_t without_for_update(struct translator *t) {
    size_t begins = find(t, 0, t->count, "for"), at = begins + 2;
    if (begins == t->count || !is(t, begins + 1, "update"))
        return t->count;
    if (is(t, at, "of"))
        while (at < t->count && !is(t, at, "nowait") && !is(t, at, "wait"))
            at++;
    t->result->locks = true;
    t->result->lock_wait = -1;
    if (is(t, at, "nowait")) {
        t->result->lock_wait = 0;
        at++;
    } else if (is(t, at, "wait") && at + 1 < t->count &&
               t->tokens[at + 1].type == TOKEN_NUMBER) {
        t->result->lock_wait = (int)strtol(t->tokens[at + 1].at, NULL, 10);
        at += 2;
    }
    if (is(t, at, "skip"))
        refuse(t, 3001, "SKIP LOCKED");
    else if (at < t->count)
        refuse(t, 933, "");
    return begins;
}

static void by_first_word(struct translator *t) {
    enum statement_kind *kind = &t->result->kind;
    if (is(t, 0, "select") || is(t, 0, "with")) {
        *kind = STATEMENT_QUERY;
        say_query(t, 0, without_for_update(t));
    } else if (is(t, 0, "insert")) {
        *kind = STATEMENT_INSERT;
        say_insert(t);
    } else if (is(t, 0, "update")) {
        *kind = STATEMENT_UPDATE;
        say_update(t);
    } else if (is(t, 0, "delete")) {
        *kind = STATEMENT_DELETE;
        say_delete(t);
    } else if (is(t, 0, "begin")) {
        *kind = STATEMENT_BLOCK;
        say_plsql(t);
    } else if (is(t, 0, "commit")) {
        *kind = STATEMENT_COMMIT;
        if (t->count > 1 && !is(t, 1, "work") && !is(t, 1, "comment") &&
            !is(t, 1, "write"))
            refuse(t, 2185, "");
    } else if (is(t, 0, "rollback") &&
               (t->count == 1 || (t->count == 2 && is(t, 1, "work")))) {
        *kind = STATEMENT_ROLLBACK;
    } else if (is(t, 0, "alter") && is(t, 1, "session")) {
        *kind = STATEMENT_SESSION;
    } else if (is(t, 0, "set") && is(t, 1, "transaction")) {
        *kind = STATEMENT_SESSION;
        if (find(t, 2, t->count, "only") < t->count ||
            find(t, 2, t->count, "serializable") < t->count)
            refuse(t, 3001, "such a transaction");
    } else if (say_ddl(t)) {
        *kind = STATEMENT_DDL;
    } else {
        refuse(t, t->count == 0 || t->tokens[0].type != TOKEN_WORD ? 900 : 3001,
               "");
        if (t->count > 0)
            refuse_token(t, 3001, 0);
    }
}

void translate(const char *oracle, size_t length, const char *schema,
               const struct catalog *catalog, const uint8_t *known,
               struct translation *result) {
    struct translator t = {
        .result = result, .own_schema = schema, .catalog = catalog};
    result->known = known;
    result->columns = 0;
    result->name_to = result->query_at = 0;
    result->error = 0;
    result->binds = result->into_from = result->into_to = 0;
    result->locks = false;
    result->about[0] = '\0';
    result->sql = NULL;
    if (source_read(&t, oracle, length)) {
        names_read(&t);
        by_first_word(&t);
    }
    result->sql = t.text;
    source_free(&t);
}

void translation_free(struct translation *result) {
    free(result->sql);
    result->sql = NULL;
}
