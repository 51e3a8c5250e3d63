// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "sql/types/calendar.h"
#include "sql/types/date_format.h"
#include "sql/types/oracle_date.h"
#include "sql/types/oracle_number.h"
#include "tests/check.h"

static bool text_is(const char *from, const char *bytes, size_t length,
                    const char *to) {
    uint8_t number[NUMBER_BYTES];
    char text[NUMBER_TEXT];
    size_t n = number_from_text(from, strlen(from), number);
    return n == length && memcmp(number, bytes, n) == 0 &&
           number_to_text(number, n, text) && strcmp(text, to) == 0;
}

static struct decimal decimal_of(const char *text) {
    struct decimal value;
    bool overflow;
    CHECK(decimal_from_text(text, strlen(text), &value, &overflow));
    return value;
}

static bool shows(const struct decimal *value, const char *text) {
    char shown[NUMBER_TEXT];
    decimal_to_text(value, shown);
    if (strcmp(shown, text) != 0)
        fprintf(stderr, "%s, not %s\n", shown, text);
    return strcmp(shown, text) == 0;
}

static bool calculates(bool (*operation)(const struct decimal *,
                                         const struct decimal *,
                                         struct decimal *),
                       const char *a, const char *b, const char *result) {
    struct decimal x = decimal_of(a), y = decimal_of(b), to;
    return operation(&x, &y, &to) && shows(&to, result);
}

void test_zones(void) {
    // 2024-01-01 00:30 in UTC, where it is 20:00 of the day before
    const uint8_t west[TIMESTAMP_TZ_BYTES] = {120, 124, 1, 1, 1,      31,     1,
                                              0,   0,   0, 5, 20 - 4, 60 - 30};
    uint8_t again[TIMESTAMP_TZ_BYTES];
    struct oracle_date date;
    char shown[64];
    CHECK(oracle_date_read(west, sizeof west, &date));
    CHECK(date.zone == -270 && date.day == 31 && date.hour == 20);
    CHECK(!date_show(&date, sizeof west, "YYYY-MM-DD HH24:MI TZH:TZM TZR",
                     shown, sizeof shown));
    CHECK(strcmp(shown, "2023-12-31 20:00 -04:30 -04:30") == 0);
    oracle_date_write(&date, again, sizeof again);
    CHECK(memcmp(west, again, sizeof again) == 0);
    memcpy(again, west, sizeof again);
    again[11] |= 0x80; // a zone by its name
    CHECK(!oracle_date_read(again, sizeof again, &date));
}

void test_decimal(void) {
    CHECK(calculates(decimal_add, "1e30", "-1e30", "0"));
    CHECK(calculates(decimal_add, "99", "1", "100"));
    struct decimal large = decimal_of("1e125"), small = decimal_of("1e-130");
    CHECK(decimal_add(&large, &small, &small) && // which has no place there
          decimal_compare(&large, &small) == 0);
    CHECK(calculates(decimal_subtract, "1", "0.0001", "0.9999"));
    CHECK(calculates(decimal_subtract, "-5", "-7", "2"));
    CHECK(calculates(decimal_multiply, "-1.5", "1.5", "-2.25"));
    CHECK(calculates(decimal_multiply, "99999999999999999999",
                     "99999999999999999999",
                     "9999999999999999999800000000000000000001"));
    CHECK(calculates(decimal_divide, "1", "3",
                     "0.3333333333333333333333333333333333333333"));
    CHECK(calculates(decimal_divide, "10", "3",
                     "3.33333333333333333333333333333333333333"));
    CHECK(calculates(decimal_divide, "-7", "0.5", "-14"));
    CHECK(calculates(decimal_divide, "1", "99999999999999999999",
                     "0.0000000000000000000100000000000000000001"));
    CHECK(calculates(decimal_modulo, "1e30", "7", "1"));
    CHECK(calculates(decimal_modulo, "-7.5", "2", "-1.5"));
    struct decimal value = decimal_of("-1234.565"), to;
    CHECK(decimal_round(&value, 2, &to) && shows(&to, "-1234.57"));
    CHECK(decimal_round(&value, -2, &to) && shows(&to, "-1200"));
    CHECK(decimal_round(&value, -4, &to) && shows(&to, "0"));
    decimal_truncate(&value, 2, &to);
    CHECK(shows(&to, "-1234.56"));
    value = decimal_of("9.99");
    CHECK(decimal_round(&value, 1, &to) && shows(&to, "10"));
    value = decimal_of("1e120");
    CHECK(!decimal_multiply(&value, &value, &to));
    int64_t whole;
    value = decimal_of("-9223372036854775808");
    CHECK(decimal_to_integer(&value, &whole) && whole == INT64_MIN);
    value = decimal_of("9223372036854775808");
    CHECK(!decimal_to_integer(&value, &whole));
}

static bool date_shows(int year, int month, int day, const char *format,
                       const char *text) {
    struct oracle_date date = {.year = year, .month = month, .day = day};
    char shown[100];
    return date_show(&date, DATE_BYTES, format, shown, sizeof shown) == 0 &&
           strcmp(shown, text) == 0;
}

void test_calendar(void) {
    CHECK(calendar_julian_day(2000, 1, 1) == 2451545);
    CHECK(calendar_julian_day(1582, 10, 15) -
              calendar_julian_day(1582, 10, 4) ==
          1);
    CHECK(calendar_julian_day(1, 1, 1) == 1721424);
    struct oracle_date date = {0};
    for (int64_t day = 1721424; day < 2561118; day += 37) {
        calendar_set_julian_day(&date, day);
        CHECK(calendar_julian_day(date.year, date.month, date.day) == day);
        CHECK(date.day <= calendar_days_in_month(date.year, date.month));
    }
    CHECK(calendar_days_in_month(1900, 2) == 28 &&
          calendar_days_in_month(2000, 2) == 29);
    CHECK(date_shows(2021, 1, 3, "IYYY IW D", "2020 53 1"));
    CHECK(date_shows(2018, 12, 31, "IYYY IW", "2019 01"));
    // Whatever the format, it ends, and nothing is written past the end.
    static const char all[] = "FMDAY, Month YYYY \"x\" HH24:MI:SSXFF9 J \"";
    char shown[30], cut[sizeof all];
    for (size_t length = 0; length < sizeof all; length++) {
        memcpy(cut, all, length);
        cut[length] = '\0';
        if (date_show(&date, TIMESTAMP_BYTES, cut, shown, sizeof shown) == 0)
            CHECK(strlen(shown) < sizeof shown);
        date_parse(all, length, cut, true, &date);
        date.month = date.day = 1;
        date.year = 2020;
    }
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
    // Numbers that no driver sends must not be written past the end either.
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
    struct oracle_date date = {2008, 2, 29, 23, 59, 58, 123456789, 0}, back;
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
