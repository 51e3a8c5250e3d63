// SPDX-License-Identifier: GPL-2.0-or-later
// From counts in windows to a rate and its interval.
#include "processes/rates.h"

#include <math.h>

// How far the cost may be off: it was measured on ourselves, and the target's
// caches and neighbours are not ours.
#define COST_ERROR 0.4

#define MAX_CORRELATION 0.8

// No system call takes less.
#define LEAST_POLL_S 100e-9

void window_add(struct windows *s, const struct window *w) {
    double own = fmax(w->cpu_s - w->displaced_s, w->cpu_s / 10);

    s->count++;
    s->polls += w->polls;
    s->cpu_s += own;
    s->polls2 += w->polls * w->polls;
    s->cross += w->polls * own;
    s->cpu2 += own * own;
    s->seconds += w->cpu_s > 0 ? w->seconds * own / w->cpu_s : w->seconds;
    s->displaced_s += w->displaced_s;
    s->polls_next += w->polls * s->last_polls;
    s->cross_next += w->polls * s->last_cpu_s + own * s->last_polls;
    s->cpu_next += own * s->last_cpu_s;
    s->last_polls = w->polls;
    s->last_cpu_s = own;
}

// Student's 97.5 % point: Cornish and Fisher's series, good to 1 % from three
// degrees of freedom on, and the exact values below.
static double student(double freedom) {
    const double z = 1.959964, f = freedom;

    if (f < 1.5)
        return 12.71;
    if (f < 2.5)
        return 4.303;
    return z + (pow(z, 3) + z) / (4 * f) +
           (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * f * f) +
           (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) /
               (384 * f * f * f);
}

// A rate that changes slowly makes neighbouring windows alike, so that they
// hold less information than as many windows far apart: the variance grows by
// (1 + c) / (1 - c), for a correlation c that falls off geometrically.
static double inflation(double squares, double products) {
    double c = squares > 0 ? products / squares : 0;

    c = fmin(fmax(c, 0), MAX_CORRELATION);
    return (1 + c) / (1 - c);
}

// A process polls only while it is on a CPU. So its polls in the windows are
// set against its own CPU time in them, and this ratio against all the CPU time
// it had, which is known exactly. So which process the scheduler ran in
// the windows does not matter. The ratio's variance comes from how far the
// single windows lie off it. Windows with little CPU time count little: as many
// as there would be of equal ones.
bool window_rate(const struct windows *s, double cpu_s, double seconds,
                 struct rate *rate) {
    double ratio, next, left, error, equal, most, all;

    if (s->count < 3 || seconds <= 0)
        return false;
    // Polls without CPU time: the kernel had not added it up yet.
    if (s->polls > 0 && s->cpu_s <= 0)
        return false;
    most = cpu_s / seconds / LEAST_POLL_S;
    if (s->polls <= 0) { // the rule of three, in CPU time
        double high = s->cpu_s > 0 ? 3 / s->cpu_s * cpu_s / seconds : most;

        *rate = (struct rate){.high = fmin(most, high)};
        return true;
    }
    all = fmax(cpu_s - s->displaced_s, s->cpu_s);
    ratio = s->polls / s->cpu_s;
    next = s->polls_next - ratio * s->cross_next + ratio * ratio * s->cpu_next;
    left = fmax(s->polls2 - 2 * ratio * s->cross + ratio * ratio * s->cpu2, 0);
    left *= inflation(left, next);
    equal = s->cpu_s * s->cpu_s / s->cpu2;
    error = INFINITY; // one window does not show how much they differ
    if (equal > 2)
        error = student(equal - 1.5) * sqrt(left * equal / (equal - 1.5)) /
                s->polls;
    error += COST_ERROR * s->displaced_s * (1 / s->cpu_s - 1 / all);
    rate->per_s = ratio * all / seconds;
    rate->low = rate->per_s * fmax(1 - error, 0);
    rate->high = fmax(fmin(rate->per_s * (1 + error), most), rate->per_s);
    return true;
}
