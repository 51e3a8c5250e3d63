// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_ALTER_SESSION_H
#define ORALAB_ALTER_SESSION_H

#include "sql/database.h"

// Carries out what the lab knows of ALTER SESSION, and accepts the rest. False
// for a break_poll_skip that is no number.
bool alter_session(struct database *database, const char *sql, size_t length);

#endif
