// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "process/sga.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int sga_create(struct sga **sga) {
    // A memory file goes away with the last process that holds it, however
    // that process ends.
    int fd = memfd_create("oralab-sga", 0);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, sizeof **sga) || !(*sga = sga_attach(fd))) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

struct sga *sga_attach(int fd) {
    struct stat st;
    if (fstat(fd, &st))
        return NULL;
    if (st.st_size != (off_t)sizeof(struct sga)) {
        errno = EINVAL;
        return NULL;
    }
    void *memory = mmap(NULL, sizeof(struct sga), PROT_READ | PROT_WRITE,
                        MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

struct session_slot *sga_slot(struct sga *sga, pid_t pid) {
    for (int i = 0; i < SGA_SESSIONS; i++)
        if (__atomic_load_n(&sga->session[i].pid, __ATOMIC_ACQUIRE) == pid)
            return &sga->session[i];
    return NULL;
}

unsigned sga_sid(const struct sga *sga, const struct session_slot *slot) {
    return (unsigned)(slot - sga->session) + 1;
}

void sga_keep_past(struct sga *sga, const struct session_slot *slot) {
    struct session_slot *past = &sga->past;
    for (int i = 0; i < STATISTICS; i++)
        past->stat[i] += slot->stat[i];
    for (int i = 0; i < WAIT_EVENTS; i++) {
        const struct wait_total *of = &slot->waits.total[i];
        struct wait_total *sum = &past->waits.total[i];
        sum->waits += of->waits;
        sum->timeouts += of->timeouts;
        sum->us += of->us;
        if (of->longest_us > sum->longest_us)
            sum->longest_us = of->longest_us;
    }
    past->time.db_us += slot->time.db_us;
    past->time.cpu_us += slot->time.cpu_us;
    past->time.parse_us += slot->time.parse_us;
    past->time.execute_us += slot->time.execute_us;
    past->time.plsql_us += slot->time.plsql_us;
}

void sga_free_slot(struct sga *sga, struct session_slot *slot) {
    const unsigned sid = sga_sid(sga, slot);
    if (__atomic_load_n(&sga->jobs.made, __ATOMIC_RELAXED) > 0)
        jobs_roll_back(sga, slot, 0);
    latch_recover(sga, slot);
    __atomic_store_n(&sga->result_cache.pin[sid - 1], 0, __ATOMIC_RELEASE);
    result_changes_end(sga, slot, true);
    sga_keep_past(sga, slot);
    __atomic_store_n(&slot->pid, 0, __ATOMIC_RELEASE);
}
