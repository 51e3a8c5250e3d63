// SPDX-License-Identifier: GPL-2.0-or-later
// Prints an address in main and waits; its variables have symbols, and one of
// them claims to be a function.
#include <stdio.h>

int initialized[16] = {1};
int zeroed[16];
const int constant[16] = {2};
int disguised[16] = {3};
__asm__(".type disguised, @function");

int main(void) {
    printf("%lx\n", (unsigned long)main + 1);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return initialized[1] + zeroed[1] + constant[1] + disguised[1];
}
