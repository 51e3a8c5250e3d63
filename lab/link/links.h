// SPDX-License-Identifier: GPL-2.0-or-later
// The open links of a session.
#ifndef ORALAB_LINKS_H
#define ORALAB_LINKS_H

#include "process/sqlnet_ora.h"
#include "sql/execute/database.h"

// From now on the session's statements reach remote databases. Both must live
// as long as the database. False without memory.
bool links_open(struct database *database, const struct sqlnet_ora *ora);

#endif
