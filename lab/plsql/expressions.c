// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions. The parts that PL/SQL alone has (variables, calls, AND and OR
// that end early) the interpreter evaluates; all else is a query without a
// table, with the same functions as SQL, whose binds are such values.
#include <stdlib.h>
#include <string.h>

#include "plsql/compile.h"
#include "sql/functions/function.h"

struct code *code_new(struct compiler *c, enum code_kind kind,
                      const struct type *type) {
    struct code *new_code = compile_take(c, sizeof *new_code);
    new_code->kind = kind;
    new_code->type = type;
    new_code->unit = NULL;
    return new_code;
}

// One that has something to be freed.
static void keep(struct compiler *c, struct code *code) {
    code->next = c->unit->codes;
    c->unit->codes = code;
}

struct code *code_of_bind(struct compiler *c, unsigned token, bool sets) {
    struct code *code = code_new(c, CODE_BIND, type_of_operand(0));
    if (!c->cursor) {
        refuse_name(c, token, "PLS-00049: bad bind variable '%s'",
                    (struct name){token, token});
        return code;
    }
    // A statement in the block counts its own placeholders.
    const struct statement *s = &c->unit->s;
    char name[BIND_NAME] = "";
    for (size_t i = 0; i < c->s->tokens[token].length && i + 1 < BIND_NAME;
         i++) {
        const char letter = c->s->tokens[token].at[i];
        name[i] = letter >= 'a' && letter <= 'z' ? (char)(letter - 32) : letter;
    }
    for (unsigned i = 0; i < s->binds; i++)
        if (strcmp(s->bind[i].name, name) == 0) {
            code->at = s->bind[i].first;
            break;
        }
    uint8_t *direction = &c->cursor->block.direction[code->at];
    static const uint8_t mark_used =
        4; // it is read, or set; see unit_compile()
    *direction |= (uint8_t)(sets ? 2 : 1) | mark_used;
    return code;
}

static bool is_condition(const struct expr *e) {
    return e->kind >= EXPR_AND && e->kind <= EXPR_TRUTH;
}

// Whether the interpreter, not SQL, evaluates it.
static bool is_ours(const struct expr *e) {
    switch (e->kind) {
    case EXPR_BIND:
    case EXPR_FIELD:
    case EXPR_ATTRIBUTE:
    case EXPR_CASE:
        return true;
    default:
        return is_condition(e);
    }
}

struct binding {
    struct compiler *c;
    struct code **list;
    unsigned count, room;
    bool booleans; // a comparison takes them
};

static void bind_parts(struct binding *b, struct expr *e);

static void bind_code(struct binding *b, struct expr *e, struct code *code) {
    if (!code || b->c->s->error)
        return;
    if (code->type->kind != TYPE_SCALAR &&
        !(b->booleans && code->type->kind == TYPE_BOOLEAN)) {
        statement_refuse_plsql(b->c->s, e->from,
                               "PLS-00382: expression is of wrong type");
        return;
    }
    if (b->count == b->room) {
        struct code **grown = code_array(b->c, 2 * b->room + 4);
        if (b->count > 0)
            memcpy(grown, b->list, b->count * sizeof *grown);
        b->list = grown;
        b->room = 2 * b->room + 4;
    }
    b->list[b->count++] = code;
    const struct expr previous = *e;
    *e = (struct expr){.kind = EXPR_VARIABLE,
                       .from = previous.from,
                       .to = previous.to,
                       .next = previous.next,
                       .bind = b->count,
                       .fixed = code->type->column.fixed,
                       .type = code->type->operand,
                       .shown = code->type->operand};
}

static void refuse_undeclared(struct compiler *c, const struct expr *e) {
    refuse_name(c, e->from, "PLS-00201: identifier '%s' must be declared",
                e->name);
}

// sequence.NEXTVAL, which is SQL's
static bool is_sequence(const struct compiler *c, const struct expr *e) {
    const struct catalog catalog = catalog_of(c->unit->session->database);
    char name[LONGEST_NAME + 1];
    if (e->kind != EXPR_COLUMN || e->name.first == e->name.last ||
        !(statement_is(c->s, e->name.last, "nextval") ||
          statement_is(c->s, e->name.last, "currval")))
        return false;
    name_spell(&c->s->tokens[e->name.last - 2], name);
    return catalog.sequence(catalog.data, name);
}

static const struct function *sql_function(const struct compiler *c,
                                           const struct expr *e) {
    const struct token *name = &c->s->tokens[e->name.last];
    return e->name.first == e->name.last && name->type == TOKEN_WORD
               ? function_named(name->at, name->length)
               : NULL;
}

// The expression itself, or its parts, become binds.
static void bind_one(struct binding *b, struct expr *e) {
    struct compiler *c = b->c;
    if (!e || c->s->error)
        return;
    if (is_ours(e)) {
        bind_code(b, e, compile_value(c, e));
        return;
    }
    if (e->kind == EXPR_COLUMN || e->kind == EXPR_CALL) {
        struct code *code = compile_reference(c, e);
        const struct function *function = sql_function(c, e);
        if (code) {
            bind_code(b, e, code);
            return;
        }
        if (is_sequence(c, e))
            return;
        if (!function && !c->s->error)
            refuse_undeclared(c, e);
        else if (function && (function->kind >= FUNCTION_AGGREGATE ||
                              strcmp(function->name, "DECODE") == 0))
            refuse_name(c, e->from,
                        "PLS-00204: function or pseudo-column '%s' may be used "
                        "inside a SQL statement only",
                        e->name);
    }
    bind_parts(b, e);
}

static void bind_parts(struct binding *b, struct expr *e) {
    // Each level of the tree is one of the C stack; tree.c bounds them.
    bind_one(b, e->left);
    bind_one(b, e->right);
    bind_one(b, e->third);
    for (struct expr *one = e->list.first; one; one = one->next)
        bind_one(b, one);
}

static bool is_bind(const struct expr *e, unsigned number) {
    return e && e->kind == EXPR_VARIABLE && e->bind == number;
}

static struct code *compile_by_sql(struct compiler *c, struct expr *e,
                                   enum code_kind kind) {
    struct plsql_session *session = c->unit->session;
    const struct catalog catalog = catalog_of(session->database);
    const bool condition = is_condition(e);
    struct binding b = {.c = c, .booleans = kind == CODE_COMPARISON};
    if (e->kind == EXPR_COLUMN || e->kind == EXPR_CALL)
        bind_one(&b, e);
    else
        bind_parts(&b, e);
    if (c->s->error)
        return NULL;
    struct code *code = code_new(c, kind, NULL);
    code->sign = e->sign;
    code->list = b.list;
    code->count = b.count;
    // Two binds may also be parts of one side: (a + 1) - b.
    if (kind != CODE_SQL && b.count == 2 && is_bind(e->left, 1) &&
        is_bind(e->right, 2)) {
        code->left = b.list[0];
        code->right = b.list[1];
    }
    code->sql = translation_of_expression(c->s, session->database->own_schema,
                                          &catalog, e, condition);
    code->type = condition ? type_boolean() : type_of_operand(e->type);
    keep(c, code);
    return code->sql ? code : NULL;
}

// Compiling changes a tree, so each compilation has its own.
static struct expr *copy_of(struct compiler *c, const struct expr *e) {
    struct expr *copy = e ? compile_take(c, sizeof *copy) : NULL;
    if (!copy || c->s->error)
        return copy;
    *copy = *e;
    copy->left = copy_of(c, e->left);
    copy->right = copy_of(c, e->right);
    copy->third = copy_of(c, e->third);
    copy->list = (struct exprs){0};
    for (const struct expr *one = e->list.first; one; one = one->next) {
        struct expr *entry = copy_of(c, one);
        entry->next = NULL;
        exprs_append(&copy->list, entry);
    }
    return copy;
}

struct expr *expr_equal(struct compiler *c, const struct expr *value,
                        struct expr *other) {
    struct expr *equal = compile_take(c, sizeof *equal);
    *equal = (struct expr){.kind = EXPR_COMPARISON,
                           .from = value->from,
                           .to = other->to,
                           .left = copy_of(c, value),
                           .right = other,
                           .sign = SIGN_EQUAL};
    return equal;
}

static struct code *compile_case(struct compiler *c, struct expr *e) {
    struct code *code = code_new(c, CODE_CASE, NULL);
    code->list = code_array(c, 2 * e->list.count);
    code->count = 2 * e->list.count;
    const struct type *type = NULL;
    unsigned n = 0;
    for (struct expr *when = e->list.first; when && !c->s->error;
         when = when->next) {
        struct expr *test = when->left;
        if (e->left) // which is evaluated anew with each
            test = expr_equal(c, e->left, test);
        code->list[n++] = compile_condition(c, test);
        struct code *then = compile_value(c, when->right);
        code->list[n++] = then;
        if (then && (!type || type->operand == OPERAND_NULL))
            type = then->type;
    }
    if (e->right)
        code->right = compile_value(c, e->right);
    if (code->right && (!type || type->operand == OPERAND_NULL))
        type = code->right->type;
    code->type = type ? type : type_of_operand(OPERAND_NULL);
    return code;
}

static struct code *compile_logic(struct compiler *c, struct expr *e) {
    struct code *code = code_new(c,
                                 e->kind == EXPR_AND  ? CODE_AND
                                 : e->kind == EXPR_OR ? CODE_OR
                                                      : CODE_NOT,
                                 type_boolean());
    code->left = compile_condition(c, e->left);
    if (e->kind != EXPR_NOT)
        code->right = compile_condition(c, e->right);
    return code;
}

// Also a BOOLEAN's, and a record's, which SQL does not have.
static struct code *compile_is_null(struct compiler *c, struct expr *e) {
    struct code *code = code_new(c, CODE_IS_NULL, type_boolean());
    code->left = compile_value(c, e->left);
    code->negated = e->negated;
    return code;
}

static struct code *compile_literal(struct compiler *c, struct expr *e) {
    return compile_by_sql(c, e, CODE_CONSTANT);
}

struct code *compile_value(struct compiler *c, struct expr *e) {
    struct code *code;
    if (c->s->error)
        return NULL;
    switch (e->kind) {
    case EXPR_NULL:
        return code_new(c, CODE_CONSTANT, type_of_operand(OPERAND_NULL));
    case EXPR_TEXT:
    case EXPR_NUMBER:
    case EXPR_BINARY_NUMBER:
    case EXPR_DATE:
    case EXPR_TIMESTAMP:
        return compile_literal(c, e);
    case EXPR_BIND:
        return code_of_bind(c, e->from, false);
    case EXPR_PARENTHESIZED:
        return compile_value(c, e->left);
    case EXPR_CONDITION:
    case EXPR_TRUTH:
        return e->kind == EXPR_TRUTH ? compile_value(c, e->left)
                                     : compile_condition(c, e->left);
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_NOT:
        return compile_logic(c, e);
    case EXPR_CASE:
        return compile_case(c, e);
    case EXPR_IS_NULL:
        return compile_is_null(c, e);
    case EXPR_FIELD:
    case EXPR_ATTRIBUTE:
        return compile_reference(c, e);
    case EXPR_COLUMN:
    case EXPR_CALL:
        code = compile_reference(c, e);
        return code || c->s->error ? code : compile_by_sql(c, e, CODE_SQL);
    case EXPR_ARITHMETIC:
        return compile_by_sql(c, e,
                              e->sign == SIGN_DIVIDE ||
                                      e->sign == SIGN_CONCATENATE ||
                                      e->sign == SIGN_POWER
                                  ? CODE_SQL
                                  : CODE_ARITHMETIC);
    case EXPR_COMPARISON:
        return compile_by_sql(c, e, CODE_COMPARISON);
    default:
        return compile_by_sql(c, e, CODE_SQL);
    }
}

struct code *compile_scalar(struct compiler *c, struct expr *e) {
    struct code *code = compile_value(c, e);
    if (code && code->type->kind != TYPE_SCALAR)
        statement_refuse_plsql(c->s, e->from,
                               "PLS-00382: expression is of wrong type");
    return code;
}

struct code *compile_condition(struct compiler *c, struct expr *e) {
    struct code *code = compile_value(c, e);
    const bool fits = code && (code->type->kind == TYPE_BOOLEAN ||
                               code->type->operand == OPERAND_NULL ||
                               code->kind == CODE_BIND);
    if (code && !fits)
        statement_refuse_plsql(c->s, e->from,
                               "PLS-00382: expression is of wrong type");
    return code;
}

struct code *compile_target(struct compiler *c, struct expr *e, bool reads) {
    if (e->kind == EXPR_TRUTH || e->kind == EXPR_PARENTHESIZED)
        e = e->left;
    if (e->kind == EXPR_BIND) {
        if (reads)
            code_of_bind(c, e->from, false);
        return code_of_bind(c, e->from, true);
    }
    struct code *code =
        e->kind == EXPR_COLUMN || e->kind == EXPR_CALL || e->kind == EXPR_FIELD
            ? compile_reference(c, e)
            : NULL;
    const bool place =
        code && (code->kind == CODE_VARIABLE || code->kind == CODE_FIELD ||
                 code->kind == CODE_ELEMENT);
    if (c->s->error)
        return NULL;
    if (!code && e->kind == EXPR_COLUMN)
        refuse_undeclared(c, e);
    else if (!place || code->cursor ||
             (code->variable && code->variable->constant))
        refuse_name(c, e->from,
                    "PLS-00363: expression '%s' cannot be used as an "
                    "assignment target",
                    e->kind == EXPR_FIELD || !e->name.first
                        ? (struct name){e->from, e->from}
                        : e->name);
    return code;
}

struct code **compile_targets(struct compiler *c, const struct exprs *list) {
    struct code **codes = code_array(c, list->count);
    unsigned n = 0;
    for (struct expr *one = list->first; one && !c->s->error; one = one->next)
        codes[n++] = compile_target(c, one, false);
    return codes;
}
