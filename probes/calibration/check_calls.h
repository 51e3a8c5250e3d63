// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_CHECK_CALLS_H
#define POLLTRACE_CHECK_CALLS_H

#include <stdbool.h>

// A check of a client's socket as a list of system calls, none of which waits.

// Sets the calls from names separated by commas: poll, select, recv,
// epoll_create1, epoll_ctl, epoll_wait, close. epoll_ctl and epoll_wait use the
// set of the epoll_create1 before them, else one that exists from the start.
// False with errno: EINVAL for a list that is none, else no epoll set.
bool check_calls_prepare(const char *names, int socket);

// Makes these calls in order.
void check_calls_make(void);

#endif
