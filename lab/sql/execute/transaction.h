// SPDX-License-Identifier: GPL-2.0-or-later
// Transactions and their isolation.
//
// SQLite allows one writer at a time. A statement that changes data waits for
// another session's transaction as it would wait for a row lock in Oracle, but
// regardless of the rows. Readers never wait.
#ifndef ORALAB_TRANSACTION_H
#define ORALAB_TRANSACTION_H

#include <stdbool.h>

struct database;
struct ora_error;

// Installs the busy handler and the authorizer, which decides who may change
// which tables.
bool transactions_open(struct database *database);
// Begins a transaction unless one is open. False if SQLite refuses.
bool transaction_begin(struct database *database);
// Gives up the write lock of a transaction that has changed nothing. Savepoints
// made before it began stay.
void transaction_release(struct database *database);
bool transaction_commit(struct database *database);
// Whether there is one. A query of a remote table begins one, too.
bool transaction_is_open(const struct database *database);
// Has v$transaction show it from now on, or no more.
void transaction_show(struct database *database);
// Why the last commit or rollback failed.
void transaction_error(struct database *database, struct ora_error *error);
// The session is over: its uncommitted changes will be undone.
void transaction_abandon(struct database *database);
bool transaction_rollback(struct database *database);

#endif
