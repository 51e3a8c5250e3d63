// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's statistics on our own programs.
#ifndef POLLTRACE_OWN_COST_H
#define POLLTRACE_OWN_COST_H

#include "loader/loader.h"

struct own_cost {
    uint64_t ns, runs; // of all our programs; only where `timed`
    bool timed;        // own_cost_enable() was permitted
    uint64_t missed;   // runs that the kernel skipped: polls not counted
};

// Makes the kernel time all BPF programs, until this process ends; without
// CAP_SYS_ADMIN, and before Linux 5.8, it does not.
void own_cost_enable(void);
struct own_cost own_cost_read(const struct probe *probe);

#endif
