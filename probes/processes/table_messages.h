// SPDX-License-Identifier: GPL-2.0-or-later
// An unwind table on its way from the child that makes it (cmdlines.h).
#ifndef POLLTRACE_TABLE_MESSAGES_H
#define POLLTRACE_TABLE_MESSAGES_H

#include <stdbool.h>

#include "readers/unwind_table.h"

// Makes the table of the file and sends it in messages that begin with
// `serial`. False when the reader is gone.
bool table_send(int to, int file, uint32_t serial);

// Receives a table; gives up when no message comes within `patience_ms`, or not
// all of it in ten times this time. Returns false then.
bool table_receive(int from, uint32_t serial, int patience_ms,
                   struct unwind_table *table, enum table_result *result);

#endif
