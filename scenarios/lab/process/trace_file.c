// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/trace_file.h"

#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { DUMP_WIDTH = 16, LONGEST_DUMP = 4096 };

static char file_path[PATH_MAX];

void trace_file_name(char *to, size_t size, const char *directory,
                     const char *instance, pid_t pid) {
    snprintf(to, size, "%s/%s_ora_%d.trc", directory, instance, (int)pid);
}

void trace_file_is(const char *path) {
    snprintf(file_path, sizeof file_path, "%s", path);
}

static FILE *open_file(void) {
    return *file_path ? fopen(file_path, "ae") : NULL;
}

void trace_write(const char *format, ...) {
    FILE *file = open_file();
    if (!file)
        return;
    struct timeval now;
    struct tm parts;
    char second[32];
    va_list arguments;
    gettimeofday(&now, NULL);
    gmtime_r(&now.tv_sec, &parts);
    strftime(second, sizeof second, "%Y-%m-%dT%H:%M:%S", &parts);
    fprintf(file, "*** %s.%06ld+00:00\n", second, (long)now.tv_usec);
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
}

static void on_fatal(int number) {
    static const char text[] = "*** ORA-07445: exception encountered: signal ";
    const char digits[] = {(char)('0' + number / 10), (char)('0' + number % 10),
                           '\n'};
    void *stack[64];
    const int fd =
        open(file_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0 && write(fd, text, sizeof text - 1) > 0 &&
        write(fd, digits, sizeof digits) > 0)
        backtrace_symbols_fd(
            stack, backtrace(stack, (int)(sizeof stack / sizeof *stack)), fd);
    raise(number); // SA_RESETHAND: now as if there were no handler
}

void trace_fatal_signals(void) {
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    void *stack[1];
    const struct sigaction action = {.sa_handler = on_fatal,
                                     .sa_flags = SA_RESETHAND | SA_NODEFER};
    backtrace(stack, 1); // its first call loads a library
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
}

void trace_hex_line(FILE *file, const uint8_t *data, size_t length,
                    size_t width) {
    for (size_t i = 0; i < width; i++)
        if (i < length)
            fprintf(file, "%02X ", data[i]);
        else
            fputs("   ", file);
    fputs(" |", file);
    for (size_t i = 0; i < width; i++)
        fputc(i >= length                       ? ' '
              : data[i] >= ' ' && data[i] < 127 ? data[i]
                                                : '.',
              file);
    fputs("|\n", file);
}

void trace_dump(const uint8_t *data, size_t length, size_t near) {
    FILE *file = open_file();
    if (!file)
        return;
    size_t from = near > LONGEST_DUMP / 2 ? near - LONGEST_DUMP / 2 : 0;
    from -= from % DUMP_WIDTH;
    const size_t to =
        length - from > LONGEST_DUMP ? from + LONGEST_DUMP : length;
    for (; from < to; from += DUMP_WIDTH) {
        const size_t left = to - from;
        fprintf(file, "%08zX: ", from);
        trace_hex_line(file, data + from, left < DUMP_WIDTH ? left : DUMP_WIDTH,
                       DUMP_WIDTH);
    }
    fclose(file);
}
