// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/dictionary_views.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/database.h"

// SQLite takes the column types of a UNION from its first or its last query, so
// the typed query is both. SQLite records no times for the user's objects: they
// are NULL. An unnamed index gets a name like Oracle's generated ones.
#define TYPES                                                                  \
    "SELECT NAME AS OBJECT_NAME, SUBNAME AS SUBOBJECT_NAME,"                   \
    " \"OBJ#\" AS OBJECT_ID, \"DATAOBJ#\" AS DATA_OBJECT_ID,"                  \
    " REMOTEOWNER AS OBJECT_TYPE, CTIME AS CREATED, MTIME AS LAST_DDL_TIME,"   \
    " REMOTEOWNER AS STATUS, REMOTEOWNER AS TEMPORARY,"                        \
    " REMOTEOWNER AS GENERATED, REMOTEOWNER AS SECONDARY,"                     \
    " NAMESPACE AS NAMESPACE FROM SYS.\"OBJ$\" WHERE 0 "

static const char views[] =
    "CREATE TEMP VIEW \"USER_OBJECTS\" AS " TYPES
    "UNION ALL SELECT CASE WHEN sql IS NULL"
    " THEN printf('SYS_C%%07d', rowid) ELSE name END, NULL,"
    " 100000 + rowid, 100000 + rowid, upper(type), NULL, NULL, 'VALID', 'N',"
    " CASE WHEN sql IS NULL THEN 'Y' ELSE 'N' END, 'N',"
    " CASE type WHEN 'index' THEN 4 ELSE 1 END FROM %s.sqlite_master "
    "UNION ALL " TYPES ";"

    "CREATE TEMP VIEW \"USER_TABLES\" AS "
    "SELECT OBJECT_NAME AS TABLE_NAME, 'USERS' AS TABLESPACE_NAME, STATUS,"
    " 'NO' AS PARTITIONED, TEMPORARY FROM temp.\"USER_OBJECTS\""
    " WHERE OBJECT_TYPE = 'TABLE';"

    "CREATE TEMP VIEW \"ALL_OBJECTS\" AS "
    "SELECT u.NAME AS OWNER, o.NAME AS OBJECT_NAME,"
    " o.SUBNAME AS SUBOBJECT_NAME, o.\"OBJ#\" AS OBJECT_ID,"
    " o.\"DATAOBJ#\" AS DATA_OBJECT_ID,"
    " CASE o.\"TYPE#\" WHEN 1 THEN 'INDEX' WHEN 2 THEN 'TABLE'"
    " WHEN 4 THEN 'VIEW' WHEN 5 THEN 'SYNONYM' WHEN 9 THEN 'PACKAGE'"
    " WHEN 11 THEN 'PACKAGE BODY' WHEN 13 THEN 'TYPE'"
    " WHEN 29 THEN 'JAVA CLASS' END AS OBJECT_TYPE, o.CTIME AS CREATED,"
    " o.MTIME AS LAST_DDL_TIME, 'VALID' AS STATUS, 'N' AS TEMPORARY,"
    " 'N' AS GENERATED, 'N' AS SECONDARY, o.NAMESPACE AS NAMESPACE"
    " FROM SYS.\"OBJ$\" o, SYS.\"USER$\" u WHERE u.\"USER#\" = o.\"OWNER#\" "
    "UNION ALL SELECT %Q, * FROM temp.\"USER_OBJECTS\";";

bool dictionary_views_create(struct database *database) {
    char *sql =
        sqlite3_mprintf(views, database->own_schema, database->sga->user);
    const int rc =
        sql ? sqlite3_exec(database->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc == SQLITE_OK;
}

bool dictionary_views_have(const char *name) {
    return strcmp(name, "ALL_OBJECTS") == 0 ||
           strcmp(name, "USER_OBJECTS") == 0 ||
           strcmp(name, "USER_TABLES") == 0;
}
