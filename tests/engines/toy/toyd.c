// SPDX-License-Identifier: GPL-2.0-or-later
// A server of the toy engine: prints its port, serves one connection, works
// until its client says something, and prints how often it looked for that.
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

void toy_work(int client, long *looks) __asm__("_ZN3toy6Engine4workEiPl");

int main(void) {
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0), client;
    long looks = 0;

    if (bind(listener, (struct sockaddr *)&at, sizeof at) ||
        listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&at, &size))
        return 1;
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    client = accept(listener, NULL, NULL);
    close(listener);
    toy_work(client, &looks);
    printf("%ld\n", looks);
    return 0;
}
