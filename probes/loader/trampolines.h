// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's ability to call BPF programs from its functions (fentry, fexit).
#ifndef POLLTRACE_TRAMPOLINES_H
#define POLLTRACE_TRAMPOLINES_H

#include <stdbool.h>

// Some kernels refuse them altogether, before they check anything else: this
// test costs microseconds, a failed load 20 ms.
bool trampolines_are_refused(void);

// Whether a program may be attached again once it was detached, as windows do.
// Before Linux 5.13 the second time failed.
bool trampolines_attach_again(void);

#endif
