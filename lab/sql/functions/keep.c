// SPDX-License-Identifier: GPL-2.0-or-later
// KEEP (DENSE_RANK FIRST | LAST ORDER BY keys): an aggregate of those rows of a
// group alone that come first, or last, by the keys.
#include <sqlite3.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/functions/sort_keys.h"
#include "sql/functions/sum.h"

enum { FIRST_KEY = 2 };

struct kept {
    bool begun, failed;
    sqlite3_value *key[MOST_SORT_KEYS]; // of the rows that are kept
    struct sum sum;
    sqlite3_value *best; // of MIN and MAX
    int64_t count;
};

// The aggregate: the function's user data.
enum kept_aggregate { KEPT_COUNT, KEPT_SUM, KEPT_AVG, KEPT_MIN, KEPT_MAX };

static enum kept_aggregate aggregate_of(sqlite3_context *context) {
    return (enum kept_aggregate)(intptr_t)sqlite3_user_data(context);
}

static void forget(struct kept *kept) {
    for (int i = 0; i < MOST_SORT_KEYS; i++)
        sqlite3_value_free(kept->key[i]);
    sqlite3_value_free(kept->best);
    *kept = (struct kept){0};
}

static void begin(sqlite3_context *context, struct kept *kept, int keys,
                  sqlite3_value **key) {
    forget(kept);
    kept->begun = true;
    for (int i = 0; i < keys; i++)
        if (!(kept->key[i] = sqlite3_value_dup(key[i]))) {
            kept->failed = true;
            sqlite3_result_error_nomem(context);
        }
}

static void take_best(sqlite3_context *context, struct kept *kept,
                      sqlite3_value *value, int sign) {
    int order = sign;
    if (kept->best && !values_compare(context, value, kept->best, &order)) {
        kept->failed = true;
        return;
    }
    if (order != sign)
        return;
    sqlite3_value_free(kept->best);
    kept->best = sqlite3_value_dup(value);
    if (!kept->best) {
        kept->failed = true;
        sqlite3_result_error_nomem(context);
    }
}

static void take(sqlite3_context *context, struct kept *kept,
                 sqlite3_value *value) {
    const enum kept_aggregate aggregate = aggregate_of(context);
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return;
    kept->count++;
    if (aggregate == KEPT_SUM || aggregate == KEPT_AVG)
        sum_add(context, &kept->sum, value);
    else if (aggregate != KEPT_COUNT)
        take_best(context, kept, value, aggregate == KEPT_MAX ? 1 : -1);
}

// (value, directions, keys): those of LAST begin with -.
static void step(sqlite3_context *context, int n, sqlite3_value **value) {
    struct kept *state = sqlite3_aggregate_context(context, sizeof *state);
    const char *directions = (const char *)sqlite3_value_text(value[1]);
    const int keys = n - FIRST_KEY;
    int order = -1;
    if (!state || state->failed || !directions)
        return;
    const bool last = *directions == '-';
    if (state->begun) {
        order = sort_keys_compare(value + FIRST_KEY, state->key, keys,
                                  directions + last);
        order = last ? -order : order;
    }
    if (order < 0)
        begin(context, state, keys, value + FIRST_KEY);
    if (order <= 0 && !state->failed)
        take(context, state, value[0]);
}

static void answer(sqlite3_context *context) {
    const enum kept_aggregate aggregate = aggregate_of(context);
    struct kept *state = sqlite3_aggregate_context(context, 0);
    struct kept none = {0};
    state = state ? state : &none;
    if (state->failed)
        ;
    else if (aggregate == KEPT_COUNT)
        sqlite3_result_int64(context, state->count);
    else if (aggregate == KEPT_SUM || aggregate == KEPT_AVG)
        sum_answer(context, &state->sum, aggregate == KEPT_AVG);
    else if (state->best)
        sqlite3_result_value(context, state->best);
    forget(state);
}

#define KEPT(name, aggregate)                                                  \
    {                                                                          \
        name, ANY_NUMBER, ANY_NUMBER, OPERAND_UNKNOWN, FUNCTION_INTERNAL,      \
            .data = (void *)(aggregate), .step = step, .answer = answer        \
    }

const struct function keep_functions[] = {
    KEPT("COUNT_KEEP$", KEPT_COUNT), KEPT("SUM_KEEP$", KEPT_SUM),
    KEPT("AVG_KEEP$", KEPT_AVG),     KEPT("MIN_KEEP$", KEPT_MIN),
    KEPT("MAX_KEEP$", KEPT_MAX),     {NULL},
};
