// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/functions/sort_keys.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static int rank(sqlite3_value *value) {
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return 0;
    case SQLITE_TEXT:
        return 1;
    default:
        return 2;
    }
}

static int compare_numbers(sqlite3_value *a, sqlite3_value *b) {
    if (sqlite3_value_type(a) == SQLITE_INTEGER &&
        sqlite3_value_type(b) == SQLITE_INTEGER) {
        const int64_t x = sqlite3_value_int64(a), y = sqlite3_value_int64(b);
        return (x > y) - (x < y);
    }
    const double x = sqlite3_value_double(a), y = sqlite3_value_double(b);
    return (x > y) - (x < y);
}

// As SQLite orders the values of a sort's keys. Neither is NULL.
static int compare_values(sqlite3_value *a, sqlite3_value *b) {
    if (rank(a) != rank(b))
        return rank(a) - rank(b);
    if (rank(a) == 0)
        return compare_numbers(a, b);
    const int m = sqlite3_value_bytes(a), n = sqlite3_value_bytes(b);
    const int order = memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b),
                             (size_t)(m < n ? m : n));
    return order ? order : m - n;
}

static int compare_one(sqlite3_value *a, sqlite3_value *b, char direction) {
    const bool x = sqlite3_value_type(a) == SQLITE_NULL;
    const bool y = sqlite3_value_type(b) == SQLITE_NULL;
    const bool nulls_first = direction == 'A' || direction == 'D';
    if (x || y)
        return nulls_first ? y - x : x - y;
    const int order = compare_values(a, b);
    return direction == 'd' || direction == 'D' ? -order : order;
}

int sort_keys_compare(sqlite3_value *const *a, sqlite3_value *const *b,
                      int keys, const char *directions) {
    int order = 0;
    for (int i = 0; i < keys && order == 0; i++)
        order = compare_one(a[i], b[i], directions[i]);
    return order;
}
