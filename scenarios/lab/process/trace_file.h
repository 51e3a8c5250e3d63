// SPDX-License-Identifier: GPL-2.0-or-later
// The trace file of a server process, which v$process.TRACEFILE names. It
// exists from its first line on.
#ifndef ORALAB_TRACE_FILE_H
#define ORALAB_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// The name of the file of the server `pid`: DIRECTORY/INSTANCE_ora_PID.trc
void trace_file_name(char *to, size_t size, const char *directory,
                     const char *instance, pid_t pid);
// Sets the file that this process writes. Until then, and where it cannot be
// written, lines are dropped.
void trace_file_is(const char *path);
// A line, after one with the time.
void trace_write(const char *format, ...) __attribute__((format(printf, 1, 2)));
// A signal that a fault of our own raises leaves a line and the stack, and ends
// the process as it would have.
void trace_fatal_signals(void);
// Sixteen bytes a line: their offset, in hex, as text. No more than 4 KiB,
// around the offset `near`.
void trace_dump(const uint8_t *data, size_t length, size_t near);

// One line of a dump as Oracle's traces have it: "06 00 41  |..A     |".
void trace_hex_line(FILE *file, const uint8_t *data, size_t length,
                    size_t width);

#endif
