// SPDX-License-Identifier: GPL-2.0-or-later
// Loads the library it is given, prints an address in its step_inside, and
// waits until its input ends. With a second argument, deletes the file first.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

    if (!library || (argc > 2 && unlink(argv[1])))
        return 1;
    printf("%lx\n", (unsigned long)dlsym(library, "step_inside") + 1);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
