// SPDX-License-Identifier: GPL-2.0-or-later
// What columns a session's tables have.
#ifndef ORALAB_CATALOG_H
#define ORALAB_CATALOG_H

#include "sql/translate.h"

struct database;

struct catalog catalog_of(struct database *database);

#endif
