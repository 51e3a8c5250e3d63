// SPDX-License-Identifier: GPL-2.0-or-later
// A number in an answer, in the form of its column's type.
#include <sqlite3.h>
#include <string.h>

#include "sql/types/binary_number.h"
#include "sql/types/number_format.h"
#include "sql/types/oracle_number.h"
#include "ttc/server.h"
#include "ttc/wire_number.h"

bool answer_number(struct server *server, sqlite3_value *value) {
    const enum value_class class = sqlite3_value_type(value) == SQLITE_BLOB
                                       ? value_class(value)
                                       : CLASS_NUMBER;
    uint8_t number[NUMBER_BYTES];
    size_t length;
    if (value_class_is_binary(class)) {
        struct decimal decimal;
        unsigned error;
        if (!binary_number_to_decimal(
                binary_number_read(sqlite3_value_blob(value), class), class,
                &decimal, &error)) {
            server_raise(server, error, "this BINARY_DOUBLE as a NUMBER");
            return false;
        }
        length = number_from_decimal(&decimal, number);
    } else {
        length = wire_number(value, number);
    }
    if (length == 0) {
        server_raise(server, 1722, "");
        return false;
    }
    out_clr(&server->out, number, length);
    return true;
}

bool answer_number_as_text(struct server *server, sqlite3_value *value) {
    uint8_t number[NUMBER_BYTES];
    struct decimal decimal;
    char text[NUMBER_TEXT];
    size_t n = wire_number(value, number);
    if (n == 0 || !number_to_decimal(number, n, &decimal) ||
        !number_shown(&decimal, text)) {
        server_raise(server, 1722, "");
        return false;
    }
    out_clr(&server->out, text, strlen(text));
    return true;
}

bool answer_binary_number(struct server *server, enum value_class class,
                          sqlite3_value *value) {
    const enum value_class from = value_class(value);
    uint8_t number[NUMBER_BYTES], bytes[BINARY_DOUBLE_BYTES];
    struct decimal decimal;
    if (value_class_is_binary(from)) {
        binary_number_write(binary_number_read(sqlite3_value_blob(value), from),
                            class, bytes);
    } else {
        const size_t n = wire_number(value, number);
        if (n == 0 || !number_to_decimal(number, n, &decimal)) {
            server_raise(server, 1722, "");
            return false;
        }
        binary_number_write(binary_number_from_decimal(&decimal, class), class,
                            bytes);
    }
    out_clr(&server->out, bytes,
            class == CLASS_BINARY_FLOAT ? BINARY_FLOAT_WIRE
                                        : BINARY_DOUBLE_WIRE);
    return true;
}
