// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/mapped_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_SIZE 4608 // the longest path, and the columns before it

// Opened as output/layout.c opens it.
static void try_file(int pid, const char *line, const char *path) {
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    static char name[LINE_SIZE + 64], bytes[64];
    struct stat st;
    int fd;

    snprintf(name, sizeof(name), "/proc/%d/map_files/%.*s", pid,
             (int)strcspn(line, " "), line);
    fd = open(name, flags);
    if (fd < 0) {
        snprintf(name, sizeof(name), "/proc/%d/root%s", pid, path);
        fd = open(name, flags);
    }
    if (fd < 0)
        return;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
        pread(fd, bytes, sizeof(bytes), 0) > 0 && st.st_size > 64)
        (void)!pread(fd, bytes, sizeof(bytes), st.st_size - 64);
    close(fd);
}

static void try_line(int pid, const char *line) {
    const char *flags = strchr(line, ' '), *path = strchr(line, '/');

    if (flags && strlen(flags) > 3 && flags[3] == 'x' && path)
        try_file(pid, line, path);
}

void mapped_files_try(int pid) {
    static char line[LINE_SIZE], part[4096];
    size_t length = 0;
    ssize_t size;
    int maps;

    snprintf(part, sizeof(part), "/proc/%d/maps", pid);
    maps = open(part, O_RDONLY | O_CLOEXEC);
    if (maps < 0)
        return;
    while ((size = read(maps, part, sizeof(part))) > 0)
        for (ssize_t i = 0; i < size; i++) {
            if (part[i] != '\n') {
                line[length] = part[i];
                length += length < sizeof(line) - 1;
                continue;
            }
            line[length] = 0;
            length = 0;
            try_line(pid, line);
        }
    close(maps);
}
