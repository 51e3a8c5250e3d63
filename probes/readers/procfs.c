// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/procfs.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

ssize_t proc_read(const char *path, char *into, size_t room) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    ssize_t got;

    if (fd < 0)
        return -1;
    while (size < room && (got = read(fd, into + size, room - size)) > 0)
        size += got;
    close(fd);
    return (ssize_t)size;
}

uint64_t proc_start_ticks(int pid) {
    char path[64], text[1024], *at;
    unsigned long long ticks = 0;
    ssize_t size;
    char state;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    size = proc_read(path, text, sizeof(text) - 1);
    if (size <= 0)
        return 0;
    text[size] = 0;
    at = strrchr(text, ')'); // the name before it may hold anything
    if (!at ||
        sscanf(at,
               ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
               "%*d %*d %*d %*d %llu",
               &state, &ticks) != 2 ||
        state == 'Z' || state == 'X')
        return 0;
    return ticks;
}

static const char *status_field(const char *text, const char *name) {
    const char *at = strstr(text, name);

    return at ? at + strlen(name) : "";
}

bool proc_status(int pid, struct proc_status *status) {
    char path[64], text[4096];
    const char *chain;
    ssize_t size;

    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    size = proc_read(path, text, sizeof(text) - 1);
    if (size <= 0)
        return false;
    text[size] = 0;
    status->tgid = atoi(status_field(text, "\nTgid:"));
    status->uid = strtoul(status_field(text, "\nUid:"), NULL, 10);
    status->ns_pid = status->tgid;
    chain = status_field(text, "\nNStgid:");
    while (*chain && *chain != '\n') { // the last number is the innermost
        status->ns_pid = strtol(chain, (char **)&chain, 10);
        chain += strspn(chain, " \t");
    }
    return true;
}

size_t proc_cmdline(int pid, char text[CMDLINE_SIZE]) {
    char path[64];
    ssize_t size;

    snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
    size = proc_read(path, text, CMDLINE_SIZE);
    return size < 0 ? 0 : size;
}

bool proc_comm(int pid, char text[16]) {
    char path[64];
    ssize_t size;

    snprintf(path, sizeof(path), "/proc/%d/comm", pid);
    size = proc_read(path, text, 16);
    if (size <= 0)
        return false;
    text[size - 1] = 0; // the newline
    return true;
}

bool proc_exe(int pid, char *path, size_t room) {
    char link[64];
    ssize_t size;

    snprintf(link, sizeof(link), "/proc/%d/exe", pid);
    size = readlink(link, path, room - 1);
    if (size < 0)
        return false;
    path[size] = 0;
    return true;
}

bool proc_is_32bit(int pid) {
    char path[64], head[EI_CLASS + 1];

    snprintf(path, sizeof(path), "/proc/%d/exe", pid);
    return proc_read(path, head, sizeof(head)) == sizeof(head) &&
           !memcmp(head, ELFMAG, SELFMAG) && head[EI_CLASS] == ELFCLASS32;
}

uint64_t proc_cpu_ns(int pid) {
    // The clock id that the C library's clock_getcpuclockid() makes: the
    // complement of the pid above three bits, of which 2 means "scheduler".
    clockid_t clock = (clockid_t)(((unsigned)~pid << 3) | 2);
    struct timespec used;

    if (clock_gettime(clock, &used))
        return 0;
    return (uint64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

bool proc_busy_ticks(uint64_t *busy, uint64_t *stolen) {
    unsigned long long user, nice, system, irq, softirq, steal;
    char text[256];
    ssize_t size = proc_read("/proc/stat", text, sizeof(text) - 1);

    if (size <= 0)
        return false;
    text[size] = 0;
    if (sscanf(text, "cpu %llu %llu %llu %*u %*u %llu %llu %llu", &user, &nice,
               &system, &irq, &softirq, &steal) != 6)
        return false;
    *busy = user + nice + system + irq + softirq + steal;
    *stolen = steal;
    return true;
}

uint64_t monotonic_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
