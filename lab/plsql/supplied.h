// SPDX-License-Identifier: GPL-2.0-or-later
// The packages that Oracle supplies. A subprogram is one row of one table: its
// parameters, its result, and the C function for it.
#ifndef ORALAB_SUPPLIED_H
#define ORALAB_SUPPLIED_H

#include "plsql/session.h"

enum { MOST_SUPPLIED_PARAMETERS = 13 };

struct supplied {
    const char *package, *name;
    struct {
        const char *name;
        enum parameter_mode mode;
        bool optional;
    } parameter[MOST_SUPPLIED_PARAMETERS];
    enum operand_type result; // 0: a procedure
    const char *function;     // the function of SQLite that carries it out
    bool (*call)(struct plsql_session *session, struct scalar *argument,
                 struct scalar *result, struct ora_error *error);
    bool of_cursor; // its argument is one: DBMS_SQL.RETURN_RESULT
    bool of_lines;  // its first argument is a table of them, its second an OUT
};

struct type;
// DBMS_OUTPUT.CHARARR and the like; NULL: there is none.
const struct type *supplied_type(const char *package, const char *name);

// NULL: there is none. The names are in capitals.
const struct supplied *supplied_named(const char *package, const char *name);
bool supplied_package(const char *package);
unsigned supplied_parameters(const struct supplied *supplied);

// The tables; each ends with a row without a name.
extern const struct supplied session_packages[], output_package[],
    random_package[], time_packages[], result_cache_package[], lob_package[],
    job_packages[];

void output_free(struct output *output);
// Takes up to `most` lines into a table that is empty, and says how many.
bool output_take(struct plsql_session *session, struct value *lines,
                 int64_t most, int64_t *taken, struct ora_error *error);
// DBMS_OUTPUT.PUT_LINE
bool output_line(struct plsql_session *session, const char *line,
                 struct ora_error *error);

// A service of run.c: the text of a scalar, from sqlite3_malloc(). NULL: it is
// NULL, or there is no memory.
char *scalar_text(struct plsql_session *session, const struct scalar *scalar,
                  size_t *length);
bool scalar_of_text(struct plsql_session *session, const char *text,
                    size_t length, struct scalar *to);
bool scalar_of_double(struct plsql_session *session, double number,
                      struct scalar *to);
// A value that SQLite has as this type: SQLITE_FLOAT, _TEXT or _BLOB.
bool scalar_of_stored(struct plsql_session *session, int type,
                      const void *bytes, size_t length, struct scalar *to);
double scalar_double(const struct scalar *scalar);

#endif
