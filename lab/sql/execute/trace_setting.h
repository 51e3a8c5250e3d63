// SPDX-License-Identifier: GPL-2.0-or-later
// The settings of SQL trace in ALTER SESSION.
#ifndef ORALAB_TRACE_SETTING_H
#define ORALAB_TRACE_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/execute/database.h"
#include "sql/parse/lexer.h"

// Sets SQL_TRACE, TRACEFILE_IDENTIFIER or MAX_DUMP_FILE_SIZE: then true, with
// an ORA- number, or 0, in `error`.
bool trace_setting_parameter(struct database *database,
                             const struct token *name, const char *value,
                             size_t length, unsigned *error);
// EVENTS 'text': 10046 or sql_trace. Returns an ORA- number, or 0.
unsigned trace_setting_events(struct database *database, const char *text,
                              size_t length);

#endif
