// SPDX-License-Identifier: GPL-2.0-or-later
// BINDS of SQL trace: the values of one row, as the client declared them.
#include <stdio.h>
#include <string.h>

#include "process/trace_file.h"
#include "sql/execute/call_trace.h"
#include "sql/types/binary_number.h"
#include "sql/types/number_format.h"
#include "sql/types/value.h"
#include "ttc/bind_types.h"
#include "ttc/capabilities.h"
#include "ttc/server.h"

enum {
    NUMBER_BUFFER = 22,
};

static bool is_text(const struct bind_type *bind) {
    return bind->form != 0;
}

// The bytes that a value of the type has room for: of text one of four sizes,
// as Oracle rounds them up, so that cursors can be shared.
static unsigned room_of(const struct bind_type *bind) {
    static const unsigned sizes[] = {32, 128, 2000, 4000};
    const unsigned longest = bind->longest;
    if (bind->type == TYPE_NUMBER)
        return NUMBER_BUFFER;
    if (bind->type == TYPE_DATE)
        return DATE_BYTES;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && is_text(bind); i++)
        if (longest <= sizes[i])
            return sizes[i];
    return longest;
}

static unsigned round_up(unsigned bytes) {
    return (bytes + 7) / 8 * 8;
}

static size_t number_of(const struct bind_value *value, uint8_t *to) {
    struct decimal wide;
    if (value->kind == BIND_INTEGER)
        return number_from_integer(value->integer, to);
    if (value->kind == BIND_DOUBLE)
        return number_from_double(value->real, to);
    return value_wide_to_decimal(value->data, &wide)
               ? number_from_decimal(&wide, to)
               : 0;
}

static bool is_number(const struct bind_value *value) {
    return value->kind == BIND_INTEGER || value->kind == BIND_DOUBLE ||
           value->kind == BIND_WIDE;
}

static size_t length_of(const struct bind_value *value) {
    uint8_t number[NUMBER_BYTES];
    return value->kind == BIND_NULL ? 0
           : is_number(value)       ? number_of(value, number)
           : value->kind == BIND_BINARY
               ? (value->length == BINARY_FLOAT_BYTES ? BINARY_FLOAT_WIRE
                                                      : BINARY_DOUBLE_WIRE)
               : value->length;
}

static void number_line(const struct bind_value *value) {
    uint8_t number[NUMBER_BYTES];
    struct decimal decimal;
    char text[NUMBER_TEXT];
    if (number_to_decimal(number, number_of(value, number), &decimal) &&
        number_shown(&decimal, text))
        trace_text("  value=%s\n", text);
}

// A DATE as Oracle dumps it: month/day/year and the time without leading zeros.
static void time_line(const struct bind_value *value) {
    static const char months[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    struct oracle_date date;
    if (!oracle_date_read(value->data, value->length, &date))
        return;
    if (value->length == DATE_BYTES)
        trace_text("  value=\"%d/%d/%d %d:%d:%d\"\n", date.month, date.day,
                   date.year, date.hour, date.minute, date.second);
    else
        trace_text("  value=%02d-%.3s-%02d %02d.%02d.%02d.%09u %cM\n", date.day,
                   months + 3 * (date.month - 1), date.year % 100,
                   date.hour % 12 ? date.hour % 12 : 12, date.minute,
                   date.second, date.nanosecond, date.hour < 12 ? 'A' : 'P');
}

static void raw_line(const struct bind_value *value) {
    const uint8_t *bytes = value->data;
    trace_text("  value=");
    for (size_t i = 0; i < value->length; i++)
        trace_text("%02X", bytes[i]);
    trace_text("\n");
}

static void value_line(const struct bind_value *value) {
    if (is_number(value)) {
        number_line(value);
    } else if (value->kind == BIND_TIME) {
        time_line(value);
    } else if (value->kind == BIND_RAW) {
        raw_line(value);
    } else if (value->kind == BIND_TEXT) {
        trace_text("  value=\"");
        trace_bytes(value->data, value->length);
        trace_text("\"\n");
    }
}

// `total` is the room of all, of the first one; 0 of the others.
static void describe(const struct bind_type *bind,
                     const struct bind_value *value, unsigned offset,
                     unsigned total) {
    const unsigned room = room_of(bind);
    const unsigned declared =
        bind->type == TYPE_NUMBER ? NUMBER_BUFFER : bind->longest;
    trace_text("  oacdty=%02u mxl=%02u(%02u) mxlc=00 mal=00 scl=00 pre=00\n"
               "  oacflg=05 fl2=1000000 frm=%02u csi=%02u siz=%u off=%u\n"
               "  kxsbbbfp=%llx  bln=%02u  avl=%02zu  flg=%02u\n",
               bind->type, room, declared < room ? declared : room, bind->form,
               is_text(bind) ? CHARSET_AL32UTF8 : 0, total, offset,
               (unsigned long long)(uintptr_t)value, room, length_of(value),
               total ? 5 : 1);
    value_line(value);
}

void bind_row_trace(const struct cursor *cursor, const struct bind_type *bind,
                    const struct bind_value *value, unsigned count) {
    const bool by_name = count != cursor->placeholders;
    unsigned total = 0, offset = 0;
    for (unsigned i = 0; i < count; i++)
        total += round_up(room_of(&bind[i]));
    trace_record();
    trace_text("BINDS #%llu:\n\n",
               (unsigned long long)call_trace_number(cursor));
    for (unsigned i = 0; i < cursor->placeholders; i++) {
        const unsigned index = cursor_value_of(cursor, i, by_name);
        trace_text(" Bind#%u\n", i);
        if (by_name && cursor->first[i] != i) {
            trace_text("  No oacdef for this bind.\n");
            continue;
        }
        describe(&bind[index], &value[index], offset, offset == 0 ? total : 0);
        offset += round_up(room_of(&bind[index]));
    }
}
