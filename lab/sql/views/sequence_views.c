// SPDX-License-Identifier: GPL-2.0-or-later
// USER_SEQUENCES and ALL_SEQUENCES.
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

#include "process/sequence.h"
#include "sql/types/value.h"
#include "sql/views/fixed_table.h"

static bool get(const struct fixed_cell *cell, struct sequence *to) {
    return sequence_at(&cell->database->sga->sequences, (unsigned)cell->row,
                       to);
}

static bool is_there(const struct database *database, int row) {
    struct sequence sequence;
    return sequence_at(&database->sga->sequences, (unsigned)row, &sequence);
}

static void owner(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->sga->user);
}

static void name(const struct fixed_cell *cell) {
    struct sequence sequence;
    if (get(cell, &sequence))
        sqlite3_result_text(cell->context, sequence.name, -1, SQLITE_TRANSIENT);
}

// Oracle's limits where none was given, which have more digits than are here.
static void limit(const struct fixed_cell *cell, const char *digits) {
    struct decimal number;
    bool overflow;
    if (decimal_from_text(digits, strlen(digits), &number, &overflow))
        value_result_decimal(cell->context, &number);
}

static void least(const struct fixed_cell *cell) {
    struct sequence sequence;
    if (get(cell, &sequence) && sequence.least == INT64_MIN)
        limit(cell, "-999999999999999999999999999");
    else
        fixed_integer(cell, sequence.least);
}

static void most(const struct fixed_cell *cell) {
    struct sequence sequence;
    if (get(cell, &sequence) && sequence.most == INT64_MAX)
        limit(cell, "9999999999999999999999999999");
    else
        fixed_integer(cell, sequence.most);
}

static void step(const struct fixed_cell *cell) {
    struct sequence sequence;
    if (get(cell, &sequence))
        fixed_integer(cell, sequence.step);
}

static void cycles(const struct fixed_cell *cell) {
    struct sequence sequence;
    if (get(cell, &sequence))
        fixed_text(cell, sequence.cycles ? "Y" : "N");
}

static void ordered(const struct fixed_cell *cell) {
    struct sequence sequence;
    if (get(cell, &sequence))
        fixed_text(cell, sequence.ordered ? "Y" : "N");
}

static void cache(const struct fixed_cell *cell) {
    struct sequence sequence;
    if (get(cell, &sequence))
        fixed_integer(cell, sequence.cache);
}

static void last_number(const struct fixed_cell *cell) {
    struct sequence sequence;
    if (get(cell, &sequence))
        fixed_integer(cell, sequence.next);
}

// user_sequences has all but the owner.
static const struct fixed_column of_all[] = {
    {"SEQUENCE_OWNER", "VARCHAR2(128)", owner},
    {"SEQUENCE_NAME", "VARCHAR2(128)", name},
    {"MIN_VALUE", "NUMBER", least},
    {"MAX_VALUE", "NUMBER", most},
    {"INCREMENT_BY", "NUMBER", step},
    {"CYCLE_FLAG", "VARCHAR2(1)", cycles},
    {"ORDER_FLAG", "VARCHAR2(1)", ordered},
    {"CACHE_SIZE", "NUMBER", cache},
    {"LAST_NUMBER", "NUMBER", last_number},
    {0},
};

const struct fixed_table sequence_views[] = {
    {"USER_SEQUENCES", of_all + 1, MOST_SEQUENCES, is_there},
    {"ALL_SEQUENCES", of_all, MOST_SEQUENCES, is_there},
    {"DBA_SEQUENCES", of_all, MOST_SEQUENCES, is_there},
    {0},
};
