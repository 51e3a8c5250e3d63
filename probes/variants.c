// SPDX-License-Identifier: GPL-2.0-or-later
#include "variants.h"

#include <string.h>

// fentry touches no other system call, and costs other processes nothing; the
// others are called at every system call of every process (tracepoint: at
// every poll of every process, and a few instructions at all others).
const struct variant VARIANT[VARIANTS] = {
    {
        .name = "fentry",
        .count = {"fentry_poll", "fentry_ppoll"},
        .leave = {"fexit_poll", "fexit_ppoll"},
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
        .count = {"tracepoint_poll", "tracepoint_ppoll"},
        .leave = {"tracepoint_leave_poll", "tracepoint_leave_ppoll"},
        .all = {"tracepoint_all", "tracepoint_all_leave"},
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
