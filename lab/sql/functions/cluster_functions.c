// SPDX-License-Identifier: GPL-2.0-or-later
// CLUSTER_NOT_EMPTY$(name of an index that keeps a table in a cluster that is
// being dropped): an error.
#include <sqlite3.h>

#include "sql/functions/function.h"
#include "sql/types/value.h"

static void not_empty(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    value_result_error(context, 951, "");
}

const struct function cluster_functions[] = {
    {"CLUSTER_NOT_EMPTY$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, not_empty},
    {NULL},
};
