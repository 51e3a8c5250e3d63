// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_ALTER_SESSION_H
#define ORALAB_ALTER_SESSION_H

#include "sql/execute/database.h"
#include "sql/types/ora_error.h"

// Executes an ALTER SESSION: applies the parameters that the lab supports,
// refuses those that would change results but are not supported, and ignores
// the rest. False with `error` set.
bool alter_session_execute(struct database *database, const char *sql,
                           size_t length, struct ora_error *error);

// The statement that a client sends with its logon: all of it that can be done.
// A setting that cannot is given to `refused`, as an error's text.
void alter_session_at_logon(struct database *database, const char *sql,
                            size_t length, void (*refused)(const char *why));

#endif
