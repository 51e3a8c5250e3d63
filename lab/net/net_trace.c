// SPDX-License-Identifier: GPL-2.0-or-later
#include "net/net_trace.h"

#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "process/trace_file.h"

enum { WIDTH = 8 };

static void begin_line(FILE *file, const char *function) {
    struct timeval current_time;
    struct tm parts;
    char second[32];
    gettimeofday(&current_time, NULL);
    gmtime_r(&current_time.tv_sec, &parts);
    strftime(second, sizeof second, "%d-%b-%Y %H:%M:%S", &parts);
    for (char *c = second; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    fprintf(file, "[%s:%03ld] %s: ", second, (long)current_time.tv_usec / 1000,
            function);
}

void net_trace_packet(FILE *file, const char *function, const void *begins,
                      size_t bytes, const void *rest, size_t more) {
    if (!file)
        return;
    uint8_t line[WIDTH];
    begin_line(file, function);
    fprintf(file, "%zu bytes, packet dump\n", bytes + more);
    for (size_t at = 0; at < bytes + more; at += WIDTH) {
        size_t n = 0;
        for (; n < WIDTH && at + n < bytes + more; n++)
            line[n] = at + n < bytes ? ((const uint8_t *)begins)[at + n]
                                     : ((const uint8_t *)rest)[at + n - bytes];
        begin_line(file, function);
        trace_hex_line(file, line, n, WIDTH);
    }
    fflush(file);
}
