// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE TABLE AS in two statements, one of which has the columns' types:
// SQLite's own keeps none.
#ifndef ORALAB_CREATE_AS_H
#define ORALAB_CREATE_AS_H

#include "sql/ora_error.h"
#include "sql/translate.h"

struct database;

// `translated->sql` is CREATE TABLE name AS query. Makes the text that creates
// the table, and in *fill the one that inserts the rows; both to be freed with
// sqlite3_free(). NULL after an error.
char *create_as(struct database *database, const struct translation *translated,
                char **fill, struct ora_error *error);

#endif
