// SPDX-License-Identifier: GPL-2.0-or-later
// Placeholders of binds, numbered in the order of the text, which is the
// client's, not in that of emitting: `rownum <= :n` is emitted after the rest
// of its condition.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sql/source.h"

// Where the placeholder that has the name first is in the table; or where it
// is to be, which is 0.
static uint32_t *slot_of(struct translator *t, const char *name) {
    uint32_t hash = 2166136261; // FNV-1a
    for (const char *c = name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619;
    for (uint32_t at = hash;; at++) {
        uint32_t *slot = &t->bind_slot[at & (2 * t->bind_room - 1)];
        source_work(t, 1);
        if (*slot == 0 || strcmp(t->result->bind[*slot - 1].name, name) == 0)
            return slot;
    }
}

static bool has_room(struct translator *t) {
    struct translation *result = t->result;
    if (result->binds < t->bind_room)
        return true;
    const uint32_t room = t->bind_room ? 2 * t->bind_room : 16;
    struct placeholder *grown =
        realloc(result->bind, room * sizeof *result->bind);
    uint32_t *slot = calloc(2 * room, sizeof *slot);
    if (grown)
        result->bind = grown;
    if (!grown || !slot) {
        free(slot);
        source_refuse(t, 4030, "");
        return false;
    }
    free(t->bind_slot);
    t->bind_slot = slot;
    t->bind_room = room;
    for (unsigned i = 0; i < result->binds; i++)
        if (result->bind[i].first == i)
            *slot_of(t, result->bind[i].name) = i + 1;
    return true;
}

static void add(struct translator *t, struct token *token) {
    struct translation *result = t->result;
    const unsigned n = result->binds;
    if (n == MOST_BINDS || token->length >= BIND_NAME) {
        source_refuse(t, 1745, "");
        return;
    }
    if (!has_room(t))
        return;
    struct placeholder *made = &result->bind[n];
    for (size_t i = 0; i < token->length; i++)
        made->name[i] = (char)toupper((unsigned char)token->at[i]);
    made->name[token->length] = '\0';
    made->expected = result->known ? result->known[n] : OPERAND_UNKNOWN;
    uint32_t *slot = slot_of(t, made->name);
    if (*slot == 0)
        *slot = n + 1;
    made->first = *slot - 1;
    token->placeholder = ++result->binds;
}

unsigned bind_placeholder(struct translator *t, size_t at) {
    for (; t->binds_to <= at && !t->result->error; t->binds_to++)
        if (t->tokens[t->binds_to].type == TOKEN_BIND)
            add(t, &t->tokens[t->binds_to]);
    return t->result->error ? 0 : t->tokens[at].placeholder;
}
