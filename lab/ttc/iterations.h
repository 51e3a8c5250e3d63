// SPDX-License-Identifier: GPL-2.0-or-later
// A statement executed once for each of several rows of binds.
#ifndef ORALAB_ITERATIONS_H
#define ORALAB_ITERATIONS_H

#include "ttc/server.h"

// How often one call executes, and with which options.
struct iterations {
    uint32_t count;
    bool values; // a row of binds comes for each
    bool again;  // without those that the client knows to be OUT
    bool commit;
    bool batch_errors; // those of a row do not end the call
    bool row_counts;   // the client wants them row by row
};

// False with an error raised. Errors in single rows are one, too.
bool iterations_run(struct server *server, struct open_cursor *open,
                    const struct iterations *todo);
// Reads rows of binds that are not used, so that the next message is found.
void iterations_skip(struct server *server, const struct bind_type *bind,
                     unsigned binds, bool again, uint32_t rows);

#endif
