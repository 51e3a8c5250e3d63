// SPDX-License-Identifier: GPL-2.0-or-later
// oralab: a listener, and the dedicated servers that it starts by executing
// itself.
//
// Exit codes: 0 ended as requested, 2 wrong usage, 6 cannot listen or start.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "link/links.h"
#include "listener/listener.h"
#include "net/keepalive.h"
#include "plsql/job_run.h"
#include "process/sqlnet_ora.h"
#include "process/trace_file.h"
#include "ttc/server.h"

static bool is_server(int argc, char **argv, const char *argument) {
    return argc == 2 && strncmp(argv[0], "oracle", 6) == 0 &&
           strcmp(argv[1], argument) == 0;
}

// Oracle calls it so.
static FILE *net_trace(const struct sga *sga) {
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s/svr_%d.trc", sga->traces, (int)getpid());
    return sga->trace_net ? fopen(name, "we") : NULL;
}

static int run_server(bool local) {
    static struct server server;
    char name[16];
    struct sga *sga = sga_attach(SERVER_SGA);
    struct session_slot *self = sga ? sga_slot(sga, getpid()) : NULL;
    if (!self) {
        fputs("oralab: only the listener starts servers\n", stderr);
        return EXIT_USAGE;
    }
    // The name of Oracle's server processes since 12c.
    snprintf(name, sizeof name, "oracle_%d_%.2s", (int)getpid(), sga->instance);
    prctl(PR_SET_NAME, name);
    trace_file_of(sga, self);
    trace_fatal_signals();
    struct sqlnet_ora ora = sqlnet_ora_read(getenv("TNS_ADMIN"));
    if (!local && ora.expire_time > 0)
        keepalive_set(SERVER_SOCKET, ora.expire_time);
    server_run(&server, SERVER_SOCKET, local ? SERVER_OUT : SERVER_SOCKET, sga,
               self, &ora, links_open, net_trace(sga));
    return EXIT_OK;
}

// A job's process has Oracle's title of one, ora_j000_SID, and no client.
static bool is_job(int argc, char **argv) {
    return argc == 1 && strncmp(argv[0], "ora_j", 5) == 0 &&
           getenv(JOB_VARIABLE);
}

static int run_job(const char *title) {
    struct sga *sga = sga_attach(SERVER_SGA);
    struct session_slot *self = sga ? sga_slot(sga, getpid()) : NULL;
    if (!self) {
        fputs("oralab: only the listener starts jobs\n", stderr);
        return EXIT_USAGE;
    }
    prctl(PR_SET_NAME, title);
    trace_file_of(sga, self);
    trace_fatal_signals();
    job_server_run(sga, self,
                   (uint32_t)strtoul(getenv(JOB_VARIABLE), NULL, 10));
    return EXIT_OK;
}

int main(int argc, char **argv) {
    if (is_server(argc, argv, REMOTE_ARGUMENT))
        return run_server(false);
    if (is_server(argc, argv, LOCAL_ARGUMENT))
        return run_server(true);
    if (is_job(argc, argv))
        return run_job(argv[0]);
    struct options options;
    int code = options_read(argc, argv, &options);
    return code == EXIT_OK ? listener_run(&options) : code;
}
