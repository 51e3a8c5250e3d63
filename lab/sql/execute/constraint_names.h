// SPDX-License-Identifier: GPL-2.0-or-later
// Errors of constraints, with the names that Oracle prints: SQLite knows those
// of columns, and none of keys.
#ifndef ORALAB_CONSTRAINT_NAMES_H
#define ORALAB_CONSTRAINT_NAMES_H

#include "sql/execute/cursor.h"

// Rewrites the error of a statement that SQLite ended with this message:
// ORA-00001 and ORA-02290 with the constraint, ORA-01400 and ORA-01407 with the
// column, ORA-01452 for CREATE UNIQUE INDEX. Other errors stay as they are.
void constraint_names_tell(const struct cursor *cursor, const char *message,
                           struct ora_error *error);

#endif
