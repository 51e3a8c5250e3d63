// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_ALTER_SESSION_H
#define ORALAB_ALTER_SESSION_H

#include "sql/database.h"
#include "sql/ora_error.h"

// Carries out what the lab knows of ALTER SESSION, refuses what would change
// answers and does not, and accepts the rest. False with `error` set.
bool alter_session(struct database *database, const char *sql, size_t length,
                   struct ora_error *error);

#endif
