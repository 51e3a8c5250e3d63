// SPDX-License-Identifier: GPL-2.0-or-later
// Tables: their constructor and their methods.
#include <sqlite3.h>
#include <string.h>

#include "plsql/run.h"
#include "plsql/supplied.h"

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

// EXTEND(count), or EXTEND(count, copied): with copies of that element.
static bool extend(struct plsql_session *p, struct value *of,
                   const struct type *type, int64_t count,
                   const struct key *copied) {
    enum { MOST = 100000000 };
    bool is_found = true;
    if (count < 0 || count > MOST)
        return raise_error(p, 6502, "");
    if (!copied && type->element->not_null)
        return raise_error(p, 3001, "EXTEND of elements that are NOT NULL");
    if (copied)
        table_place(of->table, copied->number, NULL, &is_found);
    if (!is_found)
        return raise_error(p, copied->number < 1 ? OUTSIDE_LIMIT : BEYOND_COUNT,
                           "");
    for (; count > 0; count--) {
        struct value *new_value =
            table_make(of, type, of->table->top + 1, NULL);
        if (!new_value)
            return raise_memory(p);
        if (!copied)
            continue;
        const size_t from =
            table_place(of->table, copied->number, NULL, &is_found);
        if (!value_copy(&of->table->element[from].value, new_value,
                        type->element))
            return raise_memory(p);
    }
    return true;
}

// Elements deleted at the end count.
static bool trim(struct plsql_session *p, struct value *of,
                 const struct type *type, int64_t less) {
    struct table *table = of->table;
    bool is_found;
    if (less < 0 || (uint64_t)less > table->count)
        return raise_error(p, BEYOND_COUNT, "");
    const size_t from =
        table_place(table, table->top - less + 1, NULL, &is_found);
    table_remove(of, type, from, table->count);
    table->top -= less;
    return true;
}

static void remove_all(struct value *of, const struct type *type) {
    table_remove(of, type, 0, of->table->count);
    of->table->top = 0;
}

bool table_clear(struct value *of, const struct type *type) {
    if (!table_begin(of))
        return false;
    remove_all(of, type);
    return true;
}

static bool change(struct plsql_session *p, struct frame *f, struct code *code,
                   struct value *of, const struct key *first) {
    const struct type *type = code->left->type;
    struct key last = *first;
    bool is_found;
    if (code->third && !key_of(p, f, type, code->third, &last))
        return false;
    if (code->at == METHOD_EXTEND)
        return extend(p, of, type, code->right ? first->number : 1,
                      code->third ? &last : NULL);
    if (code->at == METHOD_TRIM)
        return trim(p, of, type, code->right ? first->number : 1);
    if (!of->table) {
        if (code->third)
            sqlite3_free(last.text);
        return true;
    }
    if (!code->right) {
        remove_all(of, type);
        return true;
    }
    const struct table *table = of->table;
    const size_t from =
        table_place(table, first->number, first->text, &is_found);
    size_t to = table_place(table, last.number, last.text, &is_found);
    to += is_found;
    if (code->third)
        sqlite3_free(last.text);
    if (to > from)
        table_remove(of, type, from, to);
    return true;
}

bool evaluate_method(struct plsql_session *p, struct frame *f,
                     struct code *code, struct scalar *to) {
    const struct type *type = code->left->type;
    struct value *place = place_of(p, f, code->left, false);
    struct key key = {0};
    bool is_found = false, ok = true;
    *to = (struct scalar){.kind = SCALAR_NULL};
    if (!place || (code->right && !key_of(p, f, type, code->right, &key)))
        return false;
    place = place_of(p, f, code->left, false); // the key may have moved it
    const struct table *table = place->table;
    if (!table && !type->indexed && code->at != METHOD_EXISTS)
        return raise_error(p, UNINITIALIZED, "");
    const size_t count = table ? table->count : 0;
    size_t index = table && code->right
                       ? table_place(table, key.number, key.text, &is_found)
                       : 0;
    switch ((enum method)code->at) {
    case METHOD_COUNT:
        *to =
            (struct scalar){.kind = SCALAR_INTEGER, .integer = (int64_t)count};
        break;
    case METHOD_EXISTS:
        *to = (struct scalar){.kind = SCALAR_INTEGER, .integer = is_found};
        break;
    case METHOD_FIRST:
        ok = key_result(p, table, 0, count > 0, type, to);
        break;
    case METHOD_LAST:
        ok = key_result(p, table, count - 1, count > 0, type, to);
        break;
    case METHOD_NEXT:
        index += is_found;
        ok = key_result(p, table, index, index < count, type, to);
        break;
    case METHOD_PRIOR:
        ok = key_result(p, table, index - 1, index > 0, type, to);
        break;
    case METHOD_DELETE:
    case METHOD_EXTEND:
    case METHOD_TRIM:
        ok = change(p, f, code, place, &key);
        break;
    default:
        break;
    }
    sqlite3_free(key.text);
    return ok;
}

bool construct_table(struct plsql_session *p, struct frame *f,
                     struct code *code, struct value *to) {
    const struct type *type = code->type;
    bool ok = (value_begin(to, type) && table_begin(to)) || raise_memory(p);
    for (unsigned i = 0; i < code->count && ok; i++) {
        struct value argument;
        ok = evaluate_as(p, f, code->list[i], type->element, &argument);
        struct value *new_value =
            ok ? table_make(to, type, (int64_t)i + 1, NULL) : NULL;
        if (new_value) {
            value_free(new_value, type->element);
            *new_value = argument;
        } else if (ok) {
            value_free(&argument, type->element);
            ok = raise_memory(p);
        }
    }
    if (!ok)
        value_free(to, type);
    return ok;
}
