// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/wire_number.h"

#include <sqlite3.h>

#include "sql/types/value.h"

size_t wire_number(sqlite3_value *value, uint8_t *to) {
    struct decimal wide;
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return number_from_integer(sqlite3_value_int64(value), to);
    case SQLITE_FLOAT:
        return number_from_double(sqlite3_value_double(value), to);
    case SQLITE_TEXT:
        return number_from_text((const char *)sqlite3_value_text(value),
                                (size_t)sqlite3_value_bytes(value), to);
    case SQLITE_BLOB:
        return sqlite3_value_bytes(value) == WIDE_BYTES &&
                       value_wide_to_decimal(sqlite3_value_blob(value), &wide)
                   ? number_from_decimal(&wide, to)
                   : 0;
    default:
        return 0;
    }
}
