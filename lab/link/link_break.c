// SPDX-License-Identifier: GPL-2.0-or-later
// Breaks on a link: our client's, which is passed on, and the markers by which
// the other side announces an error.
#include "link/connection.h"

static bool send_marker(struct connection *c, enum marker marker) {
    struct wait_clock *clock = &c->self->waits;
    wait_begins(clock, WAIT_BREAK_RESET_DBLINK, marker != MARKER_RESET);
    const bool sent = tns_send_marker(&c->tns, marker);
    wait_ends(clock, 1);
    return sent || packet_lost(c);
}

// The exchange of markers. Data on its way belongs to the answer that it ends.
bool link_break_exchange(struct connection *c) {
    struct packet packet;
    bool marked = c->marked, reset = c->reset, answered = false;
    in_discard(&c->in);
    c->marked = c->reset = false;
    c->breaking = true;
    while (c->open && !(marked && answered && reset)) {
        if (marked && !answered) {
            answered = send_marker(c, MARKER_RESET);
        } else if (!packet_next(c, &packet)) {
            packet_lost(c);
        } else if (packet.type == TNS_MARKER) {
            marked = true;
            reset = reset || tns_marker_of(&packet, NULL) == MARKER_RESET;
        }
    }
    return c->open;
}

bool link_break_pass_on(struct connection *c) {
    c->stopped = false;
    c->breaking = true;
    return send_marker(c, MARKER_INTERRUPT) && link_break_exchange(c);
}
