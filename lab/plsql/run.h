// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces between the files of the interpreter. A function that returns a
// bool returns false after raising an exception, which is in the session's
// `raised`.
#ifndef ORALAB_PLSQL_RUN_H
#define ORALAB_PLSQL_RUN_H

#include "plsql/exceptions.h"
#include "plsql/query.h"
#include "plsql/session.h"
#include "plsql/supplied.h"

struct frame {           // of a routine that runs
    struct frame *outer; // of the routine around it
    const struct routine *routine;
    struct value *slot;
    struct value result;
    bool returned;
};

enum flow { FLOW_NEXT, FLOW_EXIT, FLOW_CONTINUE, FLOW_RETURN, FLOW_RAISED };

// raise.c
bool raise_error(struct plsql_session *p, unsigned number, const char *about);
bool raise_ora(struct plsql_session *p, const struct ora_error *error);
bool raise_memory(struct plsql_session *p);
// Of SQLite, which was evaluating an expression.
bool raise_sqlite(struct plsql_session *p);

// evaluate.c: a BOOLEAN is an integer. The scalar may be borrowed from a
// variable, until that is assigned to.
bool evaluate_scalar(struct plsql_session *p, struct frame *f,
                     struct code *code, struct scalar *to);
// A new value of any type.
bool evaluate_value(struct plsql_session *p, struct frame *f, struct code *code,
                    struct value *to);
// 1, 0, or -1 for NULL; FALSE also after raising.
bool evaluate_condition(struct plsql_session *p, struct frame *f,
                        struct code *code, int *truth);
bool evaluate_whole(struct plsql_session *p, struct frame *f, struct code *code,
                    int64_t *to);
// places.c: where the value of a variable, field, element or bind is.
// `makes`: an element that is not there is made.
struct value *place_of(struct plsql_session *p, struct frame *f,
                       struct code *code, bool makes);
struct key { // of a table's element
    int64_t number;
    char *text; // from sqlite3_malloc()
};
bool key_of(struct plsql_session *p, struct frame *f, const struct type *type,
            struct code *code, struct key *key);
// collections.c
enum { UNINITIALIZED = 6531, OUTSIDE_LIMIT = 6532, BEYOND_COUNT = 6533 };
bool evaluate_method(struct plsql_session *p, struct frame *f,
                     struct code *code, struct scalar *to);
bool construct_table(struct plsql_session *p, struct frame *f,
                     struct code *code, struct value *to);
// An empty table. False without memory.
bool table_clear(struct value *of, const struct type *type);
// assign.c: with the conversion to the type. `from` is used up.
bool assign_scalar(struct plsql_session *p, struct value *to,
                   const struct type *type, struct scalar *from);
// The value of code, assigned to the target.
bool assign_code(struct plsql_session *p, struct frame *f, struct code *target,
                 struct code *from);
bool assign_target(struct plsql_session *p, struct frame *f,
                   struct code *target, struct scalar *from);
// A new value of the type, converted.
bool evaluate_as(struct plsql_session *p, struct frame *f, struct code *code,
                 const struct type *type, struct value *to);
// NULL, and the defaults of a record's fields.
bool value_initialize(struct plsql_session *p, struct frame *f,
                      struct value *value, const struct type *type);
// call.c
bool call_routine(struct plsql_session *p, struct frame *f, struct code *call,
                  struct value *result);
bool call_supplied(struct plsql_session *p, struct frame *f, struct code *call,
                   struct scalar *result);
bool package_ready(struct plsql_session *p, struct unit *unit);
// Adds the line of the token to the exception's stack, if it has none yet.
void raise_place(struct plsql_session *p, const struct frame *f,
                 unsigned token);
bool run_routine(struct plsql_session *p, struct frame *frame);
bool frame_begin(struct plsql_session *p, struct frame *frame,
                 const struct routine *routine, struct frame *outer);
void frame_end(struct frame *frame);
// statements: run.c
enum flow run_block(struct plsql_session *p, struct frame *f,
                    struct block_tree *block);
enum flow run_statements(struct plsql_session *p, struct frame *f,
                         const struct plsqls *list);
// The flow of a loop after its body; *over: it has ended.
enum flow loop_goes_on(struct plsql_session *p, const struct plsql *loop,
                       enum flow flow, bool *over);
bool declare_all(struct plsql_session *p, struct frame *f,
                 const struct declarations *list);
// run_sql.c
bool run_embedded(struct plsql_session *p, struct frame *f, struct embedded *e);
bool run_forall(struct plsql_session *p, struct frame *f,
                const struct plsql *s);
enum flow run_query_loop(struct plsql_session *p, struct frame *f,
                         const struct plsql *s);
bool run_cursor_statement(struct plsql_session *p, struct frame *f,
                          const struct plsql *s);
bool evaluate_attribute(struct plsql_session *p, struct frame *f,
                        struct code *code, struct scalar *to);
// dynamic.c
bool run_execute(struct plsql_session *p, struct frame *f,
                 const struct plsql *s);

#endif
