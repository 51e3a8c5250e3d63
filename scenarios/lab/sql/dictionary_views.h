// SPDX-License-Identifier: GPL-2.0-or-later
// SYS's views of existing objects, SYS's and the user's own.
#ifndef ORALAB_DICTIONARY_VIEWS_H
#define ORALAB_DICTIONARY_VIEWS_H

#include <stdbool.h>

struct database;

bool dictionary_views_create(struct database *database);
// Whether `name`, in capitals, is one of them. They are in SQLite's schema
// `temp`, the only one whose views may read all others.
bool dictionary_views_have(const char *name);

// The type of a view's column that is an expression, which SQLite has none for.
const char *dictionary_views_type(const char *column);

#endif
