// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/views/dictionary.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    OBJECTS = 30011,
    // The heap begins with the objects of one small owner, as if its rows had
    // moved into space that was freed early. A nested-loop self join on owner#
    // then needs one whole scan per FIRST_OWNER_OBJECTS rows returned, so that
    // its cost is proportional to the requested rows.
    FIRST_OWNER = 24,
    FIRST_OWNER_OBJECTS = 40,
};

static const char ddl[] =
    "CREATE TABLE \"OBJ$\"(\"OBJ#\" NUMBER, \"DATAOBJ#\" NUMBER,"
    " \"OWNER#\" NUMBER, NAME VARCHAR2(128), NAMESPACE NUMBER,"
    " SUBNAME VARCHAR2(128), \"TYPE#\" NUMBER, CTIME DATE, MTIME DATE,"
    " STIME DATE, STATUS NUMBER, REMOTEOWNER VARCHAR2(128),"
    " LINKNAME VARCHAR2(128), FLAGS NUMBER, \"OID$\" RAW(16), SPARE1 NUMBER,"
    " SPARE2 NUMBER, SPARE3 NUMBER, SPARE4 VARCHAR2(1000),"
    " SPARE5 VARCHAR2(1000), SPARE6 DATE);"
    "CREATE TABLE \"USER$\"(\"USER#\" NUMBER, NAME VARCHAR2(128));"
    "CREATE UNIQUE INDEX \"I_USER#\" ON \"USER$\"(\"USER#\");"
    "INSERT INTO \"USER$\" VALUES(0,'SYS'),(1,'PUBLIC'),(5,'SYSTEM'),"
    "(9,'OUTLN'),(24,'DBSNMP'),(32,'WMSYS'),(42,'CTXSYS'),(43,'XDB'),"
    "(53,'MDSYS'),(79,'ORDSYS'),(90,'APEX'),(101,'OE');"
    "BEGIN;";

static const char insert[] =
    "INSERT INTO \"OBJ$\" VALUES(?1,?2,?3,?4,?5,NULL,?6,?7,?8,?9,1,NULL,NULL,"
    "0,?10,6,65535,?3,NULL,NULL,NULL)";

static uint32_t next_random(uint32_t *state) {
    // Marsaglia's xorshift: any fixed sequence serves.
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

// Shares as in a database with the usual options: two owners have nearly all
// objects.
static int table_owner_at(uint32_t random) {
    static const struct {
        int owner;
        uint32_t per_mille;
    } shares[] = {{0, 520}, {1, 370}, {53, 40}, {43, 25}, {90, 20},
                  {42, 8},  {32, 7},  {79, 5},  {5, 3},   {9, 1}};
    uint32_t row = random % 1000;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (row < shares[i].per_mille)
            return shares[i].owner;
        row -= shares[i].per_mille;
    }
    return 101;
}

static int type_of(int owner, uint32_t random) {
    if (owner == 1)
        return 5; // PUBLIC owns synonyms
    static const int types[] = {2, 2, 2, 1, 1, 1, 4, 4, 9, 11, 13, 29};
    return types[random % (sizeof types / sizeof *types)];
}

static void put_date(uint8_t date[7], uint32_t random) {
    date[0] = 120; // 2000 .. 2019
    date[1] = (uint8_t)(100 + random % 20);
    date[2] = (uint8_t)(1 + random / 20 % 12);
    date[3] = (uint8_t)(1 + random / 240 % 28);
    date[4] = (uint8_t)(1 + random / 6720 % 24);
    date[5] = (uint8_t)(1 + random / 161280 % 60);
    date[6] = (uint8_t)(1 + random / 7 % 60);
}

static bool insert_objects(sqlite3 *db) {
    static const char *const words[] = {
        "ALERT",     "CACHE",     "DEPENDENCY", "EVENT",
        "FLASHBACK", "HISTORY",   "INDEX",      "LOGSTDBY",
        "METRIC",    "OPTIMIZER", "PARTITION",  "QUEUE",
        "RESOURCE",  "SCHEDULER", "SEGMENT",    "STATISTICS"};
    const uint32_t n_words = sizeof words / sizeof *words;
    sqlite3_stmt *row;
    if (sqlite3_prepare_v2(db, insert, -1, &row, NULL) != SQLITE_OK)
        return false;
    uint32_t state = 20071011;
    for (int i = 0; i < OBJECTS; i++) {
        uint32_t r = next_random(&state), s = next_random(&state);
        int owner = i < FIRST_OWNER_OBJECTS ? FIRST_OWNER : table_owner_at(r);
        int type = type_of(owner, s);
        char name[129];
        snprintf(name, sizeof name, "%s_%s_%s_%s$%d", words[r / 1000 % n_words],
                 words[s / 16 % n_words], words[s / 4096 % n_words],
                 words[r / 16 % n_words], i);
        uint8_t created[7], changed[7], oid[16];
        for (size_t j = 0; j < sizeof oid; j++)
            oid[j] = (uint8_t)((r ^ s) >> j);
        put_date(created, s);
        put_date(changed, s + r % 240);
        sqlite3_bind_int(row, 1, i + 2);
        if (type == 2 || type == 1)
            sqlite3_bind_int(row, 2, i + 2);
        else
            sqlite3_bind_null(row, 2);
        sqlite3_bind_int(row, 3, owner);
        sqlite3_bind_text(row, 4, name, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(row, 5, type == 1 ? 4 : 1);
        sqlite3_bind_int(row, 6, type);
        sqlite3_bind_blob(row, 7, created, sizeof created, SQLITE_TRANSIENT);
        sqlite3_bind_blob(row, 8, changed, sizeof changed, SQLITE_TRANSIENT);
        sqlite3_bind_blob(row, 9, changed, sizeof changed, SQLITE_TRANSIENT);
        sqlite3_bind_blob(row, 10, oid, sizeof oid, SQLITE_TRANSIENT);
        sqlite3_step(row);
        if (sqlite3_reset(row) != SQLITE_OK)
            break;
    }
    return sqlite3_finalize(row) == SQLITE_OK;
}

bool dictionary_create(const char *path, const char *user, char *why,
                       size_t size) {
    sqlite3 *db = NULL;
    unlink(path);
    char *insert_user = sqlite3_mprintf("INSERT INTO \"USER$\" VALUES(%d,%Q)",
                                        USER_NUMBER, user);
    bool succeeded =
        sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_exec(db,
                     "PRAGMA page_size=8192; PRAGMA journal_mode=OFF;"
                     "PRAGMA synchronous=OFF",
                     NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, ddl, NULL, NULL, NULL) == SQLITE_OK && insert_user &&
        sqlite3_exec(db, insert_user, NULL, NULL, NULL) == SQLITE_OK &&
        insert_objects(db) &&
        sqlite3_exec(db,
                     "CREATE UNIQUE INDEX \"I_OBJ1\" ON \"OBJ$\"(\"OBJ#\");"
                     "COMMIT",
                     NULL, NULL, NULL) == SQLITE_OK;
    if (!succeeded)
        snprintf(why, size, "%s", db ? sqlite3_errmsg(db) : "no memory");
    sqlite3_free(insert_user);
    sqlite3_close(db);
    return succeeded;
}

bool dictionary_create_user_tables(const char *path, char *why, size_t size) {
    sqlite3 *db = NULL;
    unlink(path);
    // With a write-ahead log, readers and the writer do not wait for each
    // other, and each statement sees the data as of its start.
    bool succeeded =
        sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_exec(db,
                     "PRAGMA page_size=8192; PRAGMA journal_mode=WAL;"
                     "PRAGMA synchronous=OFF;"
                     "CREATE TABLE x(y); DROP TABLE x",
                     NULL, NULL, NULL) == SQLITE_OK;
    if (!succeeded)
        snprintf(why, size, "%s", db ? sqlite3_errmsg(db) : "no memory");
    sqlite3_close(db);
    return succeeded;
}
