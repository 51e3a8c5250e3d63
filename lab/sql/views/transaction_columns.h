// SPDX-License-Identifier: GPL-2.0-or-later
// Columns that v$session shares with v$transaction: a session's row.
#ifndef ORALAB_TRANSACTION_COLUMNS_H
#define ORALAB_TRANSACTION_COLUMNS_H

#include "sql/views/fixed_table.h"

// Whether the session of row `row` has a transaction.
bool transaction_is_shown(const struct database *database, int row);
void transaction_address(const struct fixed_cell *cell);

#endif
