// SPDX-License-Identifier: GPL-2.0-or-later
// The initial data files: SYS's tables and the user's.
#ifndef ORALAB_DICTIONARY_H
#define ORALAB_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>

enum { USER_NUMBER = 102 }; // USER# of the sessions' user

// Writes SYS's data file to `path`, always the same bytes for the same `user`,
// which is in capitals. False with one line in `why`.
bool dictionary_create(const char *path, const char *user, char *why,
                       size_t size);

// Writes an empty data file for the user's own tables. False with one line in
// `why`.
bool dictionary_create_user_tables(const char *path, char *why, size_t size);

#endif
