// SPDX-License-Identifier: GPL-2.0-or-later
// The types that declarations name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plsql/compile.h"
#include "plsql/supplied.h"

enum { LONGEST_TYPE = 40 };

static const struct type any = {.kind = TYPE_SCALAR};
static const struct type boolean = {.kind = TYPE_BOOLEAN};
static const struct type integer_type = {
    .kind = TYPE_SCALAR,
    .operand = OPERAND_SMALL,
    .whole = true,
    .declared = "NUMBER(38,0)",
    .column = {CLASS_NUMBER, .precision = 38}};
static const struct type cursor = {.kind = TYPE_CURSOR};

const struct type *type_boolean(void) {
    return &boolean;
}

const struct type *type_whole(void) {
    return &integer_type;
}

const struct type *type_cursor(void) {
    return &cursor;
}

const struct type *type_of_operand(enum operand_type operand) {
    static struct type types[OPERAND_BLOB + 1];
    types[operand] = (struct type){.kind = TYPE_SCALAR, .operand = operand};
    return &types[operand];
}

const struct type *type_of_column(struct compiler *c, const char *declared,
                                  enum operand_type operand, bool own) {
    if (!declared || !*declared)
        return operand == OPERAND_UNKNOWN ? &any : type_of_operand(operand);
    struct type *new_type = compile_take(c, sizeof *new_type);
    char *copy = compile_take(c, strlen(declared) + 1);
    if (c->s->error)
        return &any;
    strcpy(copy, declared);
    new_type->declared = copy;
    new_type->column = column_type_of(copy);
    new_type->operand = operand_type_of_declaration(copy, own);
    if (new_type->column.class == CLASS_NULL)
        new_type->declared = NULL;
    return new_type;
}

static int size_at(const struct compiler *c, unsigned token) {
    return token ? (int)strtol(c->s->tokens[token].at, NULL, 10) : 0;
}

static bool is(const struct compiler *c, const struct type_name *type,
               const char *word) {
    return statement_is(c->s, type->from, word);
}

static const struct type *declared_as(struct compiler *c, const char *text) {
    return type_of_column(c, text, OPERAND_UNKNOWN, true);
}

static const struct type *text_type(struct compiler *c,
                                    const struct type_name *type) {
    enum { LONGEST = 32767 };
    char text[LONGEST_TYPE];
    const int size = size_at(c, type->size);
    if (is(c, type, "long"))
        return declared_as(c, "VARCHAR2(32760)");
    const bool fixed = is(c, type, "char") || is(c, type, "character");
    if (!type->after && fixed)
        return declared_as(c, "CHAR(1)");
    if (!type->after) // of a parameter, or a result
        return declared_as(c, "VARCHAR2(32767)");
    if (size < 1 || size > LONGEST) {
        statement_refuse_plsql(
            c->s, type->size,
            "PLS-00215: String length constraints must be in range (1 .. "
            "32767)");
        return &any;
    }
    const bool characters =
        type->unit && statement_is(c->s, type->unit, "char");
    snprintf(text, sizeof text, "%s%s(%d)", fixed ? "CHAR" : "VARCHAR2",
             characters ? " CHAR" : "", size);
    return declared_as(c, text);
}

static const struct type *number_type(struct compiler *c,
                                      const struct type_name *type) {
    char text[LONGEST_TYPE];
    const bool integer = !is(c, type, "number");
    const int digits = type->any_size ? 38 : size_at(c, type->size);
    const int scale =
        type->negative ? -size_at(c, type->scale) : size_at(c, type->scale);
    if (!type->after)
        return declared_as(c, integer ? "NUMBER(38,0)" : "NUMBER");
    if (digits < 1 || digits > 38 || scale < -84 || scale > 127) {
        statement_refuse_plsql(c->s, type->from,
                               "PLS-00216: NUMBER precision constraint must be "
                               "in range (1 .. 38)");
        return &any;
    }
    snprintf(text, sizeof text, "NUMBER(%d,%d)", digits, scale);
    return declared_as(c, text);
}

static bool is_one_of(const struct compiler *c, const struct type_name *type,
                      const char *const *words) {
    for (; *words; words++)
        if (is(c, type, *words))
            return true;
    return false;
}

static const struct type *plain_type(struct compiler *c,
                                     const struct type_name *type) {
    static const char *const numbers[] = {
        "number", "integer", "int", "decimal", "numeric", "smallint", NULL};
    static const char *const wholes[] = {"pls_integer", "binary_integer",
                                         "simple_integer", NULL};
    static const char *const texts[] = {
        "varchar2", "varchar", "string", "long", "char", "character", NULL};
    static const char *const same_names[] = {
        "date", "clob", "blob", "binary_double", "binary_float", NULL};
    char text[LONGEST_NAME + 1];
    if (type->interval && !type->interval_sized)
        return declared_as(c, statement_is(c->s, type->size, "year")
                                  ? "INTERVAL YM"
                                  : "INTERVAL DS");
    if (is_one_of(c, type, numbers))
        return number_type(c, type);
    if (is_one_of(c, type, wholes))
        return &integer_type;
    if (is_one_of(c, type, texts))
        return text_type(c, type);
    if (is(c, type, "boolean"))
        return &boolean;
    if (is(c, type, "sys_refcursor"))
        return &cursor;
    if (is(c, type, "rowid") || is(c, type, "urowid"))
        return type_of_operand(OPERAND_UNKNOWN);
    if (is(c, type, "timestamp"))
        return type->zoned ? type_of_operand(OPERAND_TIMESTAMP_TZ)
                           : declared_as(c, "TIMESTAMP");
    if (is(c, type, "raw")) {
        snprintf(text, sizeof text, "RAW(%d)",
                 type->after ? size_at(c, type->size) : 2000);
        return declared_as(c, text);
    }
    if (is_one_of(c, type, same_names)) {
        name_spell(&c->s->tokens[type->from], text);
        return declared_as(c, text);
    }
    return NULL;
}

// Types that Oracle has besides.
static bool is_missing(const struct compiler *c, const struct type_name *type) {
    static const char *const missing_types[] = {"nchar",
                                                "nvarchar2",
                                                "float",
                                                "real",
                                                "natural",
                                                "naturaln",
                                                "positive",
                                                "positiven",
                                                "signtype",
                                                "xmltype",
                                                "bfile",
                                                "nclob",
                                                "dbmsoutput_linesarray",
                                                NULL};
    return type->interval || is_one_of(c, type, missing_types);
}

struct reading {
    struct compiler *c;
    const struct token *column; // the one that is wanted; NULL: all
    struct type *row;
    struct field *last;
    const struct type *resolved_type;
};

static void take_column(void *to, const char *name, const char *declared,
                        bool own) {
    struct reading *r = to;
    if (r->column && !name_spells(r->column, name))
        return;
    const struct type *type =
        type_of_column(r->c, declared, OPERAND_UNKNOWN, own);
    r->resolved_type = type;
    if (r->column)
        return;
    struct field *field = compile_take(r->c, sizeof *field);
    char *copy = compile_take(r->c, strlen(name) + 1);
    if (r->c->s->error)
        return;
    strcpy(copy, name);
    *field = (struct field){.name = copy, .type = type};
    if (r->last)
        r->last->next = field;
    else
        r->row->fields = field;
    r->last = field;
    r->row->count++;
}

// table.column%TYPE, table%ROWTYPE
static const struct type *type_of_table(struct compiler *c,
                                        const struct type_ref *ref) {
    const bool row = ref->of == TYPE_ROW_OF;
    const unsigned table = row ? ref->name.last : ref->name.last - 2;
    char owner[LONGEST_NAME + 1] = "", name[LONGEST_NAME + 1];
    struct reading reading = {
        .c = c, .column = row ? NULL : &c->s->tokens[ref->name.last]};
    const struct catalog catalog = catalog_of(c->unit->session->database);
    if (!row && ref->name.first == ref->name.last)
        return NULL;
    reading.row = compile_take(c, sizeof *reading.row);
    reading.row->kind = TYPE_RECORD;
    if (ref->name.first < table)
        name_spell(&c->s->tokens[table - 2], owner);
    name_spell(&c->s->tokens[table], name);
    if (catalog.table(catalog.data, owner, name, take_column, &reading) ==
        NO_TABLE)
        return NULL;
    if (row)
        return reading.row->count > 0 ? reading.row : NULL;
    if (!reading.resolved_type)
        refuse_name(c, ref->name.last,
                    "PLS-00302: component '%s' must be declared",
                    (struct name){ref->name.last, ref->name.last});
    return reading.resolved_type;
}

static const struct type *type_of_symbol(struct compiler *c,
                                         struct type_ref *ref,
                                         const struct found *found) {
    const struct symbol *symbol = found->symbol;
    if (ref->of == TYPE_ITSELF)
        return symbol->kind == SYMBOL_TYPE ? symbol->type : NULL;
    if (ref->of == TYPE_ROW_OF)
        return symbol->kind == SYMBOL_CURSOR     ? symbol->cursor->row
               : symbol->kind == SYMBOL_VARIABLE ? symbol->variable->type
                                                 : NULL;
    if (symbol->kind != SYMBOL_VARIABLE)
        return NULL;
    const struct type *type = symbol->variable->type;
    for (unsigned rest = found->rest; rest && type->kind == TYPE_RECORD;
         rest = rest < ref->name.last ? rest + 2 : 0) {
        unsigned index;
        const struct field *field =
            type_field(type, &c->s->tokens[rest], &index);
        if (!field)
            return NULL;
        type = field->type;
    }
    return type;
}

static const struct type *type_of_supplied(const struct compiler *c,
                                           struct name name) {
    char package[LONGEST_NAME + 1], type[LONGEST_NAME + 1];
    name_spell(&c->s->tokens[name.first], package);
    name_spell(&c->s->tokens[name.last], type);
    return supplied_type(package, type);
}

const struct type *type_named(struct compiler *c, struct type_ref *ref) {
    struct found resolved = {0};
    const struct type *type = NULL;
    struct name name = ref->name;
    if (ref->plain)
        name = (struct name){ref->plain->from, ref->plain->from};
    if (!ref->plain && ref->of == TYPE_ITSELF &&
        ref->name.first + 2 == ref->name.last)
        type = type_of_supplied(c, ref->name);
    if (!type && (!ref->plain || !ref->plain->after)) {
        if (name_lookup(c, name, &resolved) && resolved.symbol)
            type = type_of_symbol(c, ref, &resolved);
    }
    if (!type && ref->plain)
        type = plain_type(c, ref->plain);
    if (!type && !ref->plain && ref->of != TYPE_ITSELF && !resolved.symbol)
        type = type_of_table(c, ref);
    if (!type && ref->plain && is_missing(c, ref->plain)) {
        statement_refuse_token(c->s, 3001, ref->plain->from);
        return &any;
    }
    if (!type) {
        refuse_name(c, name.first,
                    "PLS-00201: identifier '%s' must be declared", name);
        return &any;
    }
    if (!ref->not_null || type->kind != TYPE_SCALAR)
        return type;
    struct type *new_type = compile_take(c, sizeof *new_type);
    *new_type = *type;
    new_type->not_null = true;
    return new_type;
}

const struct type *type_of_row(struct compiler *c,
                               const struct column_defs *columns) {
    struct type *row = compile_take(c, sizeof *row);
    struct field *last = NULL;
    if (!columns->known)
        return NULL;
    row->kind = TYPE_RECORD;
    for (const struct column_def *one = columns->first; one; one = one->next) {
        struct field *field = compile_take(c, sizeof *field);
        const char *name = one->name ? one->name : "";
        char *copy = compile_take(c, strlen(name) + 1);
        if (c->s->error)
            return NULL;
        strcpy(copy, name);
        field->name = copy;
        field->type = type_of_column(c, one->declared, one->type, true);
        if (last)
            last->next = field;
        else
            row->fields = field;
        last = field;
        row->count++;
    }
    return row;
}

// Tables are of one type only if they are declared with its name.
static bool types_fit(const struct type *to, const struct type *from) {
    if (to->kind != from->kind)
        return false;
    if (to->kind == TYPE_TABLE)
        return to->element == from->element && to->indexed == from->indexed &&
               to->by_text == from->by_text;
    if (to->kind != TYPE_RECORD)
        return true;
    const struct field *b = from->fields;
    for (const struct field *a = to->fields; a && b; a = a->next, b = b->next)
        if (!types_fit(a->type, b->type))
            return false;
    return to->count == from->count;
}

bool type_takes(const struct type *type, const struct code *value) {
    return value->kind == CODE_BIND || value->type->operand == OPERAND_NULL ||
           types_fit(type, value->type);
}

struct field *type_field(const struct type *record, const struct token *name,
                         unsigned *at) {
    struct field *field = record->kind == TYPE_RECORD ? record->fields : NULL;
    for (*at = 0; field; field = field->next, ++*at)
        if (name_spells(name, field->name))
            return field;
    return NULL;
}

const struct type *type_of_parameter(struct compiler *c, struct type_ref *ref) {
    const struct type *type = type_named(c, ref);
    if (!type->column.fixed || !ref->plain || ref->plain->after)
        return type;
    struct type *any_size = compile_take(c, sizeof *any_size);
    *any_size = *declared_as(c, "VARCHAR2(32767)");
    any_size->column.fixed = true;
    return any_size;
}
