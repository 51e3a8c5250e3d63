// SPDX-License-Identifier: GPL-2.0-or-later
// NEXTVAL and CURRVAL. All NEXTVALs and CURRVALs of a sequence in one row are
// the same value, whichever SQLite evaluates first: the first of them takes it.
#include <sqlite3.h>
#include <stdio.h>

#include "process/sequence.h"
#include "sql/execute/database.h"
#include "sql/functions/function.h"
#include "sql/types/value.h"

static struct known {
    uint32_t number;  // of the sequence; 0: none had a value here
    unsigned pending; // references of this row that are still to come
    int64_t value;
} known[MOST_SEQUENCES];

void sequence_functions_begin_statement(void) {
    for (unsigned i = 0; i < MOST_SEQUENCES; i++)
        known[i].pending = 0;
}

static bool find(sqlite3_context *context, const char *name, bool takes,
                 struct sequence *to, unsigned *place) {
    struct database *database = sqlite3_user_data(context);
    char about[SEQUENCE_NAME + 40];
    switch (sequence_find(&database->sga->sequences, name, takes, to, place)) {
    case SEQUENCE_DONE:
        return true;
    case SEQUENCE_ENDED:
        snprintf(about, sizeof about, "%s.NEXTVAL %s", name,
                 to->step > 0 ? "exceeds MAXVALUE" : "goes below MINVALUE");
        value_result_error(context, 8004, about);
        return false;
    default:
        value_result_error(context, 2289, "");
        return false;
    }
}

// NEXTVAL$(name, references): `references` calls of a row give one value.
static void nextval(sqlite3_context *context, int n, sqlite3_value **value) {
    const char *name = (const char *)sqlite3_value_text(value[0]);
    struct sequence sequence;
    unsigned place;
    (void)n;
    if (!find(context, name, false, &sequence, &place))
        return;
    struct known *of = &known[place];
    if (of->number != sequence.number || of->pending == 0) {
        if (!find(context, name, true, &sequence, &place))
            return;
        of = &known[place];
        of->number = sequence.number;
        of->value = sequence.next;
        of->pending = (unsigned)sqlite3_value_int(value[1]);
    }
    of->pending--;
    sqlite3_result_int64(context, of->value);
}

static void currval(sqlite3_context *context, int n, sqlite3_value **value) {
    const char *name = (const char *)sqlite3_value_text(value[0]);
    struct sequence sequence;
    unsigned place;
    char about[SEQUENCE_NAME + 40];
    (void)n;
    if (!find(context, name, false, &sequence, &place))
        return;
    if (known[place].number == sequence.number) {
        sqlite3_result_int64(context, known[place].value);
        return;
    }
    snprintf(about, sizeof about, "%s.CURRVAL", name);
    value_result_error(context, 8002, about);
}

const struct function sequence_functions[] = {
    {"NEXTVAL$", 2, 2, OPERAND_SMALL, FUNCTION_INTERNAL, nextval,
     .varies = true, .of_session = true},
    {"CURRVAL$", 1, 1, OPERAND_SMALL, FUNCTION_INTERNAL, currval,
     .varies = true, .of_session = true},
    {NULL},
};
