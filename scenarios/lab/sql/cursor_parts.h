// SPDX-License-Identifier: GPL-2.0-or-later
// What the files of a cursor have for one another.
#ifndef ORALAB_CURSOR_PARTS_H
#define ORALAB_CURSOR_PARTS_H

#include "sql/cursor.h"

// cursor.c: translates and prepares the text, with the binds' types `known`
// (enum operand_type) or NULL. False with `error` set.
bool parse_text(struct cursor *cursor, const uint8_t *known,
                struct ora_error *error);
// The same where the statement was parsed before, and keeps its binds.
bool parse_again(struct cursor *cursor, struct ora_error *error);

// cursor_run.c: sqlite3_step() of a query, and what it sorted.
int opifch2(struct cursor *cursor);
void count_sorts(struct cursor *cursor);

// cursor_columns.c: their names, after parsing. False without memory.
bool keep_columns(struct cursor *cursor);
// Whether SQLite had to number columns of a subquery that have one name.
bool names_are_ambiguous(const struct cursor *cursor);
// Their types, once the first row is ready: by their declaration, else by the
// row's values. False when the client was told of other columns.
bool settle_types(struct cursor *cursor, struct ora_error *error);

#endif
