// SPDX-License-Identifier: GPL-2.0-or-later
// Words that cannot be names unless quoted, from the list in Oracle's SQL
// Language Reference. Left out are the pseudo-columns LEVEL, ROWID and ROWNUM
// and the functions SYSDATE, UID and USER, which are values.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sql/source.h"

static const char *const words[] = {
    "ACCESS",  "ADD",        "ALL",       "ALTER",      "AND",       "ANY",
    "AS",      "ASC",        "AUDIT",     "BETWEEN",    "BY",        "CHAR",
    "CHECK",   "CLUSTER",    "COLUMN",    "COMMENT",    "COMPRESS",  "CONNECT",
    "CREATE",  "CURRENT",    "DATE",      "DECIMAL",    "DEFAULT",   "DELETE",
    "DESC",    "DISTINCT",   "DROP",      "ELSE",       "EXCLUSIVE", "EXISTS",
    "FILE",    "FLOAT",      "FOR",       "FROM",       "GRANT",     "GROUP",
    "HAVING",  "IDENTIFIED", "IMMEDIATE", "IN",         "INCREMENT", "INDEX",
    "INITIAL", "INSERT",     "INTEGER",   "INTERSECT",  "INTO",      "IS",
    "LIKE",    "LOCK",       "LONG",      "MAXEXTENTS", "MINUS",     "MLSLABEL",
    "MODE",    "MODIFY",     "NOAUDIT",   "NOCOMPRESS", "NOT",       "NOWAIT",
    "NULL",    "NUMBER",     "OF",        "OFFLINE",    "ON",        "ONLINE",
    "OPTION",  "OR",         "ORDER",     "PCTFREE",    "PRIOR",     "PUBLIC",
    "RAW",     "RENAME",     "RESOURCE",  "REVOKE",     "ROW",       "ROWS",
    "SELECT",  "SESSION",    "SET",       "SHARE",      "SIZE",      "SMALLINT",
    "START",   "SUCCESSFUL", "SYNONYM",   "TABLE",      "THEN",      "TO",
    "TRIGGER", "UNION",      "UNIQUE",    "UPDATE",     "VALIDATE",  "VALUES",
    "VARCHAR", "VARCHAR2",   "VIEW",      "WHENEVER",   "WHERE",     "WITH"};

static const char *const values[] = {"LEVEL",   "ROWID", "ROWNUM",
                                     "SYSDATE", "UID",   "USER"};

static int order(const void *key, const void *word) {
    const struct token *token = key;
    const char *other = *(const char *const *)word;
    for (size_t i = 0; i < token->length; i++) {
        const int letter = toupper((unsigned char)token->at[i]);
        if (letter != other[i]) // a shorter `other` ends in NUL
            return letter - other[i];
    }
    return other[token->length] ? -1 : 0;
}

bool source_is_reserved(const struct translator *t, size_t at) {
    return at < t->count && t->tokens[at].type == TOKEN_WORD &&
           bsearch(&t->tokens[at], words, sizeof words / sizeof *words,
                   sizeof *words, order);
}

bool source_may_name(const struct translator *t, size_t at) {
    return !source_is_reserved(t, at) &&
           !(at < t->count && t->tokens[at].type == TOKEN_WORD &&
             bsearch(&t->tokens[at], values, sizeof values / sizeof *values,
                     sizeof *values, order));
}
