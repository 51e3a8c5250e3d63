// SPDX-License-Identifier: GPL-2.0-or-later
#include "processes/window_sums.h"

#include <math.h>

void window_add(struct window_sums *s, const struct window *w) {
    double own = fmax(w->cpu_s - w->displaced_s, w->cpu_s / 10);

    s->count++;
    s->polls += w->polls;
    s->cpu_s += own;
    s->seconds += w->cpu_s > 0 ? w->seconds * own / w->cpu_s : w->seconds;
    s->displaced_s += w->displaced_s;
    s->squares.polls += w->polls * w->polls;
    s->squares.cross += w->polls * own;
    s->squares.cpu += own * own;
    s->neighbours.polls += w->polls * s->last_polls;
    s->neighbours.cross += (w->polls * s->last_cpu_s + own * s->last_polls) / 2;
    s->neighbours.cpu += own * s->last_cpu_s;
    s->last_polls = w->polls;
    s->last_cpu_s = own;
}
