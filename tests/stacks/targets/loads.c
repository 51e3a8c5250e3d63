// SPDX-License-Identifier: GPL-2.0-or-later
// Prints an address in main; on a line of input, loads the library it was
// given and prints an address in its step_inside.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library;

    if (argc != 2)
        return 2;
    printf("%lx\n", (unsigned long)main + 1);
    fflush(stdout);
    if (getchar() == EOF)
        return 0;
    library = dlopen(argv[1], RTLD_NOW);
    if (!library)
        return 1;
    printf("%lx\n", (unsigned long)dlsym(library, "step_inside") + 1);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
