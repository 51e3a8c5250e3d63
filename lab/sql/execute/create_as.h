// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE TABLE AS in two statements, the first of which declares the columns'
// types: SQLite's own CREATE TABLE AS keeps none.
#ifndef ORALAB_CREATE_AS_H
#define ORALAB_CREATE_AS_H

#include "sql/types/ora_error.h"
#include "sql/emit/translate.h"

struct database;

// `translated->sql` is CREATE TABLE name AS query. Returns the statement that
// creates the table, and in *fill the one that inserts the rows. Both are to be
// freed with sqlite3_free(). NULL with `error` set.
char *create_as_texts(struct database *database,
                      const struct translation *translated, char **fill,
                      struct ora_error *error);

#endif
