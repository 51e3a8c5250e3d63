// SPDX-License-Identifier: GPL-2.0-or-later
// The way from main() to a call, by the functions that stand on it in every
// Oracle stack: opimai_real, sou2o, opidrv, opiodr, opiino, opitsk, ttcpip,
// opiodr. A tool that knows Oracle's stacks finds its way in ours.
#include "sql/statement_journal.h"
#include "sql/transaction.h"
#include "ttc/server.h"

enum { END_OF_DATA = DATA_FLAG_EOF };

static void version(struct server *server) {
    static const char banner[] = "Oracle-like lab database 19.3.0.0.0";
    struct wire_out *out = &server->out;
    in_u8(&server->in);
    out_u8(out, MESSAGE_PARAMETER);
    out_ub(out, sizeof banner - 1);
    if (server->text_has_length)
        out_clr(out, banner, sizeof banner - 1);
    else
        out_raw(out, banner, sizeof banner - 1);
    out_ub(out, RELEASE);
    answer_status(server);
    server->in.at = server->in.length;
}

static void end_transaction(struct server *server, bool ended) {
    if (ended)
        answer_status(server);
    else
        ora_error_from_sqlite(&server->error, server->database.db);
}

static void opiino(struct server *server);

__attribute__((noinline)) void opiodr(struct server *server, enum call call) {
    switch (call) {
    case CALL_SESSION:
        opiino(server);
        break;
    case CALL_AUTH_1:
        auth_1(server);
        break;
    case CALL_AUTH_2:
        auth_2(server);
        break;
    case CALL_EXECUTE:
        kpoal8(server);
        break;
    case CALL_FETCH:
        fetch(server);
        break;
    case CALL_REEXECUTE:
    case CALL_REEXECUTE_AND_FETCH:
        re_execute(server, call == CALL_REEXECUTE_AND_FETCH);
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
        close_cursors(server);
        break;
    case CALL_END_TO_END:
        end_to_end(server);
        break;
    default:
        server_raise(server, 3115, "");
        server->in.at = server->in.length;
    }
}

static bool allowed_before_logon(enum call call) {
    return call == CALL_AUTH_1 || call == CALL_AUTH_2;
}

static void function(struct server *server, bool piggyback) {
    struct wire_in *in = &server->in;
    enum call call = in_u8(in);
    uint8_t sequence = in_u8(in);
    bool known_piggyback = call == CALL_CLOSE_CURSORS ||
                           call == CALL_CANCEL_CURSORS ||
                           call == CALL_END_TO_END;
    if (in->bad || call == CALL_SESSION ||
        (!server->logged_on && !allowed_before_logon(call))) {
        server_violated(server, "function");
        return;
    }
    server->sequence = sequence;
    if (piggyback && !known_piggyback) {
        // Its length cannot be known, so the call it carries is lost too.
        server_raise(server, 3115, "");
        in->at = in->length;
        return;
    }
    opiodr(server, call);
}

// Oracle's name for what reads one two-task message and has it carried out.
__attribute__((noinline)) static void ttcpip(struct server *server) {
    struct wire_in *in = &server->in;
    server->error = (struct ora_error){0};
    do {
        uint8_t message = in_u8(in);
        if (message == MESSAGE_PROTOCOL)
            negotiate_protocol(server);
        else if (message == MESSAGE_DATA_TYPES)
            negotiate_data_types(server);
        else if (message == MESSAGE_FUNCTION || message == MESSAGE_PIGGYBACK)
            function(server, message == MESSAGE_PIGGYBACK);
        else
            server_violated(server, "message type");
        // A piggyback has no answer: the call comes right after it.
    } while (!server->ended && server->out.length == 0 && !in->bad &&
             (in_left(in) > 0));
    if (in->bad)
        server_violated(server, "end of a message");
    else if (!server->ended && server->error.number && server->out.length == 0)
        answer_error(server, 0, 0);
}

// The exchange that ends a broken call, then the error it ends with.
static void answer_break(struct server *server) {
    server->self->stat[STAT_BREAKS]++;
    server->out.length = 0;
    if (!break_reset(&server->breaks)) {
        server->ended = true;
        return;
    }
    forget_interrupt(server->database.db);
    server_raise(server, 1013, "");
    answer_error(server, server->cursor_in_use, 0);
}

// Oracle has the same exchange before other errors. Not at the end of a fetch,
// which is none, and not before logon.
static bool marks_error(const struct server *server) {
    return server->sga->error_markers && server->logged_on &&
           server->error.number && server->error.number != 1403;
}

static void send_answer(struct server *server) {
    struct wire_out *out = &server->out;
    if (out->bad || (out->length > 0 &&
                     !tns_send_data(&server->tns, out->data, out->length)))
        server->ended = true;
    out->length = 0;
}

static void user_call(struct server *server) {
    struct break_channel *breaks = &server->breaks;
    struct session_slot *self = server->self;
    break_channel_call_begins(breaks);
    call_begins(&self->time);
    self->active = true;
    if (server->logged_on) {
        self->stat[STAT_USER_CALLS]++;
        self->stat[STAT_ROUNDTRIPS]++;
    }
    server->cursor_in_use = 0;
    if (!server->logged_on || !break_overtook(breaks))
        ttcpip(server);
    if (breaks->client_gone || server->tns.gone)
        server->ended = true;
    else if (breaks->stopping)
        answer_break(server);
    else if (!server->ended && marks_error(server) && !break_reset(breaks))
        server->ended = true;
    if (!server->ended || server->out.length > 0)
        send_answer(server);
    if (server->logged_on) // waits are counted from the first call on
        server->tns.waits = &self->waits;
    self->active = false;
    call_ends(&self->time);
    self->call_ended_us = clock_us();
    break_channel_call_ends(breaks);
    arena_empty(&server->arena);
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
                server->ended = true;
        }
    } else if (break_announced(&server->breaks, packet)) {
        // The break crossed our answer, or overtook its call. Its sender waits
        // for the exchange.
        server->cursor_in_use = 0;
        answer_break(server);
        send_answer(server);
    }
    server->tns.fresh = false;
}

static void on_data(struct server *server, const struct packet *packet) {
    if (packet->length < TNS_DATA_FLAGS) {
        server_violated(server, "DATA packet");
        return;
    }
    if (packet->body[1] & END_OF_DATA) {
        server->ended = true;
        return;
    }
    server->in.length = server->in.at = 0;
    server->in.bad = false;
    if (packet->length == TNS_DATA_FLAGS)
        return;
    if (!in_append(&server->in, packet->body + TNS_DATA_FLAGS,
                   packet->length - TNS_DATA_FLAGS)) {
        server->ended = true;
        return;
    }
    user_call(server);
}

// Oracle's name for the loop that waits for a call.
__attribute__((noinline)) static void opitsk(struct server *server) {
    while (!server->ended) {
        struct packet packet;
        if (!tns_read(&server->tns, &packet))
            return;
        if (packet.type == TNS_DATA)
            on_data(server, &packet);
        else if (packet.type == TNS_MARKER)
            on_marker(server, &packet);
        else
            server_violated(server, "packet type");
    }
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
