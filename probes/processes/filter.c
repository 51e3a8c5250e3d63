// SPDX-License-Identifier: GPL-2.0-or-later
#include "processes/filter.h"

#include <dirent.h>
#include <ftw.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/failure.h"
#include "processes/cmdlines.h"
#include "readers/procfs.h"

static const char *cgroup;
static regex_t pattern;
static bool has_pattern;
static int *member;
static size_t members, member_room;

static void add_member(int pid) {
    if (members == member_room) {
        member_room = member_room * 2 + 256;
        member = realloc(member, member_room * sizeof(*member));
        if (!member)
            fail(EXIT_ATTACH, "out of memory");
    }
    member[members++] = pid;
}

// Both hierarchies, v1 and v2, list a group's processes in cgroup.procs.
static int read_group(const char *path, const struct stat *st, int type,
                      struct FTW *walk) {
    char name[4200];
    FILE *procs;
    int pid;

    (void)st;
    (void)walk;
    if (type != FTW_D)
        return 0;
    snprintf(name, sizeof(name), "%s/cgroup.procs", path);
    procs = fopen(name, "re");
    while (procs && fscanf(procs, "%d", &pid) == 1)
        add_member(pid);
    if (procs)
        fclose(procs);
    return 0;
}

static int by_number(const void *a, const void *b) {
    int left = *(const int *)a, right = *(const int *)b;

    return left < right ? -1 : left > right;
}

void filter_refresh(void) {
    if (!cgroup)
        return;
    members = 0;
    nftw(cgroup, read_group, 16, FTW_PHYS | FTW_MOUNT);
    qsort(member, members, sizeof(*member), by_number);
}

void filter_init(const struct options *o) {
    char text[4200];
    int error;

    cgroup = o->cgroup;
    if (cgroup) {
        snprintf(text, sizeof(text), "%s/cgroup.procs", cgroup);
        if (proc_read(text, text, 1) < 0)
            fail(EXIT_USAGE, "%s is no cgroup directory (no cgroup.procs)",
                 cgroup);
    }
    if (!o->pattern)
        return;
    error = regcomp(&pattern, o->pattern, REG_EXTENDED | REG_NOSUB);
    if (error) {
        regerror(error, &pattern, text, sizeof(text));
        fail(EXIT_USAGE, "-n '%s': %s", o->pattern, text);
    }
    has_pattern = true;
}

bool filter_is_set(void) {
    return has_pattern || cgroup;
}

static bool matches_name(int pid, const char *comm) {
    char text[CMDLINE_SIZE + 1], now[16];
    size_t size = cmdlines_read(pid, text);

    for (size_t i = 0; i < size; i++)
        if (!text[i])
            text[i] = ' ';
    while (size && text[size - 1] == ' ')
        size--; // so that $ matches behind the last argument
    text[size] = 0;
    if (proc_comm(pid, now)) // it may have been renamed since its birth
        comm = now;
    return (size && !regexec(&pattern, text, 0, NULL, 0)) ||
           !regexec(&pattern, comm, 0, NULL, 0);
}

bool filter_wants(int pid, const char *comm) {
    if (cgroup && (!member ||
                   !bsearch(&pid, member, members, sizeof(*member), by_number)))
        return false;
    return !has_pattern || matches_name(pid, comm);
}

void filter_each(void (*take)(void *argument, int pid), void *argument) {
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    char comm[16];

    filter_refresh();
    while (proc && (entry = readdir(proc))) {
        int pid = atoi(entry->d_name);

        if (pid > 0 && pid != getpid() && proc_comm(pid, comm) &&
            filter_wants(pid, comm))
            take(argument, pid);
    }
    if (proc)
        closedir(proc);
}
