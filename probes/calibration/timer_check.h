// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_TIMER_CHECK_H
#define POLLTRACE_TIMER_CHECK_H

#include <poll.h>
#include <stdbool.h>

// Checks as PostgreSQL makes them when its timer has expired: the interrupt,
// SIGALRM and its handler, the calls of check_calls.h (which have to be
// prepared too), and the timer set again. False with errno on failure.
bool timer_checks_prepare(void);

// Sets the timer for one check, `ns` from now or somewhat later.
void timer_check_set(double ns);

// Waits for the timer and makes its check; nanoseconds from the interrupt to
// the end. Negative: the timer expired before the call, so that the beginning
// is not known; the next timer_check_set() leaves more time.
double timer_check_ns(struct pollfd *socket);

#endif
