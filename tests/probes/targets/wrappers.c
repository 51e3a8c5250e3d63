// SPDX-License-Identifier: GPL-2.0-or-later
// A libc's waiting functions, as glibc has them: no frame, and a way with more
// on the stack where a thread could be cancelled. For building with and
// without CET padding, which this machine's own libc may or may not have.
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

int wrappers_many_threads;

static long enter(long nr, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

__attribute__((noinline, noclone)) static long cancellation(long state) {
    __asm__ volatile("" : "+r"(state)::"memory");
    return state;
}

#define WRAPPER(name, nr, d, e, f)                                             \
    long name(long a, long b, long c, long d_, long e_, long f_);              \
    long name(long a, long b, long c, long d_, long e_, long f_) {             \
        long old, result;                                                      \
                                                                               \
        (void)d_, (void)e_, (void)f_;                                          \
        if (!*(volatile int *)&wrappers_many_threads)                          \
            return enter(nr, a, b, c, d, e, f);                                \
        old = cancellation(1);                                                 \
        result = enter(nr, a, b, c, d, e, f);                                  \
        cancellation(old);                                                     \
        return result;                                                         \
    }

WRAPPER(poll, SYS_poll, 0, 0, 0)
WRAPPER(ppoll, SYS_ppoll, 0, 8, 0)
WRAPPER(select, SYS_select, d_, e_, 0)
WRAPPER(epoll_wait, SYS_epoll_wait, d_, 0, 0)
WRAPPER(read, SYS_read, 0, 0, 0)
WRAPPER(recv, SYS_recvfrom, d_, 0, 0)
