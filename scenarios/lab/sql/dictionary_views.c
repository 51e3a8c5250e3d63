// SPDX-License-Identifier: GPL-2.0-or-later
// The views of the dictionary that drivers and tools read. Only the user's own
// tables have columns, keys and indexes in them.
#include "sql/dictionary_views.h"

#include <sqlite3.h>
#include <stdio.h>
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

// %1$s: the user's schema, quoted; %2$s: the user's name.
#define INDEX_NAME                                                             \
    "CASE WHEN x.sql IS NULL THEN printf('SYS_C%%07d', x.rowid)"               \
    " ELSE x.name END"
#define OWN_INDEXES                                                            \
    " FROM %1$s.sqlite_master m, pragma_index_list(m.name, '%2$s') i,"         \
    " %1$s.sqlite_master x WHERE m.type = 'table' AND x.name = i.name"
#define SIZE "CAST(substr(c.type, instr(c.type, '(') + 1) AS INTEGER)"
#define IS(kind) "c.type LIKE '" kind "%%'"

static const struct view {
    const char *name;
    const char *query; // a format of printf
} views
    [] =
        {
            {"USER_OBJECTS",
             TYPES "UNION ALL SELECT CASE WHEN sql IS NULL"
                   " THEN printf('SYS_C%%07d', rowid) ELSE name END, NULL,"
                   " 100000 + rowid, 100000 + rowid, upper(type), NULL, NULL, "
                   "'VALID',"
                   " 'N', CASE WHEN sql IS NULL THEN 'Y' ELSE 'N' END, 'N',"
                   " CASE type WHEN 'index' THEN 4 ELSE 1 END FROM "
                   "%1$s.sqlite_master "
                   "UNION ALL " TYPES},
            {"USER_TABLES",
             "SELECT OBJECT_NAME AS TABLE_NAME, 'USERS' AS TABLESPACE_NAME, "
             "STATUS,"
             " 'NO' AS PARTITIONED, TEMPORARY FROM temp.\"USER_OBJECTS\""
             " WHERE OBJECT_TYPE = 'TABLE'"},
            {"ALL_OBJECTS",
             "SELECT u.NAME AS OWNER, o.NAME AS OBJECT_NAME,"
             " o.SUBNAME AS SUBOBJECT_NAME, o.\"OBJ#\" AS OBJECT_ID,"
             " o.\"DATAOBJ#\" AS DATA_OBJECT_ID,"
             " CASE o.\"TYPE#\" WHEN 1 THEN 'INDEX' WHEN 2 THEN 'TABLE'"
             " WHEN 4 THEN 'VIEW' WHEN 5 THEN 'SYNONYM' WHEN 9 THEN 'PACKAGE'"
             " WHEN 11 THEN 'PACKAGE BODY' WHEN 13 THEN 'TYPE'"
             " WHEN 29 THEN 'JAVA CLASS' END AS OBJECT_TYPE, o.CTIME AS "
             "CREATED,"
             " o.MTIME AS LAST_DDL_TIME, 'VALID' AS STATUS, 'N' AS TEMPORARY,"
             " 'N' AS GENERATED, 'N' AS SECONDARY, o.NAMESPACE AS NAMESPACE"
             " FROM SYS.\"OBJ$\" o, SYS.\"USER$\" u WHERE u.\"USER#\" = "
             "o.\"OWNER#\" "
             "UNION ALL SELECT '%2$s', * FROM temp.\"USER_OBJECTS\""},
            {"ALL_TABLES",
             "SELECT '%2$s' AS OWNER, TABLE_NAME, TABLESPACE_NAME, NULL AS"
             " CLUSTER_NAME, NULL AS IOT_NAME, STATUS, NULL AS NUM_ROWS, NULL "
             "AS"
             " BLOCKS, PARTITIONED, TEMPORARY, 'NO' AS NESTED, NULL AS "
             "DURATION,"
             " 'NO' AS DROPPED, 'DISABLED' AS COMPRESSION, NULL AS "
             "COMPRESS_FOR,"
             " NULL AS IOT_TYPE FROM temp.\"USER_TABLES\""},
            {"ALL_TAB_COLS",
             "SELECT '%2$s' AS OWNER, m.name AS TABLE_NAME, c.name AS "
             "COLUMN_NAME,"
             " CASE WHEN " IS("VARCHAR2") " THEN 'VARCHAR2' WHEN " IS("NUMBER") " THEN 'NUMBER' WHEN " IS(
                 "TIMESTAMP") " THEN 'TIMESTAMP(6)'"
                              " WHEN " IS(
                                  "RAW") " THEN 'RAW' WHEN c.type = 'INTERVAL "
                                         "DS'"
                                         " THEN 'INTERVAL DAY(2) TO SECOND(6)' "
                                         "WHEN c.type = 'INTERVAL YM'"
                                         " THEN 'INTERVAL YEAR(2) TO MONTH' "
                                         "ELSE c.type END AS DATA_TYPE,"
                                         " NULL AS DATA_TYPE_MOD, NULL AS "
                                         "DATA_TYPE_OWNER,"
                                         " CASE WHEN " IS(
                                             "VARCHAR2 CHAR") " THEN min(4 "
                                                              "* " SIZE
                                                              ", 4000)"
                                                              " WHEN " IS(
                                                                  "VARC"
                                                                  "HAR"
                                                                  "2") " OR"
                                                                       " " IS("RAW") " THEN " SIZE " WHEN " IS(
                                                                           "NUM"
                                                                           "BE"
                                                                           "R") " T"
                                                                                "HE"
                                                                                "N "
                                                                                "22"
                                                                                " W"
                                                                                "HE"
                                                                                "N "
                                                                                "c."
                                                                                "ty"
                                                                                "pe"
                                                                                " ="
                                                                                " '"
                                                                                "DA"
                                                                                "TE"
                                                                                "' "
                                                                                "TH"
                                                                                "EN"
                                                                                " 7"
                                                                                " W"
                                                                                "HE"
                                                                                "N "
                                                                                "c."
                                                                                "ty"
                                                                                "pe"
                                                                                " ="
                                                                                " '"
                                                                                "IN"
                                                                                "TE"
                                                                                "RV"
                                                                                "AL"
                                                                                " Y"
                                                                                "M'"
                                                                                " T"
                                                                                "HE"
                                                                                "N "
                                                                                "5 "
                                                                                "WH"
                                                                                "EN"
                                                                                " c"
                                                                                ".t"
                                                                                "yp"
                                                                                "e "
                                                                                "IN"
                                                                                " ("
                                                                                "'C"
                                                                                "LO"
                                                                                "B'"
                                                                                ", "
                                                                                "'B"
                                                                                "LO"
                                                                                "B'"
                                                                                ")"
                                                                                " T"
                                                                                "HE"
                                                                                "N "
                                                                                "40"
                                                                                "00"
                                                                                " E"
                                                                                "LS"
                                                                                "E "
                                                                                "11"
                                                                                " E"
                                                                                "ND"
                                                                                " A"
                                                                                "S "
                                                                                "DA"
                                                                                "TA"
                                                                                "_L"
                                                                                "EN"
                                                                                "GT"
                                                                                "H,"
                                                                                " C"
                                                                                "AS"
                                                                                "E "
                                                                                "WH"
                                                                                "EN"
                                                                                " " IS("NUMBER(") " THEN " SIZE " WHEN " IS(
                                                                                    "INTERVAL") " THEN 2 END AS DATA_PRECISION,"
                                                                                                " CASE WHEN " IS("NUMBER(") " THEN"
                                                                                                                            " CAST(substr(c.type, instr(c.type, ',') + 1) AS INTEGER)"
                                                                                                                            " WHEN " IS(
                                                                                                                                "TIMESTAMP") " OR c.type = 'INTERVAL DS' THEN 6"
                                                                                                                                             " WHEN c.type = 'INTERVAL YM' THEN 0 END AS DATA_SCALE,"
                                                                                                                                             " CASE WHEN c.\"notnull\" THEN 'N' ELSE 'Y' END AS NULLABLE,"
                                                                                                                                             " c.cid + 1 AS COLUMN_ID,"
                                                                                                                                             // ASSIGN$( value,'type','DEFAULT')
                                                                                                                                             " trim(substr(c.dflt_value, 9, length(c.dflt_value) - 8 -"
                                                                                                                                             " length(c.type) - 14)) AS DATA_DEFAULT,"
                                                                                                                                             " CASE WHEN " IS("VARCHAR2") " THEN " SIZE
                                                                                                                                                                          " ELSE 0 END AS CHAR_LENGTH,"
                                                                                                                                                                          " CASE WHEN " IS(
                                                                                                                                                                              "VARCHAR2 CHAR") " THEN 'C' WHEN " IS("VARCHAR2") " THEN 'B' END AS CHAR_USED, 'NO' AS HIDDEN_COLUMN,"
                                                                                                                                                                                                                                " 'NO' AS VIRTUAL_COLUMN, 'YES' AS USER_GENERATED,"
                                                                                                                                                                                                                                " 'NO' AS IDENTITY_COLUMN, 'NO' AS DEFAULT_ON_NULL,"
                                                                                                                                                                                                                                " NULL AS NUM_DISTINCT, NULL AS COLLATION"
                                                                                                                                                                                                                                " FROM %1$s.sqlite_master m, pragma_table_info(m.name, '%2$s') c"
                                                                                                                                                                                                                                " WHERE m.type = 'table'"},
            {"ALL_TAB_COLUMNS", "SELECT * FROM temp.\"ALL_TAB_COLS\""},
            {"USER_TAB_COLUMNS", "SELECT * FROM temp.\"ALL_TAB_COLS\""},
            {"USER_TAB_COLS", "SELECT * FROM temp.\"ALL_TAB_COLS\""},
            {"ALL_INDEXES",
             "SELECT '%2$s' AS OWNER, " INDEX_NAME " AS INDEX_NAME, 'NORMAL' AS"
             " INDEX_TYPE, '%2$s' AS TABLE_OWNER, m.name AS TABLE_NAME, "
             "'TABLE' AS"
             " TABLE_TYPE, CASE WHEN i.\"unique\" THEN 'UNIQUE' ELSE "
             "'NONUNIQUE' END"
             " AS UNIQUENESS, 'DISABLED' AS COMPRESSION, NULL AS PREFIX_LENGTH,"
             " 'USERS' AS TABLESPACE_NAME, NULL AS DISTINCT_KEYS, NULL AS "
             "LEAF_BLOCKS,"
             " NULL AS NUM_ROWS, 'VALID' AS STATUS, 'NO' AS PARTITIONED, "
             "'VISIBLE' AS"
             " VISIBILITY, CASE WHEN x.sql IS NULL THEN 'Y' ELSE 'N' END AS "
             "GENERATED" OWN_INDEXES},
            {"ALL_IND_COLUMNS",
             "SELECT '%2$s' AS INDEX_OWNER, " INDEX_NAME
             " AS INDEX_NAME, '%2$s' AS"
             " TABLE_OWNER, m.name AS TABLE_NAME, k.name AS COLUMN_NAME, "
             "k.seqno + 1"
             " AS COLUMN_POSITION, 'ASC' AS DESCEND"
             " FROM %1$s.sqlite_master m, pragma_index_list(m.name, '%2$s') i,"
             " %1$s.sqlite_master x, pragma_index_info(i.name, '%2$s') k"
             " WHERE m.type = 'table' AND x.name = i.name"},
            {"ALL_CONSTRAINTS",
             "SELECT '%2$s' AS OWNER, printf('SYS_C%%07d', x.rowid) AS"
             " CONSTRAINT_NAME, CASE i.origin WHEN 'pk' THEN 'P' ELSE 'U' END "
             "AS"
             " CONSTRAINT_TYPE, m.name AS TABLE_NAME, NULL AS SEARCH_CONDITION,"
             " NULL AS SEARCH_CONDITION_VC, NULL AS R_OWNER, NULL AS"
             " R_CONSTRAINT_NAME, NULL AS DELETE_RULE, 'ENABLED' AS STATUS,"
             " 'NOT DEFERRABLE' AS \"DEFERRABLE\", 'IMMEDIATE' AS "
             "\"DEFERRED\", "
             "'VALIDATED' AS"
             " VALIDATED, 'GENERATED NAME' AS GENERATED, '%2$s' AS "
             "INDEX_OWNER, " INDEX_NAME " AS INDEX_NAME" OWN_INDEXES
             " AND i.origin IN ('pk', 'u')"},
            {"ALL_CONS_COLUMNS",
             "SELECT k.OWNER, k.CONSTRAINT_NAME, k.TABLE_NAME, c.COLUMN_NAME,"
             " c.COLUMN_POSITION AS POSITION FROM temp.\"ALL_CONSTRAINTS\" k,"
             " temp.\"ALL_IND_COLUMNS\" c WHERE c.INDEX_NAME = k.INDEX_NAME"
             " AND c.TABLE_NAME = k.TABLE_NAME"},
            {"ALL_USERS",
             "SELECT NAME AS USERNAME, \"USER#\" AS USER_ID FROM SYS.\"USER$\""
             " WHERE NAME <> 'PUBLIC'"},
            {"ALL_TAB_COMMENTS",
             "SELECT OWNER, TABLE_NAME, 'TABLE' AS TABLE_TYPE, NULL AS COMMENTS"
             " FROM temp.\"ALL_TABLES\""},
            {"ALL_COL_COMMENTS",
             "SELECT OWNER, TABLE_NAME, COLUMN_NAME, NULL AS COMMENTS"
             " FROM temp.\"ALL_TAB_COLS\""},
            // Of what the lab has none.
            {"ALL_VIEWS",
             "SELECT NULL AS OWNER, NULL AS VIEW_NAME, NULL AS TEXT"
             " WHERE 0"},
            {"ALL_MVIEWS", "SELECT NULL AS OWNER, NULL AS MVIEW_NAME WHERE 0"},
            {"ALL_SYNONYMS",
             "SELECT NULL AS OWNER, NULL AS SYNONYM_NAME, NULL AS TABLE_OWNER,"
             " NULL AS TABLE_NAME, NULL AS DB_LINK WHERE 0"},
            {"ALL_SEQUENCES",
             "SELECT NULL AS SEQUENCE_OWNER, NULL AS SEQUENCE_NAME WHERE 0"},
            {"ALL_TYPES",
             "SELECT NULL AS OWNER, NULL AS TYPE_NAME, NULL AS TYPECODE"
             " WHERE 0"},
            {"ALL_TAB_IDENTITY_COLS",
             "SELECT NULL AS OWNER, NULL AS TABLE_NAME, NULL AS COLUMN_NAME, "
             "NULL AS"
             " GENERATION_TYPE, NULL AS IDENTITY_OPTIONS WHERE 0"},
            {"ALL_IND_EXPRESSIONS", "SELECT NULL AS INDEX_OWNER, NULL AS "
                                    "INDEX_NAME, NULL AS TABLE_OWNER,"
                                    " NULL AS TABLE_NAME, NULL AS "
                                    "COLUMN_EXPRESSION, NULL AS COLUMN_POSITION"
                                    " WHERE 0"},
};

static bool create(struct database *database, const struct view *view) {
    char query[4096];
    // The two arguments stand in any order, and more than once.
    snprintf(query, sizeof query, view->query, database->own_schema,
             database->sga->user);
    char *sql =
        sqlite3_mprintf("CREATE TEMP VIEW \"%w\" AS %s", view->name, query);
    const int rc =
        sql ? sqlite3_exec(database->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc == SQLITE_OK;
}

bool dictionary_views_create(struct database *database) {
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (!create(database, &views[i]))
            return false;
    return true;
}

bool dictionary_views_have(const char *name) {
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(name, views[i].name) == 0)
            return true;
    return false;
}

const char *dictionary_views_type(const char *column) {
    static const char *const numbers[] = {
        "BLOCKS",        "CHAR_LENGTH",    "COLUMN_ID",  "COLUMN_POSITION",
        "DATA_LENGTH",   "DATA_PRECISION", "DATA_SCALE", "DISTINCT_KEYS",
        "LEAF_BLOCKS",   "NUM_DISTINCT",   "NUM_ROWS",   "POSITION",
        "PREFIX_LENGTH",
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(column, numbers[i]) == 0)
            return "NUMBER";
    return "VARCHAR2(4000)";
}
