// SPDX-License-Identifier: GPL-2.0-or-later
// Tables with RESULT_CACHE (MODE FORCE): a query of such tables alone is cached
// without a hint, unless the hint NO_RESULT_CACHE says otherwise.
#ifndef ORALAB_ANNOTATED_TABLES_H
#define ORALAB_ANNOTATED_TABLES_H

#include <stdbool.h>

struct database;
struct statement_tables;

// Whether all the user's tables that a statement reads are of that mode.
bool annotated_tables_are_all(struct database *database,
                              const struct statement_tables *tables);
// While a statement is prepared or run that changes an annotation: SQLite lets
// it change the stored definition of a table, and prepares all statements
// again.
void annotated_tables_may_change(struct database *database, bool may);

#endif
