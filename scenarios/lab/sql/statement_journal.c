// SPDX-License-Identifier: GPL-2.0-or-later
// SQLite, and beside it what its interface lacks: a change that can always be
// undone alone, and to look at what names and values it has. SQLite keeps a
// journal for a statement only where it thinks that the statement can fail
// half-way; functions that raise errors, and a cancel, make any statement fail
// half-way.
#include "sqlite3-names.c"

#include "sql/statement_journal.h"

int step_undoably(sqlite3_stmt *statement) {
    ((Vdbe *)statement)->usesStmtJournal = 1;
    return sqlite3Step((Vdbe *)statement);
}

const char *name_of_table(sqlite3 *db, const char *schema, const char *name) {
    const Table *table = sqlite3FindTable(db, name, schema);
    return table ? table->zName : NULL;
}

void move_binds(sqlite3_stmt *from, sqlite3_stmt *to) {
    if (((Vdbe *)from)->nVar == ((Vdbe *)to)->nVar)
        sqlite3TransferBindings(from, to);
}
