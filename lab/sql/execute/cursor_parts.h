// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces between the files that implement a cursor.
#ifndef ORALAB_CURSOR_PARTS_H
#define ORALAB_CURSOR_PARTS_H

#include "sql/execute/cursor.h"

// cursor.c: translates and prepares the text. `known` are the binds' types
// (enum operand_type), or NULL. False with `error` set.
bool cursor_parse_text(struct cursor *cursor, const uint8_t *known,
                       struct ora_error *error);
// Parses a statement again that was parsed before, and keeps its binds.
bool cursor_parse_again(struct cursor *cursor, struct ora_error *error);

// cursor_run.c: sqlite3_step() of a query; counts its sorts.
int opifch2(struct cursor *cursor);
void cursor_count_sorts(struct cursor *cursor);

// cursor_columns.c: takes the columns' names after parsing. False without
// memory.
bool cursor_keep_columns(struct cursor *cursor);
// Whether SQLite numbered columns of a subquery because they share a name.
bool cursor_names_are_ambiguous(const struct cursor *cursor);
// Whether no row is needed to determine the columns' types.
bool cursor_types_are_known(const struct cursor *cursor);
// Determines the columns' types once the first row is ready: from the
// declaration, else from the row's value, else from the translation. False if
// other columns were described to the client.
bool cursor_settle_types(struct cursor *cursor, struct ora_error *error);

#endif
