// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic of INTERVALs for other functions of time.
#ifndef ORALAB_INTERVAL_ARITHMETIC_H
#define ORALAB_INTERVAL_ARITHMETIC_H

#include <stdbool.h>
#include <stddef.h>

struct oracle_date;
struct sqlite3_context;
struct sqlite3_value;

// Makes value[0] sign value[1] the function's result, or an error. False: none
// of the two is an INTERVAL. Neither is NULL.
bool interval_calculate(struct sqlite3_context *context, char sign,
                        struct sqlite3_value **value);
// The INTERVAL DAY TO SECOND between two points in time.
void interval_result_between(struct sqlite3_context *context,
                             const struct oracle_date *from,
                             const struct oracle_date *to);
// EXTRACT of a field: "YEAR" and the like.
void interval_result_field(struct sqlite3_context *context,
                           struct sqlite3_value *value, const char *field,
                           size_t length);

#endif
