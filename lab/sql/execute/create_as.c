// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/create_as.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/functions/annotation_functions.h"
#include "sql/types/column_type.h"
#include "sql/execute/database.h"
#include "sql/types/operand_type.h"

char *create_as_texts(struct database *database,
                      const struct translation *translated, char **fill,
                      struct ora_error *error) {
    static const char create[] = "CREATE TABLE";
    const char *query = translated->sql + translated->query_at;
    const int name = (int)(translated->name_to - (sizeof create - 1));
    const char *table = translated->sql + sizeof create - 1;
    sqlite3_stmt *statement = NULL;
    sqlite3_str *text;
    bool all_known = true;
    if (translated->binds > 0) {
        ora_error_set(error, 1027, "");
        return NULL;
    }
    // Of a clustered table, `query` continues with the text that puts it into
    // its cluster.
    if (sqlite3_prepare_v2(database->db, query, -1, &statement, NULL) !=
        SQLITE_OK) {
        ora_error_from_sqlite(error, database->db);
        return NULL;
    }
    const int columns = sqlite3_column_count(statement);
    text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "%s%.*s(%s", create, name, table,
                        translated->forces ? ANNOTATION_FORCE
                                           : ANNOTATION_DEFAULT);
    for (int i = 0; i < columns; i++) {
        const char *declared = sqlite3_column_decltype(statement, i);
        if (declared && translated->sets)
            declared = column_type_widest(declared);
        const bool typed = translated->columns == (unsigned)columns;
        const char *type = declared && *declared ? declared
                           : typed
                               ? operand_type_declaration(translated->column[i])
                               : NULL;
        all_known = all_known && type;
        sqlite3_str_appendf(text, "%s\"%w\" %s", i ? "," : "",
                            sqlite3_column_name(statement, i),
                            type ? type : "");
    }
    sqlite3_str_appendall(text, ")");
    sqlite3_finalize(statement);
    char *result = sqlite3_str_finish(text);
    *fill = result ? sqlite3_mprintf("INSERT INTO%.*s %s", name, table, query)
                   : NULL;
    if (!all_known)
        ora_error_set(error, 3001, "a table of columns of such types");
    else if (!*fill)
        ora_error_set(error, 4030, "");
    else
        return result;
    sqlite3_free(result);
    sqlite3_free(*fill);
    *fill = NULL;
    return NULL;
}
