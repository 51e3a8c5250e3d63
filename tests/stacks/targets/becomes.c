// SPDX-License-Identifier: GPL-2.0-or-later
// Prints an address in main and, on a line of input, becomes the program it
// was given.
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char ignored;

    if (argc != 2)
        return 2;
    printf("%lx\n", (unsigned long)main + 1);
    fflush(stdout);
    if (read(0, &ignored, 1) == 1)
        execv(argv[1], argv + 1);
    return 1;
}
