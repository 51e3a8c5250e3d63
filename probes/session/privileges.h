// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_PRIVILEGES_H
#define POLLTRACE_PRIVILEGES_H

#include "output/reporter.h"

// Gives up every capability that is no longer needed, once all is attached.
void privileges_drop(struct reporter *reporter);

#endif
