// SPDX-License-Identifier: GPL-2.0-or-later
#include "batch.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_NAME_SLOTS = 256 };

static bool is_index(enum column column) {
    return column >= COLUMN_name && column <= COLUMN_text;
}

bool batch_begin(struct batch *batch, size_t rows, uint64_t wanted,
                 uint32_t serial) {
    *batch = (struct batch){.room = rows, .wanted = wanted, .serial = serial};
#define WANTED(name, which)                                                    \
    if (batch_wants(batch, COLUMN_##name))                                     \
        batch->field[batch->fields++] =                                        \
            (struct field_column){.column = COLUMN_##name, .field = which};
    FIELD_COLUMNS(WANTED)
#undef WANTED
    batch->name_slots = FIRST_NAME_SLOTS;
    batch->name_slot = malloc(FIRST_NAME_SLOTS * sizeof *batch->name_slot);
    if (!batch->name_slot)
        return false;
    memset(batch->name_slot, -1, FIRST_NAME_SLOTS * sizeof *batch->name_slot);
    for (enum column i = 0; i < COLUMN_binds; i++) {
        if (!batch_wants(batch, i))
            continue;
        const size_t each = is_index(i) ? sizeof(int32_t) : sizeof(int64_t);
        batch->number[i] = malloc(rows * each + 64);
        batch->valid[i] = calloc(1, rows / 8 + 64);
        if (!batch->number[i] || !batch->valid[i])
            return false;
    }
    if (batch_wants(batch, COLUMN_binds)) {
        batch->bind_begin = calloc(rows + 1, sizeof *batch->bind_begin);
        batch->valid[COLUMN_binds] = calloc(1, rows / 8 + 64);
        if (!batch->bind_begin || !batch->valid[COLUMN_binds])
            return false;
    }
    return true;
}

void batch_put_index(struct batch *batch, enum column column, int32_t index) {
    if (index < 0) {
        batch->out_of_memory = true;
        return;
    }
    if (!batch->number[column])
        return;
    ((int32_t *)batch->number[column])[batch->rows] = index;
    batch->valid[column][batch->rows >> 3] |=
        (uint8_t)(1u << (batch->rows & 7));
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

// Those that are no UTF-8 are longer in the table: they are compared with what
// was converted, and may be there twice, which a dictionary bears.
static bool is_name(const struct strings *names, int32_t index,
                    const char *name, size_t len) {
    const size_t begin = (size_t)names->offset[index];
    return (size_t)names->offset[index + 1] - begin == len &&
           is_same(names->bytes + begin, name, len);
}

static size_t name_slot(const struct batch *batch, const char *name,
                        size_t len) {
    size_t i = hash_of(name, len) & (batch->name_slots - 1);
    while (batch->name_slot[i] >= 0 && !is_name(&batch->strings[NAME_STRINGS],
                                                batch->name_slot[i], name, len))
        i = (i + 1) & (batch->name_slots - 1);
    return i;
}

static bool grow_names(struct batch *batch) {
    const struct strings *names = &batch->strings[NAME_STRINGS];
    if (names->count < batch->name_slots / 2)
        return true;
    const size_t slots = 2 * batch->name_slots;
    int32_t *grown = malloc(slots * sizeof *grown);
    if (!grown)
        return false;
    free(batch->name_slot);
    batch->name_slot = grown;
    batch->name_slots = slots;
    memset(grown, -1, slots * sizeof *grown);
    for (size_t i = 0; i < names->count; i++) {
        const size_t begin = (size_t)names->offset[i];
        const size_t slot = name_slot(batch, names->bytes + begin,
                                      (size_t)names->offset[i + 1] - begin);
        if (grown[slot] < 0)
            grown[slot] = (int32_t)i;
    }
    return true;
}

int32_t batch_name(struct batch *batch, const char *name, size_t len) {
    const size_t slot = name_slot(batch, name, len);
    if (batch->name_slot[slot] >= 0)
        return batch->name_slot[slot];
    const int32_t index = strings_add(&batch->strings[NAME_STRINGS], name, len);
    if (index < 0)
        return -1;
    batch->name_slot[slot] = index;
    return grow_names(batch) ? index : -1;
}

int32_t batch_statement(struct batch *batch, struct statement *statement) {
    if (statement->batch == batch->serial)
        return (int32_t)statement->index;
    const int32_t index =
        strings_add(&batch->strings[SQLID_STRINGS], statement->sqlid,
                    strlen(statement->sqlid));
    if (index < 0 || strings_add(&batch->strings[SQL_STRINGS],
                                 statement->sql ? statement->sql : "",
                                 statement->sql_len) < 0)
        return -1;
    statement->batch = batch->serial;
    statement->index = (uint32_t)index;
    return index;
}

int32_t batch_identity(struct batch *batch, struct identity *identity) {
    if (identity->batch == batch->serial)
        return (int32_t)identity->index;
    int32_t index = -1;
    for (size_t i = 0; i < IDENTITY_TEXTS; i++) {
        index = strings_add(&batch->strings[IDENTITY_STRINGS + i],
                            identity->text[i], identity->len[i]);
        if (index < 0)
            return -1;
    }
    identity->batch = batch->serial;
    identity->index = (uint32_t)index;
    return index;
}

static bool grow_binds(struct batch *batch, size_t more) {
    if (batch->binds + more <= batch->bind_room)
        return true;
    const size_t room = 2 * (batch->binds + more) + 64;
    int16_t *types = realloc(batch->bind_type, room * sizeof *types);
    if (types)
        batch->bind_type = types;
    uint8_t *valid = realloc(batch->bind_valid, room / 8 + 64);
    if (valid)
        batch->bind_valid = valid;
    if (!types || !valid)
        return false;
    const size_t before = batch->bind_room ? batch->bind_room / 8 + 64 : 0;
    memset(valid + before, 0, room / 8 + 64 - before);
    batch->bind_room = room;
    return true;
}

static bool add_bind(struct batch *batch, const struct binds *from, size_t i) {
    struct strings *strings = &batch->strings[BIND_STRINGS];
    const int32_t value = from->bind[i].value;
    const size_t begin = value < 0 ? 0 : (size_t)from->values.offset[value];
    const size_t len =
        value < 0 ? 0 : (size_t)from->values.offset[value + 1] - begin;
    if (strings_add(strings, value < 0 ? "" : from->values.bytes + begin, len) <
        0)
        return false;
    batch->bind_type[batch->binds] = from->bind[i].type;
    if (value >= 0)
        batch->bind_valid[batch->binds >> 3] |=
            (uint8_t)(1u << (batch->binds & 7));
    batch->binds++;
    return true;
}

void batch_put_binds(struct batch *batch, const struct binds *binds) {
    if (binds && grow_binds(batch, binds->count)) {
        for (size_t i = 0; i < binds->count; i++)
            batch->out_of_memory |= !add_bind(batch, binds, i);
        batch->valid[COLUMN_binds][batch->rows >> 3] |=
            (uint8_t)(1u << (batch->rows & 7));
    }
    batch->bind_begin[batch->rows + 1] = (int32_t)batch->binds;
}

void batch_free(struct batch *batch) {
    for (size_t i = 0; i < COLUMNS; i++) {
        free(batch->number[i]);
        free(batch->valid[i]);
    }
    for (size_t i = 0; i < STRING_TABLES; i++)
        strings_free(&batch->strings[i]);
    free(batch->bind_begin);
    free(batch->bind_type);
    free(batch->bind_valid);
    free(batch->name_slot);
    *batch = (struct batch){0};
}
