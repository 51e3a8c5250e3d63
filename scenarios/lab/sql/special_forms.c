// SPDX-License-Identifier: GPL-2.0-or-later
// What looks like a function and is none to SQLite: the forms that evaluate
// their arguments only when needed, or have words inside the parentheses.
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
        size_t end = find(t, from, close, ",");
        if (all->count == MOST_ARGUMENTS) {
            refuse(t, 939, "");
            return;
        }
        all->from[all->count] = from;
        all->to[all->count++] = end;
        from = end + 1;
    }
}

static struct operand say_argument(struct translator *t,
                                   const struct arguments *all, unsigned n) {
    return say_whole_value(t, all->from[n], all->to[n], 907);
}

// Says argument `n` converted to `type`, as Oracle converts the later ones to
// the first one's type. Changes *type where it was not known.
static void say_as(struct translator *t, const struct arguments *all,
                   unsigned n, enum operand_type *type) {
    struct operand said = say_argument(t, all, n);
    const bool number = *type == OPERAND_NUMBER || *type == OPERAND_SMALL;
    const char *conversion = number                  ? " NUMBER$("
                             : *type == OPERAND_TEXT ? " TEXT$("
                             : *type == OPERAND_DATE ? " DATE$("
                                                     : NULL;
    if (*type == OPERAND_NULL) {
        *type = said.type;
        return;
    }
    if (said.type == *type || said.type == OPERAND_NULL)
        return;
    if (number && said.type == OPERAND_NUMBER) {
        *type = OPERAND_NUMBER;
        return;
    }
    if (number && said.type == OPERAND_SMALL)
        return;
    if (*type == OPERAND_UNKNOWN)
        return; // whatever it is; the client sees one type or an error
    if (!conversion) {
        *type = OPERAND_UNKNOWN;
        return;
    }
    insert(t, said.from, conversion);
    say(t, ")");
    if (number)
        *type = OPERAND_NUMBER;
}

static enum operand_type say_nvl(struct translator *t,
                                 const struct arguments *all) {
    say(t, " COALESCE(");
    enum operand_type type = say_argument(t, all, 0).type;
    for (unsigned i = 1; i < all->count && !t->result->error; i++) {
        say(t, ",");
        say_as(t, all, i, &type);
    }
    say(t, ")");
    return type;
}

// Which does not convert.
static enum operand_type say_coalesce(struct translator *t,
                                      const struct arguments *all) {
    enum operand_type type = OPERAND_NULL;
    say(t, " COALESCE(");
    for (unsigned i = 0; i < all->count && !t->result->error; i++) {
        say(t, i > 0 ? "," : "");
        take_type(t, &type, say_argument(t, all, i).type);
    }
    say(t, ")");
    return type;
}

static enum operand_type say_nvl2(struct translator *t,
                                  const struct arguments *all) {
    say(t, " CASE WHEN");
    say_argument(t, all, 0);
    say(t, " IS NOT NULL THEN");
    enum operand_type type = say_argument(t, all, 1).type;
    say(t, " ELSE");
    say_as(t, all, 2, &type);
    say(t, " END");
    return type;
}

static enum operand_type say_nullif(struct translator *t,
                                    const struct arguments *all) {
    say(t, " CASE WHEN COMPARE$(");
    struct operand said = say_argument(t, all, 0);
    const size_t end = t->length;
    say(t, ",");
    say_argument(t, all, 1);
    say(t, ") = 0 THEN NULL ELSE");
    say_again(t, said.from, end);
    say(t, " END");
    return said.type;
}

// DECODE(value, search, result, ..., otherwise)
static enum operand_type say_decode(struct translator *t,
                                    const struct arguments *all) {
    enum operand_type type = OPERAND_NULL;
    say(t, " CASE WHEN SAME$(");
    const size_t from = t->length;
    say_argument(t, all, 0);
    const size_t to = t->length;
    for (unsigned i = 1; i + 1 < all->count && !t->result->error; i += 2) {
        if (i > 1) {
            say(t, " WHEN SAME$(");
            say_again(t, from, to);
        }
        say(t, ",");
        say_argument(t, all, i);
        say(t, ") THEN");
        // The first result says what type all are; NULL is a text.
        if (i == 1) {
            type = say_argument(t, all, i + 1).type;
            if (type == OPERAND_NULL)
                type = OPERAND_TEXT;
        } else {
            say_as(t, all, i + 1, &type);
        }
    }
    if (all->count % 2 == 0) {
        say(t, " ELSE");
        say_as(t, all, all->count - 1, &type);
    }
    say(t, " END");
    return type;
}

// CAST(value AS type)
static enum operand_type say_cast(struct translator *t, size_t open) {
    const size_t close = t->close[open], as = find(t, open + 1, close, "as");
    char declared[80] = "";
    size_t length = 0, type = as + 1;
    if (as == close || type >= close) {
        refuse(t, 905, "");
        return OPERAND_UNKNOWN;
    }
    const bool whole =
        is(t, type, "integer") || is(t, type, "int") || is(t, type, "smallint");
    static const char *const known[] = {"number", "varchar2",  "varchar",
                                        "date",   "timestamp", NULL};
    bool found = whole;
    for (const char *const *k = known; *k; k++)
        found = found || is(t, type, *k);
    if (!found || find(t, type, close, "with") < close ||
        (is(t, type, "timestamp") && type + 1 < close)) {
        refuse_token(t, 3001, type);
        return OPERAND_UNKNOWN;
    }
    for (size_t i = type; i < close; i++)
        for (size_t j = 0;
             j < t->tokens[i].length + 1 && length + 2 < sizeof declared; j++) {
            bool space = j == t->tokens[i].length;
            if (space && !is(t, i + 1, "char") && !is(t, i + 1, "byte"))
                break;
            declared[length++] =
                space ? ' ' : (char)toupper((unsigned char)t->tokens[i].at[j]);
        }
    for (const char *c = declared; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("(),- ", *c)) {
            refuse(t, 902, "");
            return OPERAND_UNKNOWN;
        }
    say(t, " CAST$(");
    say_whole_value(t, open + 1, as, 907);
    say(t, ",'");
    say(t, whole ? "NUMBER(38)" : declared);
    say(t, "')");
    return declared_type(whole ? "NUMBER(38)" : declared, true);
}

// EXTRACT(field FROM value)
static enum operand_type say_extract(struct translator *t, size_t open) {
    static const char *const fields[] = {"year",   "month",  "day", "hour",
                                         "minute", "second", NULL};
    for (const char *const *f = fields; *f; f++)
        if (is(t, open + 1, *f) && is(t, open + 2, "from")) {
            say(t, " EXTRACT$('");
            for (const char *c = *f; *c; c++)
                say_part(t, (const char[]){(char)toupper(*c)}, 1);
            say(t, "',");
            say_whole_value(t, open + 3, t->close[open], 907);
            say(t, ")");
            return OPERAND_NUMBER;
        }
    refuse(t, 907, "");
    return OPERAND_UNKNOWN;
}

// TRIM([LEADING | TRAILING | BOTH] [characters] FROM text)
static enum operand_type say_trim(struct translator *t, size_t open) {
    const size_t close = t->close[open];
    const size_t from = find(t, open + 1, close, "from");
    const bool leading = is(t, open + 1, "leading");
    const bool trailing = is(t, open + 1, "trailing");
    const size_t set =
        open + 1 + (leading || trailing || is(t, open + 1, "both"));
    say(t, leading ? " LTRIM(" : trailing ? " RTRIM(" : " TRIM(");
    say_whole_value(t, from + 1, close, 907);
    if (set < from) {
        if (t->tokens[set].type == TOKEN_STRING && t->tokens[set].length > 3)
            refuse(t, 30001, "");
        else if (t->tokens[set].type != TOKEN_STRING)
            refuse(t, 3001, "TRIM of other than a literal");
        say(t, ",");
        say_whole_value(t, set, from, 907);
    }
    say(t, ")");
    return OPERAND_TEXT;
}

bool say_special(struct translator *t, size_t *at, size_t to,
                 struct operand *said) {
    static const struct {
        const char *name;
        unsigned least, most;
        enum operand_type (*say)(struct translator *, const struct arguments *);
    } forms[] = {
        {"nvl", 2, 2, say_nvl},
        {"coalesce", 2, MOST_ARGUMENTS, say_coalesce},
        {"nvl2", 3, 3, say_nvl2},
        {"nullif", 2, 2, say_nullif},
        {"decode", 3, MOST_ARGUMENTS, say_decode},
    };
    const size_t open = *at + 1;
    struct arguments all;
    (void)to;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (is(t, *at, forms[i].name)) {
            arguments_of(t, open, &all);
            if (all.count < forms[i].least || all.count > forms[i].most) {
                refuse(t, all.count < forms[i].least ? 938 : 909, "");
                return true;
            }
            said->type = forms[i].say(t, &all);
            *at = t->close[open] + 1;
            return true;
        }
    if (is(t, *at, "cast"))
        said->type = say_cast(t, open);
    else if (is(t, *at, "extract"))
        said->type = say_extract(t, open);
    else if (is(t, *at, "trim") &&
             find(t, open + 1, t->close[open], "from") < t->close[open])
        said->type = say_trim(t, open);
    else
        return false;
    *at = t->close[open] + 1;
    return true;
}
