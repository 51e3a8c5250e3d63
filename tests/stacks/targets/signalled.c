// SPDX-License-Identifier: GPL-2.0-or-later
// Prints, from inside a signal handler, where it is and where it returns to,
// and waits until its input ends.
#include <signal.h>
#include <stdio.h>

static void on_signal(int number) {
    (void)number;
    printf("%lx %lx\n", (unsigned long)on_signal + 1,
           (unsigned long)__builtin_return_address(0));
    fflush(stdout);
    while (getchar() != EOF)
        ;
}

int main(void) {
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    return 0;
}
