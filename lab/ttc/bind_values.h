// SPDX-License-Identifier: GPL-2.0-or-later
// A value from the bytes that it has on the wire: a client's bind, or a column
// of a remote database's answer.
#ifndef ORALAB_BIND_VALUES_H
#define ORALAB_BIND_VALUES_H

#include "sql/execute/cursor.h"
#include "ttc/lobs.h"
#include "ttc/wire.h"

// A bind, or a column of an answer, as its client declared it.
struct bind_type {
    uint8_t type;
    uint8_t form; // of characters: 2 is the national character set
    uint32_t longest;
    bool array;                   // one of PL/SQL: several values in a row
    uint64_t elements;            // the client has room for
    bool out;                     // the client knows that the statement sets it
    bool last;                    // its values follow all others of their row
    bool lob_prefetch;            // of a LOB its length is wanted as well
    uint32_t lob_prefetch_length; // its first characters or bytes wanted
};

struct value_reader {
    struct arena *arena; // for values whose form differs from the wire's
    struct lobs *lobs;   // that locators name; NULL: there are none
    struct ora_error *error;
};

// False if the bytes are no value of the bind's type, or with an error raised.
bool bind_value_take(const struct value_reader *reader,
                     const struct bind_type *bind, struct bytes bytes,
                     struct bind_value *value);

#endif
