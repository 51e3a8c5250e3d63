// SPDX-License-Identifier: GPL-2.0-or-later
// Assignments, with the conversion to the variable's type.
#include <sqlite3.h>
#include <string.h>

#include "plsql/run.h"

// Whether the value can be stored as it is.
static bool fits(const struct type *type, const struct scalar *from) {
    if (type->whole)
        return from->kind == SCALAR_INTEGER && from->integer >= INT32_MIN &&
               from->integer <= INT32_MAX;
    if (!type->declared || type->kind == TYPE_BOOLEAN)
        return true;
    const struct column_type *column = &type->column;
    if (from->kind == SCALAR_INTEGER)
        return column->class == CLASS_NUMBER && column->precision == 0;
    const enum value_class class = value_class(from->value);
    if (class == CLASS_TEXT && column->class == CLASS_TEXT)
        return !column->fixed &&
               (unsigned)sqlite3_value_bytes(from->value) <= column->size;
    if (class == CLASS_TEXT)
        return column->class == CLASS_CLOB;
    return class == column->class && column->precision == 0 &&
           class != CLASS_RAW;
}

static bool prepare(struct plsql_session *p) {
    return p->convert ||
           sqlite3_prepare_v3(p->database->db, "SELECT ASSIGN$(?1,?2,'X')", -1,
                              SQLITE_PREPARE_PERSISTENT, &p->convert,
                              NULL) == SQLITE_OK;
}

static bool convert(struct plsql_session *p, const struct type *type,
                    const struct scalar *from, struct scalar *to) {
    if (!prepare(p) || scalar_bind(p->convert, 1, from) != SQLITE_OK ||
        sqlite3_bind_text(p->convert, 2, type->declared, -1, SQLITE_STATIC) !=
            SQLITE_OK)
        return raise_memory(p);
    const bool is_found = sqlite3_step(p->convert) == SQLITE_ROW;
    bool ok = is_found
                  ? scalar_of_value(sqlite3_column_value(p->convert, 0), to)
                  : raise_sqlite(p);
    if (is_found && !ok)
        ok = raise_memory(p);
    sqlite3_reset(p->convert);
    return ok;
}

bool assign_scalar(struct plsql_session *p, struct value *to,
                   const struct type *type, struct scalar *from) {
    enum { NUMERIC_OVERFLOW = 1426, VALUE_ERROR = 6502 };
    struct scalar converted = *from;
    bool ok = true;
    if (from->kind == SCALAR_NULL) {
        if (type->not_null)
            return raise_error(p, VALUE_ERROR, "");
        scalar_free(&to->scalar);
        return true;
    }
    if (type->kind == TYPE_BOOLEAN && from->kind != SCALAR_INTEGER)
        ok = raise_error(p, VALUE_ERROR, "");
    else if (!fits(type, from))
        ok = convert(p, type, from, &converted);
    else if (from->kind == SCALAR_VALUE && !from->owned)
        ok = scalar_copy(from, &converted) || raise_memory(p);
    if (ok && type->whole && converted.kind == SCALAR_INTEGER &&
        (converted.integer < INT32_MIN || converted.integer > INT32_MAX))
        ok = raise_error(p, NUMERIC_OVERFLOW, "");
    else if (ok && type->whole && converted.kind == SCALAR_VALUE)
        ok = raise_error(p, NUMERIC_OVERFLOW, "");
    if (from->owned && from->value != converted.value)
        sqlite3_value_free(from->value);
    *from = (struct scalar){.kind = SCALAR_NULL};
    if (!ok)
        return false;
    scalar_free(&to->scalar);
    to->scalar = converted;
    return true;
}

static bool is_scalar(const struct type *type) {
    return type->kind == TYPE_SCALAR || type->kind == TYPE_BOOLEAN;
}

bool assign_target(struct plsql_session *p, struct frame *f,
                   struct code *target, struct scalar *from) {
    struct value *place = place_of(p, f, target, true);
    if (place)
        return assign_scalar(p, place, target->type, from);
    if (from->owned)
        scalar_free(from);
    return false;
}

// Records may be of different types with the same fields.
static bool assign_fields(struct plsql_session *p, struct value *to,
                          const struct type *type, struct value *from) {
    const struct field *field = type->fields;
    for (unsigned i = 0; i < type->count; i++, field = field->next)
        if (is_scalar(field->type)) {
            if (!assign_scalar(p, &to->field[i], field->type,
                               &from->field[i].scalar))
                return false;
        } else if (!value_copy(&from->field[i], &to->field[i], field->type)) {
            return raise_memory(p);
        }
    return true;
}

bool evaluate_as(struct plsql_session *p, struct frame *f, struct code *code,
                 const struct type *type, struct value *to) {
    struct value value;
    struct scalar scalar;
    memset(to, 0, sizeof *to);
    if (is_scalar(type))
        return evaluate_scalar(p, f, code, &scalar) &&
               assign_scalar(p, to, type, &scalar);
    if (type->kind != TYPE_RECORD)
        return evaluate_value(p, f, code, to);
    if (!evaluate_value(p, f, code, &value))
        return false;
    const bool ok = value_initialize(p, f, to, type) &&
                    (!value.field || assign_fields(p, to, type, &value));
    value_free(&value, code->type);
    if (!ok)
        value_free(to, type);
    return ok;
}

bool value_initialize(struct plsql_session *p, struct frame *f,
                      struct value *value, const struct type *type) {
    value_free(value, type);
    if (!value_begin(value, type))
        return raise_memory(p);
    const struct field *field = type->fields;
    for (unsigned i = 0; i < type->count && value->field;
         i++, field = field->next) {
        struct value initial;
        if (!field->initial)
            continue;
        if (!evaluate_as(p, f, field->initial, field->type, &initial))
            return false;
        value_free(&value->field[i], field->type);
        value->field[i] = initial;
    }
    return true;
}

bool assign_code(struct plsql_session *p, struct frame *f, struct code *target,
                 struct code *from) {
    struct value value;
    const struct type *type = target->type;
    const bool cursor =
        target->kind == CODE_BIND && from->type->kind == TYPE_CURSOR;
    if (is_scalar(type) && !cursor) {
        struct scalar scalar;
        return evaluate_scalar(p, f, from, &scalar) &&
               assign_target(p, f, target, &scalar);
    }
    if (cursor)
        type = from->type;
    if (!evaluate_value(p, f, from, &value))
        return false;
    struct value *place = place_of(p, f, target, true);
    bool ok = place != NULL;
    if (ok && type->kind == TYPE_RECORD) {
        if (!place->field || !value.field)
            ok = value_initialize(p, f, place, type);
        if (ok && value.field)
            ok = assign_fields(p, place, type, &value);
        value_free(&value, from->type);
    } else if (ok) {
        value_free(place, type);
        *place = value;
    } else {
        value_free(&value, from->type);
    }
    return ok;
}
