// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/sequence.h"

#include <string.h>

#include "process/robust_lock.h"

bool sequence_init(struct sequences *all) {
    return robust_lock_init(&all->lock);
}

static void enter(struct sequences *all) {
    robust_lock_enter(&all->lock);
}

static void leave(struct sequences *all) {
    robust_lock_leave(&all->lock);
}

// "" finds a free place.
static struct sequence *named(struct sequences *all, const char *name) {
    for (int i = 0; i < MOST_SEQUENCES; i++)
        if (strcmp(all->sequence[i].name, name) == 0)
            return &all->sequence[i];
    return NULL;
}

enum sequence_result sequence_add(struct sequences *all,
                                  const struct sequence *sequence) {
    enum sequence_result result = SEQUENCE_DONE;
    enter(all);
    struct sequence *place = named(all, "");
    if (named(all, sequence->name)) {
        result = SEQUENCE_EXISTS;
    } else if (!place) {
        result = SEQUENCE_NO_ROOM;
    } else {
        // The name comes last: who is killed before leaves a free place.
        *place = *sequence;
        place->name[0] = '\0';
        place->number = ++all->made;
        __atomic_store_n(&place->name[0], sequence->name[0], __ATOMIC_RELEASE);
    }
    leave(all);
    return result;
}

enum sequence_result sequence_drop(struct sequences *all, const char *name) {
    enter(all);
    struct sequence *sequence = *name ? named(all, name) : NULL;
    if (sequence)
        memset(sequence, 0, sizeof *sequence);
    leave(all);
    return sequence ? SEQUENCE_DONE : SEQUENCE_MISSING;
}

static void advance(struct sequence *s) {
    int64_t next;
    const bool beyond = __builtin_add_overflow(s->next, s->step, &next) ||
                        next > s->most || next < s->least;
    if (!beyond)
        s->next = next;
    else if (s->cycles)
        s->next = s->step > 0 ? s->least : s->most;
    else
        s->ended = true;
}

enum sequence_result sequence_find(struct sequences *all, const char *name,
                                   bool takes, struct sequence *to,
                                   unsigned *place) {
    enter(all);
    struct sequence *sequence = *name ? named(all, name) : NULL;
    const bool ended = sequence && sequence->ended && takes;
    if (sequence) {
        *to = *sequence;
        *place = (unsigned)(sequence - all->sequence);
    }
    if (sequence && takes && !ended)
        advance(sequence);
    leave(all);
    return !sequence ? SEQUENCE_MISSING
           : ended   ? SEQUENCE_ENDED
                     : SEQUENCE_DONE;
}

bool sequence_at(struct sequences *all, unsigned place, struct sequence *to) {
    enter(all);
    *to = all->sequence[place];
    leave(all);
    return *to->name;
}
