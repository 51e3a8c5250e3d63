// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "process/robust_lock.h"

#include <errno.h>

bool robust_lock_init(pthread_mutex_t *lock) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    errno = pthread_mutex_init(lock, &kind);
    pthread_mutexattr_destroy(&kind);
    return errno == 0;
}

void robust_lock_enter(pthread_mutex_t *lock) {
    if (pthread_mutex_lock(lock) == EOWNERDEAD)
        pthread_mutex_consistent(lock);
}

void robust_lock_leave(pthread_mutex_t *lock) {
    pthread_mutex_unlock(lock);
}
