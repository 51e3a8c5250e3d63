// SPDX-License-Identifier: GPL-2.0-or-later
// Function-like forms that are no functions in SQLite: they evaluate arguments
// only when needed, or have keywords inside the parentheses.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sql/source.h"

enum { MOST_ARGUMENTS = 256 };

struct arguments {
    size_t from[MOST_ARGUMENTS], to[MOST_ARGUMENTS];
    unsigned count;
};

static void arguments_of(struct translator *t, size_t open,
                         struct arguments *all) {
    const size_t close = t->close[open];
    all->count = 0;
    for (size_t from = open + 1; from <= close && open + 1 < close;) {
        size_t end = source_find(t, from, close, ",");
        if (all->count == MOST_ARGUMENTS) {
            source_refuse(t, 939, "");
            return;
        }
        all->from[all->count] = from;
        all->to[all->count++] = end;
        from = end + 1;
    }
}

static struct operand emit_argument(struct translator *t,
                                    const struct arguments *all, unsigned n) {
    return emit_whole_value(t, all->from[n], all->to[n], 907);
}

// Emits argument `n` converted to `type`, as Oracle converts later arguments to
// the first one's type. Sets *type if it was unknown.
static void emit_as(struct translator *t, const struct arguments *all,
                    unsigned n, enum operand_type *type) {
    struct operand emitted = emit_argument(t, all, n);
    const bool number = *type == OPERAND_NUMBER || *type == OPERAND_SMALL;
    const char *conversion =
        number                           ? " NUMBER$("
        : *type == OPERAND_TEXT          ? " TEXT$("
        : *type == OPERAND_DATE          ? " DATE$("
        : *type == OPERAND_BINARY_DOUBLE ? " TO_BINARY_DOUBLE("
        : *type == OPERAND_BINARY_FLOAT  ? " TO_BINARY_FLOAT("
                                         : NULL;
    if (*type == OPERAND_NULL) {
        *type = emitted.type;
        return;
    }
    if (emitted.type == *type || emitted.type == OPERAND_NULL)
        return;
    if (number && emitted.type == OPERAND_NUMBER) {
        *type = OPERAND_NUMBER;
        return;
    }
    // Oracle converts both to the wider type.
    if (operand_is_binary_number(emitted.type) &&
        *type != OPERAND_BINARY_DOUBLE)
        source_refuse(t, 3001, "numbers of several types");
    if (number && emitted.type == OPERAND_SMALL)
        return;
    if (*type == OPERAND_UNKNOWN)
        return; // any type; the client sees one type or an error
    if (!conversion) {
        *type = OPERAND_UNKNOWN;
        return;
    }
    emit_at(t, emitted.from, conversion);
    emit_text(t, ")");
    if (number)
        *type = OPERAND_NUMBER;
}

static enum operand_type emit_nvl(struct translator *t,
                                  const struct arguments *all) {
    emit_text(t, " COALESCE(");
    enum operand_type type = emit_argument(t, all, 0).type;
    for (unsigned i = 1; i < all->count && !t->result->error; i++) {
        emit_text(t, ",");
        emit_as(t, all, i, &type);
    }
    emit_text(t, ")");
    return type;
}

// COALESCE does not convert its arguments.
static enum operand_type emit_coalesce(struct translator *t,
                                       const struct arguments *all) {
    enum operand_type type = OPERAND_NULL;
    emit_text(t, " COALESCE(");
    for (unsigned i = 0; i < all->count && !t->result->error; i++) {
        emit_text(t, i > 0 ? "," : "");
        operand_merge_type(t, &type, emit_argument(t, all, i).type);
    }
    emit_text(t, ")");
    return type;
}

static enum operand_type emit_nvl2(struct translator *t,
                                   const struct arguments *all) {
    emit_text(t, " CASE WHEN");
    emit_argument(t, all, 0);
    emit_text(t, " IS NOT NULL THEN");
    enum operand_type type = emit_argument(t, all, 1).type;
    emit_text(t, " ELSE");
    emit_as(t, all, 2, &type);
    emit_text(t, " END");
    return type;
}

static enum operand_type emit_nullif(struct translator *t,
                                     const struct arguments *all) {
    emit_text(t, " CASE WHEN COMPARE$(");
    struct operand emitted = emit_argument(t, all, 0);
    const size_t end = t->length;
    emit_text(t, ",");
    emit_argument(t, all, 1);
    emit_text(t, ") = 0 THEN NULL ELSE");
    emit_again(t, emitted.from, end);
    emit_text(t, " END");
    return emitted.type;
}

// DECODE(value, search, result, ..., otherwise)
static enum operand_type emit_decode(struct translator *t,
                                     const struct arguments *all) {
    enum operand_type type = OPERAND_NULL;
    emit_text(t, " CASE WHEN SAME$(");
    const size_t from = t->length;
    emit_argument(t, all, 0);
    const size_t to = t->length;
    for (unsigned i = 1; i + 1 < all->count && !t->result->error; i += 2) {
        if (i > 1) {
            emit_text(t, " WHEN SAME$(");
            emit_again(t, from, to);
        }
        emit_text(t, ",");
        emit_argument(t, all, i);
        emit_text(t, ") THEN");
        // The first result determines the type of all; NULL counts as text.
        if (i == 1) {
            type = emit_argument(t, all, i + 1).type;
            if (type == OPERAND_NULL)
                type = OPERAND_TEXT;
        } else {
            emit_as(t, all, i + 1, &type);
        }
    }
    if (all->count % 2 == 0) {
        emit_text(t, " ELSE");
        emit_as(t, all, all->count - 1, &type);
    }
    emit_text(t, " END");
    return type;
}

// CAST(value AS type)
static enum operand_type emit_cast(struct translator *t, size_t open) {
    const size_t close = t->close[open],
                 as = source_find(t, open + 1, close, "as");
    char declared[80] = "";
    size_t length = 0, type = as + 1;
    if (as == close || type >= close) {
        source_refuse(t, 905, "");
        return OPERAND_UNKNOWN;
    }
    const bool whole = source_is(t, type, "integer") ||
                       source_is(t, type, "int") ||
                       source_is(t, type, "smallint");
    static const char *const known[] = {
        "number",    "varchar2",      "varchar",      "date",
        "timestamp", "binary_double", "binary_float", NULL};
    bool found = whole;
    for (const char *const *k = known; *k; k++)
        found = found || source_is(t, type, *k);
    if (!found || source_find(t, type, close, "with") < close ||
        (source_is(t, type, "timestamp") && type + 1 < close)) {
        source_refuse_token(t, 3001, type);
        return OPERAND_UNKNOWN;
    }
    for (size_t i = type; i < close; i++)
        for (size_t j = 0;
             j < t->tokens[i].length + 1 && length + 2 < sizeof declared; j++) {
            bool space = j == t->tokens[i].length;
            if (space && !source_is(t, i + 1, "char") &&
                !source_is(t, i + 1, "byte"))
                break;
            declared[length++] =
                space ? ' ' : (char)toupper((unsigned char)t->tokens[i].at[j]);
        }
    for (const char *c = declared; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("(),-_ ", *c)) {
            source_refuse(t, 902, "");
            return OPERAND_UNKNOWN;
        }
    emit_text(t, " CAST$(");
    emit_whole_value(t, open + 1, as, 907);
    emit_text(t, ",'");
    emit_text(t, whole ? "NUMBER(38)" : declared);
    emit_text(t, "')");
    return operand_type_of_declaration(whole ? "NUMBER(38)" : declared, true);
}

// EXTRACT(field FROM value)
static enum operand_type emit_extract(struct translator *t, size_t open) {
    static const char *const fields[] = {"year",   "month",  "day", "hour",
                                         "minute", "second", NULL};
    for (const char *const *f = fields; *f; f++)
        if (source_is(t, open + 1, *f) && source_is(t, open + 2, "from")) {
            emit_text(t, " EXTRACT$('");
            for (const char *c = *f; *c; c++)
                emit_bytes(t, (const char[]){(char)toupper(*c)}, 1);
            emit_text(t, "',");
            emit_whole_value(t, open + 3, t->close[open], 907);
            emit_text(t, ")");
            return OPERAND_NUMBER;
        }
    source_refuse(t, 907, "");
    return OPERAND_UNKNOWN;
}

// TRIM([LEADING | TRAILING | BOTH] [characters] FROM text)
static enum operand_type emit_trim(struct translator *t, size_t open) {
    const size_t close = t->close[open];
    const size_t from = source_find(t, open + 1, close, "from");
    const bool leading = source_is(t, open + 1, "leading");
    const bool trailing = source_is(t, open + 1, "trailing");
    const size_t set =
        open + 1 + (leading || trailing || source_is(t, open + 1, "both"));
    emit_text(t, leading ? " LTRIM(" : trailing ? " RTRIM(" : " TRIM(");
    emit_whole_value(t, from + 1, close, 907);
    if (set < from) {
        if (t->tokens[set].type == TOKEN_STRING && t->tokens[set].length > 3)
            source_refuse(t, 30001, "");
        else if (t->tokens[set].type != TOKEN_STRING)
            source_refuse(t, 3001, "TRIM of other than a literal");
        emit_text(t, ",");
        emit_whole_value(t, set, from, 907);
    }
    emit_text(t, ")");
    return OPERAND_TEXT;
}

bool emit_special(struct translator *t, size_t *at, size_t to,
                  struct operand *emitted) {
    static const struct {
        const char *name;
        unsigned least, most;
        enum operand_type (*emit)(struct translator *,
                                  const struct arguments *);
    } forms[] = {
        {"nvl", 2, 2, emit_nvl},
        {"coalesce", 2, MOST_ARGUMENTS, emit_coalesce},
        {"nvl2", 3, 3, emit_nvl2},
        {"nullif", 2, 2, emit_nullif},
        {"decode", 3, MOST_ARGUMENTS, emit_decode},
    };
    const size_t open = *at + 1;
    struct arguments all;
    (void)to;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (source_is(t, *at, forms[i].name)) {
            arguments_of(t, open, &all);
            if (all.count < forms[i].least || all.count > forms[i].most) {
                source_refuse(t, all.count < forms[i].least ? 938 : 909, "");
                return true;
            }
            emitted->type = forms[i].emit(t, &all);
            *at = t->close[open] + 1;
            return true;
        }
    if (source_is(t, *at, "cast"))
        emitted->type = emit_cast(t, open);
    else if (source_is(t, *at, "extract"))
        emitted->type = emit_extract(t, open);
    else if (source_is(t, *at, "trim") &&
             source_find(t, open + 1, t->close[open], "from") < t->close[open])
        emitted->type = emit_trim(t, open);
    else
        return false;
    *at = t->close[open] + 1;
    return true;
}
