// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_FAILURE_H
#define POLLTRACE_FAILURE_H

// Exit codes, as --help documents them.
enum {
    EXIT_OK = 0,
    EXIT_USAGE = 2,
    EXIT_NOT_PERMITTED = 3,
    EXIT_KERNEL = 4,
    EXIT_NO_PROCESS = 5,
    EXIT_ATTACH = 6,
};

// Prints "polltrace-probe: …" to stderr and ends the program.
_Noreturn void fail(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
