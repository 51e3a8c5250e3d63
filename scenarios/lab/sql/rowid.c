// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/rowid.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/functions.h"
#include "sql/value.h"

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
    uint64_t taken = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *digit = memchr(digits, *(*from)++, sizeof digits - 1);
        if (!digit)
            return false;
        taken = taken << 6 | (uint64_t)(digit - digits);
    }
    *number = (uint32_t)taken;
    return taken <= most;
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

static void result_rowid(sqlite3_context *context, const struct rowid *rowid) {
    uint8_t bytes[ROWID_BYTES];
    rowid_write(rowid, bytes);
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

// ROWID$(row, object): the ROWID of a table's row.
static void rowid_of(sqlite3_context *context, int n, sqlite3_value **value) {
    struct rowid rowid;
    if (functions_any_null(n, value)) // of an outer join
        return;
    if (rowid_of_row((uint32_t)sqlite3_value_int64(value[1]),
                     sqlite3_value_int64(value[0]), &rowid))
        result_rowid(context, &rowid);
    else
        value_result_error(context, 3001, "so large a row number");
}

// ROW$(rowid, object): the number of that row, which must be of this table.
static void row_of(sqlite3_context *context, int n, sqlite3_value **value) {
    struct rowid rowid;
    if (functions_any_null(n, value) || !value_rowid(context, value[0], &rowid))
        return;
    if (rowid.object != (uint32_t)sqlite3_value_int64(value[1]) ||
        rowid.file != FILE_OF_USERS || rowid.slot >= ROWS_PER_BLOCK)
        value_result_error(context, INVALID_ROWID, "");
    else
        sqlite3_result_int64(context, (int64_t)rowid.block * ROWS_PER_BLOCK +
                                          rowid.slot);
}

static void from_char(sqlite3_context *context, int n, sqlite3_value **value) {
    struct rowid rowid;
    if (!functions_any_null(n, value) && value_rowid(context, value[0], &rowid))
        result_rowid(context, &rowid);
}

static void to_char(sqlite3_context *context, int n, sqlite3_value **value) {
    char text[ROWID_TEXT + 1];
    struct rowid rowid;
    if (functions_any_null(n, value) || !value_rowid(context, value[0], &rowid))
        return;
    rowid_to_text(&rowid, text);
    value_result_text(context, text, ROWID_TEXT);
}

bool rowids_register(sqlite3 *db) {
    static const struct function all[] = {
        {"ROWID$", 2, 2, rowid_of, NULL, false},
        {"ROW$", 2, 2, row_of, NULL, false},
        {"CHARTOROWID", 1, 1, from_char, NULL, false},
        {"ROWIDTOCHAR", 1, 1, to_char, NULL, false},
        {0},
    };
    return functions_add(db, all);
}
