// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of a block as columns, in Arrow's layout: 64-bit numbers with a
// bit for each that is there, and 32-bit indices into tables of strings.
#pragma once

#include "binds.h"
#include "columns.h"
#include "identity.h"
#include "record.h"
#include "statement.h"
#include "strings.h"

enum string_table {
    NAME_STRINGS,
    SQLID_STRINGS,
    SQL_STRINGS,
    TEXT_STRINGS,
    BIND_STRINGS,
    IDENTITY_STRINGS, // and one for each identity_text from here
    STRING_TABLES = IDENTITY_STRINGS + IDENTITY_TEXTS
};

struct batch {
    size_t rows, room;
    uint64_t wanted; // a bit for each column
    uint32_t serial; // of the batch, to know which names it has already
    int64_t *number[COLUMNS];
    // Those that lines fill and that are wanted.
    struct field_column {
        uint8_t column, field;
    } field[FIELDS];
    size_t fields;
    uint8_t *valid[COLUMNS];
    struct strings strings[STRING_TABLES];
    // By row, where binds are wanted: where its values begin; and by value,
    // its type and whether it is there.
    int32_t *bind_begin;
    int16_t *bind_type;
    uint8_t *bind_valid;
    size_t binds, bind_room;
    bool out_of_memory;
};

// Make it ready for `rows` rows of the columns in `wanted`.
bool batch_begin(struct batch *batch, size_t rows, uint64_t wanted,
                 uint32_t serial);

static inline bool batch_wants(const struct batch *batch, enum column column) {
    return batch->wanted >> column & 1;
}

// Set a number of the row that is made.
static inline void batch_put(struct batch *batch, enum column column,
                             int64_t value) {
    if (!batch->number[column])
        return;
    batch->number[column][batch->rows] = value;
    batch->valid[column][batch->rows >> 3] |=
        (uint8_t)(1u << (batch->rows & 7));
}

// Set an index of the row that is made; below 0: no memory.
void batch_put_index(struct batch *batch, enum column column, int32_t index);

int32_t batch_statement(struct batch *batch, struct statement *statement);
int32_t batch_identity(struct batch *batch, struct identity *identity);

// The row that is made ran with these; NULL: with none.
void batch_put_binds(struct batch *batch, const struct binds *binds);

void batch_free(struct batch *batch);
