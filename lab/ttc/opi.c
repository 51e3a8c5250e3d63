// SPDX-License-Identifier: GPL-2.0-or-later
// The way from main() to a call, by the functions that stand on it in every
// Oracle stack: opimai_real, sou2o, opidrv, opiodr, opiino, opitsk, ttcpip,
// opiodr. A tool that knows Oracle's stacks finds its way in ours.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "process/sql_trace.h"
#include "process/trace_file.h"
#include "sql/execute/remote.h"
#include "sql/execute/statement_journal.h"
#include "sql/execute/transaction.h"
#include "ttc/server.h"

enum { VERSION_ARGUMENT_SINCE = 11 };

static void version(struct server *server) {
    static const char banner[] = "Oracle-like lab database 19.3.0.0.0";
    struct wire_in *in = &server->in;
    struct wire_out *out = &server->out;
    in_u8(in);      // pointer
    in_ub(in);      // room for the banner
    in_skip(in, 2); // pointers
    if (server->field_version >= VERSION_ARGUMENT_SINCE)
        in_ub(in);
    if (in->bad) {
        server_violated(server, "version");
        return;
    }
    out_u8(out, MESSAGE_PARAMETER);
    out_ub(out, sizeof banner - 1);
    if (server->text_has_length)
        out_clr(out, banner, sizeof banner - 1);
    else
        out_raw(out, banner, sizeof banner - 1);
    out_ub(out, RELEASE);
    answer_status(server);
}

// The schema of names that have none: the user's own is the only one here.
static void set_schema(struct server *server) {
    struct wire_in *in = &server->in;
    const char *own_user = server->self->user;
    in_u8(in); // pointer
    const struct bytes name = in_chr(server, in_ub4(in));
    if (in->bad)
        server_violated(server, "current schema");
    else if (name.length != strlen(own_user) ||
             strncasecmp((const char *)name.at, own_user, name.length) != 0)
        server_unsupported(server, "another current schema");
}

static void end_transaction(struct server *server, bool ended) {
    if (ended)
        answer_status(server);
    else
        transaction_error(&server->database, &server->error);
}

static void opiino(struct server *server);

// How long its arguments are is not known either.
static void unsupported_function(struct server *server, const char *what) {
    char about[64];
    snprintf(about, sizeof about, "TTC %s %u", what, server->call);
    server_unsupported(server, about);
}

__attribute__((noinline)) void opiodr(struct server *server, enum call call) {
    switch (call) {
    case CALL_SESSION:
        opiino(server);
        break;
    case CALL_AUTH_1:
        call_auth_1(server);
        break;
    case CALL_AUTH_2:
        call_auth_2(server);
        break;
    case CALL_EXECUTE:
        kpoal8(server);
        break;
    case CALL_FETCH:
        call_fetch(server);
        break;
    case CALL_REEXECUTE:
    case CALL_REEXECUTE_AND_FETCH:
        call_reexecute(server, call == CALL_REEXECUTE_AND_FETCH);
        break;
    case CALL_LOB:
        call_lob(server, server->message == MESSAGE_PIGGYBACK);
        break;
    case CALL_COMMIT:
        end_transaction(server, transaction_commit(&server->database));
        break;
    case CALL_ROLLBACK:
        end_transaction(server, transaction_rollback(&server->database));
        break;
    case CALL_PING:
    case CALL_LOGOFF:
        answer_status(server);
        break;
    case CALL_VERSION:
        version(server);
        break;
    case CALL_CLOSE_CURSORS:
    case CALL_CANCEL_CURSORS:
        call_end_cursors(server, call == CALL_CLOSE_CURSORS);
        break;
    case CALL_END_TO_END:
        call_end_to_end(server);
        break;
    case CALL_SET_SCHEMA:
        set_schema(server);
        break;
    default:
        unsupported_function(server, "function");
    }
}

static bool allowed_before_logon(enum call call) {
    return call == CALL_AUTH_1 || call == CALL_AUTH_2;
}

static void function(struct server *server, bool piggyback) {
    struct wire_in *in = &server->in;
    enum call call = in_u8(in);
    uint8_t sequence = in_u8(in);
    bool known_piggyback =
        call == CALL_CLOSE_CURSORS || call == CALL_CANCEL_CURSORS ||
        call == CALL_END_TO_END || call == CALL_LOB || call == CALL_SET_SCHEMA;
    server->call = (uint8_t)call;
    server->sequence = sequence;
    if (in->bad || call == CALL_SESSION ||
        (!server->logged_on && !allowed_before_logon(call)))
        server_violated(server, "function");
    else if (piggyback && !known_piggyback)
        unsupported_function(server, "piggyback function");
    else
        opiodr(server, call);
}

// Oracle's name for the function that reads one two-task message and has it
// carried out.
__attribute__((noinline)) static void ttcpip(struct server *server) {
    struct wire_in *in = &server->in;
    bool piggyback; // has no answer: the call comes right after it
    do {
        const uint8_t message = in_u8(in);
        piggyback = message == MESSAGE_PIGGYBACK;
        server->message = message;
        if (message == MESSAGE_PROTOCOL)
            negotiate_protocol(server);
        else if (message == MESSAGE_DATA_TYPES)
            negotiate_data_types(server);
        else if (message == MESSAGE_NETWORK_SERVICES && !server->logged_on)
            negotiate_services(server);
        else if (message == MESSAGE_FUNCTION || piggyback)
            function(server, piggyback);
        else
            server_violated(server, "message type");
    } while (piggyback && !server->ended && !server->lost && !in->bad);
    if (in->bad)
        server_violated(server, "end of the message");
    else if (!server->ended && !server->lost && server->error.number &&
             server->out.length == 0 && !server->tns.answering)
        answer_error(server, 0, 0);
}

static const char no_reset[] =
    "the client closed the connection instead of answering the markers";

// The exchange of markers: both sides drop the rest of the call.
static bool begin_anew(struct server *server) {
    server->out.length = 0;
    server->lost = false;
    in_discard(&server->in);
    if (!break_reset(&server->breaks))
        server_ends(server, no_reset);
    return !server->ended;
}

// The exchange that ends a broken call, then the error it ends with.
static void answer_break(struct server *server) {
    server->self->stat[STAT_BREAKS]++;
    if (!begin_anew(server))
        return;
    sqlite_forget_interrupt(server->database.db);
    server_raise(server, 1013, "");
    answer_error(server, server->cursor_in_use, 0);
}

// A message that cannot be read to its end. Before the logon no client takes
// markers: the session ends with the error.
static void answer_lost(struct server *server) {
    if (server->logged_on) {
        if (begin_anew(server))
            answer_error(server, server->cursor_in_use, 0);
        return;
    }
    server->out.length = 0;
    answer_error(server, 0, 0);
    server_ends(server, "a message before the logon cannot be read");
}

// Oracle has the same exchange before other errors. Not at the end of a fetch,
// which is none, and not before logon.
static bool marks_error(const struct server *server) {
    return server->sga->error_markers && server->logged_on &&
           server->error.number && server->error.number != 1403;
}

static void user_call(struct server *server) {
    struct break_channel *breaks = &server->breaks;
    struct session_slot *self = server->self;
    break_channel_call_begins(breaks);
    time_model_call_begins(&self->time);
    self->active = true;
    if (server->logged_on) {
        self->stat[STAT_USER_CALLS]++;
        self->stat[STAT_ROUNDTRIPS]++;
    }
    server->cursor_in_use = 0;
    server->database.remote_rows = false;
    if (SQL_TRACE_IS_BUILT)
        sql_trace_cursor(0);
    server->lost = false;
    server->error = (struct ora_error){0};
    if (!server->logged_on || !break_overtook(breaks))
        ttcpip(server);
    if (server->database.remote_calls)
        server->database.remote_calls->settle(server->database.remote);
    if (breaks->client_gone || server->tns.gone)
        server_ends(server, "the client closed the connection during a call");
    else if (breaks->stopping)
        answer_break(server);
    else if (server->lost)
        answer_lost(server);
    else if (!server->ended && marks_error(server) && !break_reset(breaks))
        server_ends(server, no_reset);
    trace_flush(); // who has the answer finds the call in the trace
    if (!server->ended || server->out.length > 0)
        answer_send(server);
    if (server->logged_on) // waits are counted from the first call on
        server->tns.waits = &self->waits;
    self->active = false;
    time_model_call_ends(&self->time);
    self->call_ended_us = clock_us();
    break_channel_call_ends(breaks);
    arena_empty(&server->arena);
    trace_flush();
}

static void on_marker(struct server *server, const struct packet *packet) {
    bool attention;
    enum marker marker = tns_marker_of(packet, &attention);
    if (server->path_check && (marker == MARKER_RESET || attention)) {
        // By now the urgent byte sent before this marker must have come.
        server->path_check = false;
        server->breaks.path_checked = true;
        server->breaks.urgent = 0;
        if (!server->breaks.probed) {
            const uint8_t clear_oob[2] = {0, 9};
            server->breaks.mode = BREAK_IN_BAND;
            if (!tns_send(&server->tns, TNS_CONTROL, clear_oob,
                          sizeof clear_oob))
                server_ends(server, "the client takes no CONTROL packet");
        }
    } else if (break_announced(&server->breaks, packet)) {
        // The break crossed our answer, or overtook its call. Its sender waits
        // for the exchange.
        server->cursor_in_use = 0;
        answer_break(server);
        answer_send(server);
    }
    server->tns.fresh = false;
}

// The payload of the next DATA packet, for `in`. A marker that comes in the
// middle of a message breaks it off.
bool server_next_payload(struct wire_in *in) {
    struct server *server = in->source;
    const bool in_message = server->breaks.in_call;
    struct packet packet;
    server->tns.awaited =
        in_message ? WAIT_MORE_FROM_CLIENT : WAIT_MESSAGE_FROM_CLIENT;
    bool came = false;
    while (!came && !server->ended && !server->breaks.stopping) {
        if (!tns_read(&server->tns, &packet)) {
            server_ends(server, in_message ? "the client closed the connection "
                                             "in the middle of a message"
                                           : NULL);
        } else if (packet.type == TNS_MARKER && in_message) {
            server->breaks.stopping = break_announced(&server->breaks, &packet);
        } else if (packet.type == TNS_MARKER) {
            on_marker(server, &packet);
        } else if (packet.type != TNS_DATA || packet.length < TNS_DATA_FLAGS) {
            char reason[64];
            snprintf(reason, sizeof reason,
                     "a packet of type %u with %zu bytes", packet.type,
                     packet.length);
            server_ends(server, reason);
        } else if (packet.body[1] & DATA_FLAG_EOF) {
            server->ended = true;
        } else if (packet.length > TNS_DATA_FLAGS) {
            came = in_put(in, packet.body + TNS_DATA_FLAGS,
                          packet.length - TNS_DATA_FLAGS);
            if (!came)
                server_ends(server, "out of memory for a packet");
        }
    }
    server->tns.awaited = WAIT_MESSAGE_FROM_CLIENT;
    return came;
}

// Oracle's name for the loop that waits for a call.
__attribute__((noinline)) static void opitsk(struct server *server) {
    while (!server->ended && in_wait(&server->in))
        user_call(server);
}

__attribute__((noinline)) static void opiino(struct server *server) {
    opitsk(server);
}

__attribute__((noinline)) static void opidrv(struct server *server) {
    opiodr(server, CALL_SESSION);
}

__attribute__((noinline)) static void sou2o(struct server *server) {
    opidrv(server);
}

__attribute__((noinline)) void opimai_real(struct server *server) {
    sou2o(server);
}
