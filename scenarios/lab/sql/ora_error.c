// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/ora_error.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned number;
    const char *text; // %s: what it is about
} texts[] = {
    {1, "unique constraint (%s) violated"},
    {54, "resource busy and acquire with NOWAIT specified or timeout expired"},
    {600, "internal error code, arguments: [%s]"},
    {947, "not enough values"},
    {900, "invalid SQL statement"},
    {903, "invalid table name"},
    {904, "\"%s\": invalid identifier"},
    {907, "missing right parenthesis"},
    {909, "invalid number of arguments"},
    {910, "specified length too long for its datatype"},
    {911, "invalid character"},
    {913, "too many values"},
    {918, "column ambiguously defined"},
    {922, "missing or invalid option"},
    {923, "FROM keyword not found where expected"},
    {928, "missing SELECT keyword"},
    {932, "inconsistent datatypes: %s"},
    {933, "SQL command not properly ended"},
    {936, "missing expression"},
    {937, "not a single-group group function"},
    {942, "table or view does not exist"},
    {955, "name is already used by an existing object"},
    {1000, "maximum open cursors exceeded"},
    {1001, "invalid cursor"},
    {1002, "fetch out of sequence"},
    {1006, "bind variable does not exist"},
    {1008, "not all variables bound"},
    {1013, "user requested cancel of current operation"},
    {1017, "invalid username/password; logon denied"},
    {1031, "insufficient privileges"},
    {1400, "cannot insert NULL into (%s)"},
    {1403, "no data found"},
    {1418, "specified index does not exist"},
    {1422, "exact fetch returns more than requested number of rows"},
    {1426, "numeric overflow"},
    {1438, "value larger than specified precision allowed for this column"},
    {1476, "divisor is equal to zero"},
    {1722, "invalid number"},
    {1745, "invalid host/bind variable name"},
    {1756, "quoted string not properly terminated"},
    {1789, "query block has incorrect number of result columns"},
    {2003, "invalid USERENV parameter"},
    {2019, "connection description for remote database not found"},
    {2290, "check constraint (%s) violated"},
    {3001, "unimplemented feature: %s"},
    {3115, "unsupported network datatype or representation"},
    {3120, "two-task conversion routine: integer overflow"},
    {6550, "%s"},
    {30006, "resource busy; acquire with WAIT timeout expired"},
    {8177, "can't serialize access for this transaction"},
    {12899, "value too large for column"},
    {4030, "out of process memory"},
};

void ora_error_set(struct ora_error *error, unsigned number,
                   const char *about) {
    const char *text = "";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].number == number)
            text = texts[i].text;
    const char *gap = strstr(text, "%s");
    int before = gap ? (int)(gap - text) : (int)strlen(text);
    if (gap && !*about && before >= 2 && gap[-1] == ' ' && gap[-2] == ':')
        before -= 2; // nothing follows the colon
    error->number = number;
    snprintf(error->text, sizeof error->text, "ORA-%05u: %.*s%.120s%s", number,
             before, text, gap ? about : "", gap ? gap + 2 : "");
}

struct rule {
    const char *begins; // SQLite's message
    unsigned number;
};

static const struct rule rules[] = {
    {"no such table: ", 942},
    {"no such view: ", 942},
    {"no such column: ", 904},
    {"no such function: ", 904},
    {"ambiguous column name: ", 918},
    {"wrong number of arguments", 909},
    {"UNIQUE constraint failed: ", 1},
    {"NOT NULL constraint failed: ", 1400},
    {"CHECK constraint failed: ", 2290},
    {"not authorized", 1031},
    {"access to ", 942},
    {"no such index: ", 1418},
    {"cannot modify ", 1031},
    {"SELECTs to the left and right", 1789},
    {"attempt to write a readonly", 1031},
    {"misuse of aggregate", 937},
    {"incomplete input", 936},
    {"integer overflow", 1426},
    {"interrupted", 1013},
    {"out of memory", 4030},
};

static void about_name(const char *from, char *to, size_t size) {
    size_t n = 0;
    for (; *from && n + 1 < size; from++)
        if (*from != '"')
            to[n++] = (char)toupper((unsigned char)*from);
    to[n] = '\0';
}

void ora_error_from_sqlite(struct ora_error *error, struct sqlite3 *db) {
    const char *message = sqlite3_errmsg(db);
    static const char named[] = "CHECK constraint failed: ORA-";
    if (strncmp(message, named, sizeof named - 1) == 0) { // see ddl.c
        ora_error_set(
            error, (unsigned)strtoul(message + sizeof named - 1, NULL, 10), "");
        return;
    }
    if (sqlite3_extended_errcode(db) == SQLITE_BUSY_SNAPSHOT) {
        ora_error_set(error, 8177, "");
        return;
    }
    if (strncmp(message, "ORA-", 4) == 0) { // from one of our functions
        error->number = (unsigned)strtoul(message + 4, NULL, 10);
        snprintf(error->text, sizeof error->text, "%s", message);
        return;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t length = strlen(rules[i].begins);
        if (strncmp(message, rules[i].begins, length) == 0) {
            char about[128];
            about_name(message + length, about, sizeof about);
            ora_error_set(error, rules[i].number, about);
            return;
        }
    }
    if (strstr(message, "syntax error"))
        ora_error_set(error, 933, "");
    else if (strstr(message, "already exists"))
        ora_error_set(error, 955, "");
    else
        ora_error_set(error, 3001, message);
}
