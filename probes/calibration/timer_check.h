// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_TIMER_CHECK_H
#define POLLTRACE_TIMER_CHECK_H

#include <poll.h>
#include <stdbool.h>

// Checks as PostgreSQL makes them when its timer has expired: SIGALRM, its
// handler, an epoll set that holds the socket asked without waiting, and the
// timer set again. False with errno on failure.
bool timer_checks_prepare(int socket);

// One such check. tgkill stands for the timer's interrupt: the moment of that
// could not be told, and so its time not be taken.
void timer_check(struct pollfd *socket);

#endif
