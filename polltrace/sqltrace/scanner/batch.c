// SPDX-License-Identifier: GPL-2.0-or-later
#include "batch.h"

#include <stdlib.h>
#include <string.h>

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
    for (enum column i = 0; i < COLUMN_binds; i++) {
        if (!batch_wants(batch, i))
            continue;
        const size_t width = is_index(i) ? sizeof(int32_t) : sizeof(int64_t);
        batch->number[i] = malloc(rows * width + 64);
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
    const size_t old_bytes = batch->bind_room ? batch->bind_room / 8 + 64 : 0;
    memset(valid + old_bytes, 0, room / 8 + 64 - old_bytes);
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
    *batch = (struct batch){0};
}
