// SPDX-License-Identifier: GPL-2.0-or-later
// Clocks, random bytes and a process ID that are the same for each input, so
// that an input gets the same answer whenever it is run.
#include "fuzz/same_world.h"

#include <openssl/rand.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

// Each reading of a clock finds it this much later. A statement whose length is
// bounded by time then ends after some ten readings.
enum { STEP_MS = 20, BEGINS_S = 1767225600 /* in 2026 */, PID = 1000 };

static int64_t passed_ms;
static unsigned char drawn;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_getcpuclockid(pid_t pid, clockid_t *clock);
int __wrap_gettimeofday(struct timeval *now, void *zone);
time_t __wrap_time(time_t *now);
int __wrap_RAND_bytes(unsigned char *into, int size);
pid_t __wrap_getpid(void);

void same_world_begins(void) {
    passed_ms = 0;
    drawn = 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    (void)clock;
    passed_ms += STEP_MS;
    now->tv_sec = BEGINS_S + passed_ms / 1000;
    now->tv_nsec = passed_ms % 1000 * 1000000;
    return 0;
}

int __wrap_clock_getcpuclockid(pid_t pid, clockid_t *clock) {
    (void)pid;
    *clock = CLOCK_PROCESS_CPUTIME_ID;
    return 0;
}

int __wrap_gettimeofday(struct timeval *now, void *zone) {
    struct timespec precise;
    (void)zone;
    __wrap_clock_gettime(CLOCK_REALTIME, &precise);
    *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
    return 0;
}

time_t __wrap_time(time_t *now) {
    const time_t seconds = BEGINS_S + passed_ms / 1000;
    if (now)
        *now = seconds;
    return seconds;
}

int __wrap_RAND_bytes(unsigned char *into, int size) {
    memset(into, ++drawn, (size_t)size);
    return 1;
}

// Nothing is sent to it: in-band, no signals are requested.
pid_t __wrap_getpid(void) {
    return PID;
}
