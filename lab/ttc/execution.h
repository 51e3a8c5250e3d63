// SPDX-License-Identifier: GPL-2.0-or-later
// The message of kpoal8: the operations to carry out, and their cursor. The
// bits of its fields are in ttc/messages.h.
#ifndef ORALAB_EXECUTION_H
#define ORALAB_EXECUTION_H

#include "ttc/server.h"

struct execution {
    uint32_t options;
    uint32_t cursor;
    uint32_t sql_length;
    uint32_t prefetch;
    struct bind_type *bind; // declared with this call; NULL: none are
    uint32_t binds;
    struct bind_type *define; // of columns; NULL: as they are described
    uint32_t defines;
    struct bytes sql;
    uint32_t al8[AL8_LENGTH];
};

// Reads it up to the rows of binds. False after a violation. To be given to
// execution_free() in any case.
bool execution_read(struct server *server, struct execution *e);
void execution_free(struct execution *e);

#endif
