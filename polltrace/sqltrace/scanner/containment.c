// SPDX-License-Identifier: GPL-2.0-or-later
#include "containment.h"

#include <stdlib.h>

// A call of one block of PL/SQL may contain millions. When the stack is full,
// its older half is halved again by joining neighbours of one depth.
enum { MOST_SPANS = 1 << 20, FIRST_ROOM = 256 };

// Ends and durations are rounded and taken one after the other.
enum { TOLERANCE_US = 30 };

static bool joins(const struct span *one, const struct span *next) {
    return one->dep == next->dep;
}

static void join_older_half(struct containment *in) {
    const size_t half = in->count / 2;
    size_t to = 0;
    for (size_t i = 0; i < half; i++) {
        if (i + 1 < half && joins(&in->span[i], &in->span[i + 1])) {
            struct span both = in->span[i];
            const struct span *next = &in->span[++i];
            both.end = next->end;
            both.c += next->c;
            both.e += next->e;
            both.waits += next->waits;
            in->span[to++] = both;
        } else {
            in->span[to++] = in->span[i];
        }
    }
    for (size_t i = half; i < in->count; i++)
        in->span[to++] = in->span[i];
    in->count = to;
}

// Calls and waits that follow one another alternate, and then nothing joins.
static void drop_oldest(struct containment *in) {
    if (in->count < MOST_SPANS)
        return;
    const size_t half = in->count / 2;
    for (size_t i = half; i < in->count; i++)
        in->span[i - half] = in->span[i];
    in->count -= half;
}

struct span *containment_push(struct containment *in) {
    if (in->count == MOST_SPANS) {
        join_older_half(in);
        drop_oldest(in);
    }
    if (in->count == in->room) {
        const size_t room = in->room ? 2 * in->room : FIRST_ROOM;
        void *grown = realloc(in->span, room * sizeof *in->span);
        if (!grown)
            return NULL;
        in->span = grown;
        in->room = room;
    }
    return &in->span[in->count++];
}

static bool contains(const struct span *call, const struct span *inner) {
    const int64_t middle = inner->begin + (inner->end - inner->begin) / 2;
    return inner->begin >= call->begin - TOLERANCE_US &&
           middle >= call->begin && (inner->dep < 0 || inner->dep > call->dep);
}

static void count_orphans(struct containment *in) {
    for (size_t i = 0; i < in->count; i++)
        if (in->span[i].dep > 0) {
            in->orphans.calls++;
            in->orphans.c += in->span[i].c;
            in->orphans.e += in->span[i].e;
        }
    in->count = 0;
}

bool containment_add_call(struct containment *in, const struct span *call,
                          struct contained *found) {
    *found = (struct contained){0};
    while (in->count && contains(call, &in->span[in->count - 1])) {
        const struct span *inner = &in->span[--in->count];
        found->c += inner->c;
        found->e += inner->dep < 0 ? 0 : inner->e;
        found->waits += inner->waits;
        found->line = inner->line;
    }
    if (call->dep <= 0) {
        // The client's calls do not overlap: the spans that remain can be in
        // none that comes.
        count_orphans(in);
        return true;
    }
    struct span *const to = containment_push(in);
    if (!to)
        return false;
    *to = *call;
    to->waits = found->waits;
    if (found->line)
        to->line = found->line;
    return true;
}

void containment_end(struct containment *in) {
    count_orphans(in);
    free(in->span);
    in->span = NULL;
    in->count = in->room = 0;
}
