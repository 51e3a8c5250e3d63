// SPDX-License-Identifier: GPL-2.0-or-later
// What the procedures of DBMS_RESULT_CACHE do. A NULL argument is one that was
// left out.
#include <ctype.h>
#include <sqlite3.h>
#include <string.h>

#include "sql/execute/database.h"
#include "sql/functions/function.h"
#include "sql/execute/statement_tables.h"
#include "sql/types/value.h"

enum { NO_SUCH_TABLE = 942, INVALID_OPTION = 922 };

static void flush(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    const struct database *database = sqlite3_user_data(context);
    result_cache_flush(database->sga, database->self);
}

// (owner, name): results that depend on the table become invalid. The value is
// their number.
static void invalidate(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    const struct database *database = sqlite3_user_data(context);
    const char *owner = (const char *)sqlite3_value_text(value[0]);
    const char *name = (const char *)sqlite3_value_text(value[1]);
    if (!owner || !name || strcmp(owner, database->sga->user) != 0) {
        value_result_error(context, NO_SUCH_TABLE, "");
        return;
    }
    const struct result_key table = statement_table_key(owner, name);
    sqlite3_result_int64(context, result_cache_invalidate(
                                      database->sga, database->self, &table));
}

// (bypass_mode): no session uses the cache until it is switched off again.
static void bypass(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    const struct database *database = sqlite3_user_data(context);
    if (sqlite3_value_type(value[0]) == SQLITE_NULL)
        value_result_error(context, INVALID_OPTION, "");
    else
        __atomic_store_n(&database->sga->result_cache.bypass,
                         sqlite3_value_int64(value[0]) != 0, __ATOMIC_SEQ_CST);
}

const struct function result_cache_functions[] = {
    {"RESULT_CACHE_FLUSH$", 0, 0, OPERAND_UNKNOWN, FUNCTION_INTERNAL, flush,
     .of_session = true},
    {"RESULT_CACHE_INVALIDATE$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     invalidate, .of_session = true},
    {"RESULT_CACHE_BYPASS$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, bypass,
     .of_session = true},
    {NULL},
};
