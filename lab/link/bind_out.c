// SPDX-License-Identifier: GPL-2.0-or-later
// Values of ours as the binds of a remote query.
#include <sqlite3.h>
#include <string.h>

#include "link/query.h"
#include "sql/types/binary_number.h"
#include "sql/types/value.h"
#include "ttc/bind_types.h"
#include "ttc/capabilities.h"
#include "ttc/wire_number.h"

enum {
    NOT_IMPLEMENTED = 3001,
    USE_INDICATORS = 1,
    FORM_IMPLICIT = 1,
    LONGEST_TEXT = 32767,
    VERSION_OF_ACCESS_FLAGS = 8,
};

struct description {
    uint8_t type;
    size_t longest;
    bool text;
};

static struct description describe(sqlite3_value *value) {
    const size_t bytes = (size_t)sqlite3_value_bytes(value);
    switch (value_class(value)) {
    case CLASS_NUMBER:
        return (struct description){TYPE_NUMBER, NUMBER_BYTES, false};
    case CLASS_DATE:
        return (struct description){TYPE_DATE, DATE_BYTES, false};
    case CLASS_TIMESTAMP:
        return (struct description){TYPE_TIMESTAMP, TIMESTAMP_BYTES, false};
    case CLASS_TIMESTAMP_TZ:
        return (struct description){TYPE_TIMESTAMP_TZ, TIMESTAMP_TZ_BYTES,
                                    false};
    case CLASS_INTERVAL_YM:
        return (struct description){TYPE_INTERVAL_YM, INTERVAL_YM_WIRE, false};
    case CLASS_INTERVAL_DS:
        return (struct description){TYPE_INTERVAL_DS, INTERVAL_DS_WIRE, false};
    case CLASS_BINARY_FLOAT:
        return (struct description){TYPE_BINARY_FLOAT, BINARY_FLOAT_WIRE,
                                    false};
    case CLASS_BINARY_DOUBLE:
        return (struct description){TYPE_BINARY_DOUBLE, BINARY_DOUBLE_WIRE,
                                    false};
    case CLASS_RAW:
        return (struct description){TYPE_RAW, bytes, false};
    default:
        return (struct description){TYPE_VARCHAR2, bytes > 0 ? bytes : 1, true};
    }
}

bool query_out_binds(struct connection *c, struct sqlite3_value **value,
                     unsigned values) {
    static const struct description null_text = {TYPE_VARCHAR2, 1, true};
    struct wire_out *out = &c->out;
    for (unsigned i = 0; i < values; i++) {
        const struct description of = value ? describe(value[i]) : null_text;
        if (of.longest > LONGEST_TEXT) {
            ora_error_set(&c->error, NOT_IMPLEMENTED,
                          "a bind of more than 32767 bytes over a link");
            return false;
        }
        out_u8(out, of.type);
        out_u8(out, USE_INDICATORS);
        out_zeros(out, 2); // precision, scale
        out_ub(out, of.longest);
        out_ub(out, 0); // elements
        out_ub(out, 0); // continuation flags
        out_ub(out, 0); // object id
        out_ub(out, 0); // version
        out_ub(out, of.text ? CHARSET_AL32UTF8 : 0);
        out_u8(out, of.text ? FORM_IMPLICIT : 0);
        out_ub(out, 0); // LOB prefetch
        if (c->field_version >= VERSION_OF_ACCESS_FLAGS)
            out_ub(out, 0);
    }
    return true;
}

static void out_value(struct wire_out *out, sqlite3_value *value) {
    uint8_t number[NUMBER_BYTES];
    size_t length = (size_t)sqlite3_value_bytes(value);
    const void *data = sqlite3_value_blob(value);
    switch (value_class(value)) {
    case CLASS_NULL:
        length = 0;
        break;
    case CLASS_NUMBER:
        length = wire_number(value, number);
        data = number;
        break;
    case CLASS_INTERVAL_YM:
        length = INTERVAL_YM_WIRE;
        break;
    case CLASS_INTERVAL_DS:
        length = INTERVAL_DS_WIRE;
        break;
    case CLASS_BINARY_FLOAT:
        length = BINARY_FLOAT_WIRE;
        break;
    case CLASS_BINARY_DOUBLE:
        length = BINARY_DOUBLE_WIRE;
        break;
    default:
        break;
    }
    out_clr(out, data, length);
}

void query_out_bind_values(struct connection *c, struct sqlite3_value **value,
                           unsigned values) {
    if (values > 0)
        out_u8(&c->out, MESSAGE_ROW_DATA);
    for (unsigned i = 0; i < values && value; i++)
        out_value(&c->out, value[i]);
    for (unsigned i = 0; i < values && !value; i++)
        out_clr(&c->out, NULL, 0);
}
