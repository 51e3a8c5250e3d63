// SPDX-License-Identifier: GPL-2.0-or-later
// Unique keys that are checked when a statement has ended. Included by
// statement_journal.c, because it changes SQLite's definitions of indexes.
#include "sql/execute/late_keys.h"

static bool is_written(const Vdbe *program, const Index *index) {
    for (int i = 0; i < program->nOp; i++) {
        const VdbeOp *op = &program->aOp[i];
        if (op->opcode == OP_OpenWrite && op->p2 == (int)index->tnum &&
            program->db->aDb[op->p3].pSchema == index->pSchema)
            return true;
    }
    return false;
}

// The next unique index, from `at` on, that the statement writes.
static Index *next_key(const Vdbe *program, HashElem **at) {
    while (*at) {
        Index *index = sqliteHashData(*at);
        *at = sqliteHashNext(*at);
        if (IsUniqueIndex(index) && is_written(program, index))
            return index;
    }
    return NULL;
}

static HashElem *indexes_of(const Vdbe *program, const char *schema) {
    const int database = sqlite3FindDbName(program->db, schema);
    return database < 0
               ? NULL
               : sqliteHashFirst(&program->db->aDb[database].pSchema->idxHash);
}

int sqlite_prepare_without_keys(sqlite3_stmt *statement, const char *schema,
                                sqlite3_stmt **to) {
    struct key {
        Index *index;
        u8 on_error;
        bool not_null;
    } key[LATE_KEYS];
    const Vdbe *program = (Vdbe *)statement;
    HashElem *at = indexes_of(program, schema);
    unsigned count = 0;
    Index *index;
    *to = NULL;
    while (count < LATE_KEYS && (index = next_key(program, &at)))
        key[count++] = (struct key){index, index->onError, index->uniqNotNull};
    if (next_key(program, &at))
        return SQLITE_TOOBIG;
    for (unsigned i = 0; i < count; i++) {
        key[i].index->onError = OE_None;
        key[i].index->uniqNotNull = 0;
    }
    // The transaction is open, so no definition is read anew meanwhile.
    const int rc =
        sqlite3_prepare_v2(program->db, sqlite3_sql(statement), -1, to, NULL);
    for (unsigned i = 0; i < count; i++) {
        key[i].index->onError = key[i].on_error;
        key[i].index->uniqNotNull = key[i].not_null;
    }
    return rc;
}

char *sqlite_duplicates_query(sqlite3_stmt *statement, const char *schema,
                              unsigned number) {
    const Vdbe *program = (Vdbe *)statement;
    HashElem *at = indexes_of(program, schema);
    Index *index;
    do
        index = next_key(program, &at);
    while (index && number-- > 0);
    if (!index)
        return NULL;
    sqlite3_str *names = sqlite3_str_new(NULL), *keys = sqlite3_str_new(NULL);
    sqlite3_str *set = sqlite3_str_new(NULL);
    for (int i = 0; i < index->nKeyCol; i++) {
        const char *column = index->pTable->aCol[index->aiColumn[i]].zCnName;
        sqlite3_str_appendf(names, "%s%s.%s", i ? ", " : "",
                            index->pTable->zName, column);
        sqlite3_str_appendf(keys, "%s\"%w\"", i ? ", " : "", column);
        sqlite3_str_appendf(set, "%s\"%w\" IS NOT NULL", i ? " AND " : "",
                            column);
    }
    char *name = sqlite3_str_finish(names), *key = sqlite3_str_finish(keys);
    char *conditions = sqlite3_str_finish(set);
    char *query = sqlite3_mprintf(
        "SELECT 'UNIQUE constraint failed: ' || %Q FROM \"%w\".\"%w\" WHERE %s "
        "GROUP BY %s HAVING count(*) > 1 LIMIT 1",
        name, schema, index->pTable->zName, conditions, key);
    sqlite3_free(name);
    sqlite3_free(key);
    sqlite3_free(conditions);
    return query;
}
