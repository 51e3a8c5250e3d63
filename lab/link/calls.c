// SPDX-License-Identifier: GPL-2.0-or-later
// Calls to a remote database, and the packets of their answers.
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "link/connection.h"
#include "process/trace_file.h"

enum {
    END_OF_FILE = 3113,
    PROTOCOL_ERROR = 3106,
    RECEIVE_TIMEOUT = 12609,
    CONNECT_TIMEOUT = 12170,
    SEVERE = 2068,
    BREAK_ANSWERED_WITHIN_S = 10, // where SQLNET.RECV_TIMEOUT says nothing
    FOR_NOBODY_WITHIN_S = 1,      // and where our client is gone
};

bool connection_lost(struct connection *c, unsigned error, const char *text) {
    struct ora_error inner = {0};
    if (!c->open && c->error.number)
        return false;
    ora_error_set(&inner, error, text);
    c->open = false;
    shutdown(c->tns.fd, SHUT_RDWR); // the other end need not wait for us
    c->error.number = SEVERE;
    snprintf(c->error.text, sizeof c->error.text,
             "ORA-%05d: following severe error from %.60s\n%.280s", SEVERE,
             c->name, inner.text);
    return false;
}

bool answer_violated(struct connection *c, const char *what) {
    if (c->open)
        trace_write("Database link %s: %s%s%s", c->name, what,
                    c->in.fault ? ": " : "", c->in.fault ? c->in.fault : "");
    return connection_lost(c, PROTOCOL_ERROR, "");
}

void call_begin(struct connection *c, enum call function) {
    struct wire_out *out = &c->out;
    out->length = 0;
    if (c->closing > 0) {
        out_u8(out, MESSAGE_PIGGYBACK);
        out_u8(out, CALL_CLOSE_CURSORS);
        out_u8(out, ++c->sequence);
        out_u8(out, 1);
        out_ub(out, c->closing);
        for (unsigned i = 0; i < c->closing; i++)
            out_ub(out, c->to_close[i]);
        c->closing = 0;
    }
    out_u8(out, MESSAGE_FUNCTION);
    out_u8(out, (uint8_t)function);
    out_u8(out, ++c->sequence);
}

bool call_send(struct connection *c) {
    c->error = (struct ora_error){0};
    if (!c->open)
        return connection_lost(c, END_OF_FILE, "");
    arena_empty(&c->arena);
    in_discard(&c->in);
    c->in.arena = &c->arena;
    c->in_answer = c->marked = c->reset = c->stopped = false;
    c->tns.answering = false;
    c->tns.waits = &c->self->waits;
    const bool sent =
        !c->out.bad && tns_send_data(&c->tns, c->out.data, c->out.length);
    c->tns.waits = NULL;
    c->self->stat[STAT_LINK_ROUNDTRIPS]++;
    return sent || connection_lost(c, END_OF_FILE, "");
}

// One wait for each, as Oracle counts them.
bool packet_next(struct connection *c, struct packet *packet) {
    struct wait_clock *clock = &c->self->waits;
    if (!c->breaking && nioqts(c->channel)) {
        c->stopped = true;
        return false;
    }
    wait_begins(clock,
                c->breaking    ? WAIT_BREAK_RESET_DBLINK
                : c->in_answer ? WAIT_MORE_FROM_DBLINK
                               : WAIT_MESSAGE_FROM_DBLINK,
                c->breaking ? 0 : 1);
    const bool came = tns_read(&c->tns, packet);
    wait_ends(clock, 1);
    c->in_answer = true;
    return came;
}

// For `tns`: data comes, or the client of this server cancels the call.
static bool await(struct tns *tns) {
    struct connection *c =
        (struct connection *)((char *)tns - offsetof(struct connection, tns));
    const unsigned usual = !c->breaking              ? 0
                           : c->channel->client_gone ? FOR_NOBODY_WITHIN_S
                                                     : BREAK_ANSWERED_WITHIN_S;
    const unsigned seconds =
        c->ora->receive_timeout ? c->ora->receive_timeout : usual;
    int64_t deadline = seconds ? clock_us() + seconds * INT64_C(1000000) : 0;
    if (tns->deadline_us && (!deadline || tns->deadline_us < deadline))
        deadline = tns->deadline_us;
    switch (break_await(c->breaking ? NULL : c->channel, tns->fd, deadline)) {
    case AWAITED_COMES:
        return true;
    case AWAITED_STOPPED:
        c->stopped = true;
        return false;
    default:
        return tns_lose(tns, "ORA-12609: no packet came in time", "");
    }
}

// For `in`: the payload of the next DATA packet.
static bool next_payload(struct wire_in *in) {
    struct connection *c = in->source;
    struct packet packet;
    while (c->open && packet_next(c, &packet)) {
        if (packet.type == TNS_MARKER) {
            c->marked = true;
            c->reset = tns_marker_of(&packet, NULL) == MARKER_RESET;
            return false;
        }
        if (packet.type == TNS_CONTROL)
            continue;
        if (packet.type != TNS_DATA || packet.length < TNS_DATA_FLAGS)
            return answer_violated(c, "a packet of another type");
        if (packet.body[1] & DATA_FLAG_EOF)
            return connection_lost(c, END_OF_FILE, "");
        if (packet.length > TNS_DATA_FLAGS)
            return in_put(in, packet.body + TNS_DATA_FLAGS,
                          packet.length - TNS_DATA_FLAGS) ||
                   connection_lost(c, 4030, "");
    }
    return false;
}

bool packet_lost(struct connection *c) {
    static const struct {
        const char *fault;
        unsigned error;
    } known[] = {
        {"ORA-12170", CONNECT_TIMEOUT}, // of the logon
        {"ORA-12592", PROTOCOL_ERROR},
        {"ORA-12609", RECEIVE_TIMEOUT},
    };
    unsigned error = END_OF_FILE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(c->tns.fault, known[i].fault, strlen(known[i].fault)) == 0)
            error = known[i].error;
    return connection_lost(c, error, "");
}

void connection_reads(struct connection *c) {
    c->tns.wait = await;
    c->in.more = next_payload;
    c->in.source = c;
    c->in.arena = &c->arena;
}

uint8_t answer_next(struct connection *c) {
    while (c->open) {
        if (c->marked && !link_break_exchange(c))
            return 0;
        if (c->stopped && !link_break_pass_on(c))
            return 0;
        if (in_wait(&c->in))
            return in_u8(&c->in);
        if (c->tns.gone)
            packet_lost(c);
        else if (!c->marked && !c->stopped)
            answer_violated(c, "no message");
    }
    return 0;
}

bool call_alone(struct connection *c, enum call function) {
    call_begin(c, function);
    return call_send(c) && answer_end(c, answer_next(c), NULL);
}
