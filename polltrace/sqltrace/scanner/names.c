// SPDX-License-Identifier: GPL-2.0-or-later
#include "names.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

static bool make_slots(struct names *names, size_t slots) {
    if (names->slots < slots) {
        int32_t *grown = realloc(names->slot, slots * sizeof *grown);
        if (!grown)
            return false;
        names->slot = grown;
        names->slots = slots;
    }
    memset(names->slot, -1, names->slots * sizeof *names->slot);
    return true;
}

bool names_clear(struct names *names) {
    names->strings.count = names->strings.len = 0;
    // The slots of a block of many names are too many to clear for each block.
    if (names->slots > FIRST_SLOTS)
        names->slots = FIRST_SLOTS;
    return make_slots(names, FIRST_SLOTS);
}

// Of the name's length and of up to 16 bytes of it, which tell Oracle's events
// apart well enough.
static size_t hash_of(const char *name, size_t len) {
    uint64_t first = 0, last = 0;
    if (len >= sizeof first) {
        memcpy(&first, name, sizeof first);
        memcpy(&last, name + len - sizeof last, sizeof last);
    } else {
        for (size_t i = 0; i < len; i++)
            first = first << 8 | (unsigned char)name[i];
    }
    return (size_t)(((first ^ last * 31) + len) * 0x9E3779B97F4A7C15u >> 32);
}

static bool is_same(const char *one, const char *other, size_t len) {
    uint64_t a, b;
    if (len < sizeof a)
        return memcmp(one, other, len) == 0;
    for (size_t i = 0; i < len; i += sizeof a) {
        // The last eight bytes overlap those before.
        const size_t at = i + sizeof a <= len ? i : len - sizeof a;
        memcpy(&a, one + at, sizeof a);
        memcpy(&b, other + at, sizeof b);
        if (a != b)
            return false;
    }
    return true;
}

// Those that are no UTF-8 are longer in the table: they are compared with the
// converted text, and may be there twice, which a dictionary allows.
static bool is_name(const struct strings *strings, int32_t index,
                    const char *name, size_t len) {
    const size_t begin = (size_t)strings->offset[index];
    return (size_t)strings->offset[index + 1] - begin == len &&
           is_same(strings->bytes + begin, name, len);
}

static size_t slot_of(const struct names *names, const char *name, size_t len) {
    size_t i = hash_of(name, len) & (names->slots - 1);
    while (names->slot[i] >= 0 &&
           !is_name(&names->strings, names->slot[i], name, len))
        i = (i + 1) & (names->slots - 1);
    return i;
}

static bool grow(struct names *names) {
    const struct strings *strings = &names->strings;
    if (strings->count < names->slots / 2)
        return true;
    if (!make_slots(names, 2 * names->slots))
        return false;
    for (size_t i = 0; i < strings->count; i++) {
        const size_t begin = (size_t)strings->offset[i];
        const size_t slot = slot_of(names, strings->bytes + begin,
                                    (size_t)strings->offset[i + 1] - begin);
        if (names->slot[slot] < 0)
            names->slot[slot] = (int32_t)i;
    }
    return true;
}

int32_t names_find(struct names *names, const char *name, size_t len) {
    const size_t slot = slot_of(names, name, len);
    if (names->slot[slot] >= 0)
        return names->slot[slot];
    const int32_t index = strings_add(&names->strings, name, len);
    if (index < 0)
        return -1;
    names->slot[slot] = index;
    return grow(names) ? index : -1;
}

void names_free(struct names *names) {
    strings_free(&names->strings);
    free(names->slot);
    *names = (struct names){0};
}
