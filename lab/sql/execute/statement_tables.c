// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/statement_tables.h"

#include <openssl/sha.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "sql/functions/function.h"

enum { WHOLE_NAME = 2 * RESULT_NAME };

static size_t spell(const char *user, const char *table, char to[WHOLE_NAME]) {
    const int length = snprintf(to, WHOLE_NAME, "%s.%s", user, table);
    return length < 0 ? 0 : (size_t)length;
}

struct result_key statement_table_key(const char *user, const char *table) {
    struct result_key key = {0};
    char full_name[WHOLE_NAME];
    const size_t length = spell(user, table, full_name);
    SHA256((const unsigned char *)full_name, strlen(full_name), key.digest);
    memcpy(key.name, full_name,
           length < RESULT_NAME ? length : RESULT_NAME - 1);
    return key;
}

// SQLite reports a table once for each use of a column.
static bool is_noted(const struct statement_tables *tables, const char *user,
                     const char *table) {
    char full_name[WHOLE_NAME];
    bool result = false;
    if (spell(user, table, full_name) >= RESULT_NAME)
        return false; // not all of it is in the keys
    for (unsigned i = 0; i < tables->reads && !result; i++)
        result = strcmp(tables->read[i].name, full_name) == 0;
    return result;
}

static void add(struct statement_tables *tables, const struct result_key *key) {
    for (unsigned i = 0; i < tables->reads; i++)
        if (memcmp(tables->read[i].digest, key->digest, sizeof key->digest) ==
            0)
            return;
    if (tables->reads < RESULT_TABLES)
        tables->read[tables->reads++] = *key;
    else
        tables->others = true;
}

static void note_read(struct statement_tables *tables, const char *user,
                      const char *table) {
    if (is_noted(tables, user, table))
        return;
    const struct result_key key = statement_table_key(user, table);
    add(tables, &key);
}

void statements_read_add(struct statements_read *to,
                         const struct statement_tables *tables,
                         uint64_t since) {
    for (unsigned i = 0; i < tables->reads; i++)
        add(&to->tables, &tables->read[i]);
    to->tables.others = to->tables.others || tables->others;
    to->tables.varies = to->tables.varies || tables->varies;
    if (since < to->since)
        to->since = since;
}

void statement_tables_note(struct statement_tables *tables, const char *user,
                           int action, const char *first, const char *second,
                           const char *schema) {
    const bool is_users = schema && strcmp(schema, user) == 0;
    switch (action) {
    case SQLITE_READ:
        if (is_users && first)
            note_read(tables, user, first);
        else if (!first || strcmp(first, "DUAL") != 0)
            tables->others = true;
        break;
    case SQLITE_FUNCTION:
        if (second && strcmp(second, "PLSQL$") == 0)
            tables->calls = true;
        else if (second && function_varies(second))
            tables->varies = true;
        break;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        if (is_users && first) {
            tables->changed = statement_table_key(user, first);
            tables->changes = true;
        }
        break;
    default:
        break;
    }
}
