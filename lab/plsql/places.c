// SPDX-License-Identifier: GPL-2.0-or-later
// Where values are: variables, fields, elements of tables, and binds.
#include <sqlite3.h>
#include <string.h>

#include "plsql/run.h"
#include "plsql/supplied.h"

static struct value *variable_of(struct plsql_session *p, struct frame *f,
                                 const struct code *code) {
    const struct variable *variable = code->variable;
    if (variable->package) {
        if (code->unit && !package_ready(p, code->unit))
            return NULL;
        return &variable->package->value[variable->slot];
    }
    while (f && f->routine->level > variable->level)
        f = f->outer;
    return f ? &f->slot[variable->slot] : NULL;
}

bool key_of(struct plsql_session *p, struct frame *f, const struct type *type,
            struct code *code, struct key *key) {
    struct scalar value;
    size_t length;
    *key = (struct key){0};
    if (!type->by_text)
        return evaluate_whole(p, f, code, &key->number);
    if (!evaluate_scalar(p, f, code, &value))
        return false;
    key->text = scalar_text(p, &value, &length);
    if (value.owned)
        scalar_free(&value);
    return key->text || raise_error(p, 6502, "");
}

// Why a table without INDEX BY has no element of that subscript.
static unsigned missing_element(const struct table *table, int64_t at) {
    enum { NO_DATA_FOUND = 1403 };
    return !table            ? UNINITIALIZED
           : at < 1          ? OUTSIDE_LIMIT
           : at > table->top ? BEYOND_COUNT
                             : NO_DATA_FOUND; // it was deleted
}

static struct value *element_of(struct plsql_session *p, struct frame *f,
                                struct code *code, bool makes) {
    enum { NO_DATA_FOUND = 1403 };
    const struct type *type = code->left->type;
    struct key key;
    bool is_found = false;
    // The index first: it may change the table.
    if (!key_of(p, f, type, code->right, &key))
        return NULL;
    struct value *of = place_of(p, f, code->left, makes);
    struct value *element = NULL;
    if (!of) {
        sqlite3_free(key.text);
        return NULL;
    }
    const struct table *table = of->table;
    const size_t index =
        table ? table_place(table, key.number, key.text, &is_found) : 0;
    const unsigned missing = is_found ? 0
                             : type->indexed
                                 ? NO_DATA_FOUND
                                 : missing_element(table, key.number);
    if (is_found) {
        element = &table->element[index].value;
    } else if (makes && missing == NO_DATA_FOUND) {
        element = table_make(of, type, key.number, key.text);
        if (!element)
            raise_memory(p);
    } else {
        raise_error(p, missing, "");
    }
    sqlite3_free(key.text);
    return element;
}

struct value *place_of(struct plsql_session *p, struct frame *f,
                       struct code *code, bool makes) {
    struct value *place;
    switch (code->kind) {
    case CODE_VARIABLE:
        place = variable_of(p, f, code);
        if (!place && p->raised.error.number == 0)
            raise_error(p, 600, "plsql variable");
        return place;
    case CODE_BIND:
        return &p->bind[code->at];
    case CODE_FIELD:
        place = place_of(p, f, code->left, makes);
        if (!place || place->field)
            return place ? &place->field[code->at] : NULL;
        raise_error(p, 6530, "");
        return NULL;
    case CODE_ELEMENT:
        return element_of(p, f, code, makes);
    default:
        raise_error(p, 3001, "a component of what a function returns");
        return NULL;
    }
}
