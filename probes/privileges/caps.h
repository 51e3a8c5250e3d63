// SPDX-License-Identifier: GPL-2.0-or-later
// Privileges: which are there, and giving them up.
#ifndef POLLTRACE_CAPS_H
#define POLLTRACE_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#define CAP_MASK(capability) (UINT64_C(1) << (capability))

// Ends the program when something needed is missing, or when the executable
// was made setuid: it must not become a way to read other users' processes.
void caps_require(void);

// Whether CAP_SYS_ADMIN is there.
bool caps_administer(void);

// The capabilities for placing a uprobe: CAP_PERFMON, or CAP_SYS_ADMIN before
// Linux 5.8 and again on some of the newest.
uint64_t caps_uprobe(void);

// Gives up all others of the capabilities.
void caps_keep(uint64_t keep);

// Gives up all capabilities except `keep`, for good. `works` tries the
// operations that are still to come: kernels before Linux 5.19 require CAP_BPF
// (before 5.8: CAP_SYS_ADMIN) to read a map, so one of these stays where it is
// needed.
void caps_drop(uint64_t keep, bool (*works)(void *), void *argument);

#endif
