// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/emit/translate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/emit/link_change.h"
#include "sql/parse/parse.h"
#include "sql/resolve/resolve.h"

static bool has_word(const struct statement *s, const char *word) {
    for (unsigned i = 0; i < s->count; i++)
        if (statement_is(s, i, word))
            return true;
    return false;
}

// Statements that run no SQL. Their tokens may be any.
static bool is_control(struct statement *s, enum statement_kind *kind) {
    if (statement_is(s, 0, "commit")) {
        *kind = STATEMENT_COMMIT;
        if (s->count > 1 && !statement_is(s, 1, "work") &&
            !statement_is(s, 1, "comment") && !statement_is(s, 1, "write"))
            statement_refuse(s, 2185, 1, "");
    } else if (statement_is(s, 0, "rollback") &&
               (s->count == 1 ||
                (s->count == 2 && statement_is(s, 1, "work")))) {
        *kind = STATEMENT_ROLLBACK;
    } else if (statement_is(s, 0, "alter") && statement_is(s, 1, "session")) {
        *kind = STATEMENT_SESSION;
    } else if (statement_is(s, 0, "set") && statement_is(s, 1, "transaction")) {
        *kind = STATEMENT_SESSION;
        if (has_word(s, "only") || has_word(s, "serializable"))
            statement_refuse(s, 3001, 2, "such a transaction");
    } else {
        return false;
    }
    return true;
}

// Whether the grammar has statements that begin like this one.
static bool is_known(const struct statement *s) {
    static const char *const begins[][3] = {
        {"select"},
        {"with"},
        {"insert"},
        {"update"},
        {"delete"},
        {"begin"},
        {"declare"},
        {"call"},
        {"create", "table"},
        {"create", "index"},
        {"create", "unique"},
        {"drop", "table"},
        {"drop", "index"},
        {"truncate", "table"},
        {"create", "database", "link"},
        {"create", "shared", "database"},
        {"create", "public", "database"},
        {"drop", "database", "link"},
        {"drop", "public", "database"},
    };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (statement_is(s, 0, begins[i][0]) &&
            (!begins[i][1] || statement_is(s, 1, begins[i][1])) &&
            (!begins[i][2] || statement_is(s, 2, begins[i][2])))
            return s->count > (begins[i][1] ? 2 : 0);
    return false;
}

static void refuse_unknown(struct statement *s) {
    if (s->count == 0 || s->tokens[0].type != TOKEN_WORD)
        statement_refuse(s, 900, 0, "");
    else
        statement_refuse_token(s, 3001, 0);
}

static enum statement_kind kind_of(const struct tree *tree) {
    switch (tree->kind) {
    case TREE_QUERY:
        return STATEMENT_QUERY;
    case TREE_INSERT:
        return STATEMENT_INSERT;
    case TREE_UPDATE:
        return STATEMENT_UPDATE;
    case TREE_DELETE:
        return STATEMENT_DELETE;
    case TREE_BLOCK:
        return STATEMENT_BLOCK;
    case TREE_CREATE_LINK:
    case TREE_DROP_LINK:
        return STATEMENT_LINK;
    default:
        return STATEMENT_DDL;
    }
}

static void emit_top_query(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    if (emit_remote_query(e))
        return;
    emit_query(e, tree->query);
    e->result->locks = tree->locks;
    e->result->lock_wait = tree->lock_wait;
}

static void emit_statement(struct emitter *e) {
    switch (e->s->tree->kind) {
    case TREE_QUERY:
        emit_top_query(e);
        break;
    case TREE_INSERT:
    case TREE_UPDATE:
    case TREE_DELETE:
        emit_change(e);
        break;
    case TREE_BLOCK:
        emit_plsql(e);
        break;
    case TREE_CREATE_LINK:
    case TREE_DROP_LINK:
        take_link(e);
        break;
    default:
        emit_definition(e);
    }
}

static void take_columns(const struct query *query,
                         struct translation *result) {
    if (!query->columns.known || query->columns.count > MOST_COLUMNS)
        return;
    for (const struct column_def *one = query->columns.first; one;
         one = one->next)
        result->column[result->columns++] = (uint8_t)one->shown;
}

static void translate(struct statement *s, const char *schema,
                      const struct catalog *catalog, const uint8_t *known,
                      struct translation *result) {
    struct emitter e = {
        .s = s, .schema = schema, .catalog = catalog, .result = result};
    if (!parse_tree(s))
        return;
    result->kind = kind_of(s->tree);
    for (unsigned i = 0; known && i < s->binds; i++)
        s->bind[i].expected = known[i];
    if (!resolve_tree(s, schema, catalog))
        return;
    emit_statement(&e);
    result->sql = e.text;
    result->binds = s->binds;
    result->bind = s->bind;
    s->bind = NULL;
    if (result->remote_query)
        return; // which told its columns
    result->sets = s->tree->sets;
    if (s->tree->query)
        take_columns(s->tree->query, result);
}

static void begin(struct translation *result) {
    result->kind = STATEMENT_QUERY;
    result->columns = 0;
    result->name_to = result->query_at = 0;
    result->error = 0;
    result->error_at = 0;
    result->binds = result->into_from = result->into_to = 0;
    result->bind = NULL;
    result->opens = 0;
    result->locks = result->sets = false;
    result->result_cache = 0;
    result->remote_query = 0;
    result->link = NULL;
    result->about[0] = '\0';
    result->sql = result->query = NULL;
}

void translation_make(const char *oracle, size_t length, const char *schema,
                      const struct catalog *catalog, const uint8_t *known,
                      struct translation *result) {
    struct statement s = {0};
    if (catalog) {
        s.is_cancelled = catalog->is_cancelled;
        s.data = catalog->data;
    }
    begin(result);
    if (parse_read(&s, oracle, length) && !is_control(&s, &result->kind)) {
        if (is_known(&s))
            translate(&s, schema, catalog, known, result);
        else
            refuse_unknown(&s);
    }
    result->result_cache = s.result_cache;
    result->error = s.error;
    memcpy(result->about, s.about, sizeof result->about);
    if (s.error && s.tokens && s.error_at <= s.count)
        result->error_at = (size_t)(s.tokens[s.error_at].at - oracle);
    parse_free(&s);
}

void translation_free(struct translation *result) {
    free(result->sql);
    free(result->query);
    free(result->bind);
    link_change_free(result->link);
    result->sql = result->query = NULL;
    result->bind = NULL;
    result->link = NULL;
    for (unsigned i = 0; i < result->opens; i++)
        free(result->opened[i].query);
    result->opens = 0;
}
