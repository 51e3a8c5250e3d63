// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_CACHED_RESULT_SETTINGS_H
#define ORALAB_CACHED_RESULT_SETTINGS_H

#include <stdbool.h>

// A session's RESULT_CACHE_MODE and _RESULT_CACHE_LATCH_MODE.
struct cached_result_settings {
    bool force;     // every query, not only those with the hint
    bool exclusive; // finds take the latch exclusively, as in Oracle 11.1
};

#endif
