// SPDX-License-Identifier: GPL-2.0-or-later
// On-CPU samples of the watch mode: one clock per CPU, filtered in the kernel,
// so that threads and new processes need no descriptors of their own.
#ifndef POLLTRACE_SAMPLER_H
#define POLLTRACE_SAMPLER_H

#include "loader/loader.h"

void sampler_start(struct probe *probe, unsigned hz);
void sampler_jitter(void); // draws new periods: call it now and then

#endif
