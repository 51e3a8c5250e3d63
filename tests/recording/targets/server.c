// SPDX-License-Identifier: GPL-2.0-or-later
// A dedicated server as far as a recording sees one: its title is its first
// argument, and it polls its client's socket at every third call of the break
// check, until its standard input ends.
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define SKIP 3
#define CALLS 90 // between two pauses: 32 servers leave a CPU to others

static int calls;

__attribute__((noinline)) int nsmore2recv(int fd) {
    struct pollfd client = {.fd = fd, .events = POLLIN | POLLPRI};

    return ++calls % SKIP ? 0 : poll(&client, 1, 0);
}

static int connected(void) {
    struct sockaddr_in any = {.sin_family = AF_INET,
                              .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(any);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int client = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(listener, (struct sockaddr *)&any, size) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&any, &size) ||
        connect(client, (struct sockaddr *)&any, size))
        return -1;
    return accept(listener, NULL, NULL);
}

int main(void) {
    struct pollfd end[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = -1}};
    int fd = connected();

    if (fd < 0)
        return 1;
    puts("ready");
    fflush(stdout);
    while (!poll(end, 2, 10)) // two descriptors: no break poll
        for (int i = 0; i < CALLS; i++)
            nsmore2recv(fd);
    return 0;
}
