// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/ora_error.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/pga.h"

static const struct {
    unsigned number;
    const char *text; // %s: the subject
} texts[] = {
    {1, "unique constraint (%s) violated"},
    {30, "User session ID does not exist."},
    {54, "resource busy and acquire with NOWAIT specified or timeout expired"},
    {600, "internal error code, arguments: [%s]"},
    {900, "invalid SQL statement"},
    {901, "invalid CREATE command"},
    {902, "invalid datatype"},
    {903, "invalid table name"},
    {904, "\"%s\": invalid identifier"},
    {905, "missing keyword"},
    {906, "missing left parenthesis"},
    {907, "missing right parenthesis"},
    {908, "missing NULL keyword"},
    {909, "invalid number of arguments"},
    {910, "specified length too long for its datatype"},
    {911, "invalid character"},
    {913, "too many values"},
    {917, "missing comma"},
    {918, "column ambiguously defined"},
    {920, "invalid relational operator"},
    {922, "missing or invalid option"},
    {923, "FROM keyword not found where expected"},
    {924, "missing BY keyword"},
    {925, "missing INTO keyword"},
    {926, "missing VALUES keyword"},
    {927, "missing equal sign"},
    {928, "missing SELECT keyword"},
    {932, "inconsistent datatypes: %s"},
    {933, "SQL command not properly ended"},
    {934, "group function is not allowed here"},
    {936, "missing expression"},
    {937, "not a single-group group function"},
    {938, "not enough arguments for function"},
    {939, "too many arguments for function"},
    {941, "missing cluster name"},
    {942, "table or view does not exist"},
    {943, "cluster does not exist"},
    {944, "insufficient number of clustered columns"},
    {945, "specified clustered column does not exist"},
    {947, "not enough values"},
    {950, "invalid DROP option"},
    {951, "cluster not empty"},
    {953, "missing or invalid index name"},
    {955, "name is already used by an existing object"},
    {957, "duplicate column name"},
    {971, "missing SET keyword"},
    {972, "identifier is too long"},
    {987, "missing or invalid username(s)"},
    {988, "missing or invalid password(s)"},
    {975, "date + date not allowed"},
    {979, "not a GROUP BY expression"},
    {960, "ambiguous column naming in select list"},
    {976, "Specified pseudocolumn or operator not allowed here."},
    {980, "synonym translation is no longer valid"},
    {998, "must name this expression with a column alias"},
    {1000, "maximum open cursors exceeded"},
    {1001, "invalid cursor"},
    {1002, "fetch out of sequence"},
    {1006, "bind variable does not exist"},
    {1007, "variable not in select list"},
    {1008, "not all variables bound"},
    {1013, "user requested cancel of current operation"},
    {1017, "invalid username/password; logon denied"},
    {1027, "bind variables not allowed for data definition operations"},
    {1031, "insufficient privileges"},
    {1086, "savepoint '%s' never established in this session or is invalid"},
    {1400, "cannot insert NULL into (%s)"},
    {1403, "no data found"},
    {1452, "cannot CREATE UNIQUE INDEX; duplicate keys found"},
    {1407, "cannot update (%s) to NULL"},
    {1410, "invalid ROWID"},
    {1418, "specified index does not exist"},
    {1416, "two tables cannot be outer-joined to each other"},
    {1422, "exact fetch returns more than requested number of rows"},
    {1424, "missing or illegal character following the escape character"},
    {1425, "escape character must be character string of length 1"},
    {1426, "numeric overflow"},
    {1427, "single-row subquery returns more than one row"},
    {1428, "argument is out of range"},
    {1432, "public synonym to be dropped does not exist"},
    {1434, "private synonym to be dropped does not exist"},
    {1436, "CONNECT BY loop in user data"},
    {1438, "value larger than specified precision allowed for this column"},
    {1430, "column being added already exists in table"},
    {1465, "invalid hex number"},
    {1468, "a predicate may reference only one outer-joined table"},
    {1476, "divisor is equal to zero"},
    {1481, "invalid number format model"},
    {1484, "arrays can only be bound to PL/SQL statements"},
    {1489, "result of string concatenation is too long"},
    {1555, "snapshot too old: rollback segment number  with name \"\" too "
           "small"},
    {1702, "a view is not appropriate here"},
    {1730, "invalid number of column names specified"},
    {1731, "circular view definition encountered"},
    {1729, "database link name expected"},
    {1719, "outer join operator (+) not allowed in operand of OR or IN"},
    {1722, "invalid number"},
    {1723, "zero-length columns are not allowed"},
    {1727, "numeric precision specifier is out of range (1 to 38)"},
    {1728, "numeric scale specifier is out of range (-84 to 127)"},
    {1741, "illegal zero-length identifier"},
    {1745, "invalid host/bind variable name"},
    {1747, "invalid user.table.column, table.column, or column specification"},
    {1753, "column definition incompatible with clustered column definition"},
    {1756, "quoted string not properly terminated"},
    {1758, "table must be empty to add mandatory (NOT NULL) column"},
    {1760, "illegal argument for function"},
    {1771, "illegal option for a clustered table"},
    {1775, "looping chain of synonyms"},
    {1785, "ORDER BY item must be the number of a SELECT-list expression"},
    {1789, "query block has incorrect number of result columns"},
    {1790, "expression must have same datatype as corresponding expression"},
    {1791, "not a SELECTed expression"},
    {1788, "CONNECT BY clause required in this query block"},
    {1792, "maximum number of columns in a table or view is 1000"},
    {1796, "this operator cannot be used with lists"},
    {1795, "maximum number of expressions in a list is 1000"},
    {1799, "a column may not be outer-joined to a subquery"},
    {1801, "date format is too long for internal buffer"},
    {1810, "format code appears twice"},
    {1820, "format code cannot appear in date input format"},
    {1821, "date format not recognized"},
    {1830, "date format picture ends before converting entire input string"},
    {1835, "day of week conflicts with Julian date"},
    {1839, "date not valid for month specified"},
    {1840, "input value not long enough for date format"},
    {1841, "(full) year must be between -4713 and +9999, and not be 0"},
    {1843, "not a valid month"},
    {1846, "not a valid day of the week"},
    {1847, "day of month must be between 1 and last day of month"},
    {1848, "day of year must be between 1 and 365 (366 for leap year)"},
    {1849, "hour must be between 1 and 12"},
    {1850, "hour must be between 0 and 23"},
    {1851, "minutes must be between 0 and 59"},
    {1852, "seconds must be between 0 and 59"},
    {1853, "seconds in day must be between 0 and 86399"},
    {1854, "julian date must be between 1 and 5373484"},
    {1855, "AM/A.M. or PM/P.M. required"},
    {1858, "a non-numeric character was found where a numeric was expected"},
    {1861, "literal does not match format string"},
    {1867, "the interval is invalid"},
    {1873, "the leading precision of the interval is too small"},
    {1882, "timezone region not found"},
    {1898, "too many precision specifiers"},
    {2003, "invalid USERENV parameter"},
    {2011, "duplicate database link name"},
    {2019, "connection description for remote database not found"},
    {2020, "too many database links in use"},
    {2024, "database link not found"},
    {2050, "transaction %s rolled back, some remote dbs may be in-doubt"},
    {2064, "distributed operation not supported"},
    {2080, "database link is in use"},
    {2081, "database link is not open"},
    {2202, "no more tables permitted in this cluster"},
    {2185, "a token other than WORK follows COMMIT"},
    {2248, "invalid option for ALTER SESSION"},
    {2287, "sequence number not allowed here"},
    {2289, "sequence does not exist"},
    {2290, "check constraint (%s) violated"},
    {2456, "The HASH IS column specification must be NUMBER(*,0)"},
    {2457, "The HASH IS option must specify a valid column"},
    {2458, "HASHKEYS must be specified for a HASH CLUSTER"},
    {2459, "Hashkey value must be a positive integer"},
    {3001, "unimplemented feature: %s"},
    {3113, "end-of-file on communication channel"},
    {3106, "fatal two-task communication protocol error"},
    {3292, "Table to be truncated is part of a cluster"},
    {3115, "unsupported network datatype or representation"},
    {3120, "two-task conversion routine: integer overflow"},
    {1652, "unable to extend temp segment in tablespace TEMP"},
    {4002, "INCREMENT must be a non-zero integer"},
    {4004, "MINVALUE must be less than MAXVALUE"},
    {4006, "START WITH cannot be less than MINVALUE"},
    {4008, "START WITH cannot be more than MAXVALUE"},
    {4010, "the number of values to CACHE must be greater than 1"},
    {4015, "ascending sequences that CYCLE must specify MAXVALUE"},
    {4016, "descending sequences that CYCLE must specify MINVALUE"},
    {4036, "PGA memory used by the server exceeds PGA_AGGREGATE_LIMIT"},
    {4030, "out of process memory"},
    {36, "maximum number of recursive SQL levels (50) exceeded"},
    {51, "timeout occurred while waiting for a resource"},
    {60, "deadlock detected while waiting for resource"},
    {4043, "object %s does not exist"},
    {4063, "%s has errors"},
    {4067, "not executed, %s does not exist"},
    {6500, "PL/SQL: storage error"},
    {6501, "PL/SQL: program error"},
    {6502, "PL/SQL: numeric or value error%s"},
    {6503, "PL/SQL: Function returned without value"},
    {6504,
     "PL/SQL: Return types of Result Set variables or query do not match"},
    {6510, "PL/SQL: unhandled user-defined exception"},
    {6511, "PL/SQL: cursor already open"},
    {6513, "PL/SQL: index for PL/SQL table out of range for host language "
           "array"},
    {6519, "active autonomous transaction detected and rolled back"},
    {6530, "Reference to uninitialized composite"},
    {6531, "Reference to uninitialized collection"},
    {6532, "Subscript outside of limit"},
    {6533, "Subscript beyond count"},
    {6535, "statement string in EXECUTE IMMEDIATE is NULL or 0 length"},
    {6547,
     "RETURNING clause must be used with INSERT, UPDATE, or DELETE statements"},
    {6508, "PL/SQL: could not find program unit being called"},
    {6548, "no more rows needed"},
    {6592, "CASE not found while executing CASE statement"},
    {14551, "cannot perform a DML operation inside a query "},
    {14552, "cannot perform a DDL, commit or rollback inside a query or DML "},
    {20000, "%s"},
    {21000,
     "error number argument to raise_application_error of %s is out of range"},
    {6550, "%s"},
    {8002, "sequence %s is not yet defined in this session"},
    {8004, "sequence %s and cannot be instantiated"},
    {8177, "can't serialize access for this transaction"},
    {12011, "execution of %s jobs failed"},
    {12154, "TNS:could not resolve the connect identifier specified"},
    {12170, "TNS:Connect timeout occurred"},
    {12505, "TNS:listener does not currently know of SID given in connect "
            "descriptor"},
    {12514, "TNS:listener does not currently know of service requested in "
            "connect descriptor"},
    {12537, "TNS:connection closed"},
    {12541, "TNS:no listener"},
    {12545, "Connect failed because target host or object does not exist"},
    {12609, "TNS: Receive timeout occurred"},
    {12725, "unmatched parentheses in regular expression"},
    {12726, "unmatched bracket in regular expression"},
    {12727, "invalid back reference in regular expression"},
    {12728, "invalid range in regular expression"},
    {12729, "invalid character class in regular expression"},
    {12733, "regular expression too long"},
    {12899, "value too large for column %s"},
    {13207, "incorrect use of the [LNNVL] operator"},
    {12983, "cannot drop all columns in a table"},
    {22160, "element at index [%s] does not exist"},
    {22275, "invalid LOB locator specified"},
    {22992, "cannot use LOB locators selected from remote tables"},
    {22922, "nonexistent LOB value"},
    {23421, "job number %s is not a job in the job queue"},
    {24381, "error(s) in array DML"},
    {25137, "Data value out of range"},
    {27475, "unknown job %s"},
    {27477, "%s already exists"},
    {27478, "job %s is running"},
    {28150, "proxy not authorized to connect as client"},
    {25156, "old style outer join (+) cannot be used with ANSI joins"},
    {25154, "column part of USING clause cannot have qualifier"},
    {29275, "partial multibyte character"},
    {30001, "trim set should have only one character"},
    {30006, "resource busy; acquire with WAIT timeout expired"},
    {30563, "outer join operator (+) is not allowed here"},
    {30076, "invalid extract field for extract source"},
    {30088, "datetime/interval precision is out of range"},
    {30089, "missing or invalid <datetime field>"},
    {30481, "GROUPING function only supported with GROUP BY CUBE or ROLLUP"},
    {30484, "missing window specification for this function"},
    {30485, "missing ORDER BY expression in the window specification"},
    {30496, "Argument should be a constant."},
    {30003, "illegal parameter in SYS_CONNECT_BY_PATH function"},
    {30004, "when using SYS_CONNECT_BY_PATH function, cannot have seperator as "
            "part of column value"},
    {30929, "ORDER SIBLINGS BY clause not allowed here"},
    {30930, "NOCYCLE keyword is required with CONNECT_BY_ISCYCLE pseudocolumn"},
    {30926, "unable to get a stable set of rows in the source tables"},
    {38101, "Invalid column in the INSERT VALUES Clause: \"%s\""},
    {38104, "Columns referenced in the ON Clause cannot be updated: \"%s\""},
};

void ora_error_set(struct ora_error *error, unsigned number,
                   const char *about) {
    const char *text = "";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].number == number)
            text = texts[i].text;
    const char *gap = strstr(text, "%s");
    int prefix = gap ? (int)(gap - text) : (int)strlen(text);
    if (gap && !*about && prefix >= 2 && gap[-1] == ' ' && gap[-2] == ':')
        prefix -= 2; // no subject follows the colon
    error->number = number;
    error->position = 0;
    snprintf(error->text, sizeof error->text, "ORA-%05u: %.*s%.300s%s", number,
             prefix, text, gap ? about : "", gap ? gap + 2 : "");
}

struct rule {
    const char *begins; // prefix of SQLite's message
    unsigned number;
};

static const struct rule rules[] = {
    {"no such table: ", 942},
    {"no such view: ", 942},
    {"use DROP VIEW to delete view ", 942},
    {"views may not be indexed", 1702},
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
    {"cannot modify ", 1702},
    {"SELECTs to the left and right", 1789},
    {"sub-select returns ", 913},
    {"table ROW$ has ", 913},
    {"duplicate column name: ", 957},
    {"attempt to write a readonly", 1031},
    {"misuse of aggregate", 937},
    {"incomplete input", 936},
    {"Cannot add a NOT NULL column", 1758},
    {"there is already another table", 955},
    {"integer overflow", 1426},
    {"interrupted", 1013},
    {"database or disk is full", 1652},
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
    if (strncmp(message, named, sizeof named - 1) == 0) { // see definitions.c
        ora_error_set(
            error, (unsigned)strtoul(message + sizeof named - 1, NULL, 10), "");
        return;
    }
    if (sqlite3_extended_errcode(db) == SQLITE_BUSY_SNAPSHOT) {
        ora_error_set(error, 8177, "");
        return;
    }
    if (strncmp(message, "ORA-", 4) == 0) { // from one of the lab's functions
        error->number = (unsigned)strtoul(message + 4, NULL, 10);
        error->position = 0;
        snprintf(error->text, sizeof error->text, "%s", message);
        return;
    }
    if (pga_is_exceeded() && sqlite3_errcode(db) == SQLITE_NOMEM) {
        ora_error_set(error, 4036, "");
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
    unsigned values, columns;
    if (sscanf(message, "table ROWS$ has %u values for %u", &values,
               &columns) == 2)
        ora_error_set(error, values < columns ? 947 : 913, "");
    else if (strstr(message, "syntax error"))
        ora_error_set(error, 933, "");
    else if (strstr(message, "already exists"))
        ora_error_set(error, 955, "");
    else
        ora_error_set(error, 3001, message);
}
