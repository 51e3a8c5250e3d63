// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE and DROP DATABASE LINK, and ALTER SESSION CLOSE DATABASE LINK.
#ifndef ORALAB_LINK_DDL_H
#define ORALAB_LINK_DDL_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/types/ora_error.h"

struct database;
struct link_change;

bool link_change_execute(struct database *database,
                         const struct link_change *change,
                         struct ora_error *error);
// Overwrites the passwords in a statement that creates a link, before anything
// shows its text.
void link_text_hide(char *sql, size_t length);
// Whether the statement closes a link; `*done` is whether it could.
bool link_close_session(struct database *database, const char *sql,
                        size_t length, bool *done, struct ora_error *error);

#endif
