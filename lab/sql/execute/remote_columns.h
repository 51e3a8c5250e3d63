// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of a remote table or query: how they are declared to SQLite, and
// which of them a statement may use.
#ifndef ORALAB_REMOTE_COLUMNS_H
#define ORALAB_REMOTE_COLUMNS_H

#include "sql/execute/cursor.h"

enum { DECLARED_TYPE = 40 };

// The type as CREATE TABLE spells it; "" where the lab has no word for it.
void remote_column_declare(const struct column *column,
                           char declared[DECLARED_TYPE]);
// Whether its values can be fetched: no LOB, nor a type that is not known here.
bool remote_column_usable(const struct column *column, struct ora_error *error);
// Whether the remote side may compare them as SQLite does.
bool remote_column_comparable(const struct column *column);

#endif
