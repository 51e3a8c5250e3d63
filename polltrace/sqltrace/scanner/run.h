// SPDX-License-Identifier: GPL-2.0-or-later
// Calls and waits that a block has counted already.
#pragma once

#include "scan_state.h"

// Add the times of a RUN_RECORD, and their number, to the sums of the session
// and of the file. They are in no recursive call, and contain none.
void count_run(struct scan *scan, const struct block *block,
               const struct record *record);
