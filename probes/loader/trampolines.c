// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/trampolines.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

// Loads a program that returns 0, for a function of the kernel.
static int load_nothing(int function_id) {
    const struct bpf_insn nothing[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
                                       {.code = BPF_JMP | BPF_EXIT}};
    DECLARE_LIBBPF_OPTS(bpf_prog_load_opts, options,
                        .expected_attach_type = BPF_TRACE_FENTRY,
                        .attach_btf_id = function_id);

    return bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", nothing, 2,
                         &options);
}

bool trampolines_are_refused(void) {
    int program = load_nothing(1); // no function: EINVAL where not refused

    if (program >= 0)
        close(program);
    return program == -EPERM;
}

static bool attach_and_detach(int program) {
    int link = bpf_raw_tracepoint_open(NULL, program);

    if (link >= 0)
        close(link);
    return link >= 0;
}

bool trampolines_attach_again(void) {
    // The kernel's own function for tests of fentry, which nothing calls.
    int id = libbpf_find_vmlinux_btf_id("bpf_fentry_test1", BPF_TRACE_FENTRY);
    int program = id > 0 ? load_nothing(id) : -1;
    bool attaches = program >= 0 && attach_and_detach(program) &&
                    attach_and_detach(program);

    if (program >= 0)
        close(program);
    return attaches;
}
