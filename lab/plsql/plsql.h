// SPDX-License-Identifier: GPL-2.0-or-later
// PL/SQL, which the session's statements reach through its database.
#ifndef ORALAB_PLSQL_H
#define ORALAB_PLSQL_H

#include <stdbool.h>

struct database;

// Gives the session PL/SQL. False without memory.
bool plsql_open(struct database *database);
// Before database_close().
void plsql_close(struct database *database);

#endif
