// SPDX-License-Identifier: GPL-2.0-or-later
// Code shared by SQL in a block, cursors and EXECUTE IMMEDIATE.
#ifndef ORALAB_RUN_SQL_H
#define ORALAB_RUN_SQL_H

#include "plsql/run.h"

struct sqlite3_value;

// A parsed statement that nothing else uses, to be released; NULL after
// raising.
struct plsql_query *query_of(struct plsql_session *p, struct embedded *e);
// `rows`: how many the fetch will ask for that follows at once; 0: none does.
bool execute_embedded(struct plsql_session *p, struct frame *f,
                      const struct embedded *e, struct plsql_query *query,
                      uint32_t rows);
bool execute_values(struct plsql_session *p, struct plsql_query *query,
                    const struct scalar *value, unsigned count, uint32_t rows);
bool fetch_rows(struct plsql_session *p, struct plsql_query *query,
                uint64_t most);
bool store_row(struct plsql_session *p, struct frame *f, struct code **into,
               unsigned intos, struct sqlite3_value **row, unsigned columns);
bool store_record(struct plsql_session *p, struct value *to,
                  const struct type *type, struct sqlite3_value **row,
                  unsigned columns);
// Tables of BULK COLLECT: emptied, filled row by row, or with a whole fetch.
bool bulk_begin(struct plsql_session *p, struct frame *f, struct code **into,
                unsigned intos);
bool bulk_store(struct plsql_session *p, struct frame *f, struct code **into,
                unsigned intos, struct sqlite3_value **row, unsigned columns,
                int64_t at);
bool bulk_fetch(struct plsql_session *p, struct frame *f,
                struct plsql_query *query, struct code **into, unsigned intos,
                uint64_t most, uint64_t *found);
bool select_into(struct plsql_session *p, struct frame *f,
                 struct plsql_query *query, struct code **into, unsigned intos,
                 bool bulk);
bool returning_into(struct plsql_session *p, struct frame *f,
                    struct plsql_query *query, struct code **into,
                    unsigned intos, bool bulk, int64_t *at);
// dynamic.c: the statement that a value is the text of; NULL after raising.
struct plsql_query *dynamic_query(struct plsql_session *p, struct frame *f,
                                  struct code *code);
// Executes it with the values of USING, and `more` binds that it sets.
bool dynamic_execute(struct plsql_session *p, struct frame *f,
                     struct plsql_query *query, const struct uses *uses,
                     unsigned more, uint32_t rows);

#endif
