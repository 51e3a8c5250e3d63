// SPDX-License-Identifier: GPL-2.0-or-later
// The query inside a PL/SQL block, as a statement of its own.
#ifndef ORALAB_BLOCK_QUERY_H
#define ORALAB_BLOCK_QUERY_H

#include "sql/source.h"

// The text of the SELECT in the tokens [first, to) without its INTO [into,
// from): in upper case, with single spaces and binds by number, as PL/SQL
// executes it. From malloc; NULL without memory.
char *block_query_text(const struct translator *t, size_t first, size_t into,
                       size_t from, size_t to);

#endif
