// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE and DROP SEQUENCE.
#ifndef ORALAB_SEQUENCE_DDL_H
#define ORALAB_SEQUENCE_DDL_H

#include <stdbool.h>

struct cursor;
struct ora_error;

// Commits first, as all DDL does.
bool sequence_change(struct cursor *cursor, struct ora_error *error);

#endif
