// SPDX-License-Identifier: GPL-2.0-or-later
#include "calibration/idle_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static int accepted(struct sockaddr *at, socklen_t size) {
    int listener = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int client = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || client < 0 || bind(listener, at, size) ||
        listen(listener, 1) || getsockname(listener, at, &size) ||
        connect(client, at, size))
        return -1;
    return accept(listener, NULL, NULL);
}

int idle_socket(const char *kind) {
    struct sockaddr_in v4 = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int pair[2];

    if (!strcmp(kind, "tcp"))
        return accepted((struct sockaddr *)&v4, sizeof v4);
    if (!strcmp(kind, "tcp6"))
        return accepted((struct sockaddr *)&v6, sizeof v6);
    if (!strcmp(kind, "unix"))
        return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ? -1
                                                                        : *pair;
    errno = EAFNOSUPPORT;
    return -1;
}
