// SPDX-License-Identifier: GPL-2.0-or-later
// Transactions, and what keeps them apart.
//
// SQLite has one writer at a time. A statement that changes data waits for the
// transaction of another session as in Oracle it would wait for a row lock,
// only that here it waits whatever the rows. Readers never wait.
#ifndef ORALAB_TRANSACTION_H
#define ORALAB_TRANSACTION_H

#include <stdbool.h>

struct database;

// Installs the wait and the rule of who may change what.
bool transactions_open(struct database *database);
// Begins one unless one is open. False when SQLite refuses.
bool transaction_begin(struct database *database);
bool transaction_commit(struct database *database);
bool transaction_rollback(struct database *database);

#endif
