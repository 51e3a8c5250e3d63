// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/rowid.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/types/value.h"

enum { ROWS_PER_BLOCK = 256, FILE_OF_USERS = 4 };

// The digits of each part, in this order.
enum { OBJECT_DIGITS = 6, FILE_DIGITS = 3, BLOCK_DIGITS = 6, SLOT_DIGITS = 3 };

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool rowid_of_row(uint32_t object, int64_t row, struct rowid *to) {
    if (row < 0 || row / ROWS_PER_BLOCK > UINT32_MAX)
        return false;
    *to = (struct rowid){.object = object,
                         .file = FILE_OF_USERS,
                         .block = (uint32_t)(row / ROWS_PER_BLOCK),
                         .slot = (uint16_t)(row % ROWS_PER_BLOCK)};
    return true;
}

bool rowid_to_row(const struct rowid *from, uint32_t object, int64_t *row) {
    *row = (int64_t)from->block * ROWS_PER_BLOCK + from->slot;
    return from->object == object && from->file == FILE_OF_USERS &&
           from->slot < ROWS_PER_BLOCK;
}

static uint8_t *put(uint8_t *to, uint32_t number, unsigned bytes) {
    for (unsigned i = bytes; i > 0; i--, number >>= 8)
        to[i - 1] = (uint8_t)number;
    return to + bytes;
}

static uint32_t take(const uint8_t **from, unsigned bytes) {
    uint32_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | *(*from)++;
    return number;
}

void rowid_write(const struct rowid *from, uint8_t *to) {
    memset(to, 0, ROWID_BYTES);
    to = put(to, from->object, sizeof from->object);
    to = put(to, from->file, sizeof from->file);
    to = put(to, from->block, sizeof from->block);
    put(to, from->slot, sizeof from->slot);
}

void rowid_read(const uint8_t *from, struct rowid *to) {
    to->object = take(&from, sizeof to->object);
    to->file = (uint16_t)take(&from, sizeof to->file);
    to->block = take(&from, sizeof to->block);
    to->slot = (uint16_t)take(&from, sizeof to->slot);
}

static char *put_digits(char *to, uint32_t number, unsigned count) {
    for (unsigned i = count; i > 0; i--, number >>= 6)
        to[i - 1] = digits[number & 63];
    return to + count;
}

void rowid_to_text(const struct rowid *from, char to[ROWID_TEXT + 1]) {
    to = put_digits(to, from->object, OBJECT_DIGITS);
    to = put_digits(to, from->file, FILE_DIGITS);
    to = put_digits(to, from->block, BLOCK_DIGITS);
    to = put_digits(to, from->slot, SLOT_DIGITS);
    *to = '\0';
}

// False if it is more than `most`, or has other characters.
static bool take_digits(const char **from, unsigned count, uint64_t most,
                        uint32_t *number) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *digit = memchr(digits, *(*from)++, sizeof digits - 1);
        if (!digit)
            return false;
        bits = bits << 6 | (uint64_t)(digit - digits);
    }
    *number = (uint32_t)bits;
    return bits <= most;
}

bool rowid_from_text(const char *from, size_t length, struct rowid *to) {
    uint32_t file, slot;
    if (length != ROWID_TEXT ||
        !take_digits(&from, OBJECT_DIGITS, UINT32_MAX, &to->object) ||
        !take_digits(&from, FILE_DIGITS, UINT16_MAX, &file) ||
        !take_digits(&from, BLOCK_DIGITS, UINT32_MAX, &to->block) ||
        !take_digits(&from, SLOT_DIGITS, UINT16_MAX, &slot))
        return false;
    to->file = (uint16_t)file;
    to->slot = (uint16_t)slot;
    return true;
}

bool value_rowid(sqlite3_context *context, sqlite3_value *value,
                 struct rowid *to) {
    const enum value_class class = value_class(value);
    if (class == CLASS_ROWID) {
        rowid_read(sqlite3_value_blob(value), to);
        return true;
    }
    if (class == CLASS_TEXT &&
        rowid_from_text((const char *)sqlite3_value_text(value),
                        (size_t)sqlite3_value_bytes(value), to))
        return true;
    if (class == CLASS_TEXT)
        value_result_error(context, INVALID_ROWID, "");
    else
        value_result_error(context, 932, "expected ROWID");
    return false;
}
