// SPDX-License-Identifier: GPL-2.0-or-later
// A function of Oracle's SQL: one row of one table has its name, the type of
// its result, and the C function for it. Each file of functions has a table.
#ifndef ORALAB_FUNCTION_H
#define ORALAB_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/types/operand_type.h"

struct sqlite3;
struct sqlite3_context;
struct sqlite3_value;
struct database;

enum function_kind {
    FUNCTION_INTERNAL, // called by emitted text only
    FUNCTION_PLAIN,
    FUNCTION_BARE, // called without parentheses; NAME$ in SQLite
    FUNCTION_FORM, // is emitted as an expression of SQLite's; see emit/forms.c
    FUNCTION_AGGREGATE, // also over a window
    FUNCTION_RANKING,   // only over a window that is ordered
    FUNCTION_WINDOW,    // only over a window
};

// How the result's type follows from `type` and the first argument's.
enum function_result {
    RESULT_FIXED,
    RESULT_AS_FIRST,
    RESULT_ROUNDED, // a date's is a date
    RESULT_SUMMED,  // a BINARY_DOUBLE's or BINARY_FLOAT's is one
};

struct function {
    const char *name;
    int least, most; // numbers of arguments; ANY_NUMBER: any
    enum operand_type type;
    enum function_kind kind;
    // NULL: SQLite's own carries it out, or the emitter.
    void (*call)(struct sqlite3_context *, int, struct sqlite3_value **);
    const void *data; // for `call`
    enum function_result result;
    bool varies;     // its value follows from more than its arguments
    bool of_session; // `call` is given the session's struct database instead
    // It takes a BINARY_DOUBLE or BINARY_FLOAT, as those whose result is
    // AS_FIRST or SUMMED do.
    bool of_binary_numbers;
    // of an aggregate
    void (*step)(struct sqlite3_context *, int, struct sqlite3_value **);
    void (*inverse)(struct sqlite3_context *, int, struct sqlite3_value **);
    void (*answer)(struct sqlite3_context *);
};

enum { ANY_NUMBER = -1 };

// The tables; each ends with a row without a name.
extern const struct function arithmetic_functions[], number_functions[],
    text_functions[], date_functions[], conversion_functions[],
    comparison_functions[], aggregate_functions[], window_functions[],
    assignment_functions[], rownum_functions[], dictionary_functions[],
    annotation_functions[], form_functions[], session_functions[],
    trace_functions[], binary_number_functions[], rowid_functions[],
    regexp_functions[], sequence_functions[], listagg_functions[],
    raw_functions[], hierarchy_functions[], interval_functions[],
    keep_functions[], cluster_functions[];

// The function that a statement calls by this name, in any case; NULL if there
// is none, even if SQLite has one.
const struct function *function_named(const char *name, size_t length);
// unimplemented.c: whether Oracle's SQL has a function of this name that the
// lab has not.
bool function_is_unimplemented(const char *name, size_t length);
// Whether the value of the function that SQLite knows by this name follows from
// more than its arguments.
bool function_varies(const char *name);
// Makes all of them known to SQLite.
bool functions_register(struct sqlite3 *db, struct database *database);

// date_functions.c: SYSDATE and the like are constant during a statement.
void date_functions_begin_statement(void);
// sequence_functions.c
void sequence_functions_begin_statement(void);
// Whether an argument is NULL; then nearly every result is.
bool functions_any_null(int n, struct sqlite3_value **value);

#endif
