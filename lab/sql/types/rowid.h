// SPDX-License-Identifier: GPL-2.0-or-later
// ROWIDs. SQLite numbers the rows of a table; Oracle names a row by its table's
// data object, a file, a block and a slot, which are 18 characters as text. The
// row with number n is here in slot n % 256 of block n / 256. The data object
// is that of user_objects.
#ifndef ORALAB_ROWID_H
#define ORALAB_ROWID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3_context;
struct sqlite3_value;

enum { ROWID_TEXT = 18, INVALID_ROWID = 1410 };

struct rowid {
    uint32_t object; // 0: there is none
    uint16_t file;
    uint32_t block;
    uint16_t slot;
};

// False if the number is too large.
bool rowid_of_row(uint32_t object, int64_t row, struct rowid *to);
// False if it names no row of this data object.
bool rowid_to_row(const struct rowid *from, uint32_t object, int64_t *row);
// ROWID_BYTES bytes in SQLite, which sort; see value.h.
void rowid_write(const struct rowid *from, uint8_t *to);
void rowid_read(const uint8_t *from, struct rowid *to);
void rowid_to_text(const struct rowid *from, char to[ROWID_TEXT + 1]);
bool rowid_from_text(const char *from, size_t length, struct rowid *to);
// A ROWID or its text. False after an error.
bool value_rowid(struct sqlite3_context *context, struct sqlite3_value *value,
                 struct rowid *to);

#endif
