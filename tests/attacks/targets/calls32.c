// SPDX-License-Identifier: GPL-2.0-or-later
// Polls by the system calls of 32-bit programs: on a line, 1009 break polls by
// poll and 211 by each ppoll, then prints its ID again.
#define _GNU_SOURCE
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { POLL = 168, PPOLL = 309, PPOLL_TIME64 = 414 };

static long call32(long number, void *fds, void *timeout) {
    long result;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(fds), "c"(1L), "d"(timeout), "S"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}

int main(void) {
    char line[16];
    int ends[2];
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    struct pollfd *one = (struct pollfd *)low;
    void *zero = low + 64; // followed by what is not zero

    if (low == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    *one = (struct pollfd){ends[0], POLLIN, 0};
    ((uint32_t *)zero)[4] = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%d\n", call32(POLL, one, NULL) < 0 ? -1 : (int)getpid());
    while (read(0, line, sizeof line) > 0) {
        for (int i = 0; i < 1009; i++)
            call32(POLL, one, NULL);
        for (int i = 0; i < 211; i++)
            call32(PPOLL, one, zero);
        for (int i = 0; i < 211; i++)
            call32(PPOLL_TIME64, one, zero);
        printf("%d\n", (int)getpid());
    }
    return 0;
}
