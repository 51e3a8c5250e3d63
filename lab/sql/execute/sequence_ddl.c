// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/sequence_ddl.h"

#include "sql/execute/cursor.h"
#include "sql/execute/database.h"
#include "sql/execute/statement_journal.h"
#include "sql/execute/transaction.h"

// Tables and sequences share their names.
static enum sequence_result add(struct database *database,
                                const struct sequence *sequence) {
    if (sqlite_table_name(database->db, database->sga->user, sequence->name))
        return SEQUENCE_EXISTS;
    return sequence_add(&database->sga->sequences, sequence);
}

bool sequence_change(struct cursor *cursor, struct ora_error *error) {
    struct database *database = cursor->database;
    if (!transaction_commit(database)) {
        transaction_error(database, error);
        return false;
    }
    const enum sequence_result result =
        cursor->kind == STATEMENT_CREATE_SEQUENCE
            ? add(database, &cursor->sequence)
            : sequence_drop(&database->sga->sequences, cursor->sequence.name);
    if (result == SEQUENCE_EXISTS)
        ora_error_set(error, 955, "");
    else if (result == SEQUENCE_MISSING)
        ora_error_set(error, 2289, "");
    else if (result == SEQUENCE_NO_ROOM)
        ora_error_set(error, 3001, "more than 128 sequences");
    return result == SEQUENCE_DONE;
}
