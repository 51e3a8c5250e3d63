// SPDX-License-Identifier: GPL-2.0-or-later
// The session's time zone; there is one session in a process. The database's
// is UTC.
#ifndef ORALAB_SESSION_ZONE_H
#define ORALAB_SESSION_ZONE_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/oracle_date.h"

// "+HH:MM" or a region's name. False for one that there is not.
bool session_zone_set(const char *name, size_t length);
const char *session_zone_name(void);

// How many minutes east of UTC it is when clocks in the zone show `local`.
int session_zone_at(const struct oracle_date *local);
// Makes what is in UTC the fields and the zone of the session.
void session_zone_show(struct oracle_date *utc);

#endif
