// SPDX-License-Identifier: GPL-2.0-or-later
// The data file every lab starts with: SYS's tables.
#ifndef ORALAB_DICTIONARY_H
#define ORALAB_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>

enum { USER_NUMBER = 102 }; // of the sessions' user

// Writes the data file `path`, the same bytes each time for the same `user`,
// in capitals. False with one line in `why` if it cannot.
bool dictionary_create(const char *path, const char *user, char *why,
                       size_t size);

// Makes the file for the user's own tables, without any.
bool user_tables_create(const char *path, char *why, size_t size);

#endif
