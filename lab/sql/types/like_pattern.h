// SPDX-License-Identifier: GPL-2.0-or-later
// The escape character of LIKE.
#ifndef ORALAB_LIKE_PATTERN_H
#define ORALAB_LIKE_PATTERN_H

#include <stddef.h>

// The error of `LIKE pattern ESCAPE escape`: ORA-01425 unless the escape is one
// character, ORA-01424 where it stands before anything but %, _ or itself; 0:
// none.
unsigned like_pattern_error(const char *pattern, size_t pattern_length,
                            const char *escape, size_t escape_length);

#endif
