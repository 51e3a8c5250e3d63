// SPDX-License-Identifier: GPL-2.0-or-later
#include "processes/window_sums.h"

#include <math.h>

void window_add(struct window_sums *s, const struct window *w) {
    double cpu_s = fmax(w->cpu_s - w->displaced_s, w->cpu_s / 10);

    s->count++;
    s->polls += w->polls;
    s->cpu_s += cpu_s;
    s->seconds += w->cpu_s > 0 ? w->seconds * cpu_s / w->cpu_s : w->seconds;
    s->displaced_s += w->displaced_s;
    s->squares.polls += w->polls * w->polls;
    s->squares.cross += w->polls * cpu_s;
    s->squares.cpu += cpu_s * cpu_s;
    s->neighbours.polls += w->polls * s->last_polls;
    s->neighbours.cross +=
        (w->polls * s->last_cpu_s + cpu_s * s->last_polls) / 2;
    s->neighbours.cpu += cpu_s * s->last_cpu_s;
    s->last_polls = w->polls;
    s->last_cpu_s = cpu_s;
}
