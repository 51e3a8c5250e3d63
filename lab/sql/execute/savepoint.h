// SPDX-License-Identifier: GPL-2.0-or-later
// Savepoints of the session's transaction. One that is made before the first
// change begins no transaction, so it makes nobody wait. The write lock stays
// after a rollback to a savepoint: see transaction.h.
#ifndef ORALAB_SAVEPOINT_H
#define ORALAB_SAVEPOINT_H

#include <stdbool.h>

struct database;
struct ora_error;
struct savepoints;

// A savepoint of that name moves here.
bool savepoint_make(struct database *database, const char *name,
                    struct ora_error *error);
// Undoes the changes since, and forgets the savepoints made after it. ORA-01086
// where there is none.
bool savepoint_roll_back(struct database *database, const char *name,
                         struct ora_error *error);
// The transaction has begun: gives SQLite the savepoints made before.
bool savepoints_begin(struct database *database);
// The transaction has ended.
void savepoints_forget(struct database *database);
// The outermost block of PL/SQL: its changes can be undone alone. False
// where no transaction is open, or without memory.
bool savepoints_begin_block(struct database *database);
// The block's own savepoints stay.
void savepoints_end_block(struct database *database);
// False if the block has ended the transaction that it began in.
bool savepoints_undo_block(struct database *database);
// An autonomous transaction has savepoints of its own.
struct savepoints *savepoints_set_aside(struct database *database);
void savepoints_take_back(struct database *database, struct savepoints *all);

#endif
