// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/variants.h"

#include <string.h>

// fentry touches no other system call, and costs other processes' calls of
// these only its filter. tp_btf and raw_tp run at every system call of every
// process. kprobe costs twice what fentry does, but the kernel cannot preempt
// its programs. It has no programs at exits: a kretprobe drops exits, without a
// report, while many polls sleep.
const struct variant VARIANT[VARIANTS] = {
    {
        .name = "fentry",
        .count = {"fentry_poll", "fentry_ppoll", "fentry_poll_32",
                  "fentry_ppoll_time32", "fentry_ppoll_time64"},
        .calls = {"fentry_select", "fentry_pselect6", "fentry_epoll_wait",
                  "fentry_epoll_pwait", "fentry_epoll_pwait2",
                  "fentry_recvfrom", "fentry_recvmsg"},
        .leave = {"fexit_poll", "fexit_ppoll", "fexit_poll_32",
                  "fexit_ppoll_time32", "fexit_ppoll_time64", "fexit_select",
                  "fexit_pselect6", "fexit_epoll_wait", "fexit_epoll_pwait",
                  "fexit_epoll_pwait2", "fexit_recvfrom", "fexit_recvmsg"},
    },
    {
        .name = "tp_btf",
        .count = {"tp_btf_enter"},
        .leave = {"tp_btf_leave"},
        .all = {"tp_btf_all", "tp_btf_all_leave"},
        .off = {"tp_btf_switch", "tp_btf_wakeup", "tp_btf_wakeup_new"},
    },
    {
        .name = "raw_tp",
        .count = {"raw_tp_enter"},
        .leave = {"raw_tp_leave"},
        .all = {"raw_tp_all", "raw_tp_all_leave"},
        .off = {"raw_tp_switch", "raw_tp_wakeup", "raw_tp_wakeup_new"},
    },
    {
        .name = "kprobe",
        .count = {"kprobe_poll", "kprobe_ppoll", "kprobe_poll_32",
                  "kprobe_ppoll_time32", "kprobe_ppoll_time64"},
        .calls = {"kprobe_select", "kprobe_pselect6", "kprobe_epoll_wait",
                  "kprobe_epoll_pwait", "kprobe_epoll_pwait2",
                  "kprobe_recvfrom", "kprobe_recvmsg"},
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
    if (mode == MODE_OFF_CPU)
        return has(v->off, program);
    return has(v->count, program) || has(v->calls, program) ||
           (mode == MODE_TIME && has(v->leave, program));
}
