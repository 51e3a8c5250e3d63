// SPDX-License-Identifier: GPL-2.0-or-later
// A connection to a remote database: the client's side of Oracle Net and TTC.
//
// The other end is not trusted: every length is checked, each message is read
// by the reader that reads a client's, and nothing is waited for longer than
// SQLNET.RECV_TIMEOUT, if that is set. It is written for a database of Oracle's
// to be there, by the messages of its drivers, but was only ever tried with the
// lab.
#ifndef ORALAB_CONNECTION_H
#define ORALAB_CONNECTION_H

#include "net/breakcheck.h"
#include "process/link_definition.h"
#include "process/sga.h"
#include "process/sqlnet_ora.h"
#include "sql/types/date_format.h"
#include "sql/types/ora_error.h"
#include "ttc/messages.h"
#include "ttc/wire.h"

struct remote_query;

enum { MOST_TO_CLOSE = 200 };

struct connection {
    struct connection *next;
    char name[LINK_NAME]; // of its link
    const struct sqlnet_ora *ora;
    struct session_slot *self;
    struct break_channel *channel; // of our own client
    struct tns tns;
    struct wire_in in;
    struct wire_out out;
    struct arena arena; // of the message that is read
    struct date_formats formats;
    char zone[64];
    uint8_t sequence;
    uint8_t field_version;
    bool mixed_by_pbkdf2;
    bool open;                      // calls can be made
    bool stopped;                   // our client wants the call to stop
    bool marked;                    // a marker came in the middle of an answer
    bool reset;                     // and it was a RESET
    bool breaking;                  // the answer to our break is awaited
    bool in_answer;                 // the first packet of it has come
    bool uncommitted;               // the remote session has a transaction
    bool used;                      // since our last commit or rollback
    struct remote_query *streaming; // whose rows are the answer being read
    unsigned queries;               // that refer to this
    unsigned open_cursors;
    unsigned to_close[MOST_TO_CLOSE]; // cursors, with the next call
    unsigned closing;
    struct ora_error error; // of the last call; number 0: none
};

// dial.c: connects and logs on. False with an error.
bool connection_open(struct connection *c, const struct link_definition *link,
                     struct ora_error *error);
// Ends the session at the other end, unless it is lost, and frees all.
void connection_close(struct connection *c);

// logon.c: all that comes between ACCEPT and the first call.
bool connection_log_on(struct connection *c,
                       const struct link_definition *link);

// formats.c: the statement that gives the remote session the formats and the
// zone of ours, to be freed. NULL without memory.
char *session_formats_sql(struct connection *c);
// Runs it where they have changed since. False with an error.
bool session_formats_follow(struct connection *c);

// calls.c: the next packet. False where none came, or our client wants the call
// to stop. packet_lost() makes of the former the connection's error.
bool packet_next(struct connection *c, struct packet *packet);
bool packet_lost(struct connection *c);
// link_break.c: sends the other side, in-band, a break of the call; its
// answer to that is the error with which the call ends.
bool link_break_pass_on(struct connection *c);
// The exchange of markers. Data on its way belongs to the answer that it ends.
bool link_break_exchange(struct connection *c);

// Begins the message of a call, after that of cursors to be closed.
void call_begin(struct connection *c, enum call function);
// Sends it, or any other message. False with an error.
bool call_send(struct connection *c);
// A call with no arguments, to its end.
bool call_alone(struct connection *c, enum call function);
// The type of the answer's next message; 0: there is none, with an error. A
// break of our client, or an error's markers, are dealt with here.
uint8_t answer_next(struct connection *c);
// answer_end.c: the rest of a message that ends an answer, after its type.
// False where it says an error, which becomes the connection's, or cannot be
// read.
bool answer_end(struct connection *c, uint8_t message, unsigned *cursor);
// Passes over the parameters of an execution, but for the cursor's number.
bool answer_parameters_skip(struct connection *c, unsigned *cursor);
// The message cannot be read: the connection is lost. Always false.
bool answer_violated(struct connection *c, const char *what);
// No call can be made any more, for this reason. Always false.
bool connection_lost(struct connection *c, unsigned error, const char *text);
// From now on packets are read as those of answers are.
void connection_reads(struct connection *c);

#endif
