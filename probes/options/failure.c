// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail(int code, const char *format, ...) {
    va_list args;

    fputs("polltrace-probe: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(code);
}
