// SPDX-License-Identifier: GPL-2.0-or-later
// The views of SYS that show the session's user what there is: SYS's objects
// and the user's own, as they are now.
#ifndef ORALAB_DICTIONARY_VIEWS_H
#define ORALAB_DICTIONARY_VIEWS_H

#include <stdbool.h>

struct database;

bool dictionary_views_create(struct database *database);
// Whether SYS's view of that name, in capitals, is one of these. SQLite has
// them in its schema `temp`, the only one whose views may read all others.
bool is_dictionary_view(const char *name);

#endif
