// SPDX-License-Identifier: GPL-2.0-or-later
// PID namespaces: the kernel side knows the initial namespace's ids only.
#ifndef POLLTRACE_NAMESPACE_H
#define POLLTRACE_NAMESPACE_H

#include <stdbool.h>

struct bpf_program;

bool namespace_is_inner(void); // we do not run in the initial one
void namespace_read(struct bpf_program *program);
int namespace_to_kernel(int pid); // 0: no such process

#endif
