// SPDX-License-Identifier: GPL-2.0-or-later
// Sums and averages as SUM and AVG compute them.
#ifndef ORALAB_SUM_H
#define ORALAB_SUM_H

#include "sql/types/value.h"

struct sum { // begins as zeros
    int64_t count;
    // `wide`: the sum no longer fits 64 bits and is in `decimal`
    bool wide, failed;
    int64_t integer;
    struct decimal decimal;
    enum value_class binary; // BINARY_FLOAT or BINARY_DOUBLE, of all values
    double number;
};

// NULL adds nothing. An error is the function's result.
void sum_add(struct sqlite3_context *context, struct sum *sum,
             struct sqlite3_value *value);
void sum_answer(struct sqlite3_context *context, struct sum *sum, bool average);

#endif
