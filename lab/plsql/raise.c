// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "plsql/run.h"
#include "sql/execute/pga.h"

bool raise_ora(struct plsql_session *p, const struct ora_error *error) {
    p->raised = (struct raised){.error = *error};
    return false;
}

bool raise_error(struct plsql_session *p, unsigned number, const char *about) {
    p->raised = (struct raised){0};
    ora_error_set(&p->raised.error, number, about);
    return false;
}

bool raise_memory(struct plsql_session *p) {
    return raise_error(p, pga_is_exceeded() ? 4036 : 4030, "");
}

// Errors with several numbers in SQL are one error of PL/SQL's.
bool raise_sqlite(struct plsql_session *p) {
    static const struct {
        unsigned number;
        const char *about;
    } conversions[] = {
        {1722, ": character to number conversion error"},
        {1489, ": character string buffer too small"},
        {12899, ": character string buffer too small"},
        {25137, ": character string buffer too small"},
        {1438, ": number precision too large"},
    };
    struct ora_error error;
    ora_error_from_sqlite(&error, p->database->db);
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (error.number == conversions[i].number)
            return raise_error(p, 6502, conversions[i].about);
    return raise_ora(p, &error);
}
