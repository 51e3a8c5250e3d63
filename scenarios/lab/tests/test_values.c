// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "sql/oracle_date.h"
#include "sql/oracle_number.h"
#include "tests/check.h"

static bool text_is(const char *from, const char *bytes, size_t length,
                    const char *to) {
    uint8_t number[NUMBER_BYTES];
    char text[NUMBER_TEXT];
    size_t n = number_from_text(from, strlen(from), number);
    return n == length && memcmp(number, bytes, n) == 0 &&
           number_to_text(number, n, text) && strcmp(text, to) == 0;
}

void test_number(void) {
    CHECK(text_is("0", "\x80", 1, "0"));
    CHECK(text_is("1", "\xc1\x02", 2, "1"));
    CHECK(text_is("10", "\xc1\x0b", 2, "10"));
    CHECK(text_is("100", "\xc2\x02", 2, "100"));
    CHECK(text_is("123", "\xc2\x02\x18", 3, "123"));
    CHECK(text_is("-1", "\x3e\x64\x66", 3, "-1"));
    CHECK(text_is("-123", "\x3d\x64\x4e\x66", 4, "-123"));
    CHECK(text_is("0.5", "\xc0\x33", 2, "0.5"));
    CHECK(text_is(".01", "\xc0\x02", 2, "0.01"));
    CHECK(text_is("-.001", "\x40\x5b\x66", 3, "-0.001"));
    CHECK(text_is(" 1.50e2 ", "\xc2\x02\x33", 3, "150"));

    uint8_t number[NUMBER_BYTES];
    char text[NUMBER_TEXT];
    static const char *const none[] = {"",   " ", "x",   "1x",
                                       "1e", ".", "--1", "1e999999"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(number_from_text(none[i], strlen(none[i]), number) == 0);
    CHECK(number_from_double(1.0 / 0.0, number) == 0);
    for (int64_t value = -1; value > INT64_MIN / 7; value *= -7) {
        size_t n = number_from_integer(value, number);
        char expected[24];
        snprintf(expected, sizeof expected, "%lld", (long long)value);
        CHECK(number_to_text(number, n, text) && strcmp(text, expected) == 0);
        if (value > INT64_MAX / 7)
            break;
    }
    // What no driver sends must not be written past the end either.
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++) {
            uint8_t bytes[NUMBER_BYTES];
            memset(bytes, (int)second, sizeof bytes);
            bytes[0] = (uint8_t)first;
            if (number_to_text(bytes, sizeof bytes, text))
                CHECK(strlen(text) < NUMBER_TEXT);
            if (number_to_text(bytes, 2, text))
                CHECK(strlen(text) < NUMBER_TEXT);
        }
    CHECK(!number_to_text(number, 0, text));
    CHECK(!number_to_text(number, NUMBER_BYTES + 1, text));
}

void test_date(void) {
    struct oracle_date date = {2008, 2, 29, 23, 59, 58, 123456789}, back;
    uint8_t bytes[TIMESTAMP_BYTES];
    oracle_date_write(&date, bytes, sizeof bytes);
    CHECK(memcmp(bytes, "\x78\x6c\x02\x1d\x18\x3c\x3b\x07\x5b\xcd\x15", 11) ==
          0);
    CHECK(oracle_date_read(bytes, sizeof bytes, &back));
    CHECK(memcmp(&date, &back, sizeof date) == 0);
    date.year = 2007;
    CHECK(!oracle_date_valid(&date));
    CHECK(!oracle_date_read(bytes, 6, &back));
    memset(bytes, 0, sizeof bytes);
    CHECK(!oracle_date_read(bytes, 7, &back));
}
