// SPDX-License-Identifier: GPL-2.0-or-later
// Facts about the running kernel, from its type information (BTF).
#ifndef POLLTRACE_KERNEL_BTF_H
#define POLLTRACE_KERNEL_BTF_H

#include <stdbool.h>

bool kernel_has_function(const char *name);

// Whether the type that its first argument points to is a structure that is
// defined, not only named, where the function is: else fentry may not read it.
bool kernel_takes_structure(const char *function);

// Arguments of sched_switch: preempt, prev, next, and from Linux 5.18 on
// prev's state. For a time it came second.
enum switch_arguments { SWITCH_PLAIN, SWITCH_STATE_LAST, SWITCH_UNKNOWN };
enum switch_arguments kernel_switch_arguments(void);

// Frees the types that the first call loaded (12 MB).
void kernel_btf_close(void);

#endif
