// SPDX-License-Identifier: GPL-2.0-or-later
#include <float.h>
#include <math.h>
#include <string.h>

#include "sql/types/binary_number.h"
#include "sql/types/oracle_number.h"
#include "sql/types/rowid.h"
#include "tests/check.h"

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static double back(double number, enum value_class class) {
    uint8_t bytes[BINARY_DOUBLE_BYTES];
    binary_number_write(number, class, bytes);
    return binary_number_read(bytes, class);
}

static bool becomes(double number, enum value_class class, const char *text) {
    struct decimal decimal;
    char shown[NUMBER_TEXT];
    unsigned error;
    if (!binary_number_to_decimal(number, class, &decimal, &error))
        return false;
    decimal_to_text(&decimal, shown);
    return strcmp(shown, text) == 0;
}

static unsigned refused(double number, enum value_class class) {
    struct decimal decimal;
    unsigned error;
    return binary_number_to_decimal(number, class, &decimal, &error) ? 0
                                                                     : error;
}

// In ascending order.
static const double doubles[] = {
    -INFINITY, -DBL_MAX, -1.5,    -DBL_MIN, -4.9406564584124654e-324,
    0,         5e-324,   DBL_MIN, 0.3,      0.1 + 0.2,
    1,         1.5,      DBL_MAX, INFINITY, NAN};

static void doubles_come_back_and_sort(void) {
    enum { COUNT = sizeof doubles / sizeof *doubles };
    uint8_t bytes[COUNT][BINARY_DOUBLE_BYTES];
    for (size_t i = 0; i < COUNT; i++) {
        binary_number_write(doubles[i], CLASS_BINARY_DOUBLE, bytes[i]);
        const double again = back(doubles[i], CLASS_BINARY_DOUBLE);
        CHECK(isnan(doubles[i]) ? isnan(again) : same_bits(again, doubles[i]));
        for (size_t j = 0; j < i; j++) {
            CHECK(memcmp(bytes[j], bytes[i], sizeof bytes[i]) < 0);
            CHECK(binary_number_compare(doubles[j], doubles[i]) == -1);
            CHECK(binary_number_compare(doubles[i], doubles[j]) == 1);
        }
        CHECK(binary_number_compare(doubles[i], doubles[i]) == 0);
    }
    CHECK(memcmp(bytes[10], "\xbf\xf0\0\0\0\0\0\0", BINARY_DOUBLE_WIRE) == 0);
    CHECK(memcmp(bytes[COUNT - 1], "\xff\xf8\0\0\0\0\0\0",
                 BINARY_DOUBLE_WIRE) == 0);
}

static void floats_come_back(void) {
    static const float floats[] = {-INFINITY, -FLT_MAX, -0.1f,    -FLT_MIN,
                                   -1.4e-45f, 0,        1.4e-45f, 0.1f,
                                   16777216,  FLT_MAX,  INFINITY};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        CHECK(same_bits(back((double)floats[i], CLASS_BINARY_FLOAT),
                        (double)floats[i]));
    CHECK(back(0.1, CLASS_BINARY_FLOAT) == (double)0.1f);
}

void test_binary_numbers(void) {
    doubles_come_back_and_sort();
    floats_come_back();
    CHECK(!signbit(back(-0.0, CLASS_BINARY_DOUBLE)));
    CHECK(!signbit(back(-0.0, CLASS_BINARY_FLOAT)));
    CHECK(same_bits(back(copysign(NAN, -1), CLASS_BINARY_DOUBLE),
                    back(NAN, CLASS_BINARY_DOUBLE)));
    CHECK(becomes(1.25, CLASS_BINARY_DOUBLE, "1.25"));
    CHECK(becomes(-9007199254740991.0, CLASS_BINARY_DOUBLE, "") == false);
    CHECK(becomes(123456789012345.0, CLASS_BINARY_DOUBLE, "123456789012345"));
    CHECK(becomes(0.0009765625, CLASS_BINARY_FLOAT, "0.0009765625"));
    CHECK(refused(0.1, CLASS_BINARY_DOUBLE) == 3001);
    CHECK(refused(0.0001220703125, CLASS_BINARY_DOUBLE) == 0);
    CHECK(refused(0.0001220703125, CLASS_BINARY_FLOAT) == 3001);
    CHECK(refused(INFINITY, CLASS_BINARY_DOUBLE) == 1426);
    CHECK(refused(NAN, CLASS_BINARY_FLOAT) == 1426);
    CHECK(refused(1e130, CLASS_BINARY_DOUBLE) == 1426);
}

static bool same_rowid(const struct rowid *a, const struct rowid *b) {
    return a->object == b->object && a->file == b->file &&
           a->block == b->block && a->slot == b->slot;
}

void test_rowid(void) {
    struct rowid rowid, again;
    uint8_t bytes[2][ROWID_BYTES];
    char text[ROWID_TEXT + 1];
    for (int64_t row = 1; row < (int64_t)256 << 32; row = row * 7 + 255) {
        CHECK(rowid_of_row(101000, row, &rowid));
        rowid_to_text(&rowid, text);
        CHECK(strlen(text) == ROWID_TEXT);
        CHECK(rowid_from_text(text, ROWID_TEXT, &again));
        CHECK(same_rowid(&rowid, &again));
        rowid_write(&rowid, bytes[0]);
        CHECK(rowid_of_row(101000, row + 1, &again));
        rowid_write(&again, bytes[1]);
        CHECK(memcmp(bytes[0], bytes[1], ROWID_BYTES) < 0);
        rowid_read(bytes[0], &again);
        CHECK(same_rowid(&rowid, &again));
    }
    CHECK(rowid_of_row(UINT32_MAX, 0x41 * 256 + 1, &rowid));
    rowid_to_text(&rowid, text);
    CHECK(strcmp(text, "D/////AAEAAAABBAAB") == 0);
    CHECK(!rowid_of_row(1, -1, &rowid));
    CHECK(!rowid_of_row(1, (int64_t)256 << 32, &rowid));
    CHECK(!rowid_from_text("AAAAAAAAAAAAAAAAA", ROWID_TEXT - 1, &rowid));
    CHECK(!rowid_from_text("AAAAAAAAAAAAAAAAA-", ROWID_TEXT, &rowid));
    CHECK(!rowid_from_text("//////AAEAAAABBAAB", ROWID_TEXT, &rowid));
}
