// SPDX-License-Identifier: GPL-2.0-or-later
// From counts in windows to a rate and its interval.
#include "rates.h"

#include <math.h>

// How far the cost may be off: it was measured on ourselves, and the target's
// caches and neighbours are not ours.
#define COST_ERROR 0.5

void window_add(struct windows *s, double polls, double seconds,
                double displaced) {
    // What we took from the process it would have had: as if the window had
    // been shorter.
    double span = seconds - displaced;

    if (span < seconds / 10)
        span = seconds / 10;
    s->count++;
    s->polls += polls;
    s->seconds += span;
    s->polls2 += polls * polls;
    s->cross += polls * span;
    s->seconds2 += span * span;
    s->displaced += displaced;
}

// A ratio estimate: polls by seconds over all windows, its variance from how
// far the single windows lie off that line, and Student's distribution.
bool window_rate(const struct windows *s, struct rate *rate) {
    double n = s->count, r, left, error, freedom = n - 1, z = 1.959964, t;

    if (n < 3 || s->seconds <= 0)
        return false;
    r = s->polls / s->seconds;
    left = s->polls2 - 2 * r * s->cross + r * r * s->seconds2;
    error = sqrt(fmax(left, 0) / freedom * n) / s->seconds;
    t = z + (z * z * z + z) / (4 * freedom) +
        (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * freedom * freedom);
    error = t * error + r * COST_ERROR * s->displaced / s->seconds;
    rate->per_s = r;
    rate->low = fmax(r - error, 0);
    rate->high = s->polls > 0 ? r + error : 3 / s->seconds; // the rule of 3
    return true;
}
