// SPDX-License-Identifier: GPL-2.0-or-later
#include "calibration/check_calls.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_CALLS 8

static int client;   // the socket
static int standing; // an epoll set that exists from the start
static int current;  // the set that the next epoll call uses

static void make_poll(void) {
    struct pollfd socket = {.fd = client, .events = POLLIN};

    poll(&socket, 1, 0);
}

static void make_select(void) {
    struct timeval none = {0, 0};
    fd_set readable;

    FD_ZERO(&readable);
    FD_SET(client, &readable);
    select(client + 1, &readable, NULL, NULL, &none);
}

static void make_recv(void) {
    char byte;

    recv(client, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

static void make_create(void) {
    current = epoll_create1(EPOLL_CLOEXEC);
}

static void make_ctl(void) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP};
    int operation = current == standing ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    epoll_ctl(current, operation, client, &event);
}

static void make_wait(void) {
    struct epoll_event event[3];

    epoll_wait(current, event, 3, 0);
}

static void make_close(void) {
    if (current != standing)
        close(current);
    current = standing;
}

static const struct {
    const char *name;
    void (*make)(void);
} known[] = {
    {"poll", make_poll},     {"select", make_select},
    {"recv", make_recv},     {"epoll_create1", make_create},
    {"epoll_ctl", make_ctl}, {"epoll_wait", make_wait},
    {"close", make_close},
};

static void (*calls[MOST_CALLS])(void);
static unsigned number;

static bool add(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length &&
            !strncmp(known[i].name, name, length) && number < MOST_CALLS) {
            calls[number++] = known[i].make;
            return true;
        }
    errno = EINVAL;
    return false;
}

bool check_calls_prepare(const char *names, int socket) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP};

    client = socket;
    for (const char *name = names;; name++) {
        size_t length = strcspn(name, ",");

        if (!add(name, length))
            return false;
        name += length;
        if (!*name)
            break;
    }
    standing = current = epoll_create1(EPOLL_CLOEXEC);
    return standing >= 0 && !epoll_ctl(standing, EPOLL_CTL_ADD, client, &event);
}

void check_calls_make(void) {
    for (unsigned i = 0; i < number; i++)
        calls[i]();
    // A list that makes a set and does not close it must not run out of them.
    make_close();
}
