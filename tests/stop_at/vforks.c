// SPDX-License-Identifier: GPL-2.0-or-later
// A process in uninterruptible sleep: it waits for the child of its vfork,
// which prints "ready" and lives until standard input ends.
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
    char byte;

    if (!vfork()) {
        if (write(1, "ready\n", 6) == 6)
            while (read(0, &byte, 1) > 0)
                continue;
        _exit(0);
    }
    return 0;
}
