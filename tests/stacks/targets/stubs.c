// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the addresses that its calls of poll and getppid are aimed at, read
// from the machine code behind its own labels.
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const unsigned char before_poll[], before_getppid[];

static unsigned long aim(const unsigned char *call) {
    int32_t distance;

    memcpy(&distance, call + 1, sizeof(distance));
    return call[0] == 0xe8 ? (unsigned long)(call + 5) + distance : 0;
}

int main(void) {
    __asm__ volatile(".globl before_poll\nbefore_poll: call poll@PLT\n"
                     ".globl before_getppid\nbefore_getppid: call "
                     "getppid@PLT\n"
                     :
                     : "D"(0), "S"(0), "d"(0)
                     : "rax", "rcx", "r8", "r9", "r10", "r11", "memory");
    printf("%lx %lx\n", aim(before_poll), aim(before_getppid));
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
