// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "privileges/caps.h"
#include "readers/procfs.h"

int perf_open(struct perf_event_attr *attr, int pid, int cpu) {
    return syscall(SYS_perf_event_open, attr, pid, cpu, -1,
                   PERF_FLAG_FD_CLOEXEC);
}

static bool is_paranoid(void) {
    char text[16] = "";

    proc_read("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text) - 1);
    return atoi(text) > 2; // more than Linux itself knows
}

const char *perf_why(int error) {
    if ((error == EPERM || error == EACCES) && !caps_administer() &&
        is_paranoid())
        return "kernel.perf_event_paranoid is above 2, where this kernel "
               "wants CAP_SYS_ADMIN";
    return strerror(error);
}
