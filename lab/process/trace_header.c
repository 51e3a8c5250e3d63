// SPDX-License-Identifier: GPL-2.0-or-later
// In the form of Oracle 19c, of a database that is no container.
#include "process/trace_header.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "process/trace_file.h"

void trace_time(char to[TRACE_TIME]) {
    struct timeval current_time;
    struct tm parts;
    char second[24];
    gettimeofday(&current_time, NULL);
    gmtime_r(&current_time.tv_sec, &parts);
    strftime(second, sizeof second, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(to, TRACE_TIME, "%s.%06ld+00:00", second,
             (long)current_time.tv_usec);
}

// The folder of the executable.
static void home(char *to, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", to, size - 1);
    to[length > 0 ? length : 0] = '\0';
    char *name = strrchr(to, '/');
    if (name)
        *name = '\0';
}

static void program_and_host(const struct sga *sga, const char *path) {
    struct utsname host;
    char folder[PATH_MAX];
    home(folder, sizeof folder);
    trace_text("Trace file %s\n"
               "Oracle Database 19c-like lab (polltrace oralab) Release "
               "19.0.0.0.0 - Production\n"
               "Version 19.3.0.0.0\n"
               "Build label:    ORALAB\n"
               "ORACLE_HOME:    %s\n",
               path, folder);
    if (uname(&host) == 0)
        trace_text("System name:\t%s\nNode name:\t%s\nRelease:\t%s\n"
                   "Version:\t%s\nMachine:\t%s\n",
                   host.sysname, host.nodename, host.release, host.version,
                   host.machine);
    trace_text("Instance name: %s\nRedo thread mounted by this instance: 1\n",
               sga->instance);
}

void trace_header(const struct sga *sga, const struct session_slot *slot,
                  const char *path) {
    char host[SGA_NAME] = "", now[TRACE_TIME];
    gethostname(host, sizeof host - 1);
    program_and_host(sga, path);
    trace_text("Oracle process number: %u\n"
               "Unix process pid: %d, image: oracle@%s\n\n\n",
               sga_sid(sga, slot), (int)slot->pid, host);
    trace_time(now);
    trace_text("*** %s\n", now);
}

// A client's name for itself cannot begin a line of its own.
static void text_line(const char *what, const char *value) {
    char service_text[SGA_NAME], now[TRACE_TIME];
    size_t n = 0;
    for (; value[n] && n < sizeof service_text - 1; n++)
        service_text[n] = (unsigned char)value[n] < ' ' ? '?' : value[n];
    service_text[n] = '\0';
    trace_time(now);
    trace_text("*** %s:(%s) %s\n", what, service_text, now);
}

void trace_identity(const struct sga *sga, const struct session_slot *slot,
                    bool all) {
    static struct session_slot written;
    static char written_service[SGA_NAME];
    const struct {
        const char *what, *value;
        char *written;
    } lines[] = {
        {"CLIENT ID", slot->client_identifier, written.client_identifier},
        {"SERVICE NAME", sga->instance, written_service},
        {"MODULE NAME", slot->module, written.module},
        {"ACTION NAME", slot->action, written.action},
        {"CLIENT DRIVER", slot->driver, written.driver},
    };
    char id[SGA_NAME];
    if (all) {
        snprintf(id, sizeof id, "%u.%u", sga_sid(sga, slot), slot->serial);
        text_line("SESSION ID", id);
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (all || strcmp(lines[i].value, lines[i].written) != 0) {
            text_line(lines[i].what, lines[i].value);
            snprintf(lines[i].written, SGA_NAME, "%s", lines[i].value);
        }
    if (all)
        trace_text(" \n");
}
