// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE SEQUENCE, and the places where sequence.NEXTVAL may be.
#include <ctype.h>

#include "process/sequence.h"
#include "sql/resolve/resolver.h"

enum { MOST_DIGITS = 18 };

bool sequence_is_named(const struct resolver *r, struct name name) {
    return name.first < name.last &&
           (statement_is(r->s, name.last, "nextval") ||
            statement_is(r->s, name.last, "currval"));
}

void resolve_sequence(struct resolver *r, struct expr *value) {
    const unsigned token = value->name.last - 2;
    char *name = statement_take(r->s, LONGEST_NAME + 1);
    name_spell(&r->s->tokens[token], name);
    value->sequence = name;
    value->type = value->shown = OPERAND_SMALL;
    value->next_sequence = r->s->tree->sequences;
    r->s->tree->sequences = value;
    r->s->tree->local = r->s->tree->bound_to_us = true;
    if (!r->catalog || !r->catalog->sequence ||
        !r->catalog->sequence(r->catalog->data, name))
        statement_refuse(r->s, 2289, token, "");
    else if (!r->sequences_allowed)
        statement_refuse(r->s, 2287, value->name.last, "");
    else if (r->conditional > 0)
        statement_refuse(r->s, 3001, value->from,
                         "a sequence where its value may not be needed");
}

static int64_t number_of(struct resolver *r,
                         const struct sequence_option *one) {
    const struct token *token = &r->s->tokens[one->number];
    int64_t value = 0;
    bool integer = token->length <= MOST_DIGITS;
    for (size_t i = 0; i < token->length && integer; i++) {
        integer = isdigit((unsigned char)token->at[i]);
        value = value * 10 + (token->at[i] - '0');
    }
    if (!integer)
        statement_refuse(r->s, 3001, one->number,
                         "such a number of a sequence");
    return one->negative ? -value : value;
}

static bool take_switch(struct resolver *r, unsigned word,
                        struct sequence *to) {
    if (statement_is(r->s, word, "cycle"))
        to->cycles = true;
    else if (statement_is(r->s, word, "order"))
        to->ordered = true;
    else if (statement_is(r->s, word, "nocache"))
        to->cache = 0;
    else
        return statement_is(r->s, word, "nocycle") ||
               statement_is(r->s, word, "noorder") ||
               statement_is(r->s, word, "nomaxvalue") ||
               statement_is(r->s, word, "nominvalue") ||
               statement_is(r->s, word, "nokeep") ||
               statement_is(r->s, word, "noscale") ||
               statement_is(r->s, word, "global");
    return true;
}

static void take_option(struct resolver *r, const struct sequence_option *one,
                        struct sequence *to, bool *started) {
    const int64_t number = one->number ? number_of(r, one) : 0;
    bool valid = true;
    if (!one->number) {
        valid = take_switch(r, one->word, to);
    } else if (statement_is(r->s, one->word, "start")) {
        to->next = number;
        *started = true;
    } else if (statement_is(r->s, one->word, "increment")) {
        to->step = number;
    } else if (statement_is(r->s, one->word, "maxvalue")) {
        to->most = number;
        to->has_most = true;
    } else if (statement_is(r->s, one->word, "minvalue")) {
        to->least = number;
        to->has_least = true;
    } else if (statement_is(r->s, one->word, "cache")) {
        to->cache = number;
        if (number < 2)
            statement_refuse(r->s, 4010, one->number, "");
    } else {
        valid = false;
    }
    if (!valid)
        statement_refuse_token(r->s, 3001, one->word);
}

static void check(struct resolver *r, const struct sequence *made) {
    if (made->step == 0)
        statement_refuse(r->s, 4002, 0, "");
    else if (made->least >= made->most)
        statement_refuse(r->s, 4004, 0, "");
    else if (made->next < made->least)
        statement_refuse(r->s, 4006, 0, "");
    else if (made->next > made->most)
        statement_refuse(r->s, 4008, 0, "");
    else if (made->cycles && made->step > 0 && !made->has_most)
        statement_refuse(r->s, 4015, 0, "");
    else if (made->cycles && made->step < 0 && !made->has_least)
        statement_refuse(r->s, 4016, 0, "");
}

void resolve_create_sequence(struct resolver *r) {
    const struct tree *tree = r->s->tree;
    const struct sequence_option *option = tree->sequence_options.first;
    struct sequence *sequence = statement_take(r->s, sizeof *sequence);
    bool started = false;
    name_spell(&r->s->tokens[tree->name.last], sequence->name);
    sequence->step = 1;
    sequence->cache = 20;
    for (; option; option = option->next)
        take_option(r, option, sequence, &started);
    const bool up = sequence->step > 0;
    if (!sequence->has_least)
        sequence->least = up ? 1 : INT64_MIN;
    if (!sequence->has_most)
        sequence->most = up ? INT64_MAX : -1;
    if (!started)
        sequence->next = up ? sequence->least : sequence->most;
    check(r, sequence);
    r->s->tree->made_sequence = sequence;
}
