// SPDX-License-Identifier: GPL-2.0-or-later
// Values. Operators become function calls: SQLite's own treat a date as zero,
// lose digits silently, truncate integer division, and bind || more tightly
// than Oracle.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/functions/function.h"
#include "sql/resolve/resolver.h"
#include "sql/types/binary_number.h"
#include "sql/types/interval.h"
#include "sql/types/value.h"

static void emit_blob(struct emitter *e, const uint8_t *bytes, size_t length) {
    char byte[4];
    emit_text(e, " X'");
    for (size_t i = 0; i < length; i++) {
        snprintf(byte, sizeof byte, "%02X", bytes[i]);
        emit_text(e, byte);
    }
    emit_text(e, "'");
}

void emit_number(struct emitter *e, const struct expr *number) {
    const struct token *token = &e->s->tokens[number->to - 1];
    struct decimal value;
    bool overflow;
    int64_t integer;
    double real;
    uint8_t wide[WIDE_BYTES];
    char text[NUMBER_TEXT + 8];
    if (!decimal_from_text(token->at, token->length, &value, &overflow)) {
        statement_refuse(e->s, overflow ? 1426 : 1722, number->from, "");
        return;
    }
    value.negative = number->negative && value.count > 0;
    switch (value_number_form(&value, &integer, &real)) {
    case 1: // SQLITE_INTEGER
        snprintf(text, sizeof text, " %lld", (long long)integer);
        if (integer == INT64_MIN)
            strcpy(text, " (-9223372036854775807-1)");
        emit_text(e, text);
        break;
    case 2: // SQLITE_FLOAT
        snprintf(text, sizeof text, " %.15e", real);
        emit_text(e, text);
        break;
    default:
        value_wide_from_decimal(&value, wide);
        emit_blob(e, wide, sizeof wide);
    }
}

// 1.5d or 1.5f
static void emit_binary_number(struct emitter *e, const struct expr *number) {
    const struct token *token = &e->s->tokens[number->to - 1];
    const bool single = number->type == OPERAND_BINARY_FLOAT;
    const enum value_class class =
        single ? CLASS_BINARY_FLOAT : CLASS_BINARY_DOUBLE;
    uint8_t bytes[BINARY_DOUBLE_BYTES];
    char text[NUMBER_TEXT];
    if (token->length > sizeof text) {
        statement_refuse(e->s, 3001, number->from, "so long a literal");
        return;
    }
    memcpy(text, token->at, token->length - 1);
    text[token->length - 1] = '\0';
    const double size =
        single ? (double)strtof(text, NULL) : strtod(text, NULL);
    if (isinf(size)) {
        statement_refuse(e->s, 1426, number->from, "");
        return;
    }
    binary_number_write(number->negative ? -size : size, class, bytes);
    emit_blob(e, bytes, value_binary_bytes(class));
}

static void emit_literal(struct emitter *e, const struct expr *value) {
    emit_text(e, " ");
    if (value->type == OPERAND_NULL) // an empty text is NULL
        emit_text(e, "NULL");
    else if (value->kind == EXPR_TEXT)
        emit_literal_token(e, value->from);
    else
        emit_bytes(e, e->s->tokens[value->from].at,
                   e->s->tokens[value->from].length);
}

static void emit_time(struct emitter *e, const struct expr *value) {
    emit_text(e, value->kind == EXPR_DATE ? " DATE_LITERAL$("
                                          : " TIMESTAMP_LITERAL$(");
    emit_literal_token(e, value->from + 1);
    emit_text(e, ")");
}

static void emit_interval(struct emitter *e, const struct interval *interval) {
    uint8_t bytes[INTERVAL_YM_BYTES];
    const size_t size =
        interval->months ? INTERVAL_YM_BYTES : INTERVAL_DS_BYTES;
    interval_write(interval, bytes, size);
    emit_blob(e, bytes, size);
}

void emit_row_number(struct emitter *e, const struct expr *rowid) {
    if (rowid->name.first < rowid->name.last) {
        emit_name(e, rowid->name.last - 2);
        emit_text(e, ".");
    }
    emit_text(e, "rowid");
}

// All references to a sequence in a row are to its next value, if one of them
// is NEXTVAL.
static void emit_sequence(struct emitter *e, const struct expr *value) {
    const struct expr *expr = e->s->tree->sequences;
    unsigned references = 0;
    bool next = false;
    char end[16];
    for (; expr; expr = expr->next_sequence)
        if (strcmp(expr->sequence, value->sequence) == 0) {
            references++;
            next |= statement_is(e->s, expr->name.last, "nextval");
        }
    emit_text(e, next ? "NEXTVAL$('" : "CURRVAL$('");
    for (const char *c = value->sequence; *c; c++)
        emit_bytes(e, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    snprintf(end, sizeof end, "',%u)", references);
    emit_text(e, next ? end : "')");
}

static void emit_column(struct emitter *e, const struct expr *value) {
    if (value->stored) {
        emit_stored(e, value);
        return;
    }
    emit_text(e, " ");
    if (value->hierarchy) {
        emit_pseudo_column(e, value);
    } else if (value->source && value->source->hierarchy &&
               value->source->hierarchy->row != ROW_TABLE) {
        emit_hierarchy_column(e, value);
    } else if (value->sequence) {
        emit_sequence(e, value);
    } else if (value->function) {
        emit_text(e, value->function->name);
        emit_text(e, "$()");
    } else if (value->object) {
        char end[16];
        snprintf(end, sizeof end, ",%u)", value->object);
        emit_text(e, "ROWID$(");
        emit_row_number(e, value);
        emit_text(e, end);
    } else {
        struct name name = value->name;
        if (value->source && value->source->view && name.last - name.first > 2)
            name.first = name.last - 2; // a query has no owner
        emit_qualified_name(e, name);
    }
}

static void emit_arithmetic(struct emitter *e, const struct expr *value) {
    static const char *const functions[] = {
        [SIGN_ADD] = " ADD$(",           [SIGN_SUBTRACT] = " SUBTRACT$(",
        [SIGN_MULTIPLY] = " MULTIPLY$(", [SIGN_DIVIDE] = " DIVIDE$(",
        [SIGN_CONCATENATE] = " CONCAT(", [SIGN_POWER] = " POWER(",
    };
    emit_text(e, functions[value->sign]);
    emit_value(e, value->left);
    emit_text(e, ",");
    emit_value(e, value->right);
    emit_text(e, ")");
}

// A scalar subquery. SQLite would silently take the first of several rows.
static void emit_subquery(struct emitter *e, const struct expr *value) {
    emit_text(e, value->native ? " (" : " (WITH \"ROW$\"(C) AS (");
    emit_query(e, value->query);
    emit_text(e, value->native ? ")" : ") SELECT ONE_ROW$(C) FROM \"ROW$\")");
}

static void emit_case(struct emitter *e, const struct expr *value) {
    emit_text(e, " CASE");
    for (const struct expr *when = value->list.first; when; when = when->next) {
        emit_text(e, " WHEN");
        if (value->left) // it is repeated in every WHEN
            emit_comparison(e, value->left, when->left, SIGN_EQUAL,
                            when->native);
        else
            emit_condition(e, when->left);
        emit_text(e, " THEN");
        emit_value(e, when->right);
    }
    if (value->right) {
        emit_text(e, " ELSE");
        emit_value(e, value->right);
    }
    emit_text(e, " END");
}

static void emit_extract(struct emitter *e, const struct expr *value) {
    char field[LONGEST_NAME + 1];
    name_spell(&e->s->tokens[value->name.first], field);
    emit_text(e, " EXTRACT$('");
    emit_text(e, field);
    emit_text(e, "',");
    emit_value(e, value->left);
    emit_text(e, ")");
}

static void emit_trim(struct emitter *e, const struct expr *value) {
    emit_text(e, value->side == TRIM_LEADING    ? " LTRIM("
                 : value->side == TRIM_TRAILING ? " RTRIM("
                 : value->right                 ? " TRIM$("
                                                : " TRIM(");
    emit_value(e, value->left);
    if (value->right) {
        emit_text(e, ",");
        emit_value(e, value->right);
    }
    emit_text(e, ")");
}

static void emit_around(struct emitter *e, const char *before,
                        const struct expr *value, const char *after) {
    emit_text(e, before);
    emit_value(e, value);
    emit_text(e, after);
}

void emit_values(struct emitter *e, const struct exprs *list) {
    for (const struct expr *one = list->first; one; one = one->next) {
        emit_text(e, one == list->first ? "" : ",");
        emit_value(e, one);
    }
}

void emit_value(struct emitter *e, const struct expr *value) {
    char number[16];
    if (e->s->error)
        return;
    if (e->rollup && rollup_is_null(e->s, e->rollup, e->set, value)) {
        emit_text(e, " NULL");
        return;
    }
    switch (value->kind) {
    case EXPR_NULL:
        emit_text(e, " NULL");
        break;
    case EXPR_TEXT:
        emit_literal(e, value);
        break;
    case EXPR_NUMBER:
        emit_number(e, value);
        break;
    case EXPR_BINARY_NUMBER:
        emit_binary_number(e, value);
        break;
    case EXPR_DATE:
    case EXPR_TIMESTAMP:
        emit_time(e, value);
        break;
    case EXPR_INTERVAL:
        emit_interval(e, value->interval);
        break;
    case EXPR_BIND:
    case EXPR_VARIABLE:
        snprintf(number, sizeof number, " ?%u", value->bind);
        emit_text(e, number);
        break;
    case EXPR_COLUMN:
        emit_column(e, value);
        break;
    case EXPR_ROWNUM:
        emit_text(e, " row_number() over ()");
        break;
    case EXPR_SIGN: // it converts text to a number
        emit_around(e,
                    value->left->type == OPERAND_INTERVAL_DS ||
                            value->left->type == OPERAND_INTERVAL_YM
                        ? value->negative ? " NEGATE_INTERVAL$(" : " ("
                    : value->negative ? " SUBTRACT$(0,"
                                      : " ADD$(0,",
                    value->left, ")");
        break;
    case EXPR_ARITHMETIC:
        emit_arithmetic(e, value);
        break;
    case EXPR_PRIOR:
    case EXPR_ROOT:
        emit_carried(e, value);
        break;
    case EXPR_PARENTHESIZED:
        emit_around(e, " (", value->left, ")");
        break;
    case EXPR_SUBQUERY:
        emit_subquery(e, value);
        break;
    case EXPR_CALL:
        emit_call(e, value);
        break;
    case EXPR_CASE:
        emit_case(e, value);
        break;
    case EXPR_CAST:
        emit_around(e, " CAST$(", value->left, ",'");
        emit_text(e, value->cast->declared);
        emit_text(e, "')");
        break;
    case EXPR_EXTRACT:
        emit_extract(e, value);
        break;
    case EXPR_TRIM:
        emit_trim(e, value);
        break;
    default:
        statement_refuse(e->s, 936, value->from, "");
    }
}
