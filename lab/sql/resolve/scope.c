// SPDX-License-Identifier: GPL-2.0-or-later
// Columns: which of the tables in scope has the one that a name denotes.
#include <string.h>

#include "sql/functions/function.h"
#include "sql/resolve/resolver.h"

const struct column_def *scope_find(const struct column_defs *columns,
                                    const struct token *name) {
    for (const struct column_def *one = columns->first; one; one = one->next)
        if (one->name && name_spells(name, one->name))
            return one;
    return NULL;
}

static bool is_own_schema(const struct resolver *r, const struct token *owner) {
    const size_t length = strlen(r->schema); // quoted
    char quoted[LONGEST_NAME + 1];
    name_spell(owner, quoted);
    return strlen(quoted) + 2 == length &&
           memcmp(r->schema + 1, quoted, length - 2) == 0;
}

bool scope_is_called(const struct resolver *r, const struct source *source,
                     struct name name) {
    const struct token *tokens = r->s->tokens;
    if (name.first == name.last)
        return true;
    const struct token *table = &tokens[name.last - 2];
    if (source->alias)
        return name.last - name.first == 2 &&
               name_equals(table, &tokens[source->alias]);
    if ((source->query && !source->view) ||
        !name_equals(table, &tokens[source->table.last]))
        return false;
    if (name.last - name.first == 2)
        return true;
    const struct token *owner = &tokens[name.first];
    return source->table.first < source->table.last
               ? name_equals(owner, &tokens[source->table.first])
               : !source->own || is_own_schema(r, owner);
}

static bool joins_by(const struct statement *s, const struct source *source,
                     unsigned column) {
    for (struct names_list *one = source->using; one; one = one->next)
        for (struct name_entry *name = one->names->first; name;
             name = name->next)
            if (name_equals(&s->tokens[name->token], &s->tokens[column]))
                return true;
    return false;
}

struct finding {
    unsigned count;
    enum operand_type type, shown;
    struct source *source; // the first one
    const char *declared;  // of the first one
    bool fixed;            // a CHAR
    bool unknown;          // a table may have it whose columns are not known
};

static void note(struct finding *found, enum operand_type type,
                 enum operand_type shown) {
    if (found->count++ == 0) {
        found->type = type;
        found->shown = shown;
    }
    if (found->type != type)
        found->type = OPERAND_UNKNOWN;
    if (found->shown != shown)
        found->shown = OPERAND_UNKNOWN;
}

static void search_source(struct resolver *r, struct source *source,
                          const struct expr *column, struct finding *found) {
    const struct token *name = &r->s->tokens[column->name.last];
    if (!scope_is_called(r, source, column->name))
        return;
    statement_work(r->s, source->columns.count);
    const struct column_def *def = scope_find(&source->columns, name);
    found->unknown |= !source->columns.known;
    if (!def)
        return;
    if (column->name.first < column->name.last &&
        joins_by(r->s, source, column->name.last))
        statement_refuse(r->s, 25154, column->from, "");
    if (source->query && columns_have_twice(r, &source->columns, name))
        statement_refuse(r->s, 918, column->from, "");
    if (found->count == 0) {
        found->source = source;
        found->declared = def->declared;
        found->fixed = def->fixed;
    }
    note(found, def->type, def->shown);
}

static void search_aliases(struct resolver *r, const struct scope *scope,
                           const struct expr *column, struct finding *found) {
    if (!scope->aliases || column->name.first < column->name.last)
        return;
    for (const struct item *one = scope->aliases->first; one; one = one->next)
        if (one->alias && name_equals(&r->s->tokens[one->alias],
                                      &r->s->tokens[column->name.last]))
            note(found, one->value->type, one->value->shown);
}

// SQLite's own names of the row number are nobody else's.
static void check_own_names(struct resolver *r, const struct expr *column,
                            bool found) {
    const unsigned last = column->name.last;
    const struct token *name = &r->s->tokens[last];
    if (!found && (name_spells(name, "OID") || name_spells(name, "_ROWID_")))
        statement_refuse_name(r->s, 904, last, last);
}

static bool is_bare_function(const struct resolver *r, struct expr *column) {
    const struct token *token = &r->s->tokens[column->name.last];
    if (column->name.first < column->name.last || token->type != TOKEN_WORD)
        return false;
    const struct function *function = function_named(token->at, token->length);
    if (!function || function->kind != FUNCTION_BARE)
        return false;
    column->function = function;
    note_site(r, function);
    column->type = column->shown = function->type;
    return true;
}

void resolve_column(struct resolver *r, struct expr *column) {
    static const char *const none[] = {"true", "false", "current_time"};
    struct finding finding = {0};
    const unsigned last = column->name.last;
    if (column->name.first == last)
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
            if (statement_is(r->s, last, none[i]))
                statement_refuse_token(r->s, 904, last);
    if (column->outer && !r->outer_allowed)
        statement_refuse(r->s, 30563, column->from, "");
    if (is_bare_function(r, column))
        return;
    if (hierarchy_has_pseudo_column(r, column))
        return;
    if (name_spells(&r->s->tokens[last], "ROWID")) {
        resolve_rowid(r, column);
        return;
    }
    if (sequence_is_named(r, column->name)) {
        resolve_sequence(r, column);
        return;
    }
    const struct scope *scope = r->scope;
    for (; scope && finding.count == 0 && !finding.unknown;
         scope = scope->outer) {
        for (struct source *one = scope->sources; one; one = one->next)
            search_source(r, one, column, &finding);
        search_aliases(r, scope, column, &finding);
    }
    check_own_names(r, column, finding.count > 0);
    if (finding.count == 0 && resolve_stored(r, column))
        return;
    if (finding.count == 0 && r->scope && !finding.unknown)
        statement_refuse_name(r->s, 904, column->name.first, last);
    column->type = finding.type;
    column->shown = finding.shown;
    column->source = finding.count == 1 ? finding.source : NULL;
    column->declared = finding.count == 1 ? finding.declared : NULL;
    column->fixed = finding.fixed;
}
