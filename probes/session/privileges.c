// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/privileges.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>

#include "loader/attach.h"
#include "loader/shared.h"
#include "polltrace.skel.h"
#include "privileges/caps.h"
#include "privileges/sandbox.h"
#include "processes/filter.h"

// Tries the operations that follow after the privileges are gone.
static bool still_works(void *argument) {
    struct reporter *r = argument;
    struct endpoint_key key;

    if (bpf_map_get_next_key(r->probe->endpoints_fd, NULL, &key) &&
        errno != ENOENT)
        return false;
    if (!shared_store(r->probe, r->probe->globals->window_open, 0))
        return false;
    if (r->options->mode != MODE_WATCH)
        return true;
    if (!probe_try_attach_calls(r->probe))
        return false;
    probe_detach_calls(r->probe);
    return true;
}

void privileges_drop(struct reporter *r) {
    const struct options *o = r->options;
    uint64_t keep = 0;

    // New processes' mappings and executables are other users' to read.
    if (o->follow || wants_stacks(r) || filter_is_set())
        keep = CAP_MASK(CAP_SYS_PTRACE) | CAP_MASK(CAP_DAC_READ_SEARCH);
    caps_drop(keep, still_works, r);
    if (!o->no_seccomp)
        sandbox_session();
}
