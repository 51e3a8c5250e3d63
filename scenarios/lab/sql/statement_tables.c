// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/statement_tables.h"

#include <openssl/sha.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "sql/functions.h"

struct result_key statement_table_key(const char *user, const char *table) {
    struct result_key key;
    memset(&key, 0, sizeof key);
    char whole[RESULT_NAME * 2];
    const int length = snprintf(whole, sizeof whole, "%s.%s", user, table);
    SHA256((const unsigned char *)whole, (size_t)length, key.digest);
    memcpy(key.name, whole, sizeof key.name - 1);
    key.name[sizeof key.name - 1] = '\0';
    if ((size_t)length < sizeof key.name)
        memset(key.name + length, 0, sizeof key.name - (size_t)length);
    return key;
}

static void note_read(struct statement_tables *tables, const char *user,
                      const char *table) {
    const struct result_key key = statement_table_key(user, table);
    for (unsigned i = 0; i < tables->reads; i++)
        if (memcmp(tables->read[i].digest, key.digest, sizeof key.digest) == 0)
            return;
    if (tables->reads < RESULT_TABLES)
        tables->read[tables->reads++] = key;
    else
        tables->others = true;
}

void statement_tables_note(struct statement_tables *tables, const char *user,
                           int action, const char *first, const char *second,
                           const char *schema) {
    const bool own = schema && strcmp(schema, user) == 0;
    switch (action) {
    case SQLITE_READ:
        if (own && first)
            note_read(tables, user, first);
        else if (!first || strcmp(first, "DUAL") != 0)
            tables->others = true;
        break;
    case SQLITE_FUNCTION:
        if (second && functions_vary(second))
            tables->varies = true;
        break;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        if (own && first) {
            tables->changed = statement_table_key(user, first);
            tables->changes = true;
        }
        break;
    default:
        break;
    }
}
