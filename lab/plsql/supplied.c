// SPDX-License-Identifier: GPL-2.0-or-later
#include "plsql/supplied.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/types/value.h"

static const struct supplied *const tables[] = {
    session_packages,     output_package, random_package, time_packages,
    result_cache_package, lob_package,    job_packages};

const struct supplied *supplied_named(const char *package, const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct supplied *subprogram = tables[i]; subprogram->name;
             subprogram++)
            if (strcmp(subprogram->package, package) == 0 &&
                strcmp(subprogram->name, name) == 0)
                return subprogram;
    return NULL;
}

bool supplied_package(const char *package) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct supplied *one = tables[i]; one->name; one++)
            if (strcmp(one->package, package) == 0)
                return true;
    return false;
}

unsigned supplied_parameters(const struct supplied *supplied) {
    unsigned n = 0;
    while (n < MOST_SUPPLIED_PARAMETERS && supplied->parameter[n].name)
        n++;
    return n;
}

static bool box(struct plsql_session *p) {
    return p->box || sqlite3_prepare_v3(p->database->db, "SELECT ?1", -1,
                                        SQLITE_PREPARE_PERSISTENT, &p->box,
                                        NULL) == SQLITE_OK;
}

static bool unbox(struct plsql_session *p, struct scalar *to) {
    const bool ok = sqlite3_step(p->box) == SQLITE_ROW &&
                    scalar_of_value(sqlite3_column_value(p->box, 0), to);
    sqlite3_reset(p->box);
    sqlite3_clear_bindings(p->box);
    return ok;
}

// An empty text is NULL.
bool scalar_of_text(struct plsql_session *p, const char *text, size_t length,
                    struct scalar *to) {
    *to = (struct scalar){.kind = SCALAR_NULL};
    return length == 0 || scalar_of_stored(p, SQLITE_TEXT, text, length, to);
}

bool scalar_of_stored(struct plsql_session *p, int type, const void *bytes,
                      size_t length, struct scalar *to) {
    double real;
    int rc = SQLITE_ERROR;
    if (!box(p))
        return false;
    if (type == SQLITE_TEXT) {
        rc = sqlite3_bind_text64(p->box, 1, bytes, length, SQLITE_STATIC,
                                 SQLITE_UTF8);
    } else if (type == SQLITE_BLOB) {
        rc = sqlite3_bind_blob64(p->box, 1, bytes, length, SQLITE_STATIC);
    } else if (type == SQLITE_FLOAT && length == sizeof real) {
        memcpy(&real, bytes, sizeof real);
        rc = sqlite3_bind_double(p->box, 1, real);
    }
    return rc == SQLITE_OK && unbox(p, to);
}

bool scalar_of_double(struct plsql_session *p, double number,
                      struct scalar *to) {
    struct decimal decimal;
    int64_t integer;
    double real;
    uint8_t wide[WIDE_BYTES];
    if (!decimal_from_double(number, &decimal) || !box(p))
        return false;
    switch (value_number_form(&decimal, &integer, &real)) {
    case SQLITE_INTEGER:
        *to = (struct scalar){.kind = SCALAR_INTEGER, .integer = integer};
        return true;
    case SQLITE_FLOAT:
        return sqlite3_bind_double(p->box, 1, real) == SQLITE_OK &&
               unbox(p, to);
    default:
        value_wide_from_decimal(&decimal, wide);
        return sqlite3_bind_blob(p->box, 1, wide, sizeof wide, SQLITE_STATIC) ==
                   SQLITE_OK &&
               unbox(p, to);
    }
}

// By Oracle's implicit conversion.
char *scalar_text(struct plsql_session *p, const struct scalar *scalar,
                  size_t *length) {
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    *length = 0;
    if (scalar->kind == SCALAR_NULL)
        return NULL;
    if (sqlite3_prepare_v2(p->database->db, "SELECT TEXT$(?1)", -1, &statement,
                           NULL) == SQLITE_OK &&
        scalar_bind(statement, 1, scalar) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        const char *from = (const char *)sqlite3_column_text(statement, 0);
        *length = (size_t)sqlite3_column_bytes(statement, 0);
        text = from ? sqlite3_malloc64(*length + 1) : NULL;
        if (text) {
            memcpy(text, from, *length);
            text[*length] = '\0';
        }
    }
    sqlite3_finalize(statement);
    return text;
}

double scalar_double(const struct scalar *scalar) {
    struct decimal decimal;
    char text[NUMBER_TEXT];
    if (scalar->kind == SCALAR_INTEGER)
        return (double)scalar->integer;
    if (scalar->kind == SCALAR_NULL)
        return 0;
    if (sqlite3_value_type(scalar->value) == SQLITE_FLOAT)
        return sqlite3_value_double(scalar->value);
    if (sqlite3_value_type(scalar->value) == SQLITE_BLOB &&
        sqlite3_value_bytes(scalar->value) == WIDE_BYTES &&
        value_wide_to_decimal(sqlite3_value_blob(scalar->value), &decimal)) {
        decimal_to_text(&decimal, text);
        return strtod(text, NULL);
    }
    return 0;
}
