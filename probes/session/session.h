// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_SESSION_H
#define POLLTRACE_SESSION_H

#include "output/reporter.h"

// Prints frames until something ends it; then the final frame and trailer.
void session_run(struct reporter *reporter);

#endif
