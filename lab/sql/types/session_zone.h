// SPDX-License-Identifier: GPL-2.0-or-later
// The session's time zone; a process has one session. The database's time zone
// is UTC.
#ifndef ORALAB_SESSION_ZONE_H
#define ORALAB_SESSION_ZONE_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/types/oracle_date.h"

// Sets "+HH:MM" or a region's name. False if it is unknown.
bool session_zone_set(const char *name, size_t length);
const char *session_zone_name(void);

// The offset in minutes east of UTC at local time `local`.
int session_zone_at(const struct oracle_date *local);
// Converts from UTC to the session's time zone.
void session_zone_show(struct oracle_date *utc);

#endif
