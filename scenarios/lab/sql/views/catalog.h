// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of the tables that a session can see.
#ifndef ORALAB_CATALOG_H
#define ORALAB_CATALOG_H

#include "sql/resolve/catalog.h"

struct database;

struct catalog catalog_of(struct database *database);

#endif
