// SPDX-License-Identifier: GPL-2.0-or-later
// SQLite, and beside it what its interface lacks: a change that can always be
// undone alone, and to look at what it knows of names and statements. It keeps
// a journal for a statement only where it thinks that the statement can fail
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

bool uses_schema(sqlite3_stmt *statement, const char *schema) {
    const Vdbe *program = (Vdbe *)statement;
    const int at = sqlite3FindDbName(program->db, schema);
    return at >= 0 && DbMaskTest(program->btreeMask, at);
}

void forget_interrupt(sqlite3 *db) {
    db->u1.isInterrupted = 0;
}

void move_binds(sqlite3_stmt *from, sqlite3_stmt *to) {
    if (((Vdbe *)from)->nVar == ((Vdbe *)to)->nVar)
        sqlite3TransferBindings(from, to);
}
