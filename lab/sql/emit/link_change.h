// SPDX-License-Identifier: GPL-2.0-or-later
// The change that CREATE or DROP DATABASE LINK makes.
#ifndef ORALAB_LINK_CHANGE_H
#define ORALAB_LINK_CHANGE_H

#include <stdbool.h>

#include "process/link_definition.h"

struct link_change {
    bool drops;
    struct link_definition link;
};

// Forgets the password as well. NULL is fine.
void link_change_free(struct link_change *change);

#endif
