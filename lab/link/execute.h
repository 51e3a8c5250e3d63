// SPDX-License-Identifier: GPL-2.0-or-later
// The message of a call that parses or executes.
#ifndef ORALAB_EXECUTE_H
#define ORALAB_EXECUTE_H

#include "link/query.h"

// Writes the one that parses and describes a query, the one that executes it
// for its description alone, all binds NULL, or the one that executes it and
// fetches the first rows. False with the connection's error.
void execute_parse(struct remote_query *query);
bool execute_to_describe(struct remote_query *query);
bool execute_fetch(struct remote_query *query, struct sqlite3_value **value,
                   unsigned values, uint32_t rows);
// Parses and executes a statement that is no query and has no binds, to its
// end.
bool execute_alone(struct connection *c, const char *sql);

#endif
