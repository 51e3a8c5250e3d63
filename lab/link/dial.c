// SPDX-License-Identifier: GPL-2.0-or-later
// A connection's begin and end: TCP, CONNECT, the logon; and the logoff.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/address.h"
#include "link/connection.h"
#include "net/connect.h"
#include "net/keepalive.h"

enum {
    UNRESOLVED = 12154,
    CONNECT_TIMEOUT = 12170,
    NO_LISTENER = 12541,
    NO_HOST = 12545,
    CONNECTION_CLOSED = 12537,

    VERSION = 318,
    OPTION_DONT_CARE = 1, // no attention: breaks go in-band
    SENT_WITHIN_S = 60,
    LOGGED_OFF_WITHIN_S = 5,
};

static bool becomes_writable(int fd, int64_t deadline_us) {
    struct pollfd polled = {.fd = fd, .events = POLLOUT};
    int64_t remaining;
    while ((remaining = deadline_us - clock_us()) > 0) {
        const int n = poll(&polled, 1, (int)(remaining / 1000) + 1);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true;
    }
    return false;
}

// Connects to one address. The descriptor, or -1 with an error's number.
static int reach(const struct addrinfo *at, int64_t deadline_us,
                 unsigned *error) {
    int failed = 0;
    socklen_t length = sizeof failed;
    const int fd =
        socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    *error = NO_LISTENER;
    if (fd < 0)
        return -1;
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0)
        return fd;
    if (errno == EINPROGRESS && !becomes_writable(fd, deadline_us))
        *error = CONNECT_TIMEOUT;
    else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &length) == 0 &&
             failed == 0)
        return fd;
    close(fd);
    return -1;
}

static int dial(const struct address *address, unsigned timeout_s,
                unsigned *error) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const int64_t deadline_us = clock_us() + timeout_s * INT64_C(1000000);
    struct addrinfo *addresses = NULL;
    int fd = -1;
    *error = NO_HOST;
    if (getaddrinfo(address->host, address->port, &hints, &addresses) != 0)
        return -1;
    for (const struct addrinfo *at = addresses; at && fd < 0; at = at->ai_next)
        fd = reach(at, deadline_us, error);
    freeaddrinfo(addresses);
    return fd;
}

static void set_options(int fd, unsigned expire_time) {
    const int on = 1;
    const struct timeval send_timeout = {.tv_sec = SENT_WITHIN_S};
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    keepalive_set(fd, expire_time);
    // A remote server that stops reading does not block this one for ever.
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &send_timeout, sizeof send_timeout);
}

static bool ask(struct connection *c, const struct address *address,
                unsigned *error) {
    struct connect_request *request = calloc(1, sizeof *request);
    struct accept_terms terms;
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    if (!request)
        return false;
    request->version = VERSION;
    request->options = OPTION_DONT_CARE;
    request->sdu = address->sdu ? address->sdu : c->ora->default_sdu_size;
    snprintf(request->data, sizeof request->data,
             "(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=%s)(PORT=%s))"
             "(CONNECT_DATA=(SERVICE_NAME=%s)(SERVER=DEDICATED)"
             "(CID=(PROGRAM=oracle)(HOST=%s)(USER=oracle))))",
             address->host, address->port, address->service, host);
    const bool accepted = connect_ask(&c->tns, request, &terms, error);
    free(request);
    if (!accepted && *error == 0)
        *error = c->tns.deadline_us && clock_us() >= c->tns.deadline_us
                     ? CONNECT_TIMEOUT
                     : CONNECTION_CLOSED;
    return accepted;
}

// Connects up to the ACCEPT, as one wait, as in Oracle.
static bool reach_server(struct connection *c,
                         const struct link_definition *link, unsigned *error) {
    struct wait_clock *clock = &c->self->waits;
    const unsigned timeout_s = c->ora->outbound_connect_timeout;
    struct address address;
    *error = UNRESOLVED;
    if (!address_read(link->host, &address))
        return false;
    wait_begins(clock, WAIT_SINGLE_TASK, 0);
    const int fd = dial(&address, timeout_s, error);
    bool accepted = fd >= 0 && tns_open(&c->tns, fd, fd);
    if (accepted) {
        set_options(fd, c->ora->expire_time);
        c->tns.deadline_us = clock_us() + timeout_s * INT64_C(1000000);
        accepted = ask(c, &address, error);
    } else if (fd >= 0) {
        close(fd);
        *error = 4030;
    }
    wait_ends(clock, 1);
    return accepted;
}

static void release(struct connection *c) {
    if (c->tns.buffer) {
        tns_close(&c->tns);
        close(c->tns.fd);
    }
    arena_free(&c->arena);
    free(c->in.data);
    free(c->out.data);
    c->in.data = c->out.data = NULL;
    c->streaming = NULL;
    c->open = false;
}

bool connection_open(struct connection *c, const struct link_definition *link,
                     struct ora_error *error) {
    unsigned number;
    snprintf(c->name, sizeof c->name, "%s", link->name);
    c->arena.limit = 64 << 20;
    if (!reach_server(c, link, &number)) {
        // Drivers take this number alone for the end of their own connection.
        if (number == CONNECTION_CLOSED && !connection_lost(c, number, ""))
            *error = c->error;
        else
            ora_error_set(error, number, "");
        release(c);
        return false;
    }
    c->open = true;
    c->tns.sent = &c->self->stat[STAT_LINK_BYTES_SENT];
    c->tns.received = &c->self->stat[STAT_LINK_BYTES_RECEIVED];
    c->tns.sends = WAIT_MESSAGE_TO_DBLINK;
    c->tns.sends_more = WAIT_MORE_TO_DBLINK;
    connection_reads(c);
    if (connection_log_on(c, link)) {
        c->tns.deadline_us = 0;
        return true;
    }
    *error = c->error;
    release(c);
    return false;
}

void connection_close(struct connection *c) {
    static const uint8_t eof[TNS_DATA_FLAGS] = {0, DATA_FLAG_EOF};
    if (c->open) {
        c->tns.deadline_us =
            clock_us() + LOGGED_OFF_WITHIN_S * INT64_C(1000000);
        if (call_alone(c, CALL_LOGOFF))
            tns_send(&c->tns, TNS_DATA, eof, sizeof eof);
    }
    release(c);
}
