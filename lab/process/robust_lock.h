// SPDX-License-Identifier: GPL-2.0-or-later
// A lock in shared memory that a process may be killed with: the next one has
// it then, so the protected data are written such that any place is a good one
// to stop.
#ifndef ORALAB_ROBUST_LOCK_H
#define ORALAB_ROBUST_LOCK_H

#include <pthread.h>
#include <stdbool.h>

// False with errno set.
bool robust_lock_init(pthread_mutex_t *lock);
void robust_lock_enter(pthread_mutex_t *lock);
void robust_lock_leave(pthread_mutex_t *lock);

#endif
