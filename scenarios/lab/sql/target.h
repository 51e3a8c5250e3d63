// SPDX-License-Identifier: GPL-2.0-or-later
// The table that a DML statement changes, and the types that its columns store.
#ifndef ORALAB_TARGET_H
#define ORALAB_TARGET_H

#include "sql/source.h"

enum { MOST_COLUMNS_OF_A_TABLE = 1000 };

struct target_column {
    char name[LONGEST_NAME + 1];
    char declared[40];
};

struct target {
    struct target_column *column;
    unsigned count;
    bool failed;
    size_t name_at;                  // the token that is its name
    size_t alias;                    // the token that is its alias; 0: none
    char name[2 * LONGEST_NAME + 8]; // "SCOTT"."T", as in error messages
};

// The name as in the dictionary; `to` has room for LONGEST_NAME and a NUL.
// False if it is too long.
bool name_to_dictionary(const struct token *token, char *to);
// Reads the table's name at *at and emits it. `target->column` is to be freed
// in any case.
bool target_read(struct translator *t, size_t *at, struct target *target);
// NULL if the table has no such column, or is unknown.
const struct target_column *target_column_named(const struct target *target,
                                                const char *name);
// Refuses the qualifier in [from, column) unless it is the table's alias or, if
// it has none, its name.
void target_check_qualifier(struct translator *t, const struct target *target,
                            size_t from, size_t column);
// Wraps the value emitted from `begin` on in ASSIGN$(), with the column as its
// other arguments.
void target_assign(struct translator *t, size_t begin,
                   const struct target *target,
                   const struct target_column *column);

#endif
