// SPDX-License-Identifier: GPL-2.0-or-later
// TRUNC and ROUND of points in time.
#ifndef ORALAB_DATE_ROUND_H
#define ORALAB_DATE_ROUND_H

#include <stdbool.h>

struct sqlite3_context;
struct sqlite3_value;

// Sets the result to value[0], a point in time, truncated (`cut`) or rounded to
// the unit that value[1] names; a day without it.
void date_round_result(struct sqlite3_context *context, int n,
                       struct sqlite3_value **value, bool cut);

#endif
