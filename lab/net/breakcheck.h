// SPDX-License-Identifier: GPL-2.0-or-later
// How a running call learns that its client wants it stopped.
//
// Out-of-band, the client's urgent byte raises SIGURG and a check reads a
// variable. In-band, the break is a packet like any other, so the server has to
// query the kernel: one check in `skip` polls the socket. A local session has
// no socket; its client raises the signal itself. The functions have the names
// that they have in Oracle's own stacks, because probes search for those.
#ifndef ORALAB_BREAKCHECK_H
#define ORALAB_BREAKCHECK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/tns.h"

enum break_mode { BREAK_IN_BAND, BREAK_OUT_OF_BAND, BREAK_BY_SIGNAL };

struct break_channel {
    struct tns *tns;
    enum break_mode mode;
    unsigned skip;            // BREAK_POLL_SKIP: checks per poll
    unsigned skipped;         // checks since the last poll
    unsigned answer_after_ms; // a break is answered no sooner: see auth.c
    bool in_call;
    bool stopping;                // the running call has to stop
    uint64_t *checks;             // calls of nsmore2recv
    uint64_t *polls;              // calls of poll
    volatile sig_atomic_t urgent; // an urgent byte came, and is not answered
    volatile sig_atomic_t probed; // an urgent byte came, at any time
    uint64_t urgent_bytes;        // taken out of the stream so far
    bool path_checked;  // the client tried urgent data: see break_announced()
    bool attention_due; // of an urgent byte that has been answered
    volatile sig_atomic_t client_gone;
    const bool *bridge_gone; // of a local session
};

// Takes over SIGURG and SIGALRM for the socket of `channel`, which must live
// as long as the process. Before ACCEPT goes out. False with errno set.
bool break_channel_open(struct break_channel *channel);
// Around every user call.
void break_channel_call_begins(struct break_channel *channel);
void break_channel_call_ends(struct break_channel *channel);

// The break check: true when the call has to stop, because of a break or
// because the client is gone.
bool nioqts(struct break_channel *channel);

// Waits until `fd`, a connection of the session's own, can be read. A break of
// the client ends the wait in either mode: the socket of an in-band client is
// waited for as well. This is no break poll, and no check.
enum awaited_result { AWAITED_COMES, AWAITED_STOPPED, AWAITED_TOO_LATE };
// `deadline_us` is of clock_us(); 0: there is none. `channel` may be NULL.
enum awaited_result break_await(struct break_channel *channel, int fd,
                                int64_t deadline_us);

// Called with every client's RESET outstanding: discards until it comes.
bool break_reset(struct break_channel *channel);

// Whether a MARKER packet that came in its turn requests a break. A client that
// probed the path for urgent data repeats its breaks in-band: ojdbc11 sends an
// attention marker after each urgent byte, python-oracledb an INTERRUPT after
// one that was not answered. So an urgent byte from such a client that meets no
// call is kept, for that marker or for the call that it has overtaken.
bool break_announced(struct break_channel *channel,
                     const struct packet *packet);
// Whether the call that is about to begin was broken before.
bool break_overtook(struct break_channel *channel);

#endif
