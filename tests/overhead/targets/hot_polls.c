// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the nanoseconds of CPU time that a break poll takes in a closed loop.
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#define POLLS 300000

static double cpu_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

int main(void) {
    struct sockaddr_in any = {.sin_family = AF_INET,
                              .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(any);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct pollfd client = {.fd = socket(AF_INET, SOCK_STREAM, 0),
                            .events = POLLIN};
    double before;

    if (bind(listener, (struct sockaddr *)&any, size) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&any, &size) ||
        connect(client.fd, (struct sockaddr *)&any, size))
        return 1;
    before = cpu_ns();
    for (int i = 0; i < POLLS; i++)
        poll(&client, 1, 0);
    printf("%g\n", (cpu_ns() - before) / POLLS);
    return 0;
}
