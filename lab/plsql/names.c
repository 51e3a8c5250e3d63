// SPDX-License-Identifier: GPL-2.0-or-later
// Name resolution: variables, cursors, types, routines, here and in packages.
#include <stdio.h>
#include <string.h>

#include "plsql/compile.h"
#include "plsql/supplied.h"

void *compile_take(struct compiler *c, size_t bytes) {
    struct statement *s = &c->unit->s;
    void *memory = bytes > LARGEST_NODE ? tree_memory_take(&s->memory, bytes)
                                        : statement_take(s, bytes);
    if (memory)
        return memory;
    // For callers without memory: an array of the size that the largest
    // statement needs.
    static _Alignas(16) char nothing[32 << 20];
    statement_refuse(s, 4030, 0, "");
    return memset(nothing, 0, bytes < sizeof nothing ? bytes : sizeof nothing);
}

const char *name_spelled(struct compiler *c, unsigned token) {
    char *name = compile_take(c, LONGEST_NAME + 1);
    name_spell(&c->s->tokens[token], name);
    return name;
}

void refuse_name(struct compiler *c, unsigned token, const char *pls,
                 struct name name) {
    char display_name[200], about[280];
    statement_spell(c->s, name.first, name.last, display_name,
                    sizeof display_name);
    snprintf(about, sizeof about, pls, display_name);
    statement_refuse_plsql(c->s, token, about);
}

static struct symbol *symbol_of(const struct scope *scope,
                                const struct token *name) {
    for (struct symbol *symbol = scope->symbols; symbol; symbol = symbol->next)
        if (name_spells(name, symbol->name))
            return symbol;
    return NULL;
}

bool scope_has(const struct scope *scope, const struct token *name) {
    return symbol_of(scope, name);
}

struct symbol *scope_add(struct compiler *c, int kind, unsigned token) {
    struct symbol *new_symbol = compile_take(c, sizeof *new_symbol);
    const struct symbol *previous = symbol_of(c->scope, &c->s->tokens[token]);
    if (previous &&
        !(kind == SYMBOL_ROUTINE && previous->kind == SYMBOL_ROUTINE))
        refuse_name(c, token,
                    "PLS-00371: at most one declaration for '%s' is permitted",
                    (struct name){token, token});
    new_symbol->kind = kind;
    new_symbol->name = name_spelled(c, token);
    new_symbol->next = c->scope->symbols;
    c->scope->symbols = new_symbol;
    return new_symbol;
}

struct variable *variable_new(struct compiler *c, const char *name,
                              const struct type *type) {
    struct variable *new_variable = compile_take(c, sizeof *new_variable);
    new_variable->name = name;
    new_variable->type = type;
    if (c->scope->package) {
        new_variable->package = c->scope->package;
        new_variable->slot = c->scope->package->values++;
        new_variable->next = c->scope->package->variables;
        c->scope->package->variables = new_variable;
    } else {
        new_variable->level = c->routine->level;
        new_variable->slot = c->routine->slots++;
        new_variable->next = c->routine->variables;
        c->routine->variables = new_variable;
    }
    return new_variable;
}

static bool is_owner(const struct compiler *c, unsigned token) {
    const struct token *name = &c->s->tokens[token];
    return name_spells(name, c->unit->session->database->sga->user) ||
           name_spells(name, "SYS");
}

static void refuse_component(struct compiler *c, unsigned token) {
    if (!c->embedded)
        refuse_name(c, token, "PLS-00302: component '%s' must be declared",
                    (struct name){token, token});
}

// In a package that is stored.
static bool lookup_in_package(struct compiler *c, struct name name,
                              struct found *found) {
    char package[LONGEST_NAME + 1];
    struct ora_error error = {0};
    name_spell(&c->s->tokens[name.first], package);
    struct unit *unit =
        unit_stored(c->unit->session, package, UNIT_PACKAGE, &error);
    if (!unit || name.first == name.last)
        return false;
    found->symbol = symbol_of(unit->scope, &c->s->tokens[name.first + 2]);
    found->package = unit;
    found->rest = name.first + 2 < name.last ? name.first + 4 : 0;
    if (!found->symbol)
        refuse_component(c, name.first + 2);
    return found->symbol;
}

static bool lookup_supplied(struct compiler *c, struct name name,
                            struct found *found) {
    char package[LONGEST_NAME + 1], routine[LONGEST_NAME + 1];
    if (name.first == name.last) {
        name_spell(&c->s->tokens[name.first], routine);
        found->supplied = supplied_named("DBMS_STANDARD", routine);
        return found->supplied;
    }
    name_spell(&c->s->tokens[name.first], package);
    name_spell(&c->s->tokens[name.first + 2], routine);
    found->supplied = supplied_named(package, routine);
    found->rest = name.first + 2 < name.last ? name.first + 4 : 0;
    // Oracle has more packages, and more in these.
    const bool oracles = supplied_package(package) ||
                         strncmp(package, "DBMS_", 5) == 0 ||
                         strncmp(package, "UTL_", 4) == 0;
    if (!found->supplied && oracles && !c->embedded) {
        char display_name[200];
        statement_spell(c->s, name.first, name.last, display_name,
                        sizeof display_name);
        statement_refuse(c->s, 3001, name.first, display_name);
    }
    return found->supplied;
}

static bool lookup_routine(struct compiler *c, struct name name,
                           struct found *found) {
    char routine[LONGEST_NAME + 1];
    struct ora_error error = {0};
    name_spell(&c->s->tokens[name.first], routine);
    struct unit *unit =
        unit_stored(c->unit->session, routine, UNIT_ROUTINE, &error);
    if (!unit || !unit->scope)
        return false;
    found->symbol = unit->scope->symbols;
    found->package = unit;
    found->rest = name.first < name.last ? name.first + 2 : 0;
    return found->symbol;
}

bool name_lookup(struct compiler *c, struct name name, struct found *found) {
    const struct token *tokens = c->s->tokens;
    *found = (struct found){0};
    for (const struct scope *scope = c->scope; scope; scope = scope->outer) {
        found->symbol = symbol_of(scope, &tokens[name.first]);
        found->rest = name.first < name.last ? name.first + 2 : 0;
        if (found->symbol)
            return true;
        // label.name
        if (scope->label && found->rest &&
            name_spells(&tokens[name.first], scope->label)) {
            found->symbol = symbol_of(scope, &tokens[found->rest]);
            found->rest = found->rest < name.last ? found->rest + 2 : 0;
            return found->symbol;
        }
    }
    found->rest = 0;
    if (lookup_in_package(c, name, found) || lookup_supplied(c, name, found) ||
        (!c->embedded && lookup_routine(c, name, found)))
        return true;
    return name.first < name.last && is_owner(c, name.first) &&
           name_lookup(c, (struct name){name.first + 2, name.last}, found);
}

static enum method method_at(const struct compiler *c, unsigned token) {
    static const char *const names[] = {"COUNT", "FIRST",  "LAST",   "NEXT",
                                        "PRIOR", "EXISTS", "DELETE", "EXTEND",
                                        "TRIM",  "LIMIT"};
    for (unsigned i = 0; i < NO_METHOD; i++)
        if (name_spells(&c->s->tokens[token], names[i]))
            return (enum method)i;
    return NO_METHOD;
}

static struct code *field_of(struct compiler *c, struct code *record,
                             unsigned token) {
    unsigned index;
    const struct field *field =
        type_field(record->type, &c->s->tokens[token], &index);
    if (!field && record->type->kind == TYPE_TABLE &&
        method_at(c, token) != NO_METHOD) {
        statement_refuse(c->s, 3001, token,
                         "a method of what is no variable or field");
        return NULL;
    }
    if (!field) {
        refuse_name(c, token, "PLS-00302: component '%s' must be declared",
                    (struct name){token, token});
        return NULL;
    }
    struct code *new_code = code_new(c, CODE_FIELD, field->type);
    new_code->left = record;
    new_code->at = index;
    new_code->variable = record->variable;
    return new_code;
}

static struct code *method_of(struct compiler *c, struct code *table,
                              enum method method,
                              const struct exprs *arguments) {
    const struct expr *first = arguments->first;
    const struct type *type = method == METHOD_EXISTS ? type_boolean()
                              : table->type->by_text && method != METHOD_COUNT
                                  ? type_of_operand(OPERAND_TEXT)
                                  : type_whole();
    struct code *new_code = code_new(c, CODE_METHOD, type);
    new_code->left = table;
    new_code->at = method;
    if (first)
        new_code->right = compile_scalar(c, arguments->first);
    if (first && first->next)
        new_code->third = compile_scalar(c, first->next);
    return new_code;
}

// The fields and methods behind a variable's name, up to `last`.
static struct code *compile_rest(struct compiler *c, struct code *code,
                                 unsigned rest, unsigned last,
                                 const struct exprs *arguments, bool *method) {
    *method = false;
    for (unsigned token = rest; code && token && !c->s->error; token += 2) {
        if (code->type->kind == TYPE_TABLE && token == last &&
            method_at(c, token) != NO_METHOD) {
            *method = true;
            return method_of(c, code, method_at(c, token), arguments);
        }
        code = field_of(c, code, token);
        if (token == last)
            break;
    }
    return code;
}

static struct code *element_of(struct compiler *c, struct code *table,
                               const struct expr *call) {
    if (table->type->kind != TYPE_TABLE || call->list.count != 1) {
        refuse_name(c, call->from,
                    "PLS-00224: object '%s' must be of type "
                    "function or array to be used this way",
                    call->name);
        return NULL;
    }
    struct code *new_code = code_new(c, CODE_ELEMENT, table->type->element);
    new_code->left = table;
    new_code->right = compile_scalar(c, call->list.first);
    new_code->variable = table->variable;
    return new_code;
}

static struct code *compile_variable(struct compiler *c,
                                     const struct found *found,
                                     const struct expr *e) {
    const struct symbol *symbol = found->symbol;
    const bool cursor = symbol->kind == SYMBOL_CURSOR;
    struct variable *variable =
        cursor ? symbol->cursor->variable : symbol->variable;
    struct code *code = code_new(c, CODE_VARIABLE, variable->type);
    bool method;
    code->variable = variable;
    code->cursor = symbol->cursor;
    if (found->package && variable->package)
        code->unit = found->package; // which is made ready first
    code = compile_rest(c, code, found->rest, e->name.last, &e->list, &method);
    return code && e->kind == EXPR_CALL && !method ? element_of(c, code, e)
                                                   : code;
}

static struct code *constant_of(struct compiler *c, bool truth) {
    struct code *code = code_new(c, CODE_CONSTANT, type_boolean());
    code->constant = (struct scalar){.kind = SCALAR_INTEGER, .integer = truth};
    return code;
}

// TRUE, FALSE, SQLCODE, SQLERRM
static struct code *compile_word(struct compiler *c, struct expr *e) {
    const unsigned token = e->name.first;
    const bool call = e->kind == EXPR_CALL;
    if (token != e->name.last || c->embedded)
        return NULL;
    if (!call && statement_is(c->s, token, "true"))
        return constant_of(c, true);
    if (!call && statement_is(c->s, token, "false"))
        return constant_of(c, false);
    if (!call && statement_is(c->s, token, "sqlcode"))
        return code_new(c, CODE_SQLCODE, type_whole());
    if (!statement_is(c->s, token, "sqlerrm"))
        return NULL;
    struct code *code =
        code_new(c, CODE_SQLERRM, type_of_operand(OPERAND_TEXT));
    if (call && e->list.count == 1)
        code->left = compile_scalar(c, e->list.first);
    return code;
}

static bool is_bulk_exceptions(const struct compiler *c, const struct expr *e) {
    return name_spells(&c->s->tokens[e->name.last + 1], "BULK_EXCEPTIONS");
}

static struct code *compile_attribute(struct compiler *c, struct expr *e) {
    static const struct {
        const char *name;
        enum attribute attribute;
    } known[] = {
        {"FOUND", ATTRIBUTE_FOUND},
        {"NOTFOUND", ATTRIBUTE_NOTFOUND},
        {"ISOPEN", ATTRIBUTE_ISOPEN},
        {"ROWCOUNT", ATTRIBUTE_ROWCOUNT},
        {"BULK_ROWCOUNT", ATTRIBUTE_BULK_ROWCOUNT},
    };
    // It has fields alone.
    if (is_bulk_exceptions(c, e)) {
        statement_refuse_plsql(c->s, e->from,
                               "PLS-00382: expression is of wrong type");
        return NULL;
    }
    const unsigned token = e->name.last + 1;
    struct found resolved;
    int attribute = -1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (name_spells(&c->s->tokens[token], known[i].name))
            attribute = (int)known[i].attribute;
    if (attribute < 0) {
        statement_refuse(c->s, 3001, token, "this attribute of a cursor");
        return NULL;
    }
    const struct type *type =
        attribute >= ATTRIBUTE_ROWCOUNT ? type_whole() : type_boolean();
    const bool sql = statement_is(c->s, e->name.first, "sql");
    struct code *code =
        code_new(c, sql ? CODE_SQL_ATTRIBUTE : CODE_CURSOR_ATTRIBUTE, type);
    code->at = (unsigned)attribute;
    if (e->left)
        code->right = compile_scalar(c, e->left);
    if (sql)
        return code;
    if (!name_lookup(c, e->name, &resolved) || !resolved.symbol ||
        (resolved.symbol->kind != SYMBOL_CURSOR &&
         resolved.symbol->kind != SYMBOL_VARIABLE)) {
        refuse_name(c, e->from, "PLS-00201: identifier '%s' must be declared",
                    e->name);
        return NULL;
    }
    struct expr column = {
        .kind = EXPR_COLUMN, .from = e->from, .name = e->name};
    code->left = compile_variable(c, &resolved, &column);
    if (code->left && code->left->type->kind != TYPE_CURSOR)
        statement_refuse_plsql(c->s, e->from,
                               "PLS-00324: cursor attribute may not be applied "
                               "to non-cursor");
    return code;
}

// SQL%BULK_EXCEPTIONS.COUNT, SQL%BULK_EXCEPTIONS(i).ERROR_INDEX
static struct code *compile_bulk_exceptions(struct compiler *c,
                                            struct expr *e) {
    const struct expr *of = e->left;
    static const struct {
        const char *name;
        enum attribute attribute;
        bool of_one;
    } fields[] = {
        {"COUNT", ATTRIBUTE_BULK_EXCEPTIONS, false},
        {"ERROR_INDEX", ATTRIBUTE_ERROR_INDEX, true},
        {"ERROR_CODE", ATTRIBUTE_ERROR_CODE, true},
    };
    const bool is =
        statement_is(c->s, of->name.first, "sql") && is_bulk_exceptions(c, of);
    for (size_t i = 0; is && i < sizeof fields / sizeof *fields; i++) {
        if (!name_spells(&c->s->tokens[e->name.first], fields[i].name) ||
            fields[i].of_one != (of->left != NULL))
            continue;
        struct code *code = code_new(c, CODE_SQL_ATTRIBUTE, type_whole());
        code->at = (unsigned)fields[i].attribute;
        if (of->left)
            code->right = compile_scalar(c, of->left);
        return code;
    }
    refuse_name(c, e->name.first, "PLS-00302: component '%s' must be declared",
                e->name);
    return NULL;
}

struct code *compile_reference(struct compiler *c, struct expr *e) {
    struct found resolved;
    if (e->kind == EXPR_ATTRIBUTE)
        return compile_attribute(c, e);
    if (e->kind == EXPR_FIELD && e->left->kind == EXPR_ATTRIBUTE)
        return compile_bulk_exceptions(c, e);
    if (e->kind == EXPR_FIELD) {
        struct code *record = compile_reference(c, e->left);
        if (!record && !c->s->error)
            refuse_name(c, e->from,
                        "PLS-00201: identifier '%s' must be declared",
                        e->left->name);
        return record ? field_of(c, record, e->name.first) : NULL;
    }
    struct code *word = compile_word(c, e);
    if (word || c->s->error)
        return word;
    if (!name_lookup(c, e->name, &resolved)) {
        // SQL looks up the functions that it calls; see stored_function().
        return NULL;
    }
    if (resolved.supplied)
        return c->embedded ? NULL : compile_supplied(c, resolved.supplied, e);
    switch (resolved.symbol->kind) {
    case SYMBOL_VARIABLE:
    case SYMBOL_CURSOR:
        return compile_variable(c, &resolved, e);
    case SYMBOL_ROUTINE:
        return c->embedded ? NULL : compile_call(c, &resolved, e);
    case SYMBOL_TYPE:
        return c->embedded || e->kind != EXPR_CALL || resolved.rest
                   ? NULL
                   : compile_constructor(c, resolved.symbol->type, e);
    default:
        return NULL;
    }
}
