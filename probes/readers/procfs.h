// SPDX-License-Identifier: GPL-2.0-or-later
// Reads /proc.
#ifndef POLLTRACE_PROCFS_H
#define POLLTRACE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CMDLINE_SIZE 4096

struct proc_status {
    int tgid;
    unsigned uid;
    int ns_pid; // in its own, innermost namespace
};

// Field 22 of /proc/PID/stat; 0 when there is no such process or it is dead.
uint64_t proc_start_ticks(int pid);
bool proc_status(int pid, struct proc_status *status);
// The arguments, each ended by a 0 byte; returns the bytes read. May wait for
// ever: see processes/cmdlines.h.
size_t proc_cmdline(int pid, char text[CMDLINE_SIZE]);
bool proc_comm(int pid, char text[16]);
bool proc_exe(int pid, char *path, size_t room);
// Whether its executable is one of 32 bits; false where that is unreadable.
bool proc_is_32bit(int pid);
// Nanoseconds of CPU time of all its threads, dead ones too; 0 when gone.
uint64_t proc_cpu_ns(int pid);
// Reads a whole small file; -1 when it cannot.
ssize_t proc_read(const char *path, char *into, size_t room);

// Ticks of all CPUs so far: busy, and of these taken by the hypervisor.
bool proc_busy_ticks(uint64_t *busy, uint64_t *stolen);

uint64_t monotonic_ns(void);

#endif
