// SPDX-License-Identifier: GPL-2.0-or-later
// The sequences of an instance, in its shared memory: no transaction takes back
// the numbers that they have handed out.
#ifndef ORALAB_SEQUENCE_H
#define ORALAB_SEQUENCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_SEQUENCES = 128, SEQUENCE_NAME = 129 };

struct sequence {
    char name[SEQUENCE_NAME]; // "" where there is none
    uint32_t number;          // differs from those before it in its place
    int64_t least, most, step, next, cache;
    bool cycles, ordered;
    bool has_least, has_most; // given, not Oracle's default
    bool ended;               // the last value was the last one
};

struct sequences {
    pthread_mutex_t lock; // robust: a server may be killed while it holds it
    uint32_t made;
    struct sequence sequence[MOST_SEQUENCES];
};

enum sequence_result {
    SEQUENCE_DONE,
    SEQUENCE_EXISTS,
    SEQUENCE_MISSING,
    SEQUENCE_NO_ROOM,
    SEQUENCE_ENDED,
};

// Before the first server starts. False with errno set.
bool sequence_init(struct sequences *all);
enum sequence_result sequence_add(struct sequences *all,
                                  const struct sequence *sequence);
enum sequence_result sequence_drop(struct sequences *all, const char *name);
// Copies the sequence, with the value that was due in `next`, and takes it if
// `takes`. Its place, from 0, in *place.
enum sequence_result sequence_find(struct sequences *all, const char *name,
                                   bool takes, struct sequence *to,
                                   unsigned *place);
// The same by its place. False where there is none.
bool sequence_at(struct sequences *all, unsigned place, struct sequence *to);

#endif
