// SPDX-License-Identifier: GPL-2.0-or-later
// Conversion between numbers and text, with and without format models.
#ifndef ORALAB_NUMBER_FORMAT_H
#define ORALAB_NUMBER_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/types/oracle_number.h"

enum { NUMBER_FORMAT = 64, NUMBER_SHOWN = 2 * NUMBER_FORMAT + 8 };

// Without a format. `to` has room for NUMBER_TEXT bytes. False where Oracle's
// abbreviation is not known.
bool number_shown(const struct decimal *value, char *to);
// `to` has room for NUMBER_SHOWN bytes. Returns an ORA- number, or 0.
unsigned number_show(const struct decimal *value, const char *format, char *to);
unsigned number_parse(const char *text, size_t length, const char *format,
                      struct decimal *to);

#endif
