// SPDX-License-Identifier: GPL-2.0-or-later
// The trace file of a server process, which v$process.TRACEFILE names. It
// exists from its first line on, and begins as Oracle's files do (see
// trace_header.c).
#ifndef ORALAB_TRACE_FILE_H
#define ORALAB_TRACE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sga;
struct session_slot;

enum {
    TRACE_UNLIMITED = -1,
    DUMP_BLOCK = 512, // bytes; the unit of MAX_DUMP_FILE_SIZE without one
    TRACE_PATH = PATH_MAX + 160, // room for the name of a file
};

// The name of the file of the session's server:
// DIRECTORY/INSTANCE_ora_PID[_IDENTIFIER].trc; j000 for ora if it runs a job
void trace_file_name(char *to, size_t size, const struct sga *sga,
                     const struct session_slot *slot);
// From now on this process writes the session's file. Until then, and where it
// cannot be written, lines are dropped.
void trace_file_of(const struct sga *sga, struct session_slot *slot);
// TRACEFILE_IDENTIFIER: the trace goes on in a file of this name; "" is the
// file without one. The two files name each other.
void trace_file_identify(const char *identifier);
// MAX_DUMP_FILE_SIZE in bytes, or TRACE_UNLIMITED: a line then tells why the
// file ends. From 25 MiB on, the file is cut at each fifth of it into segments,
// and the oldest but the first is deleted, as Oracle does ("Trace File
// Segmentation" in the Database Administrator's Guide; it names 15 MiB, My
// Oracle Support 2600541.1 the true limit). The lines of Oracle at the head of
// a segment are not documented; here they are those of a file.
void trace_file_limit(int64_t bytes);
int64_t trace_file_limited_to(void);

// A line, after one with the time, into the file at once.
void trace_write(const char *format, ...) __attribute__((format(printf, 1, 2)));
// A signal that a fault of our own raises leaves a line and the stack, and ends
// the process as it would have.
void trace_fatal_signals(void);
// Sixteen bytes a line: their offset, in hex, as text. No more than 4 KiB,
// around the offset `near`.
void trace_dump(const uint8_t *data, size_t length, size_t near);

// Records of many lines: trace_record() begins one, and writes the lines due
// before it: the file's head, the time after a pause, a session's new module.
// They are kept in memory until trace_flush().
void trace_record(void);
void trace_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void trace_bytes(const void *data, size_t length);
void trace_flush(void);

// One line of a dump as Oracle's traces have it: "06 00 41  |..A     |".
void trace_hex_line(FILE *file, const uint8_t *data, size_t length,
                    size_t width);

#endif
