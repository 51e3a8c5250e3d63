// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of the views of the result cache: block n is in row n - 1.
#ifndef ORALAB_RESULT_BLOCK_COLUMNS_H
#define ORALAB_RESULT_BLOCK_COLUMNS_H

#include "sql/views/fixed_table.h"

const struct result_cache *result_cache_of(const struct fixed_cell *cell);
const struct result_block *result_block_of(const struct fixed_cell *cell);
// Whether block row + 1 is in use, or was.
bool result_block_is_taken(const struct database *database, int row);
void result_row_number(const struct fixed_cell *cell);

#endif
