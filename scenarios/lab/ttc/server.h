// SPDX-License-Identifier: GPL-2.0-or-later
// A dedicated server: one session, one process.
#ifndef ORALAB_SERVER_H
#define ORALAB_SERVER_H

#include "net/breakcheck.h"
#include "net/tns.h"
#include "process/sga.h"
#include "process/sqlnet_ora.h"
#include "sql/cursor.h"
#include "sql/database.h"
#include "sql/ora_error.h"
#include "ttc/o5logon.h"
#include "ttc/wire.h"

struct sqlite3_value;

enum {
    MOST_CURSORS = 300,
    RELEASE = 0x13030000, // 19.3.0.0.0
};

enum call {           // TTC functions, and one of our own
    CALL_SESSION = 0, // the session as a whole
    CALL_REEXECUTE = 4,
    CALL_FETCH = 5,
    CALL_LOGOFF = 9,
    CALL_COMMIT = 14,
    CALL_ROLLBACK = 15,
    CALL_VERSION = 59,
    CALL_REEXECUTE_AND_FETCH = 78,
    CALL_EXECUTE = 94,
    CALL_CLOSE_CURSORS = 105,
    CALL_AUTH_2 = 115,
    CALL_AUTH_1 = 118,
    CALL_CANCEL_CURSORS = 120,
    CALL_END_TO_END = 135,
    CALL_PING = 147,
};

enum message { // what a TTC message begins with
    MESSAGE_PROTOCOL = 1,
    MESSAGE_DATA_TYPES = 2,
    MESSAGE_FUNCTION = 3,
    MESSAGE_ERROR = 4,
    MESSAGE_ROW_HEADER = 6,
    MESSAGE_ROW_DATA = 7,
    MESSAGE_PARAMETER = 8,
    MESSAGE_STATUS = 9,
    MESSAGE_IO_VECTOR = 11,
    MESSAGE_DESCRIBE = 16,
    MESSAGE_PIGGYBACK = 17,
};

struct open_cursor {
    bool open;
    struct cursor cursor;
    uint8_t *bind_type; // as declared with the last execute that did
    unsigned bind_types;
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
    struct o5logon logon;
    char user_offered[SGA_NAME];
    uint8_t field_version;  // of TTC: the smaller of both sides'
    bool text_has_length;   // CHR fields are CLR
    uint8_t sequence;       // of the request being answered
    unsigned cursor_in_use; // by the request being answered, 0: none
    bool local;             // on pipes, not on a socket
    bool path_check;        // the client will try urgent data
    bool challenged;
    bool logged_on;
    bool ended;
    struct open_cursor cursor[MOST_CURSORS]; // [id - 1]
};

// Runs a whole session on the socket `fd`; a local one, where `out` differs, on
// two pipes.
void server_run(struct server *server, int fd, int out, struct sga *sga,
                struct session_slot *self, const struct sqlnet_ora *ora);

// call.c. For what a client may not send: ends the session.
void server_violated(struct server *server, const char *what);
void server_raise(struct server *server, unsigned error, const char *about);
// A CHR field whose length was sent before.
struct bytes in_chr(struct server *server, size_t length);

// cursors.c. NULL with an error raised where there is none of that number.
struct open_cursor *cursor_of(struct server *server, unsigned id);
// A new cursor, or the given one to be parsed anew; 0 with an error raised.
unsigned cursor_for_parse(struct server *server, unsigned id);
void close_cursor(struct server *server, unsigned id);

// opi.c: the chain that stands above every call, under Oracle's names.
void opimai_real(struct server *server);
void opiodr(struct server *server, enum call call);

// Parts of the answer. `cursor` and `rows` are 0 where there are none.
void answer_error(struct server *server, unsigned cursor, uint64_t rows);
void answer_status(struct server *server);
void answer_describe(struct server *server, const struct cursor *cursor);
void answer_row_header(struct server *server, const struct cursor *cursor,
                       unsigned rows);
bool answer_row(struct server *server, const struct cursor *cursor);
// One value as a column of this type.
bool answer_value(struct server *server, const struct column *column,
                  struct sqlite3_value *value);
// What a block has put into its binds.
void answer_block(struct server *server, struct open_cursor *open);
void answer_parameters(struct server *server, unsigned cursor);

// The calls. Each reads its arguments and writes its answer.
void negotiate_protocol(struct server *server);
void negotiate_data_types(struct server *server);
// Whether two names of at most SGA_NAME - 1 characters are the same but for
// case. How long it takes does not tell where they differ.
bool same_name(const char *offered, const char *ours);
void auth_1(struct server *server);
void auth_2(struct server *server);
void kpoal8(struct server *server);
void re_execute(struct server *server, bool fetch);
void fetch(struct server *server);
void close_cursors(struct server *server);
void end_to_end(struct server *server);
bool read_binds(struct server *server, const uint8_t *type, unsigned count,
                struct bind_value *value);

#endif
