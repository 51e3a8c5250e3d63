// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/parse/placeholders.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sql/parse/statement.h"

// Where 1 + the index of the first placeholder of this name is in the hash
// table, whose size is a power of two; or where it is to be, which is 0.
static uint32_t *slot_of(struct statement *s, uint32_t *slots, uint32_t size,
                         const char *name) {
    uint32_t hash = 2166136261; // FNV-1a
    for (const char *c = name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619;
    for (uint32_t at = hash;; at++) {
        uint32_t *slot = &slots[at & (size - 1)];
        statement_work(s, 1);
        if (*slot == 0 || strcmp(s->bind[*slot - 1].name, name) == 0)
            return slot;
    }
}

static void add(struct statement *s, uint32_t *slots, uint32_t size,
                unsigned at) {
    const struct token *token = &s->tokens[at];
    struct placeholder *placeholder = &s->bind[s->binds];
    if (token->length >= BIND_NAME) {
        statement_refuse(s, 1745, at, "");
        return;
    }
    for (size_t i = 0; i < token->length; i++)
        placeholder->name[i] = (char)toupper((unsigned char)token->at[i]);
    placeholder->token = at;
    uint32_t *slot = slot_of(s, slots, size, placeholder->name);
    if (*slot == 0)
        *slot = s->binds + 1;
    placeholder->first = *slot - 1;
    s->binds++;
}

void placeholders_read(struct statement *s) {
    unsigned count = 0;
    uint32_t size = 2;
    for (unsigned i = 0; i < s->count; i++)
        if (s->tokens[i].type == TOKEN_BIND && count++ == MOST_BINDS) {
            statement_refuse(s, 1745, i, "");
            return;
        }
    if (count == 0)
        return;
    while (size < 2 * count)
        size *= 2;
    uint32_t *slots = calloc(size, sizeof *slots);
    s->bind = calloc(count, sizeof *s->bind);
    if (!slots || !s->bind)
        statement_refuse(s, 4030, 0, "");
    for (unsigned i = 0; i < s->count && !s->error; i++)
        if (s->tokens[i].type == TOKEN_BIND)
            add(s, slots, size, i);
    free(slots);
}

unsigned placeholder_at(const struct statement *s, unsigned token) {
    unsigned low = 0, high = s->binds;
    while (low < high) { // the tokens are in order
        const unsigned middle = (low + high) / 2;
        if (s->bind[middle].token < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low + 1;
}
