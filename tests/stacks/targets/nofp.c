// SPDX-License-Identifier: GPL-2.0-or-later
// Prints its stack as a frame-pointer walk finds it; with an argument, called
// by a function that was built without frame pointers.
#include <stdint.h>
#include <stdio.h>

#define APART __attribute__((noinline, noclone))

static uintptr_t lowest, highest;

APART void walks(void) {
    uintptr_t *frame = __builtin_frame_address(0);

    printf("%lx", (unsigned long)walks + 1);
    while ((uintptr_t)frame > lowest && (uintptr_t)frame < highest &&
           !((uintptr_t)frame & 7)) {
        printf(" %lx", (unsigned long)frame[1]);
        frame = (uintptr_t *)frame[0];
    }
    printf("\n");
    fflush(stdout);
    while (getchar() != EOF)
        ;
}

// Uses the register as compilers do when it need not hold a frame.
void overwrites(void);
__asm__(".text\n"
        ".type overwrites, @function\n"
        "overwrites:\n"
        "	push %rbp\n"
        "	mov $1, %ebp\n"
        "	call walks\n"
        "	pop %rbp\n"
        "	ret\n"
        ".size overwrites, .-overwrites\n");

int main(int argc, char **argv) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    (void)argv;
    lowest = here - 65536;
    highest = here + 65536;
    if (argc > 1)
        overwrites();
    else
        walks();
    return 0;
}
