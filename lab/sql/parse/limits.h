// SPDX-License-Identifier: GPL-2.0-or-later
// Limits of a statement.
#ifndef ORALAB_LIMITS_H
#define ORALAB_LIMITS_H

enum {
    LONGEST_NAME = 128,    // of a table or column, in bytes
    LONGEST_SUBJECT = 300, // of an error, in bytes: two such names and more
    BIND_NAME = 32,
    MOST_BINDS = 65535, // Oracle's; SQLite is built for as many
};

#endif
