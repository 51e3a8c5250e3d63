// SPDX-License-Identifier: GPL-2.0-or-later
// Declarations shared by the files of the result cache.
#ifndef ORALAB_RESULT_LATCH_H
#define ORALAB_RESULT_LATCH_H

#include "process/result_blocks.h"

// Gets the cache's latch. If a session was killed while it changed the cache,
// the whole cache is given up first.
void result_latch_get(struct sga *sga, struct session_slot *self,
                      enum latch_mode mode, enum latch_where where);
// Whether a session that commits now has changed one of the search's tables.
bool result_is_changing(const struct result_cache *cache,
                        const struct result_search *search);

#endif
