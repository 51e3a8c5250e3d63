// SPDX-License-Identifier: GPL-2.0-or-later
// The table that a statement changes, and what it may put into its columns.
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
    size_t name_at; // the token that names it
    size_t alias;   // the one that it is called by then; 0: none
    char name[2 * LONGEST_NAME + 8]; // "SCOTT"."T", as errors show it
};

// A name as the dictionary has it; `to` has room for LONGEST_NAME and a NUL.
// False when it is too long.
bool dictionary_name(const struct token *token, char *to);
// Reads the name of the table at *at and says it. `target->column` is to be
// freed, whatever this returns.
bool read_target(struct translator *t, size_t *at, struct target *target);
// NULL where the table has none of that name, or is not known.
const struct target_column *column_named(const struct target *target,
                                         const char *name);
// Refuses what stands in front of the column at `column`, from `from` on,
// unless it is the table's alias or, where it has none, its name.
void check_qualifier(struct translator *t, const struct target *target,
                     size_t from, size_t column);
// Makes what was said from `begin` on a value for the column: puts ASSIGN$(
// before it and its other arguments here.
void assign_to(struct translator *t, size_t begin, const struct target *target,
               const struct target_column *column);

#endif
