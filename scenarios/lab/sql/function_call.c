// SPDX-License-Identifier: GPL-2.0-or-later
// Function calls. A function that is not in the table is unknown, even if
// SQLite has one of that name.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "sql/source.h"

enum kind { PLAIN, AGGREGATE, RANKING, WINDOW };

struct known_function {
    const char *name;
    unsigned least, most; // arguments
    enum operand_type type;
    enum kind kind;
    bool as_first; // the result has the first argument's type
};

static const struct known_function functions[] = {
    {"abs", 1, 1, OPERAND_NUMBER, PLAIN, false},
    {"ceil", 1, 1, OPERAND_NUMBER, PLAIN, false},
    {"floor", 1, 1, OPERAND_NUMBER, PLAIN, false},
    {"sign", 1, 1, OPERAND_SMALL, PLAIN, false},
    {"mod", 2, 2, OPERAND_NUMBER, PLAIN, false},
    {"remainder", 2, 2, OPERAND_NUMBER, PLAIN, false},
    {"power", 2, 2, OPERAND_NUMBER, PLAIN, false},
    {"bitand", 2, 2, OPERAND_SMALL, PLAIN, false},
    {"round", 1, 2, OPERAND_NUMBER, PLAIN, false},
    {"trunc", 1, 2, OPERAND_NUMBER, PLAIN, false},
    {"upper", 1, 1, OPERAND_TEXT, PLAIN, false},
    {"lower", 1, 1, OPERAND_TEXT, PLAIN, false},
    {"initcap", 1, 1, OPERAND_TEXT, PLAIN, false},
    {"substr", 2, 3, OPERAND_TEXT, PLAIN, false},
    {"lpad", 2, 3, OPERAND_TEXT, PLAIN, false},
    {"rpad", 2, 3, OPERAND_TEXT, PLAIN, false},
    {"trim", 1, 1, OPERAND_TEXT, PLAIN, false},
    {"ltrim", 1, 2, OPERAND_TEXT, PLAIN, false},
    {"rtrim", 1, 2, OPERAND_TEXT, PLAIN, false},
    {"replace", 2, 3, OPERAND_TEXT, PLAIN, false},
    {"translate", 3, 3, OPERAND_TEXT, PLAIN, false},
    {"concat", 2, 2, OPERAND_TEXT, PLAIN, false},
    {"chr", 1, 1, OPERAND_TEXT, PLAIN, false},
    {"length", 1, 1, OPERAND_SMALL, PLAIN, false},
    {"lengthb", 1, 1, OPERAND_SMALL, PLAIN, false},
    {"instr", 2, 4, OPERAND_SMALL, PLAIN, false},
    {"ascii", 1, 1, OPERAND_SMALL, PLAIN, false},
    {"to_char", 1, 2, OPERAND_TEXT, PLAIN, false},
    {"to_number", 1, 2, OPERAND_NUMBER, PLAIN, false},
    {"to_binary_float", 1, 1, OPERAND_BINARY_FLOAT, PLAIN, false},
    {"to_binary_double", 1, 1, OPERAND_BINARY_DOUBLE, PLAIN, false},
    {"rowidtochar", 1, 1, OPERAND_TEXT, PLAIN, false},
    {"chartorowid", 1, 1, OPERAND_ROWID, PLAIN, false},
    {"to_date", 1, 2, OPERAND_DATE, PLAIN, false},
    {"to_timestamp", 1, 2, OPERAND_TIMESTAMP, PLAIN, false},
    {"add_months", 2, 2, OPERAND_DATE, PLAIN, false},
    {"last_day", 1, 1, OPERAND_DATE, PLAIN, false},
    {"next_day", 2, 2, OPERAND_DATE, PLAIN, false},
    {"months_between", 2, 2, OPERAND_NUMBER, PLAIN, false},
    {"greatest", 1, 100, OPERAND_UNKNOWN, PLAIN, true},
    {"least", 1, 100, OPERAND_UNKNOWN, PLAIN, true},
    {"sys_context", 2, 2, OPERAND_TEXT, PLAIN, false},
    {"count", 1, 1, OPERAND_SMALL, AGGREGATE, false},
    {"sum", 1, 1, OPERAND_NUMBER, AGGREGATE, false},
    {"avg", 1, 1, OPERAND_NUMBER, AGGREGATE, false},
    {"min", 1, 1, OPERAND_UNKNOWN, AGGREGATE, true},
    {"max", 1, 1, OPERAND_UNKNOWN, AGGREGATE, true},
    {"row_number", 0, 0, OPERAND_SMALL, RANKING, false},
    {"rank", 0, 0, OPERAND_SMALL, RANKING, false},
    {"dense_rank", 0, 0, OPERAND_SMALL, RANKING, false},
    {"ntile", 1, 1, OPERAND_SMALL, RANKING, false},
    {"lag", 1, 3, OPERAND_UNKNOWN, RANKING, true},
    {"lead", 1, 3, OPERAND_UNKNOWN, RANKING, true},
    {"first_value", 1, 1, OPERAND_UNKNOWN, WINDOW, true},
    {"last_value", 1, 1, OPERAND_UNKNOWN, WINDOW, true},
};

static const struct known_function *function_at(const struct translator *t,
                                                size_t at) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (source_is(t, at, functions[i].name))
            return &functions[i];
    return NULL;
}

// The frame of a window: only words that mean the same in SQLite.
static void emit_frame(struct translator *t, size_t from, size_t to) {
    static const char *const words[] = {
        "rows",      "range",   "between", "and",       "unbounded",
        "preceding", "current", "row",     "following", NULL};
    const bool range = source_is(t, from, "range");
    for (; from < to; from++) {
        bool known = t->tokens[from].type == TOKEN_NUMBER && !range;
        for (const char *const *w = words; *w && !known; w++)
            known = source_is(t, from, *w);
        if (!known) {
            source_refuse(t, 3001, "such a window");
            return;
        }
        emit_text(t, " ");
        emit_bytes(t, t->tokens[from].at, t->tokens[from].length);
    }
}

static void emit_over(struct translator *t, size_t *at,
                      const struct known_function *function) {
    const size_t open = *at + 1, close = t->close[open];
    if (!source_is(t, open, "(")) {
        source_refuse(t, 30484, "");
        return;
    }
    const size_t order = source_find(t, open + 1, close, "order");
    size_t frame = source_find(t, open + 1, close, "rows");
    frame = source_find(t, open + 1, frame, "range");
    size_t partition_end = order < frame ? order : frame;
    *at = close + 1;
    emit_text(t, " OVER (");
    if (source_is(t, open + 1, "partition")) {
        emit_text(t, " PARTITION BY");
        for (size_t from = open + 3; from <= partition_end;) {
            size_t end = source_find(t, from, partition_end, ",");
            if (from > open + 3)
                emit_text(t, ",");
            emit_whole_value(t, from, end, 907);
            from = end + 1;
        }
    } else if (partition_end > open + 1) {
        source_refuse(t, 907, "");
    }
    if (order < close) // ORDER BY precedes the frame
        emit_order_by(t, order, frame, true, false);
    else if (function->kind == RANKING)
        source_refuse(t, 30485, "");
    if (frame < close && order == close)
        source_refuse(t, 30485, "");
    if (frame < close && function->kind == RANKING)
        source_refuse(t, 907, "");
    emit_frame(t, frame, close);
    emit_text(t, ")");
}

static unsigned emit_arguments(struct translator *t, size_t open,
                               struct operand *first) {
    const size_t close = t->close[open];
    unsigned n = 0;
    for (size_t from = open + 1; from <= close && open + 1 < close;) {
        size_t end = source_find(t, from, close, ",");
        if (n > 0)
            emit_text(t, ",");
        struct operand emitted = emit_whole_value(t, from, end, 907);
        if (n++ == 0)
            *first = emitted;
        from = end + 1;
        if (t->result->error)
            break;
    }
    return n;
}

// Those that take a BINARY_FLOAT or BINARY_DOUBLE. All others would calculate
// with it as a NUMBER.
static bool takes_binary_numbers(const struct known_function *function) {
    static const char *const names[] = {
        "count",           "sum", "avg", "to_number", "to_binary_float",
        "to_binary_double"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(function->name, names[i]) == 0)
            return true;
    return function->as_first;
}

// TRUNC and ROUND of a date return a date.
static enum operand_type answer_type(struct translator *t,
                                     const struct known_function *function,
                                     const struct operand *first) {
    const bool sums = strcmp(function->name, "sum") == 0 ||
                      strcmp(function->name, "avg") == 0;
    if (operand_is_binary_number(first->type)) {
        if (!takes_binary_numbers(function))
            source_refuse(t, 3001,
                          "this function of a BINARY_DOUBLE or BINARY_FLOAT");
        if (sums)
            return first->type;
    }
    const bool rounds = strcmp(function->name, "round") == 0 ||
                        strcmp(function->name, "trunc") == 0;
    if (function->as_first)
        return first->bind ? OPERAND_UNKNOWN : first->type;
    if (!rounds)
        return function->type;
    switch (first->type) {
    case OPERAND_DATE:
    case OPERAND_TIMESTAMP:
    case OPERAND_TIMESTAMP_TZ:
        return OPERAND_DATE;
    case OPERAND_SMALL:
    case OPERAND_NUMBER:
    case OPERAND_TEXT:
        return OPERAND_NUMBER;
    default:
        return OPERAND_UNKNOWN;
    }
}

struct operand emit_call(struct translator *t, size_t *at, size_t to) {
    const struct known_function *function = function_at(t, *at);
    struct operand emitted = {.from = t->length}, first = {0};
    const size_t name = *at, open = *at + 1, close = t->close[open];
    size_t arguments = open;
    if (!function || t->tokens[name].type != TOKEN_WORD) {
        source_refuse_token(t, 904, name);
        return emitted;
    }
    *at = close + 1;
    const bool over = *at < to && source_is(t, *at, "over");
    const bool aggregates = function->kind == AGGREGATE && !over;
    if ((function->kind == RANKING || function->kind == WINDOW) && !over)
        source_refuse(t, 30484, "");
    if (function->kind == PLAIN && over)
        source_refuse(t, 933, "");
    if (function->kind == AGGREGATE && source_is(t, open + 1, "all"))
        arguments++;
    const bool distinct =
        function->kind == AGGREGATE && (source_is(t, open + 1, "distinct") ||
                                        source_is(t, open + 1, "unique"));
    if (aggregates && t->aggregates++ > 0)
        source_refuse(t, 3001, "aggregates of aggregates");
    emit_text(t, " ");
    for (const char *c = function->name; *c; c++)
        emit_bytes(t, (const char[]){(char)toupper(*c)}, 1);
    const size_t named = t->length;
    unsigned n = 1;
    if (source_is(t, name, "count") && source_is(t, open + 1, "*") &&
        close == open + 2) {
        emit_text(t, "(*");
    } else if (arguments > open || distinct) {
        emit_text(t, distinct ? "(DISTINCT" : "(");
        first = emit_whole_value(t, open + 2, close, 907);
    } else {
        emit_text(t, "(");
        n = emit_arguments(t, open, &first);
    }
    emit_text(t, ")");
    if (aggregates)
        t->aggregates--;
    if (n < function->least || n > function->most)
        source_refuse(t, n < function->least && function->most > 90 ? 938 : 909,
                      "");
    emitted.type = answer_type(t, function, &first);
    // SQLite's MIN and MAX are right only for types that it orders as Oracle
    // does.
    if ((source_is(t, name, "min") || source_is(t, name, "max")) &&
        !operand_orders_natively(first.type)) {
        if (over)
            source_refuse(t, 3001, "MIN and MAX of such numbers over a window");
        emit_at(t, named, "$");
    }
    if (over)
        emit_over(t, at, function);
    emitted.to = t->length;
    return emitted;
}
