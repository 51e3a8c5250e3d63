// SPDX-License-Identifier: GPL-2.0-or-later
// SYS's views of existing objects, of dictionary_views.sql.
#ifndef ORALAB_DICTIONARY_VIEWS_H
#define ORALAB_DICTIONARY_VIEWS_H

#include <stdbool.h>

// Whether `name`, in capitals, is one of them.
bool dictionary_views_have(const char *name);

// SQLite's text of the view in parentheses, to be freed by sqlite3_free(); NULL
// without memory. `own_schema` is the user's, quoted.
char *dictionary_view_query(const char *name, const char *own_schema);

// The type of a view's column that is an expression, which SQLite has none for.
const char *dictionary_views_type(const char *column);

#endif
