// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "process/trace_file.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/sga.h"
#include "process/trace_header.h"

enum {
    DUMP_WIDTH = 16,
    LONGEST_DUMP = 4096,
    LONGEST_LINE = 2 * PATH_MAX,
    // A pause after which the time of day is written, as Oracle does.
    PAUSE_US = 2000000,
    // Of a file whose limit is large: the first, and the last ones.
    SEGMENTS = 5,
    SEGMENTED_FROM = 25 << 20,
};

static const struct sga *the_sga;
static struct session_slot *self;
static char file_path[TRACE_PATH];
static int file = -1;
static char pending[1 << 16]; // written by the next trace_flush()
static size_t pending_bytes;
static int64_t limit = TRACE_UNLIMITED;
static bool is_full, is_begun, is_identified;
static int64_t written_us; // when the last record began
static int64_t file_bytes; // when it was flushed last
static unsigned cut;       // segments that were renamed

void trace_file_name(char *to, size_t size, const struct sga *sga,
                     const struct session_slot *slot) {
    const char *identifier = slot->trace_identifier;
    snprintf(to, size, "%s/%s_%s_%d%s%s.trc", sga->traces, sga->instance,
             *slot->background ? slot->background : "ora", (int)slot->pid,
             *identifier ? "_" : "", identifier);
}

void trace_file_of(const struct sga *sga, struct session_slot *slot) {
    the_sga = sga;
    self = slot;
    trace_file_name(file_path, sizeof file_path, sga, slot);
}

static bool open_file(void) {
    if (file < 0 && *file_path)
        file =
            open(file_path,
                 O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    return file >= 0;
}

// A file that takes no more ends there: it has no holes.
static void put(const char *data, size_t length) {
    while (length > 0) {
        const ssize_t n = write(file, data, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            is_full = true;
            return;
        }
        data += n;
        length -= (size_t)n;
    }
}

// Writes the lines that are within the limit, and a last one that names it.
static void put_limited(const char *data, size_t length) {
    struct stat status;
    char last[80];
    if (limit == TRACE_UNLIMITED || fstat(file, &status) ||
        status.st_size + (int64_t)length <= limit) {
        put(data, length);
        return;
    }
    size_t room = limit > status.st_size ? (size_t)(limit - status.st_size) : 0;
    while (room > 0 && data[room - 1] != '\n')
        room--;
    put(data, room);
    const int n = snprintf(last, sizeof last,
                           "*** DUMP FILE SIZE IS LIMITED TO %lld BYTES ***\n",
                           (long long)limit);
    put(last, (size_t)n);
    is_full = true;
}

static void write_out(const char *data, size_t length) {
    struct stat status;
    if (is_full || !open_file())
        return;
    put_limited(data, length);
    if (fstat(file, &status) == 0)
        file_bytes = status.st_size;
}

void trace_flush(void) {
    if (pending_bytes > 0)
        write_out(pending, pending_bytes);
    pending_bytes = 0;
}

void trace_bytes(const void *data, size_t length) {
    if (pending_bytes + length > sizeof pending)
        trace_flush();
    if (length <= sizeof pending) {
        memcpy(pending + pending_bytes, data, length);
        pending_bytes += length;
    } else {
        write_out(data, length);
    }
}

static void text(const char *format, va_list arguments) {
    char line[LONGEST_LINE];
    const int n = vsnprintf(line, sizeof line, format, arguments);
    const size_t length = n < 0 ? 0 : (size_t)n;
    trace_bytes(line, length < sizeof line ? length : sizeof line - 1);
}

void trace_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text(format, arguments);
    va_end(arguments);
}

// The name of a segment: the file's own with a number.
static void segment_name(char *to, size_t size, unsigned number) {
    const size_t stem = strlen(file_path) - strlen(".trc");
    snprintf(to, size, "%.*s_%u.trc", (int)stem, file_path, number);
}

static void begin_file(void) {
    if (file >= 0)
        close(file);
    file = -1;
    file_bytes = 0;
    is_full = is_begun = is_identified = false;
}

// The file becomes a segment, and the trace goes on in a new one of its name.
// Where it cannot, its limit is the whole one.
static void cut_segment(void) {
    char name[TRACE_PATH + 16];
    trace_flush();
    segment_name(name, sizeof name, cut + 1);
    if (renameat2(AT_FDCWD, file_path, AT_FDCWD, name, RENAME_NOREPLACE))
        return;
    cut++;
    if (cut >= SEGMENTS) { // with the new file, one too many
        segment_name(name, sizeof name, cut - (SEGMENTS - 2));
        unlink(name);
    }
    begin_file();
}

void trace_record(void) {
    const int64_t now_us = clock_us();
    char time[TRACE_TIME];
    if (!self || is_full)
        return;
    if (limit >= SEGMENTED_FROM &&
        file_bytes + (int64_t)pending_bytes >= limit / SEGMENTS)
        cut_segment();
    if (!is_begun) {
        trace_header(the_sga, self, file_path);
    } else if (now_us - written_us > PAUSE_US) {
        trace_time(time);
        trace_text("\n*** %s\n", time);
    }
    if (self->logged_on)
        trace_identity(the_sga, self, !is_identified);
    is_identified = self->logged_on;
    is_begun = true;
    written_us = now_us;
}

static void continued(const char *how, const char *path) {
    trace_text("\n*** TRACE CONTINUE%s FILE %s ***\n\n", how, path);
}

void trace_file_identify(const char *identifier) {
    char old_path[TRACE_PATH];
    const bool was_begun = is_begun;
    if (!self)
        return;
    snprintf(old_path, sizeof old_path, "%s", file_path);
    snprintf(self->trace_identifier, sizeof self->trace_identifier, "%s",
             identifier);
    char new_path[TRACE_PATH];
    trace_file_name(new_path, sizeof new_path, the_sga, self);
    if (strcmp(old_path, new_path) == 0)
        return;
    if (was_begun)
        continued("S IN", new_path);
    trace_flush();
    begin_file();
    cut = 0;
    memcpy(file_path, new_path, sizeof new_path);
    if (was_begun) {
        trace_record();
        continued("D FROM", old_path);
    }
}

void trace_file_limit(int64_t bytes) {
    limit = bytes;
    is_full = false;
}

int64_t trace_file_limited_to(void) {
    return limit;
}

void trace_write(const char *format, ...) {
    char time_text[TRACE_TIME];
    va_list arguments;
    trace_record();
    trace_time(time_text);
    trace_text("*** %s\n", time_text);
    va_start(arguments, format);
    text(format, arguments);
    va_end(arguments);
    trace_bytes("\n", 1);
    trace_flush();
}

static void on_fatal(int number) {
    static const char text[] = "*** ORA-07445: exception encountered: signal ";
    const char digits[] = {(char)('0' + number / 10), (char)('0' + number % 10),
                           '\n'};
    void *stack[64];
    trace_flush(); // uses nothing but open() and write()
    if (open_file() && write(file, text, sizeof text - 1) > 0 &&
        write(file, digits, sizeof digits) > 0)
        backtrace_symbols_fd(
            stack, backtrace(stack, (int)(sizeof stack / sizeof *stack)), file);
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

void trace_hex_line(FILE *to, const uint8_t *data, size_t length,
                    size_t width) {
    for (size_t i = 0; i < width; i++)
        if (i < length)
            fprintf(to, "%02X ", data[i]);
        else
            fputs("   ", to);
    fputs(" |", to);
    for (size_t i = 0; i < width; i++)
        fputc(i >= length                       ? ' '
              : data[i] >= ' ' && data[i] < 127 ? data[i]
                                                : '.',
              to);
    fputs("|\n", to);
}

void trace_dump(const uint8_t *data, size_t length, size_t near) {
    FILE *to_file = open_file() ? fdopen(dup(file), "a") : NULL;
    if (!to_file)
        return;
    size_t from = near > LONGEST_DUMP / 2 ? near - LONGEST_DUMP / 2 : 0;
    from -= from % DUMP_WIDTH;
    const size_t to =
        length - from > LONGEST_DUMP ? from + LONGEST_DUMP : length;
    for (; from < to; from += DUMP_WIDTH) {
        const size_t remaining = to - from;
        fprintf(to_file, "%08zX: ", from);
        trace_hex_line(to_file, data + from,
                       remaining < DUMP_WIDTH ? remaining : DUMP_WIDTH,
                       DUMP_WIDTH);
    }
    fclose(to_file);
}
