// SPDX-License-Identifier: GPL-2.0-or-later
// Tracepoints are named by number, and the numbers are in tracefs, which is
// often not mounted. It is then mounted for ourselves alone: a mount that was
// never put into the tree goes when its descriptor is closed.
#include "loader/tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader/perf.h"

#define MAX_EVENTS 24

static char why[160];

static int mount_tracefs(void) {
    int context = syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), root = -1;

    if (context < 0)
        return -1;
    if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
        root = syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
    close(context);
    return root;
}

static int read_number(int directory, const char *event) {
    char path[128], text[16];
    ssize_t size;
    int fd;

    snprintf(path, sizeof(path), "events/%s/id", event);
    fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (size <= 0)
        return -1;
    text[size] = 0;
    return atoi(text);
}

static int read_tracefs(const char *event) {
    static const char *const ROOTS[] = {"/sys/kernel/tracing",
                                        "/sys/kernel/debug/tracing"};
    int number = -1, root;

    for (unsigned i = 0; i < sizeof(ROOTS) / sizeof(*ROOTS) && number < 0;
         i++) {
        root = open(ROOTS[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (root < 0)
            continue;
        number = read_number(root, event);
        close(root);
    }
    if (number < 0 && (root = mount_tracefs()) >= 0) {
        number = read_number(root, event);
        close(root);
    }
    return number;
}

// Remembered: later, windows attach again where tracefs cannot be mounted.
static int find_number(const char *event) {
    static struct {
        const char *event; // part of a program's section name
        int number;
    } known[MAX_EVENTS];
    unsigned i = 0;

    while (i < MAX_EVENTS && known[i].event) {
        if (!strcmp(known[i].event, event))
            return known[i].number;
        i++;
    }
    int number = read_tracefs(event);
    if (number >= 0 && i < MAX_EVENTS) {
        known[i].event = event;
        known[i].number = number;
    }
    return number;
}

int tracepoint_open(const char *event) {
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof(attr),
        .sample_period = 1,
        .wakeup_events = 1,
    };
    int number = find_number(event), fd, error;

    if (number < 0) {
        error = errno;
        snprintf(why, sizeof(why), "cannot read %s in tracefs: %s", event,
                 strerror(error));
        errno = error;
        return -1;
    }
    attr.config = number;
    // A BPF program on it runs on every CPU, whichever is named here.
    fd = perf_open(&attr, -1, 0);
    if (fd < 0) {
        error = errno;
        snprintf(why, sizeof(why), "%s", perf_why(error));
        errno = error;
    }
    return fd;
}

const char *tracepoint_why(int error) {
    return why[0] ? why : perf_why(error);
}
