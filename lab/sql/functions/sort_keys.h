// SPDX-License-Identifier: GPL-2.0-or-later
// The order of rows inside an aggregate: that of LISTAGG and KEEP.
#ifndef ORALAB_SORT_KEYS_H
#define ORALAB_SORT_KEYS_H

struct sqlite3_value;

enum { MOST_SORT_KEYS = 8 };

// Below, above or equal to 0. A key's direction is d or a, in capitals where
// NULLs come first. Values that SQLite orders otherwise than Oracle come as
// SORT_KEY$ makes them.
int sort_keys_compare(struct sqlite3_value *const *a,
                      struct sqlite3_value *const *b, int keys,
                      const char *directions);

#endif
