// SPDX-License-Identifier: GPL-2.0-or-later
// Queries: their parts in the order in which names become visible, and the
// columns that the enclosing query sees.
#include <ctype.h>
#include <string.h>

#include "sql/resolve/resolver.h"

void columns_append(struct resolver *r, struct column_defs *list,
                    const struct column_def *one) {
    struct column_def *column = statement_take(r->s, sizeof *column);
    *column = *one;
    column->next = NULL;
    if (list->last)
        list->last->next = column;
    else
        list->first = column;
    list->last = column;
    list->count++;
}

bool columns_have_twice(struct resolver *r, const struct column_defs *columns,
                        const struct token *name) {
    statement_work(r->s, columns->count);
    for (const struct column_def *a = columns->first; a; a = a->next) {
        if (!a->name || (name && !name_spells(name, a->name)))
            continue;
        for (const struct column_def *b = a->next; b; b = b->next)
            if (b->name && strcmp(a->name, b->name) == 0)
                return true;
        statement_work(r->s, columns->count / 4);
    }
    return false;
}

// Oracle names an expression by its text in upper case without blanks.
static const char *name_of_item(struct resolver *r, const struct item *item) {
    const struct token *tokens = r->s->tokens;
    unsigned from = item->alias ? item->alias : item->from;
    const unsigned to = item->alias ? item->alias + 1 : item->to;
    char name[LONGEST_NAME + 1];
    size_t length = 0;
    if (!item->alias && item->value->kind == EXPR_COLUMN)
        from = to - 1;
    for (; from < to; from++) {
        const struct token *token = &tokens[from];
        if (token->type == TOKEN_BIND && length < LONGEST_NAME)
            name[length++] = ':';
        for (size_t i = 0; i < token->length && length < LONGEST_NAME; i++) {
            const char c = name_letter(token, i);
            if (c != '"' && (c != ' ' || token->type != TOKEN_STRING))
                name[length++] = c;
        }
    }
    char *copy = statement_take(r->s, length + 1);
    memcpy(copy, name, length);
    return copy;
}

static void add_star(struct resolver *r, struct block *block,
                     const struct item *item) {
    const struct names_list *using = NULL;
    struct name column = {item->table.first, item->table.last + 2};
    for (const struct source *one = block->sources; one; one = one->next) {
        if (item->table.first && !scope_is_called(r, one, column))
            continue;
        using = using ? using : one->using;
        if (!one->columns.known)
            block->columns.known = false;
        if (one->query && one->columns.known &&
            columns_have_twice(r, &one->columns, NULL))
            statement_refuse(r->s, 918, item->from, "");
        for (const struct column_def *def = one->columns.first; def;
             def = def->next)
            columns_append(r, &block->columns, def);
    }
}

static bool has_natural(const struct join *join) {
    return join->kind != JOIN_SOURCE &&
           (join->natural || join->using.count > 0 || has_natural(join->left) ||
            (join->right && has_natural(join->right)));
}

// Oracle puts the columns of USING first.
static void check_star(struct resolver *r, const struct block *block,
                       const struct item *item) {
    for (const struct join *one = block->joins.first; one; one = one->next)
        if (has_natural(one))
            statement_refuse(r->s, 3001, item->from, "* of such a join");
}

static void resolve_items(struct resolver *r, struct block *block) {
    block->columns.known = true;
    for (struct item *one = block->items.first; one && !r->s->error;
         one = one->next) {
        if (one->star) {
            check_star(r, block, one);
            add_star(r, block, one);
            continue;
        }
        resolve_value(r, one->value);
        one->name = name_of_item(r, one);
        if (block->distinct && operand_is_lob(one->value->type))
            statement_refuse(r->s, 932, one->from, "DISTINCT of a LOB");
        const struct column_def def = {.name = one->name,
                                       .declared = one->value->declared,
                                       .fixed = one->value->fixed,
                                       .type = one->value->type,
                                       .shown = one->value->shown};
        columns_append(r, &block->columns, &def);
    }
}

void resolve_where(struct resolver *r, struct expr *where) {
    enum sign sign;
    struct expr *bound = rownum_bound(where, &sign);
    if (where->kind != EXPR_AND && bound) {
        resolve_value(r, bound);
    } else if (where->kind != EXPR_AND) {
        resolve_condition(r, where);
    } else {
        if (resolve_enter(r, where->from)) {
            resolve_where(r, where->left);
            resolve_where(r, where->right);
        }
        r->depth--;
    }
}

static void resolve_groups(struct resolver *r, struct block *block) {
    for (struct expr *one = block->group.first; one; one = one->next) {
        resolve_value(r, one);
        if (grouping_has_aggregate(r->s, one))
            statement_refuse(r->s, 934, one->from, "");
        if (operand_is_lob(one->type))
            statement_refuse(r->s, 932, one->from, "GROUP BY a LOB");
    }
}

// Whether ROWNUM limits the rows before another part sees them.
static bool is_limited_first(const struct block *block) {
    return block->limited && (block->grouped || block->order.first ||
                              block->distinct || block->windowed);
}

// It then becomes a subquery, which has one table's name.
static void check_limit(struct resolver *r, const struct block *block) {
    const struct join *join = block->joins.first;
    const struct item *item = block->items.first;
    const bool counts = block->items.count == 1 && item->value &&
                        item->value->kind == EXPR_CALL && item->value->star &&
                        !block->windowed && block->group.count == 0 &&
                        !block->having && !block->order.first &&
                        !block->distinct;
    if (!block->limited_first || counts)
        return;
    if (join->next || join->kind != JOIN_SOURCE)
        statement_refuse(
            r->s, 3001, block->from,
            "ROWNUM with a join that is grouped, sorted or windowed");
    else if (join->source->rowids)
        statement_refuse(
            r->s, 3001, block->from,
            "ROWNUM with ROWIDs that are grouped, sorted or windowed");
}

static void resolve_inner(struct resolver *r, struct block *block) {
    resolve_query(r, block->inner);
    block->columns = block->inner->columns;
}

// NEXTVAL is of the statement's own rows, as they are found.
static bool may_have_sequences(const struct resolver *r,
                               const struct block *block) {
    return r->queries == 1 && !r->in_set && !block->distinct &&
           !block->order.first && !block->aggregates && !block->having &&
           block->group.count == 0 && r->s->tree->kind != TREE_MERGE;
}

static void resolve_select(struct resolver *r, struct block *block) {
    struct scope scope = {.outer = r->scope, .block = block};
    const bool allowed = r->rownum_allowed, outer_windowed = r->windowed;
    const struct query *top = r->s->tree->query;
    if (block->into.first &&
        !(r->s->variable && top && block == top->first && !top->set))
        statement_refuse(r->s, 905, block->into_from, "");
    r->scope = &scope;
    r->rownum_allowed = r->windowed = false;
    resolve_sources(r, block);
    if (block->hierarchy)
        hierarchy_begin(r, block);
    block->aggregates = grouping_list_has_aggregate(r->s, &block->items);
    r->rownum_allowed = !block->aggregates && block->group.count == 0;
    r->sequences_allowed = may_have_sequences(r, block);
    resolve_items(r, block);
    r->rownum_allowed = r->sequences_allowed = false;
    block->grouped =
        block->aggregates || block->group.count > 0 || block->having;
    block->limited = rownum_limits(block->where);
    r->outer_allowed = true;
    if (block->where)
        resolve_where(r, block->where);
    r->outer_allowed = false;
    if (grouping_has_aggregate(r->s, block->where))
        statement_refuse(r->s, 934, block->where->from, "");
    if (r->s->tree->outer_marks && !r->s->error)
        resolve_outer_joins(r, block);
    resolve_groups(r, block);
    if (block->having)
        resolve_condition(r, block->having);
    scope.aliases = &block->items;
    resolve_order(r, &block->order, block);
    block->windowed = r->windowed;
    r->windowed = outer_windowed;
    block->limited_first = is_limited_first(block);
    if (block->grouped && !r->s->error)
        grouping_check(r, block);
    if (!r->s->error)
        rollup_resolve(r, block);
    scope.aliases = NULL;
    if (block->hierarchy)
        hierarchy_resolve(r, block);
    else if (block->order.siblings)
        statement_refuse(r->s, 30929, block->order.siblings, "");
    check_limit(r, block);
    r->rownum_allowed = allowed;
    r->scope = scope.outer;
}

static bool is_any_number(enum operand_type type) {
    return operand_is_number(type) || operand_is_binary_number(type);
}

// The common type of a column of both parts of a set; unknown types exclude
// nothing.
static void merge_column(struct resolver *r, const struct block *block,
                         struct column_def *to, const struct column_def *more) {
    const enum operand_type a = to->type, b = more->type;
    const bool comparable = a > OPERAND_NULL && b > OPERAND_NULL;
    const bool numbers = operand_is_number(a) && operand_is_number(b);
    // Oracle converts all of them to the widest.
    if (comparable && a != b && is_any_number(a) && is_any_number(b) &&
        !numbers)
        statement_refuse(r->s, 3001, block->from, "numbers of several types");
    if (comparable && a != b && !numbers)
        statement_refuse(r->s, 1790, block->from, "");
    to->type = a == OPERAND_NULL   ? b
               : b == OPERAND_NULL ? a
               : a == b            ? a
               : numbers           ? OPERAND_NUMBER
                                   : OPERAND_UNKNOWN;
    if (to->shown <= OPERAND_NULL)
        to->shown = more->shown;
    to->declared = NULL;
    to->fixed = to->fixed && more->fixed;
}

static void merge_blocks(struct resolver *r, struct query *query,
                         const struct block *block) {
    if (!query->columns.known || !block->columns.known) {
        query->columns.known = false;
        return;
    }
    const struct column_def *column = block->columns.first;
    struct column_def *to = query->columns.first;
    if (query->columns.count != block->columns.count)
        statement_refuse(r->s, 1789, block->from, "");
    for (; to && column; to = to->next, column = column->next) {
        merge_column(r, block, to, column);
        if (block->set != SET_UNION_ALL && operand_is_lob(to->type))
            statement_refuse(r->s, 932, block->from, "a LOB in a set");
    }
}

static void copy_columns(struct resolver *r, struct column_defs *to,
                         const struct column_defs *from) {
    *to = (struct column_defs){.known = from->known};
    for (const struct column_def *one = from->first; one; one = one->next)
        columns_append(r, to, one);
}

static void rename_columns(struct resolver *r, struct with *with) {
    struct column_def *def = with->defs.first;
    for (struct name_entry *one = with->columns.first; one && def;
         one = one->next, def = def->next) {
        char *name = statement_take(r->s, LONGEST_NAME + 1);
        name_spell(&r->s->tokens[one->token], name);
        def->name = name;
    }
}

// Inside a recursive query its own columns have no known types.
static void forward_declare(struct resolver *r, struct with *with) {
    with->defs.known = true;
    for (struct name_entry *one = with->columns.first; one; one = one->next)
        columns_append(r, &with->defs, &(struct column_def){0});
    rename_columns(r, with);
}

static void resolve_with(struct resolver *r, struct with *with,
                         struct with_scope *made) {
    *made = (struct with_scope){r->withs, with};
    if (with->columns.count > 0) { // it may name itself
        forward_declare(r, with);
        r->withs = made;
    }
    resolve_query(r, with->query);
    copy_columns(r, &with->defs, &with->query->columns);
    rename_columns(r, with);
    if (with->columns.count == 0 && with->defs.known &&
        columns_have_twice(r, &with->defs, NULL))
        statement_refuse(r->s, 918, with->name, "");
    r->withs = made;
}

static void resolve_blocks(struct resolver *r, struct query *query) {
    enum { MOST_SET_OPERATORS = 500 }; // SQLite takes no more
    unsigned blocks = 0;
    for (struct block *one = query->first; one && !r->s->error;
         one = one->next) {
        if (blocks++ == MOST_SET_OPERATORS)
            statement_refuse(r->s, 3001, one->from, "this many set operators");
        if (one->inner)
            resolve_inner(r, one);
        else
            resolve_select(r, one);
        if (one == query->first)
            copy_columns(r, &query->columns, &one->columns);
        else
            merge_blocks(r, query, one);
    }
}

void resolve_query(struct resolver *r, struct query *query) {
    enum { DEEPEST = 50, MOST_WITHS = 50 };
    const struct resolver outer = *r;
    unsigned withs = 0;
    if (r->queries++ == DEEPEST)
        statement_refuse(r->s, 913, query->from, "");
    r->aggregates = 0;
    r->rownum_allowed = r->outer_allowed = r->sequences_allowed = false;
    r->in_set = query->set || query->order.first;
    r->conditional = 0;
    for (struct with *one = query->with; one && !r->s->error; one = one->next) {
        if (withs++ == MOST_WITHS)
            statement_refuse(r->s, 3001, one->name,
                             "this many queries in WITH");
        resolve_with(r, one, statement_take(r->s, sizeof(struct with_scope)));
    }
    resolve_blocks(r, query);
    if (query->order.first && !r->s->error)
        resolve_set_order(r, query);
    const struct row_limit *limit = &query->limit;
    if (limit->other)
        statement_refuse(r->s, 3001, query->from, "such a limit of rows");
    if ((limit->fetch || limit->offset) &&
        (r->s->tree->kind != TREE_QUERY || query != r->s->tree->query ||
         r->s->tree->locks))
        statement_refuse(r->s, 3001, query->from, "such a limit of rows");
    if (limit->count)
        resolve_value(r, limit->count);
    if (limit->offset)
        resolve_value(r, limit->offset);
    *r = outer;
}
