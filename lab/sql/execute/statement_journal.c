// SPDX-License-Identifier: GPL-2.0-or-later
// SQLite, plus functions that its interface lacks: changes that can always be
// undone alone, and access to its names and statements. By itself SQLite
// journals a statement only if it expects that the statement can fail half-way.
// Functions that raise errors, and cancels, can fail any statement half-way.

// The marks that plan_marks.patch has SQLite note in a program; see
// counted_program.h.
enum plan_mark {
    PLAN_SCAN = 0x6c01, // a loop begins
    PLAN_ROW,           // it has a row
    PLAN_MATCH,         // of an outer join: it has a row of the table
    PLAN_END,           // of an operation that has others inside
};

#include "sqlite3-names.c"

#include "sql/execute/statement_journal.h"

int sqlite_step_undoably(sqlite3_stmt *statement) {
    ((Vdbe *)statement)->usesStmtJournal = 1;
    return sqlite3Step((Vdbe *)statement);
}

const char *sqlite_table_name(sqlite3 *db, const char *schema,
                              const char *name) {
    const Table *table = sqlite3FindTable(db, name, schema);
    return table ? table->zName : NULL;
}

bool sqlite_statement_uses_schema(sqlite3_stmt *statement, const char *schema) {
    const Vdbe *program = (Vdbe *)statement;
    const int database = sqlite3FindDbName(program->db, schema);
    return database >= 0 && DbMaskTest(program->btreeMask, database);
}

void sqlite_fail_statement(sqlite3 *db) {
    sqlite3OomFault(db);
}

void sqlite_forget_interrupt(sqlite3 *db) {
    db->u1.isInterrupted = 0;
}

void sqlite_move_binds(sqlite3_stmt *from, sqlite3_stmt *to) {
    if (((Vdbe *)from)->nVar == ((Vdbe *)to)->nVar)
        sqlite3TransferBindings(from, to);
}

#include "sql/execute/counted_program.c"
#include "sql/execute/late_keys.c"
