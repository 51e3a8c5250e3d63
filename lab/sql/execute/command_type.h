// SPDX-License-Identifier: GPL-2.0-or-later
// The number of a statement's kind, in v$session.COMMAND and SQL trace's oct.
#ifndef ORALAB_COMMAND_TYPE_H
#define ORALAB_COMMAND_TYPE_H

#include <stddef.h>

// By the statement's first words, as v$sqlcommand numbers them; 0: none known.
int command_type_of(const char *sql, size_t length);

#endif
