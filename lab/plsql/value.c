// SPDX-License-Identifier: GPL-2.0-or-later
#include "plsql/value.h"

#include <sqlite3.h>
#include <string.h>

#include "plsql/unit.h"

bool scalar_of_value(sqlite3_value *from, struct scalar *to) {
    *to = (struct scalar){.kind = SCALAR_NULL};
    switch (sqlite3_value_type(from)) {
    case SQLITE_NULL:
        return true;
    case SQLITE_INTEGER:
        *to = (struct scalar){.kind = SCALAR_INTEGER,
                              .integer = sqlite3_value_int64(from)};
        return true;
    default:
        to->value = sqlite3_value_dup(from);
        to->owned = to->value;
        to->kind = to->value ? SCALAR_VALUE : SCALAR_NULL;
        return to->value;
    }
}

bool scalar_copy(const struct scalar *from, struct scalar *to) {
    if (from->kind == SCALAR_VALUE)
        return scalar_of_value(from->value, to);
    *to = *from;
    return true;
}

void scalar_free(struct scalar *scalar) {
    if (scalar->owned)
        sqlite3_value_free(scalar->value);
    *scalar = (struct scalar){.kind = SCALAR_NULL};
}

int scalar_bind(sqlite3_stmt *statement, int at, const struct scalar *scalar) {
    switch (scalar->kind) {
    case SCALAR_INTEGER:
        return sqlite3_bind_int64(statement, at, scalar->integer);
    case SCALAR_VALUE:
        return sqlite3_bind_value(statement, at, scalar->value);
    default:
        return sqlite3_bind_null(statement, at);
    }
}

bool value_begin(struct value *value, const struct type *type) {
    memset(value, 0, sizeof *value);
    if (type->kind != TYPE_RECORD)
        return true;
    const size_t bytes = (type->count + 1) * sizeof *value;
    value->field = sqlite3_malloc64(bytes);
    if (!value->field)
        return false;
    memset(value->field, 0, bytes);
    const struct field *field = type->fields;
    for (unsigned i = 0; i < type->count; i++, field = field->next)
        if (!value_begin(&value->field[i], field->type))
            return false;
    return true;
}

static void element_free(struct element *element, const struct type *type) {
    value_free(&element->value, type->element);
    sqlite3_free(element->text);
}

void value_free(struct value *value, const struct type *type) {
    scalar_free(&value->scalar);
    if (value->field) {
        const struct field *field = type->fields;
        for (unsigned i = 0; i < type->count; i++, field = field->next)
            value_free(&value->field[i], field->type);
        sqlite3_free(value->field);
    }
    if (value->table) {
        for (size_t i = 0; i < value->table->count; i++)
            element_free(&value->table->element[i], type);
        sqlite3_free(value->table->element);
        sqlite3_free(value->table);
    }
    if (value->query)
        plsql_query_release(value->query);
    memset(value, 0, sizeof *value);
}

bool table_begin(struct value *of) {
    if (of->table)
        return true;
    of->table = sqlite3_malloc64(sizeof *of->table);
    if (of->table)
        memset(of->table, 0, sizeof *of->table);
    return of->table;
}

static bool copy_table(const struct value *from, struct value *to,
                       const struct type *type) {
    if (!from->table)
        return true;
    if (!table_begin(to))
        return false;
    to->table->top = from->table->top;
    for (size_t i = 0; i < from->table->count; i++) {
        const struct element *element = &from->table->element[i];
        struct value *new_value =
            table_make(to, type, element->key, element->text);
        if (!new_value ||
            !value_copy(&element->value, new_value, type->element))
            return false;
    }
    return true;
}

bool value_copy(const struct value *from, struct value *to,
                const struct type *type) {
    struct value copied;
    if (from == to)
        return true;
    if (!value_begin(&copied, type) ||
        !scalar_copy(&from->scalar, &copied.scalar) ||
        !copy_table(from, &copied, type)) {
        value_free(&copied, type);
        return false;
    }
    const struct field *field = type->fields;
    for (unsigned i = 0; from->field && i < type->count;
         i++, field = field->next)
        if (!value_copy(&from->field[i], &copied.field[i], field->type)) {
            value_free(&copied, type);
            return false;
        }
    copied.query = plsql_query_share(from->query);
    value_free(to, type);
    *to = copied;
    return true;
}

size_t table_place(const struct table *table, int64_t key, const char *text,
                   bool *found) {
    size_t low = 0, high = table->count;
    *found = false;
    // Most tables are filled in their order.
    if (!text && high > 0 && table->element[high - 1].key < key)
        return high;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct element *middle_element = &table->element[middle];
        const int order =
            text ? strcmp(middle_element->text, text)
                 : (middle_element->key > key) - (middle_element->key < key);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct value *table_make(struct value *of, const struct type *type, int64_t key,
                         const char *text) {
    bool is_found;
    if (!table_begin(of))
        return NULL;
    struct table *table = of->table;
    const size_t index = table_place(table, key, text, &is_found);
    if (is_found)
        return &table->element[index].value;
    if (table->count == table->room) {
        const size_t room = table->room ? 2 * table->room : 8;
        void *grown =
            sqlite3_realloc64(table->element, room * sizeof *table->element);
        if (!grown)
            return NULL;
        table->element = grown;
        table->room = room;
    }
    struct element new_element = {.key = key};
    new_element.text = text ? sqlite3_mprintf("%s", text) : NULL;
    if ((text && !new_element.text) ||
        !value_begin(&new_element.value, type->element)) {
        element_free(&new_element, type);
        return NULL;
    }
    memmove(&table->element[index + 1], &table->element[index],
            (table->count - index) * sizeof *table->element);
    table->element[index] = new_element;
    table->count++;
    if (key > table->top)
        table->top = key;
    return &table->element[index].value;
}

void table_remove(struct value *of, const struct type *type, size_t from,
                  size_t to) {
    struct table *table = of->table;
    for (size_t i = from; i < to; i++)
        element_free(&table->element[i], type);
    memmove(&table->element[from], &table->element[to],
            (table->count - to) * sizeof *table->element);
    table->count -= to - from;
}
