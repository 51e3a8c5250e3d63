// SPDX-License-Identifier: GPL-2.0-or-later
// Resembles, to the processor, the work of a row source between two break
// checks: small functions that call one another through pointers, a few deep,
// with branches and loads that depend on data. A system call slows such work
// for a while: the kernel's branches and returns have replaced the program's in
// the predictors, above all in the return stack. A plain loop would not show
// that.
#include "calibration/work.h"

#include <stdint.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))
#define DEEPEST 5 // calls within calls
#define CHECK_DEPTH 12

static uint32_t memory[WORDS];
static volatile uint32_t sink; // keeps the work from being optimised away
static unsigned mask;

typedef uint32_t operation(uint32_t at, unsigned depth);
static operation *const operations[64];

static uint32_t next(uint32_t at, unsigned depth) {
    return operations[(at >> 11) & 63](at, depth - 1);
}

// Sixty-four functions, each with constants and so with code of its own.
#define OPERATION(n)                                                           \
    static NOINLINE uint32_t operation_##n(uint32_t at, unsigned depth) {      \
        uint32_t sum = at ^ (n * 2654435761u);                                 \
        for (unsigned i = 0; i < 3 + (n & 3); i++) {                           \
            uint32_t value = memory[(at >> 8) & mask];                         \
            at = at * 1664525u + 1013904223u + n;                              \
            if (value & 1)                                                     \
                sum += value + n;                                              \
            else if (value & 6)                                                \
                sum ^= value >> (n & 7);                                       \
            else                                                               \
                sum -= at;                                                     \
        }                                                                      \
        if (depth)                                                             \
            sum += next(at + sum, depth);                                      \
        return sum + at;                                                       \
    }
#define EIGHT(f, n)                                                            \
    f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) f(n##5) f(n##6) f(n##7)
#define ALL(f)                                                                 \
    EIGHT(f, 1)                                                                \
    EIGHT(f, 2)                                                                \
    EIGHT(f, 3) EIGHT(f, 4) EIGHT(f, 5) EIGHT(f, 6) EIGHT(f, 7) EIGHT(f, 8)
ALL(OPERATION)

#define NAME(n) operation_##n,
static operation *const operations[64] = {ALL(NAME)};

void work_prepare(void) {
    for (unsigned i = 0; i < WORDS; i++)
        memory[i] = (uint32_t)random();
}

void work(unsigned steps, unsigned words) {
    static uint32_t state = 1;
    mask = words - 1;
    for (unsigned i = 0; i < steps; i++)
        state =
            state * 22695477u + operations[(state >> 9) & 63](state, DEEPEST);
    sink = state;
}

static NOINLINE int descend(struct pollfd *socket, unsigned depth) {
    if (depth) {
        int ready = descend(socket, depth - 1);
        sink += depth; // a frame that stays: nothing is left to call after
        return ready;
    }
    return socket ? poll(socket, 1, 0) : 0;
}

void deep_poll(struct pollfd *socket) {
    descend(socket, CHECK_DEPTH);
}
