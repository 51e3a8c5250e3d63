// SPDX-License-Identifier: GPL-2.0-or-later
#include "plsql/exceptions.h"

#include <stdio.h>
#include <string.h>

enum {
    CANCELLED = 1013,
    NO_DATA_FOUND = 1403,
    UNHANDLED = 6510,
};

static struct exception predefined[] = {
    {NULL, "ACCESS_INTO_NULL", 6530},
    {NULL, "CASE_NOT_FOUND", 6592},
    {NULL, "COLLECTION_IS_NULL", 6531},
    {NULL, "CURSOR_ALREADY_OPEN", 6511},
    {NULL, "DUP_VAL_ON_INDEX", 1},
    {NULL, "INVALID_CURSOR", 1001},
    {NULL, "INVALID_NUMBER", 1722},
    {NULL, "LOGIN_DENIED", 1017},
    {NULL, "NO_DATA_FOUND", 1403},
    {NULL, "PROGRAM_ERROR", 6501},
    {NULL, "ROWTYPE_MISMATCH", 6504},
    {NULL, "STORAGE_ERROR", 6500},
    {NULL, "SUBSCRIPT_BEYOND_COUNT", 6533},
    {NULL, "SUBSCRIPT_OUTSIDE_LIMIT", 6532},
    {NULL, "SYS_INVALID_ROWID", 1410},
    {NULL, "TIMEOUT_ON_RESOURCE", 51},
    {NULL, "TOO_MANY_ROWS", 1422},
    {NULL, "VALUE_ERROR", 6502},
    {NULL, "ZERO_DIVIDE", 1476},
};

struct exception *exception_predefined(const struct token *name) {
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        if (name_spells(name, predefined[i].name))
            return &predefined[i];
    return NULL;
}

void exception_begin(struct raised *raised, const struct exception *exception) {
    *raised = (struct raised){.exception = exception};
    ora_error_set(&raised->error,
                  exception->number ? exception->number : UNHANDLED, "");
    if (exception->number && !strchr(raised->error.text, ' '))
        snprintf(raised->error.text, sizeof raised->error.text,
                 "ORA-%05u: ", exception->number);
}

int64_t exception_code(const struct raised *raised) {
    if (!raised)
        return 0;
    if (raised->exception && raised->exception->number == 0)
        return 1;
    return raised->error.number == NO_DATA_FOUND
               ? 100
               : -(int64_t)raised->error.number;
}

void exception_text(int64_t code, char *to, size_t size) {
    struct ora_error error;
    if (code == 0) {
        snprintf(to, size, "ORA-0000: normal, successful completion");
    } else if (code == 1) {
        snprintf(to, size, "User-Defined Exception");
    } else if (code == 100) {
        snprintf(to, size, "ORA-01403: no data found");
    } else if (code > 0 || code < -65535) {
        snprintf(to, size, "%s%lld: non-ORACLE exception ",
                 code > 0 ? " -" : "", (long long)(code > 0 ? code : -code));
    } else {
        // The name of a constraint has a point between its empty parts.
        ora_error_set(&error, (unsigned)-code, code == -1 ? "." : "");
        snprintf(to, size, "%s", error.text);
    }
}

bool exception_is(const struct raised *raised, const struct exception *one) {
    if (raised->exception == one)
        return true;
    const bool is_user_defined =
        raised->exception && raised->exception->number == 0;
    return !is_user_defined && one->number != 0 &&
           one->number == raised->error.number;
}

bool exception_can_be_handled(const struct raised *raised) {
    return raised->error.number != CANCELLED;
}

void exception_place(struct raised *raised, const struct unit *unit,
                     unsigned line) {
    char *text = raised->error.text;
    const size_t length = strlen(text), room = sizeof raised->error.text;
    if (length + 240 >= room)
        return; // the stack has become too deep to show
    if (unit->shown)
        snprintf(text + length, room - length,
                 "\nORA-06512: at \"%.200s\", line %u", unit->shown, line);
    else
        snprintf(text + length, room - length, "\nORA-06512: at line %u", line);
}
