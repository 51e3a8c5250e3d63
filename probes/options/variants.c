// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/variants.h"

#include <string.h>

// fentry touches no other system call and costs other processes nothing. The
// others run at every system call of every process; tracepoint at every poll of
// every process, with a few instructions at all other calls. kprobe costs twice
// what fentry does, but the kernel cannot preempt its programs. It has no
// programs at exits: a kretprobe drops exits, untold, while many polls sleep.
const struct variant VARIANT[VARIANTS] = {
    {
        .name = "fentry",
        .count = {"fentry_poll", "fentry_ppoll", "fentry_poll_32",
                  "fentry_ppoll_time32", "fentry_ppoll_time64"},
        .leave = {"fexit_poll", "fexit_ppoll", "fexit_poll_32",
                  "fexit_ppoll_time32", "fexit_ppoll_time64"},
    },
    {
        .name = "tp_btf",
        .count = {"tp_btf_enter"},
        .leave = {"tp_btf_leave"},
        .all = {"tp_btf_all", "tp_btf_all_leave"},
    },
    {
        .name = "raw_tp",
        .count = {"raw_tp_enter"},
        .leave = {"raw_tp_leave"},
        .all = {"raw_tp_all", "raw_tp_all_leave"},
    },
    {
        .name = "tracepoint",
        .misses_32bit = true,
        .count = {"tracepoint_poll", "tracepoint_ppoll"},
        .leave = {"tracepoint_leave_poll", "tracepoint_leave_ppoll"},
        .all = {"tracepoint_all", "tracepoint_all_leave"},
    },
    {
        .name = "kprobe",
        .count = {"kprobe_poll", "kprobe_ppoll", "kprobe_poll_32",
                  "kprobe_ppoll_time32", "kprobe_ppoll_time64"},
    },
};

static bool has(const char *const names[MAX_PROGRAMS], const char *program) {
    for (int i = 0; i < MAX_PROGRAMS && names[i]; i++)
        if (!strcmp(names[i], program))
            return true;
    return false;
}

bool variant_uses(const struct variant *v, const char *program,
                  enum mode mode) {
    if (mode == MODE_SYSCALLS)
        return has(v->all, program);
    return has(v->count, program) ||
           (mode == MODE_TIME && has(v->leave, program));
}
