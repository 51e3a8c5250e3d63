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

struct key {
    int64_t number;
    char *text; // from sqlite3_malloc()
};

static bool key_of(struct plsql_session *p, struct frame *f,
                   const struct type *type, struct code *code,
                   struct key *key) {
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

static struct value *element_of(struct plsql_session *p, struct frame *f,
                                struct code *code, bool makes) {
    enum { NO_DATA_FOUND = 1403, BEYOND_COUNT = 6533 };
    const struct type *type = code->left->type;
    struct key key;
    bool found = false;
    // The index first: it may change the table.
    if (!key_of(p, f, type, code->right, &key))
        return NULL;
    struct value *table = place_of(p, f, code->left, makes);
    struct value *element = NULL;
    if (!table) {
        sqlite3_free(key.text);
        return NULL;
    }
    size_t at = table->table
                    ? table_place(table->table, key.number, key.text, &found)
                    : 0;
    if (found) {
        element = &table->table->element[at].value;
    } else if (makes && type->indexed) {
        element = table_make(table, type, key.number, key.text);
        if (!element)
            raise_memory(p);
    } else {
        raise_error(p, type->indexed ? NO_DATA_FOUND : BEYOND_COUNT, "");
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

static bool key_result(struct plsql_session *p, const struct table *table,
                       size_t at, bool found, const struct type *type,
                       struct scalar *to) {
    *to = (struct scalar){.kind = SCALAR_NULL};
    if (!found)
        return true;
    const struct element *element = &table->element[at];
    if (type->by_text)
        return scalar_of_text(p, element->text, strlen(element->text), to) ||
               raise_memory(p);
    *to = (struct scalar){.kind = SCALAR_INTEGER, .integer = element->key};
    return true;
}

// EXTEND of a table without INDEX BY.
static bool extend(struct plsql_session *p, struct value *table,
                   const struct type *type, int64_t count) {
    enum { MOST = 100000000 };
    if (count < 0 || count > MOST)
        return raise_error(p, 6502, "");
    for (; count > 0; count--) {
        const size_t n = table->table ? table->table->count : 0;
        const int64_t last = n > 0 ? table->table->element[n - 1].key : 0;
        if (!table_make(table, type, last + 1, NULL))
            return raise_memory(p);
    }
    return true;
}

static bool change(struct plsql_session *p, struct frame *f, struct code *code,
                   struct value *table, const struct key *first) {
    const struct type *type = code->left->type;
    struct key last = *first;
    bool found;
    if (code->at == METHOD_EXTEND)
        return extend(p, table, type, code->right ? first->number : 1);
    if (!table->table)
        return true;
    const size_t count = table->table->count;
    if (code->at == METHOD_TRIM) {
        const int64_t less = code->right ? first->number : 1;
        if (less < 0 || (uint64_t)less > count)
            return raise_error(p, 6533, "");
        table_remove(table, type, count - (size_t)less, count);
        return true;
    }
    if (!code->right) {
        table_remove(table, type, 0, count);
        return true;
    }
    if (code->third && !key_of(p, f, type, code->third, &last))
        return false;
    const size_t from =
        table_place(table->table, first->number, first->text, &found);
    size_t to = table_place(table->table, last.number, last.text, &found);
    to += found;
    if (code->third)
        sqlite3_free(last.text);
    if (to > from)
        table_remove(table, type, from, to);
    return true;
}

bool evaluate_method(struct plsql_session *p, struct frame *f,
                     struct code *code, struct scalar *to) {
    const struct type *type = code->left->type;
    struct value *place = place_of(p, f, code->left, false);
    struct key key = {0};
    bool found = false, done = true;
    *to = (struct scalar){.kind = SCALAR_NULL};
    if (!place || (code->right && !key_of(p, f, type, code->right, &key)))
        return false;
    place = place_of(p, f, code->left, false); // the key may have moved it
    const struct table *table = place->table;
    const size_t count = table ? table->count : 0;
    size_t at = table && code->right
                    ? table_place(table, key.number, key.text, &found)
                    : 0;
    switch ((enum method)code->at) {
    case METHOD_COUNT:
        *to =
            (struct scalar){.kind = SCALAR_INTEGER, .integer = (int64_t)count};
        break;
    case METHOD_EXISTS:
        *to = (struct scalar){.kind = SCALAR_INTEGER, .integer = found};
        break;
    case METHOD_FIRST:
        done = key_result(p, table, 0, count > 0, type, to);
        break;
    case METHOD_LAST:
        done = key_result(p, table, count - 1, count > 0, type, to);
        break;
    case METHOD_NEXT:
        at += found;
        done = key_result(p, table, at, at < count, type, to);
        break;
    case METHOD_PRIOR:
        done = key_result(p, table, at - 1, at > 0, type, to);
        break;
    case METHOD_DELETE:
    case METHOD_EXTEND:
    case METHOD_TRIM:
        done = change(p, f, code, place, &key);
        break;
    default:
        break;
    }
    sqlite3_free(key.text);
    return done;
}
