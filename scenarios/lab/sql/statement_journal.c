// SPDX-License-Identifier: GPL-2.0-or-later
// SQLite, and beside it the one thing that its interface lacks: a change that
// can always be undone alone. SQLite keeps a journal for a statement only
// where it thinks that the statement can fail half-way; functions that raise
// errors, and a cancel, make any statement fail half-way.
#include "sqlite3.c"

#include "sql/statement_journal.h"

int step_undoably(sqlite3_stmt *statement) {
    Vdbe *program = (Vdbe *)statement;
    for (int tries = 0;; tries++) {
        program->usesStmtJournal = 1;
        int rc = sqlite3Step(program);
        if (rc != SQLITE_SCHEMA || tries == SQLITE_MAX_SCHEMA_RETRY)
            return rc;
        // As sqlite3_step() does it, but with another journal.
        rc = sqlite3Reprepare(program);
        if (rc != SQLITE_OK)
            return rc;
        sqlite3_reset(statement);
    }
}
