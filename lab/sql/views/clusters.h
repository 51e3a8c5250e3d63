// SPDX-License-Identifier: GPL-2.0-or-later
// The user's hash clusters, as emit/clusters.c makes them; for the catalog.
#ifndef ORALAB_CLUSTERS_H
#define ORALAB_CLUSTERS_H

#include "sql/resolve/catalog.h"

bool clusters_find(void *database, const char *name, take_column_of *take,
                   void *to, bool *single);
void clusters_tables(void *database, take_clustered_of *take, void *to);

#endif
