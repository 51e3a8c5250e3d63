// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/connect.h"
#include "net/tls.h"
#include "plsql/plsql.h"
#include "process/sql_trace.h"
#include "process/trace_file.h"
#include "sql/execute/remote.h"
#include "sql/execute/transaction.h"

enum { ARENA_LIMIT = 64 << 20, UNKNOWN_SERVICE = 12514 };

static bool service_known(const struct server *server, const char *descriptor) {
    char name[SGA_NAME];
    return (connect_value(descriptor, "SERVICE_NAME", name, sizeof name) ||
            connect_value(descriptor, "SID", name, sizeof name)) &&
           auth_same_name(name, server->sga->instance);
}

// Answers the CONNECT packet. True when the session goes on.
static bool accept_client(struct server *server) {
    struct connect_request *request = calloc(1, sizeof *request);
    bool accepted = false;
    if (request && connect_read(&server->tns, request)) {
        // A local client has no urgent data; it signals.
        server->ora.disable_oob = server->ora.disable_oob || server->local ||
                                  server->tns.tls; // which has none either
        struct accept_terms terms = connect_terms(request, &server->ora);
        server->path_check = terms.path_check;
        server->breaks.mode = server->local       ? BREAK_BY_SIGNAL
                              : terms.out_of_band ? BREAK_OUT_OF_BAND
                                                  : BREAK_IN_BAND;
        if (!service_known(server, request->data))
            server->refused = connect_refuse(&server->tns, UNKNOWN_SERVICE);
        else // urgent data can come as soon as the client has the ACCEPT
            accepted = break_channel_open(&server->breaks) &&
                       connect_accept(&server->tns, &terms);
    }
    free(request);
    return accepted;
}

static void release(struct server *server) {
    if (server->logged_on)
        transaction_abandon(&server->database);
    for (unsigned id = 1; id <= MOST_CURSORS; id++)
        open_cursor_close(server, id);
    plsql_close(&server->database);
    database_close(&server->database);
    if (server->database.remote_calls)
        server->database.remote_calls->end(server->database.remote);
    lobs_close(&server->lobs);
    trace_flush();
    arena_free(&server->arena);
    free(server->in.data);
    free(server->out.data);
    tns_close(&server->tns);
}

void server_run(struct server *server, int fd, int out, struct sga *sga,
                struct session_slot *self, const struct sqlnet_ora *ora,
                open_links_of *open_links, FILE *trace) {
    char why[200];
    memset(server, 0, sizeof *server);
    server->sga = sga;
    server->self = self;
    server->ora = *ora;
    server->field_version = 6;
    server->arena.limit = ARENA_LIMIT;
    server->in = (struct wire_in){
        .more = server_next_payload, .source = server, .arena = &server->arena};
    server->local = out != fd;
    if (!tns_open(&server->tns, fd, out)) {
        server_ends(server, "out of memory for packets");
        return;
    }
    server->tns.trace = trace;
    sql_trace_of(self);
    self->waits.driver = server->local ? DRIVER_BEQ : DRIVER_TCP;
    if (getenv(TCPS_VARIABLE)) {
        server->tns.tls =
            tls_accept(fd, sga->wallet, sga->tcps_mutual,
                       ora->inbound_connect_timeout, why, sizeof why);
        if (!server->tns.tls) {
            server_ends(server, why);
            tns_close(&server->tns);
            return;
        }
    }
    server->breaks = (struct break_channel){
        .tns = &server->tns,
        .skip = ora->break_poll_skip,
        .checks = &self->stat[STAT_BREAK_CHECKS],
        .polls = &self->stat[STAT_BREAK_POLLS],
        .bridge_gone = &self->bridge_gone,
    };
    if (ora->inbound_connect_timeout > 0)
        server->tns.deadline_us =
            clock_us() + ora->inbound_connect_timeout * INT64_C(1000000);
    if (server->local) // a pipe without a reader
        signal(SIGPIPE, SIG_IGN);
    if (!accept_client(server)) {
        if (!server->refused && server->tns.total > 0)
            server_ends(server, "no CONNECT of Oracle Net came");
        tns_close(&server->tns);
        return;
    }
    server->tns.sent = &self->stat[STAT_BYTES_SENT];
    server->tns.received = &self->stat[STAT_BYTES_RECEIVED];
    if (!database_open(&server->database, sga, self, &server->breaks, why,
                       sizeof why))
        server_ends(server, why);
    else if (!plsql_open(&server->database))
        server_ends(server, "out of memory for PL/SQL");
    else if (open_links && !open_links(&server->database, &server->ora))
        server_ends(server, "out of memory for links");
    else
        opimai_real(server);
    release(server);
}
