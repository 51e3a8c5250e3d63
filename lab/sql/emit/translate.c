// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/emit/translate.h"

#include <ctype.h>
#include <stdio.h>
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

// A savepoint's name, which ends the statement.
static void take_savepoint(struct statement *s, unsigned at, char *to) {
    const struct token *name = &s->tokens[at];
    if (at + 1 < s->count)
        statement_refuse(s, 933, at + 1, "");
    else if (at >= s->count ||
             (name->type != TOKEN_WORD && name->type != TOKEN_QUOTED))
        statement_refuse(s, 3001, at < s->count ? at : s->count,
                         "a savepoint without a name");
    else if (name->length > LONGEST_NAME)
        statement_refuse(s, 972, at, "");
    else
        name_spell(name, to);
}

// SAVEPOINT name; ROLLBACK [WORK] TO [SAVEPOINT] name
static bool is_savepoint(struct statement *s, struct translation *result) {
    unsigned index = 1;
    if (statement_is(s, 0, "savepoint")) {
        result->kind = STATEMENT_SAVEPOINT;
    } else {
        index += statement_is(s, index, "work");
        if (!statement_is(s, 0, "rollback") || !statement_is(s, index, "to"))
            return false;
        index += 1 + statement_is(s, index + 1, "savepoint");
        result->kind = STATEMENT_ROLLBACK_TO;
    }
    take_savepoint(s, index, result->savepoint);
    return true;
}

// Statements that run no SQL. Their tokens may be any.
static bool is_control(struct statement *s, struct translation *result) {
    enum statement_kind *kind = &result->kind;
    if (is_savepoint(s, result))
        return true;
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
        {"merge"},
        {"begin"},
        {"declare"},
        {"call"},
        {"<<"},
        {"create", "or", "replace"},
        {"create", "procedure"},
        {"create", "function"},
        {"create", "package"},
        {"drop", "procedure"},
        {"drop", "function"},
        {"drop", "package"},
        {"create", "table"},
        {"create", "index"},
        {"create", "unique"},
        {"drop", "table"},
        {"drop", "index"},
        {"truncate", "table"},
        {"create", "cluster"},
        {"drop", "cluster"},
        {"lock", "table"},
        {"alter", "table"},
        {"create", "view"},
        {"create", "force", "view"},
        {"create", "noforce", "view"},
        {"create", "editionable", "view"},
        {"drop", "view"},
        {"create", "synonym"},
        {"create", "public", "synonym"},
        {"drop", "synonym"},
        {"drop", "public", "synonym"},
        {"create", "sequence"},
        {"drop", "sequence"},
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

// CREATE VIEW, ALTER SYSTEM and the like, by both words.
static void refuse_words(struct statement *s) {
    const struct token *first = &s->tokens[0], *second = &s->tokens[1];
    char about[64];
    snprintf(about, sizeof about, "%.*s %.*s",
             (int)(first->length < 30 ? first->length : 30), first->at,
             (int)(second->length < 30 ? second->length : 30), second->at);
    for (char *c = about; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    statement_refuse(s, 3001, 0, about);
}

static void refuse_unknown(struct statement *s) {
    if (s->count == 0 || s->tokens[0].type != TOKEN_WORD)
        statement_refuse(s, 900, 0, "");
    else if (s->count > 1 && s->tokens[1].type == TOKEN_WORD)
        refuse_words(s);
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
    case TREE_MERGE:
        return STATEMENT_MERGE;
    case TREE_DELETE:
        return STATEMENT_DELETE;
    case TREE_BLOCK:
        return STATEMENT_BLOCK;
    case TREE_CREATE_UNIT:
    case TREE_DROP_UNIT:
        return STATEMENT_UNIT;
    case TREE_CREATE_LINK:
    case TREE_DROP_LINK:
        return STATEMENT_LINK;
    case TREE_LOCK:
        return STATEMENT_LOCK;
    case TREE_CREATE_SEQUENCE:
        return STATEMENT_CREATE_SEQUENCE;
    case TREE_DROP_SEQUENCE:
        return STATEMENT_DROP_SEQUENCE;
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
    e->result->skips_locked = tree->skips_locked;
}

// The inputs of a block.
static void emit_placeholders(struct emitter *e) {
    char number[16];
    if (e->s->binds > MOST_BLOCK_BINDS)
        statement_refuse(e->s, 3001, 0, "more than 2,000 binds of a block");
    emit_text(e, "SELECT");
    for (unsigned i = 1; i <= e->s->binds && !e->s->error; i++) {
        snprintf(number, sizeof number, "%s?%u", i > 1 ? "," : " ", i);
        emit_text(e, number);
    }
    emit_text(e, e->s->binds > 0 ? "" : " NULL");
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
    case TREE_MERGE:
        emit_merge(e);
        break;
    case TREE_BLOCK:
        emit_placeholders(e);
        break;
    case TREE_CREATE_UNIT:
    case TREE_DROP_UNIT:
        if (e->s->binds > 0)
            statement_refuse(e->s, 1027, e->s->bind[0].token, "");
        break;
    case TREE_CREATE_LINK:
    case TREE_DROP_LINK:
        take_link(e);
        break;
    case TREE_LOCK:
        e->result->lock_wait = e->s->tree->lock_wait;
        break;
    case TREE_CREATE_SEQUENCE:
        e->result->sequence = *e->s->tree->made_sequence;
        break;
    case TREE_DROP_SEQUENCE:
        name_spell(&e->s->tokens[e->s->tree->name.last],
                   e->result->sequence.name);
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
    if (s->tree->query && s->tree->kind != TREE_CREATE_VIEW)
        take_columns(s->tree->query, result);
}

static void begin(struct translation *result) {
    result->kind = STATEMENT_QUERY;
    result->columns = 0;
    result->name_to = result->query_at = result->second_at = 0;
    result->error = 0;
    result->error_at = 0;
    result->binds = result->into_from = result->into_to = 0;
    result->bind = NULL;
    result->locks = result->sets = result->skips_locked = false;
    result->annotates = result->forces = false;
    result->result_cache = 0;
    result->gathers = false;
    result->remote_query = 0;
    result->link = NULL;
    result->savepoint[0] = '\0';
    result->about[0] = '\0';
    result->sql = NULL;
}

char *translation_of_expression(struct statement *s, const char *schema,
                                const struct catalog *catalog,
                                struct expr *value, bool condition) {
    struct emitter e = {.s = s, .schema = schema, .catalog = catalog};
    if (!resolve_expression(s, schema, catalog, value, condition))
        return NULL;
    emit_text(&e, condition ? "SELECT (" : "SELECT");
    if (condition)
        emit_condition(&e, value);
    else
        emit_value(&e, value);
    emit_text(&e, condition ? ")" : "");
    if (!s->error)
        return e.text;
    free(e.text);
    return NULL;
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
    if (parse_read(&s, oracle, length) && !is_control(&s, result)) {
        if (is_known(&s))
            translate(&s, schema, catalog, known, result);
        else
            refuse_unknown(&s);
    }
    result->result_cache = s.result_cache;
    result->gathers = s.gathers;
    result->error = s.error;
    snprintf(result->about, sizeof result->about, "%s", s.about);
    if (s.error && s.tokens && s.error_at <= s.own)
        result->error_at = (size_t)(s.tokens[s.error_at].at - oracle);
    parse_free(&s);
}

void translation_free(struct translation *result) {
    free(result->sql);
    free(result->bind);
    link_change_free(result->link);
    result->sql = NULL;
    result->bind = NULL;
    result->link = NULL;
}
