// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that do nothing: the cost of attaching alone.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#define EMPTY(section, name)                                                   \
    SEC(section) int name(void *ctx) {                                         \
        return 0;                                                              \
    }

EMPTY("tp_btf/sys_enter", tp_btf)
EMPTY("tp_btf/sys_exit", tp_btf_exit)
EMPTY("raw_tp/sys_enter", raw_tp)
EMPTY("raw_tp/sys_exit", raw_tp_exit)
EMPTY("fentry/__x64_sys_poll", fentry)
EMPTY("fexit/__x64_sys_poll", fentry_exit)
EMPTY("kprobe/__x64_sys_poll", kprobe)
