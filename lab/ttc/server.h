// SPDX-License-Identifier: GPL-2.0-or-later
// A dedicated server: one session, one process.
#ifndef ORALAB_SERVER_H
#define ORALAB_SERVER_H

#include "net/breakcheck.h"
#include "net/tns.h"
#include "process/sga.h"
#include "process/sqlnet_ora.h"
#include "sql/execute/cursor.h"
#include "sql/execute/database.h"
#include "sql/types/ora_error.h"
#include "sql/types/value.h"
#include "ttc/bind_values.h"
#include "ttc/lobs.h"
#include "ttc/messages.h"
#include "ttc/o5logon.h"
#include "ttc/wire.h"

struct sqlite3_value;

enum {
    MOST_CURSORS = 300,
    RELEASE = 0x13030000, // 19.3.0.0.0
};

struct open_cursor {
    bool open;
    struct cursor cursor;
    struct bind_type *bind; // as declared with the last execute that did
    unsigned binds;
    struct bind_type *define; // how columns are wanted; NULL: as described
    unsigned defines;
};

// The results of the executions of one call, one for each row of binds.
struct array_outcome {
    uint64_t *changed; // rows, of each that was tried
    uint32_t tried;
    uint32_t room;
    struct row_error {
        uint32_t row;
        struct ora_error error;
    } * failed; // where errors do not end the call
    uint32_t failures;
};

struct server {
    struct sga *sga;
    struct session_slot *self;
    struct sqlnet_ora ora;
    struct tns tns;
    struct break_channel breaks;
    struct database database;
    struct wire_in in;
    struct wire_out out;
    struct arena arena; // of the current call
    struct ora_error error;
    struct array_outcome outcome; // of the current call
    struct lobs lobs;
    struct o5logon logon;
    char user_offered[SGA_NAME];
    uint8_t field_version;  // of TTC: the smaller of both sides'
    bool text_has_length;   // CHR fields are CLR
    bool compressed_scales; // of columns; see answer.c
    uint8_t message;        // the type of the message being answered
    uint8_t call;           // its function, if it is one
    uint8_t sequence;       // and its number
    unsigned cursor_in_use; // by the request being answered, 0: none
    bool local;             // on pipes, not on a socket
    bool path_check;        // the client will try urgent data
    bool refused;           // the client knows why it has no session
    bool challenged;
    bool logged_on;
    bool lost; // the end of the message cannot be found
    bool ended;
    struct open_cursor cursor[MOST_CURSORS]; // [id - 1]
};

// Lets the session's statements reach remote databases. False without memory.
typedef bool open_links_of(struct database *database,
                           const struct sqlnet_ora *ora);

// Runs a whole session on the socket `fd`; a local one, where `out` differs, on
// two pipes. `trace` gets every packet, or is NULL. `open_links` may be NULL.
void server_run(struct server *server, int fd, int out, struct sga *sga,
                struct session_slot *self, const struct sqlnet_ora *ora,
                open_links_of *open_links, FILE *trace);

// call.c. For a message that violates the protocol, or that is not known here.
// The error is raised, the reason is traced, and the rest of the message is
// dropped: after the exchange of markers both sides start over.
void server_violated(struct server *server, const char *what);
void server_unsupported(struct server *server, const char *what);
// The session is over. The reason `why` is traced, unless the client wished it
// (NULL); a fault of the connection is traced in any case.
void server_ends(struct server *server, const char *why);
void server_raise(struct server *server, unsigned error, const char *about);
// A CHR field whose length was sent before.
struct bytes in_chr(struct server *server, size_t length);

// cursors.c. NULL with an error raised where there is none of that number.
struct open_cursor *open_cursor_of(struct server *server, unsigned id);
// A new cursor, or the given one to be parsed again; 0 with an error raised.
unsigned open_cursor_for_parse(struct server *server, unsigned id);
void open_cursor_close(struct server *server, unsigned id);

// opi.c. Puts the next piece that the client sends into `in`, the server's.
bool server_next_payload(struct wire_in *in);
// The chain that stands above every call, under Oracle's names.
void opimai_real(struct server *server);
void opiodr(struct server *server, enum call call);

// Parts of the answer. `cursor` and `rows` are 0 where there are none.
void answer_error(struct server *server, unsigned cursor, uint64_t rows);
void answer_status(struct server *server);
void answer_describe(struct server *server, const struct cursor *cursor);
void answer_row_header(struct server *server, const struct cursor *cursor,
                       unsigned rows);
// The description of a cursor's columns alone.
void answer_columns(struct server *server, const struct cursor *cursor);
bool answer_row(struct server *server, const struct open_cursor *open);
// One value as a column of this type, in the form `as` that the client wants,
// or as described (NULL).
bool answer_value(struct server *server, const struct column *column,
                  const struct bind_type *as, struct sqlite3_value *value);
// answer_number.c: any number as a NUMBER, as text, and as a BINARY_FLOAT or
// BINARY_DOUBLE. False with an error raised.
bool answer_number(struct server *server, struct sqlite3_value *value);
bool answer_number_as_text(struct server *server, struct sqlite3_value *value);
bool answer_binary_number(struct server *server, enum value_class class,
                          struct sqlite3_value *value);
// lob_call.c: UTF-8, or bytes.
bool answer_lob(struct server *server, const struct bind_type *as,
                bool character, const void *data, size_t length);
// block.c: the values that a block has assigned to its binds, and the cursors
// that it has opened.
void answer_block(struct server *server, struct open_cursor *open);
// out_binds.c: which binds the statement sets: from now on the client sends no
// values for them.
void answer_io_vector(struct server *server, struct open_cursor *open);
// One value, as the bind of the placeholder `at`.
bool answer_out_bind(struct server *server, const struct open_cursor *open,
                     unsigned at, struct sqlite3_value *value);
// The rows of RETURNING of one execution. False with an error raised.
bool answer_returned(struct server *server, struct open_cursor *open);
// Whether the placeholder is the first one that has this bind.
bool bind_is_first(const struct open_cursor *open, unsigned at);
// The declaration of the bind of that placeholder; NULL: there is none.
struct bind_type *bind_of(const struct open_cursor *open, unsigned at);
void answer_parameters(struct server *server, unsigned cursor);
// answer_send.c. Sends all that is left of the answer.
void answer_send(struct server *server);
// Sends the packets that are full, once enough of them are. Sent bytes
// cannot be taken back: to be called between rows only.
void answer_flush(struct server *server);

// The calls. Each reads its arguments and writes its answer.
void negotiate_protocol(struct server *server);
void negotiate_data_types(struct server *server);
// network_services.c
void negotiate_services(struct server *server);
// Whether two names of at most SGA_NAME - 1 characters are the same, ignoring
// case. The time that it takes does not show where they differ.
bool auth_same_name(const char *offered, const char *ours);
void call_auth_1(struct server *server);
void call_auth_2(struct server *server);
void kpoal8(struct server *server);
void call_reexecute(struct server *server, bool fetch);
void call_fetch(struct server *server);
void call_lob(struct server *server, bool piggyback);
// Closes the cursors that the message names, or cancels their fetching.
void call_end_cursors(struct server *server, bool close);
void call_end_to_end(struct server *server);
// binds.c. Reads one row of values, one for each bind; when a cursor is
// executed `again`, its client leaves out those that it knows to be OUT. False
// with an error raised, after reading all of it unless the message is `lost`.
bool bind_row_read(struct server *server, const struct bind_type *bind,
                   unsigned count, bool again, struct bind_value *value);

// bind_row_trace.c. Writes the values into SQL trace.
void bind_row_trace(const struct cursor *cursor, const struct bind_type *bind,
                    const struct bind_value *value, unsigned count);

// array_outcome.c. False without memory.
bool outcome_changed(struct array_outcome *outcome, uint64_t rows);
bool outcome_failed(struct array_outcome *outcome, uint32_t row,
                    const struct ora_error *error);
void outcome_forget(struct array_outcome *outcome);
// The parts of an answer that report them.
void answer_row_counts(struct server *server);
void answer_row_errors(struct server *server);

#endif
