// SPDX-License-Identifier: GPL-2.0-or-later
// Walks its own frame pointers from the innermost function, prints the
// addresses in hex on one line, and waits until its input ends.
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

// Ends the process and never returns: the caller's return address is the
// first byte of whatever the linker put behind it.
APART __attribute__((noreturn)) void waits_for_end(void) {
    uintptr_t *frame = __builtin_frame_address(0);
    char ignored;

    printf("%lx", (unsigned long)waits_for_end + 1);
    for (int depth = 0; depth < 5; depth++) {
        printf(" %lx", (unsigned long)frame[1]);
        frame = (uintptr_t *)frame[0];
    }
    printf("\n");
    fflush(stdout);
    while (read(0, &ignored, 1) > 0)
        ;
    _exit(0);
}

APART __attribute__((noreturn)) static void calls_last(void) {
    waits_for_end();
}

APART static void hidden_step(volatile int *n) {
    calls_last();
    *n += 1;
}

APART void exported_step(volatile int *n) {
    hidden_step(n);
    *n += 2;
}

APART void outermost_step(volatile int *n) {
    exported_step(n);
    *n += 3;
}

int main(void) {
    volatile int n = 0;

    outermost_step(&n);
    return n;
}
