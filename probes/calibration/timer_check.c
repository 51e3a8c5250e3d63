// SPDX-License-Identifier: GPL-2.0-or-later
#include "calibration/timer_check.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <unistd.h>

#define FAR_S 3600 // the timer itself must not expire meanwhile

static int set;
static volatile sig_atomic_t due;

static void on_alarm(int number) {
    (void)number;
    due = 1;
}

bool timer_checks_prepare(int socket) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLHUP | EPOLLERR};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

    set = epoll_create1(EPOLL_CLOEXEC);
    return set >= 0 && !epoll_ctl(set, EPOLL_CTL_ADD, socket, &event) &&
           !sigaction(SIGALRM, &action, NULL);
}

void timer_check(struct pollfd *socket) {
    struct itimerval timer = {.it_value.tv_sec = FAR_S};
    struct epoll_event event[3];

    (void)socket;
    tgkill(getpid(), gettid(), SIGALRM);
    if (!due)
        return;
    due = 0;
    epoll_wait(set, event, 3, 0);
    setitimer(ITIMER_REAL, &timer, NULL);
}
