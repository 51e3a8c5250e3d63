// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/views/dictionary_views.h"

#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

static const char views[] =
#include "dictionary_views_sql.h"
    ;

// The query of a view of this name.
static const char *query_named(const char *name, size_t length) {
    static const char begin[] = "\nCREATE VIEW ", as[] = " AS\n";
    for (const char *at = views; (at = strstr(at, begin));) {
        at += sizeof begin - 1;
        if (strncmp(at, name, length) == 0 &&
            strncmp(at + length, as, sizeof as - 1) == 0)
            return at + length + sizeof as - 1;
    }
    return NULL;
}

// The query of a view. It ends with a semicolon, which none has inside. There
// is one user, and so DBA_X has the rows of ALL_X.
static const char *query_of(const char *name, size_t length) {
    enum { LONGEST_VIEW = 40 };
    char all[LONGEST_VIEW];
    const char *query = query_named(name, length);
    if (query || length < 4 || length >= sizeof all ||
        strncmp(name, "DBA_", 4) != 0)
        return query;
    memcpy(all, "ALL_", 4);
    memcpy(all + 4, name + 4, length - 4);
    return query_named(all, length);
}

bool dictionary_views_have(const char *name) {
    static const char *const prefixes[] = {"ALL_", "DBA_", "USER_", "CLIENT_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return query_of(name, strlen(name));
    return false;
}

static void append(sqlite3_str *to, const char *query, const char *own_schema) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    for (const char *at = query; *at != ';';) {
        const size_t plain = strcspn(at, "$;");
        sqlite3_str_append(to, at, (int)plain);
        at += plain;
        if (*at != '$')
            continue;
        const size_t name = strspn(++at, letters);
        const char *inner = name > 0 ? query_of(at, name) : NULL;
        if (strncmp(at, "own.", 4) == 0) {
            sqlite3_str_appendall(to, own_schema);
            at += 3;
        } else if (strncmp(at, "user", 4) == 0) {
            sqlite3_str_appendf(to, "'%.*s'", (int)strlen(own_schema) - 2,
                                own_schema + 1);
            at += 4;
        } else if (inner) {
            sqlite3_str_appendall(to, "(");
            append(to, inner, own_schema);
            sqlite3_str_appendall(to, ")");
            at += name;
        } else {
            sqlite3_str_appendall(to, "$");
        }
    }
}

char *dictionary_view_query(const char *name, const char *own_schema) {
    const char *query = query_of(name, strlen(name));
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "(");
    if (query)
        append(text, query, own_schema);
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

const char *dictionary_views_type(const char *column) {
    static const char *const numbers[] = {
        "BLEVEL",          "BLOCKS",        "CACHE_ID",          "CHAR_LENGTH",
        "COLUMN_ID",       "DATA_LENGTH",   "DATA_PRECISION",    "DATA_SCALE",
        "COLUMN_POSITION", "DISTINCT_KEYS", "LEAF_BLOCKS",       "NUM_DISTINCT",
        "NUM_ROWS",        "POSITION",      "PREFIX_LENGTH",     "TEXT_LENGTH",
        "STAT_ID",         "VALUE",         "CLUSTERING_FACTOR", "HASHKEYS",
        "KEY_SIZE",
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(column, numbers[i]) == 0)
            return "NUMBER";
    return "VARCHAR2(4000)";
}
