// SPDX-License-Identifier: GPL-2.0-or-later
// Values of expressions.
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "plsql/run.h"
#include "sql/functions/function.h"
#include "sql/types/value.h"

// Whether its value has no effect, and needs no other code.
static bool is_plain(const struct code *code) {
    switch (code->kind) {
    case CODE_CONSTANT:
    case CODE_BIND:
        return true;
    case CODE_VARIABLE: // of a package: it may have to be made ready
        return !code->unit;
    case CODE_FIELD:
        return is_plain(code->left);
    case CODE_ELEMENT:
        return is_plain(code->left) && is_plain(code->right);
    default:
        return false;
    }
}

static bool step(struct plsql_session *p, struct code *code,
                 struct scalar *to) {
    const size_t longest = value_longest_text; // of the SQL around
    if (p->sql_levels == 0) // else it is the time at which the statement began
        date_functions_begin_statement();
    value_longest_text = MOST_TEXT;
    const bool is_found = sqlite3_step(code->statement) == SQLITE_ROW;
    value_longest_text = longest;
    bool ok =
        is_found ? scalar_of_value(sqlite3_column_value(code->statement, 0), to)
                 : raise_sqlite(p);
    if (is_found && !ok)
        ok = raise_memory(p);
    sqlite3_reset(code->statement);
    return ok;
}

// The values come first, and are bound then: to compute one may run the same
// code.
static bool bind_values(struct plsql_session *p, struct frame *f,
                        struct code *code) {
    enum { FEW = 3 };
    struct scalar few[FEW];
    struct scalar *value = code->count <= FEW
                               ? few
                               : sqlite3_malloc64(code->count * sizeof *value);
    unsigned n = 0;
    bool ok = value || raise_memory(p), all_plain = true;
    for (unsigned i = 0; i < code->count; i++)
        all_plain = all_plain && is_plain(code->list[i]);
    for (; ok && n < code->count; n++) {
        struct scalar operand;
        ok = evaluate_scalar(p, f, code->list[n], &operand);
        if (!ok)
            break;
        value[n] = operand;
        // Borrowed values must outlive those that are computed later.
        if (operand.kind == SCALAR_VALUE && !operand.owned && !all_plain &&
            !scalar_copy(&operand, &value[n]))
            ok = raise_memory(p);
    }
    for (unsigned i = 0; i < n; i++) {
        if (ok &&
            scalar_bind(code->statement, (int)i + 1, &value[i]) != SQLITE_OK)
            ok = raise_memory(p);
        if (value[i].owned)
            scalar_free(&value[i]);
    }
    if (value != few)
        sqlite3_free(value);
    return ok;
}

static bool prepare(struct database *database, struct code *code) {
    struct statement_tables tables = {0};
    struct statement_tables *outer = database->noting;
    database->noting = &tables;
    const int rc =
        sqlite3_prepare_v3(database->db, code->sql, -1,
                           SQLITE_PREPARE_PERSISTENT, &code->statement, NULL);
    database->noting = outer;
    code->varies = tables.varies;
    return rc == SQLITE_OK;
}

static bool by_sql(struct plsql_session *p, struct frame *f, struct code *code,
                   struct scalar *to) {
    if (!code->statement && !prepare(p->database, code))
        return raise_sqlite(p);
    if (code->varies && p->database->reading)
        p->database->reading->tables.varies = true;
    return bind_values(p, f, code) && step(p, code, to);
}

static bool constant(struct plsql_session *p, struct frame *f,
                     struct code *code, struct scalar *to) {
    if (code->sql && code->constant.kind == SCALAR_NULL &&
        !by_sql(p, f, code, &code->constant))
        return false;
    *to = code->constant;
    to->owned = false;
    return true;
}

// Both sides, if they are integers that have come without being computed again.
static bool integers(struct plsql_session *p, struct frame *f,
                     struct code *code, struct scalar *a, struct scalar *b,
                     bool *both) {
    *both = false;
    const enum code_kind l = code->left ? code->left->kind : CODE_SQL;
    const enum code_kind r = code->right ? code->right->kind : CODE_SQL;
    const bool plain = (l == CODE_VARIABLE || l == CODE_CONSTANT) &&
                       (r == CODE_VARIABLE || r == CODE_CONSTANT);
    if (!plain)
        return true;
    if (!evaluate_scalar(p, f, code->left, a) ||
        !evaluate_scalar(p, f, code->right, b))
        return false;
    *both = a->kind == SCALAR_INTEGER && b->kind == SCALAR_INTEGER;
    return true;
}

static bool arithmetic(struct plsql_session *p, struct frame *f,
                       struct code *code, struct scalar *to) {
    struct scalar a, b;
    bool both;
    if (!integers(p, f, code, &a, &b, &both))
        return false;
    *to = (struct scalar){.kind = SCALAR_INTEGER};
    if (both &&
        !(code->sign == SIGN_ADD
              ? __builtin_add_overflow(a.integer, b.integer, &to->integer)
          : code->sign == SIGN_SUBTRACT
              ? __builtin_sub_overflow(a.integer, b.integer, &to->integer)
              : __builtin_mul_overflow(a.integer, b.integer, &to->integer)))
        return true;
    return by_sql(p, f, code, to);
}

static bool comparison(struct plsql_session *p, struct frame *f,
                       struct code *code, struct scalar *to) {
    struct scalar a, b;
    bool both;
    if (!integers(p, f, code, &a, &b, &both))
        return false;
    if (!both)
        return by_sql(p, f, code, to);
    const int order = (a.integer > b.integer) - (a.integer < b.integer);
    const bool truth = code->sign == SIGN_EQUAL     ? order == 0
                       : code->sign == SIGN_UNEQUAL ? order != 0
                       : code->sign == SIGN_LESS    ? order < 0
                       : code->sign == SIGN_AT_MOST ? order <= 0
                       : code->sign == SIGN_GREATER ? order > 0
                                                    : order >= 0;
    *to = (struct scalar){.kind = SCALAR_INTEGER, .integer = truth};
    return true;
}

static struct scalar truth_of(int truth) {
    return truth < 0
               ? (struct scalar){.kind = SCALAR_NULL}
               : (struct scalar){.kind = SCALAR_INTEGER, .integer = truth};
}

// The second side is not evaluated where the first one decides.
static bool logic(struct plsql_session *p, struct frame *f, struct code *code,
                  struct scalar *to) {
    int a, b;
    if (!evaluate_condition(p, f, code->left, &a))
        return false;
    if (code->kind == CODE_NOT) {
        *to = truth_of(a < 0 ? -1 : !a);
        return true;
    }
    const int decides = code->kind == CODE_OR;
    if (a == decides) {
        *to = truth_of(a);
        return true;
    }
    if (!evaluate_condition(p, f, code->right, &b))
        return false;
    *to = truth_of(b == decides ? b : a < 0 || b < 0 ? -1 : !decides);
    return true;
}

// The branch that is taken; NULL: none.
static bool branch_of(struct plsql_session *p, struct frame *f,
                      struct code *code, struct code **to) {
    *to = code->right;
    for (unsigned i = 0; i + 1 < code->count; i += 2) {
        int truth;
        if (!evaluate_condition(p, f, code->list[i], &truth))
            return false;
        if (truth > 0) {
            *to = code->list[i + 1];
            return true;
        }
    }
    return true;
}

static bool is_null(struct plsql_session *p, struct frame *f, struct code *code,
                    struct scalar *to) {
    struct scalar value = {.kind = SCALAR_NULL};
    bool null = false;
    const struct type *type = code->left->type;
    const bool nested = type->kind == TYPE_TABLE && !type->indexed;
    if (nested || type->kind == TYPE_CURSOR) {
        const struct value *place = place_of(p, f, code->left, false);
        if (!place)
            return false;
        null = nested ? !place->table : !place->query;
    } else if (type->kind == TYPE_TABLE || type->kind == TYPE_RECORD) {
        null = false; // as Oracle has it of tables with an index
    } else {
        if (!evaluate_scalar(p, f, code->left, &value))
            return false;
        null = value.kind == SCALAR_NULL;
        if (value.owned)
            scalar_free(&value);
    }
    *to = truth_of(null != code->negated);
    return true;
}

static bool sqlerrm(struct plsql_session *p, struct frame *f, struct code *code,
                    struct scalar *to) {
    char text[sizeof p->raised.error.text];
    int64_t number = exception_code(p->handled);
    if (code->left && !evaluate_whole(p, f, code->left, &number))
        return false;
    exception_text(number, text, sizeof text);
    if (!code->left && p->handled && number != 1) {
        snprintf(text, sizeof text, "%s", p->handled->error.text);
        char *stack = strstr(text, "\nORA-06512");
        if (stack)
            *stack = '\0';
    }
    return scalar_of_text(p, text, strlen(text), to) || raise_memory(p);
}

static bool by_call(struct plsql_session *p, struct frame *f, struct code *code,
                    struct scalar *to) {
    struct value result = {0};
    if (!call_routine(p, f, code, &result))
        return false;
    *to = result.scalar;
    return true;
}

bool evaluate_scalar(struct plsql_session *p, struct frame *f,
                     struct code *code, struct scalar *to) {
    struct value *place;
    struct code *branch;
    switch (code->kind) {
    case CODE_CONSTANT:
        return constant(p, f, code, to);
    case CODE_VARIABLE:
    case CODE_BIND:
    case CODE_FIELD:
    case CODE_ELEMENT:
        place = place_of(p, f, code, false);
        if (!place)
            return false;
        *to = place->scalar;
        to->owned = false;
        return true;
    case CODE_METHOD:
        return evaluate_method(p, f, code, to);
    case CODE_CURSOR_ATTRIBUTE:
    case CODE_SQL_ATTRIBUTE:
        return evaluate_attribute(p, f, code, to);
    case CODE_SQLCODE:
        *to = (struct scalar){.kind = SCALAR_INTEGER,
                              .integer = exception_code(p->handled)};
        return true;
    case CODE_SQLERRM:
        return sqlerrm(p, f, code, to);
    case CODE_CALL:
        return by_call(p, f, code, to);
    case CODE_SUPPLIED:
        return call_supplied(p, f, code, to);
    case CODE_CONSTRUCTOR: // the compiler lets none through
        break;
    case CODE_AND:
    case CODE_OR:
    case CODE_NOT:
        return logic(p, f, code, to);
    case CODE_CASE:
        if (!branch_of(p, f, code, &branch))
            return false;
        *to = (struct scalar){.kind = SCALAR_NULL};
        return !branch || evaluate_scalar(p, f, branch, to);
    case CODE_ARITHMETIC:
        return arithmetic(p, f, code, to);
    case CODE_COMPARISON:
        return comparison(p, f, code, to);
    case CODE_IS_NULL:
        return is_null(p, f, code, to);
    case CODE_SQL:
        return by_sql(p, f, code, to);
    }
    return raise_error(p, 600, "plsql");
}

bool evaluate_condition(struct plsql_session *p, struct frame *f,
                        struct code *code, int *truth) {
    struct scalar value;
    *truth = -1;
    if (!evaluate_scalar(p, f, code, &value))
        return false;
    if (value.kind == SCALAR_INTEGER)
        *truth = value.integer != 0;
    if (value.owned)
        scalar_free(&value);
    return true;
}

bool evaluate_whole(struct plsql_session *p, struct frame *f, struct code *code,
                    int64_t *to) {
    static const struct type integer_type = {
        .kind = TYPE_SCALAR,
        .declared = "NUMBER(38,0)",
        .column = {CLASS_NUMBER, .precision = 38},
        .whole = true};
    struct scalar value;
    struct value rounded = {0};
    if (!evaluate_scalar(p, f, code, &value))
        return false;
    if (value.kind == SCALAR_NULL)
        return raise_error(p, 6502, "");
    if (value.kind == SCALAR_INTEGER) {
        *to = value.integer;
        return true;
    }
    if (!assign_scalar(p, &rounded, &integer_type, &value))
        return false;
    *to = rounded.scalar.integer;
    return true;
}

// A record, table or cursor is copied; the result of a call is not.
bool evaluate_value(struct plsql_session *p, struct frame *f, struct code *code,
                    struct value *to) {
    struct scalar value;
    memset(to, 0, sizeof *to);
    if (code->kind == CODE_CALL)
        return call_routine(p, f, code, to);
    if (code->kind == CODE_CONSTRUCTOR)
        return construct_table(p, f, code, to);
    const bool scalar =
        code->type->kind == TYPE_SCALAR || code->type->kind == TYPE_BOOLEAN;
    if (!scalar || (code->kind == CODE_BIND && p->bind[code->at].query)) {
        struct code *branch = NULL;
        if (code->kind == CODE_CASE)
            return branch_of(p, f, code, &branch) &&
                   (!branch || evaluate_value(p, f, branch, to));
        if (code->kind == CODE_CONSTANT) // NULL
            return true;
        const struct value *from = place_of(p, f, code, false);
        static const struct type cursor = {.kind = TYPE_CURSOR};
        return from && (value_copy(from, to, scalar ? &cursor : code->type) ||
                        raise_memory(p));
    }
    if (!evaluate_scalar(p, f, code, &value))
        return false;
    if (value.kind == SCALAR_VALUE && !value.owned)
        return scalar_copy(&value, &to->scalar) || raise_memory(p);
    to->scalar = value;
    return true;
}
