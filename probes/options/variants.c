// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/variants.h"

#include <stddef.h>

// fentry touches no other system call, and costs other processes' calls of
// these only its filter. tp_btf and raw_tp run at every system call of every
// process. kprobe costs twice what fentry does, but the kernel cannot preempt
// its programs. It has no programs at exits: a kretprobe drops exits, without a
// report, while many polls sleep.
//
// A kernel without CONFIG_IA32_EMULATION has no entries for 32-bit programs,
// and no such programs; one before 5.11 has no epoll_pwait2.
const struct variant VARIANT[VARIANTS] = {
    {
        .name = "fentry",
        .trampolines = true,
        .enter = {{"fentry_poll", CALL_POLL},
                  {"fentry_ppoll", CALL_POLL},
                  {"fentry_poll_32", CALL_POLL, true},
                  {"fentry_ppoll_time32", CALL_POLL, true},
                  {"fentry_ppoll_time64", CALL_POLL, true},
                  {"fentry_select", CALL_SELECT},
                  {"fentry_pselect6", CALL_SELECT},
                  {"fentry_epoll_wait", CALL_EPOLL},
                  {"fentry_epoll_pwait", CALL_EPOLL},
                  {"fentry_epoll_pwait2", CALL_EPOLL, true},
                  {"fentry_recvfrom", CALL_RECV},
                  {"fentry_recvmsg", CALL_RECV}},
        .leave = {{"fexit_poll", CALL_POLL},
                  {"fexit_ppoll", CALL_POLL},
                  {"fexit_poll_32", CALL_POLL, true},
                  {"fexit_ppoll_time32", CALL_POLL, true},
                  {"fexit_ppoll_time64", CALL_POLL, true},
                  {"fexit_select", CALL_SELECT},
                  {"fexit_pselect6", CALL_SELECT},
                  {"fexit_epoll_wait", CALL_EPOLL},
                  {"fexit_epoll_pwait", CALL_EPOLL},
                  {"fexit_epoll_pwait2", CALL_EPOLL, true},
                  {"fexit_recvfrom", CALL_RECV},
                  {"fexit_recvmsg", CALL_RECV}},
    },
    {
        .name = "tp_btf",
        .enter = {{"tp_btf_enter"}},
        .leave = {{"tp_btf_leave"}},
        .all = {{"tp_btf_all"}, {"tp_btf_all_leave"}},
        .off = {{"tp_btf_switch"}, {"tp_btf_wakeup"}, {"tp_btf_wakeup_new"}},
    },
    {
        .name = "raw_tp",
        .enter = {{"raw_tp_enter"}},
        .leave = {{"raw_tp_leave"}},
        .all = {{"raw_tp_all"}, {"raw_tp_all_leave"}},
        .off = {{"raw_tp_switch"}, {"raw_tp_wakeup"}, {"raw_tp_wakeup_new"}},
    },
    {
        .name = "kprobe",
        .kprobes = true,
        .enter = {{"kprobe_poll", CALL_POLL},
                  {"kprobe_ppoll", CALL_POLL},
                  {"kprobe_poll_32", CALL_POLL, true},
                  {"kprobe_ppoll_time32", CALL_POLL, true},
                  {"kprobe_ppoll_time64", CALL_POLL, true},
                  {"kprobe_select", CALL_SELECT},
                  {"kprobe_pselect6", CALL_SELECT},
                  {"kprobe_epoll_wait", CALL_EPOLL},
                  {"kprobe_epoll_pwait", CALL_EPOLL},
                  {"kprobe_epoll_pwait2", CALL_EPOLL, true},
                  {"kprobe_recvfrom", CALL_RECV},
                  {"kprobe_recvmsg", CALL_RECV}},
    },
};

bool variant_has_mode(const struct variant *v, enum mode mode) {
    if (mode == MODE_SYSCALLS)
        return v->all[0].name;
    if (mode == MODE_OFF_CPU)
        return v->off[0].name;
    return mode != MODE_TIME || v->leave[0].name;
}

static unsigned append(const struct variant_program **list, unsigned count,
                       const struct variant_program *programs) {
    for (int i = 0; i < MAX_PROGRAMS && programs[i].name; i++)
        list[count++] = &programs[i];
    return count;
}

unsigned variant_programs(const struct variant *v, enum mode mode,
                          const struct variant_program *list[]) {
    unsigned count;

    if (mode == MODE_SYSCALLS)
        return append(list, 0, v->all);
    if (mode == MODE_OFF_CPU)
        return append(list, 0, v->off);
    count = append(list, 0, v->enter);
    return mode == MODE_TIME ? append(list, count, v->leave) : count;
}
