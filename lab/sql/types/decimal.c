// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/decimal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Room for the sum of the largest and the smallest number, digit by digit.
enum { WIDEST = MOST_POINT - LEAST_POINT + DECIMAL_DIGITS + 8 };

static const struct decimal zero;

// Stores any number of digits, rounded to the precision of a NUMBER.
static bool settle(struct decimal *to, bool negative, const uint8_t *digit,
                   unsigned count, int point) {
    while (count > 0 && *digit == 0) {
        digit++;
        count--;
        point--;
    }
    *to = zero;
    if (count == 0 || point < LEAST_POINT)
        return true;
    // With an odd number of digits left of the point, the first of the twenty
    // base-100 digits holds a single decimal digit.
    unsigned digits = point % 2 == 0 ? DECIMAL_DIGITS : DECIMAL_DIGITS - 1;
    to->negative = negative;
    to->point = point;
    to->count = count < digits ? count : digits;
    memcpy(to->digit, digit, to->count);
    if (count > digits && digit[digits] >= 5) {
        unsigned position = digits;
        while (position > 0 && to->digit[position - 1] == 9)
            to->digit[--position] = 0;
        if (position > 0) {
            to->digit[position - 1]++;
        } else {
            to->digit[0] = 1;
            to->count = 1;
            to->point++;
        }
    }
    while (to->count > 0 && to->digit[to->count - 1] == 0)
        to->count--;
    return to->point <= MOST_POINT;
}

static int compare_sizes(const struct decimal *a, const struct decimal *b) {
    if (a->count == 0 || b->count == 0)
        return (a->count > 0) - (b->count > 0);
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    unsigned shorter = a->count < b->count ? a->count : b->count;
    int order = memcmp(a->digit, b->digit, shorter);
    if (order != 0)
        return order < 0 ? -1 : 1;
    return (a->count > shorter) - (b->count > shorter);
}

int decimal_compare(const struct decimal *a, const struct decimal *b) {
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    return a->negative ? -compare_sizes(a, b) : compare_sizes(a, b);
}

// The digits of `a`, aligned so that the first one is worth 10^(point - 1).
static void lay_out(const struct decimal *a, int point, uint8_t *digit) {
    memset(digit, 0, WIDEST);
    memcpy(digit + (point - a->point), a->digit, a->count);
}

// |a| + |b|, or |a| - |b| where |a| is not the smaller.
static bool combine(const struct decimal *a, const struct decimal *b,
                    bool subtract, bool negative, struct decimal *to) {
    uint8_t x[WIDEST], y[WIDEST];
    int point = (a->point > b->point ? a->point : b->point) + 1;
    int a_end = point - a->point + (int)a->count;
    int b_end = point - b->point + (int)b->count;
    int end = a_end > b_end ? a_end : b_end, carry = 0;
    lay_out(a, point, x);
    lay_out(b, point, y);
    for (int i = end - 1; i >= 0; i--) {
        int sum = subtract ? x[i] - y[i] - carry : x[i] + y[i] + carry;
        carry = subtract ? sum < 0 : sum > 9;
        x[i] = (uint8_t)(subtract ? sum + 10 * carry : sum - 10 * carry);
    }
    return settle(to, negative, x, (unsigned)end, point);
}

bool decimal_add(const struct decimal *a, const struct decimal *b,
                 struct decimal *to) {
    if (a->count == 0 || b->count == 0) {
        *to = a->count == 0 ? *b : *a;
        return true;
    }
    if (a->negative == b->negative)
        return combine(a, b, false, a->negative, to);
    int order = compare_sizes(a, b);
    if (order == 0) {
        *to = zero;
        return true;
    }
    const struct decimal *larger = order > 0 ? a : b;
    return combine(larger, order > 0 ? b : a, true, larger->negative, to);
}

bool decimal_subtract(const struct decimal *a, const struct decimal *b,
                      struct decimal *to) {
    struct decimal minus = *b;
    minus.negative = b->count > 0 && !b->negative;
    return decimal_add(a, &minus, to);
}

bool decimal_multiply(const struct decimal *a, const struct decimal *b,
                      struct decimal *to) {
    uint32_t sum[2 * DECIMAL_DIGITS] = {0};
    uint8_t digit[2 * DECIMAL_DIGITS];
    unsigned count = a->count + b->count;
    if (a->count == 0 || b->count == 0) {
        *to = zero;
        return true;
    }
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned j = 0; j < b->count; j++)
            sum[i + j + 1] += (uint32_t)a->digit[i] * b->digit[j];
    for (unsigned i = count - 1, carry = 0; i < count; i--) {
        digit[i] = (uint8_t)((sum[i] + carry) % 10);
        carry = (sum[i] + carry) / 10;
    }
    return settle(to, a->negative != b->negative, digit, count,
                  a->point + b->point);
}

// Long division to `places` digits. `rest` starts as the dividend's digits
// behind one place for the carry, and ends as the remainder, one place right of
// the last digit.
static void divide_digits(uint8_t *rest, const struct decimal *b,
                          unsigned places, uint8_t *quotient) {
    for (unsigned i = 0; i < places; i++) {
        uint8_t times = 0;
        for (;;) {
            // rest[i] is worth ten times the divisor's first digit.
            if (rest[i] == 0 && memcmp(rest + i + 1, b->digit, b->count) < 0)
                break;
            int borrow = 0;
            for (unsigned j = b->count; j > 0; j--) {
                int d = rest[i + j] - b->digit[j - 1] - borrow;
                borrow = d < 0;
                rest[i + j] = (uint8_t)(d + 10 * borrow);
            }
            rest[i] = (uint8_t)(rest[i] - borrow);
            times++;
        }
        quotient[i] = times;
    }
}

bool decimal_divide(const struct decimal *a, const struct decimal *b,
                    struct decimal *to) {
    enum { PLACES = DECIMAL_DIGITS + 3 };
    uint8_t remainder[PLACES + DECIMAL_DIGITS + 2] = {0}, quotient[PLACES];
    memcpy(remainder + 1, a->digit, a->count);
    divide_digits(remainder, b, PLACES, quotient);
    // The first digit is worth 10^(a->point - b->point).
    return settle(to, a->negative != b->negative, quotient, PLACES,
                  a->point - b->point + 1);
}

bool decimal_modulo(const struct decimal *a, const struct decimal *b,
                    struct decimal *to) {
    uint8_t remainder[WIDEST + DECIMAL_DIGITS] = {0}, quotient[WIDEST];
    int places = a->point - b->point + 1;
    if (places <= 0 || a->count == 0) {
        *to = *a;
        return true;
    }
    memcpy(remainder + 1, a->digit, a->count);
    divide_digits(remainder, b, (unsigned)places, quotient);
    unsigned end = a->count > (unsigned)places + b->count
                       ? a->count
                       : (unsigned)places + b->count;
    return settle(to, a->negative, remainder + 1, end, a->point);
}

static bool is_whole(const struct decimal *a) {
    return a->count == 0 || a->point >= (int)a->count;
}

void decimal_truncate(const struct decimal *a, int places, struct decimal *to) {
    const struct decimal from = *a; // `a` may be the result, too
    int digits = from.point + places;
    *to = from;
    if (digits < (int)from.count)
        settle(to, from.negative, from.digit, digits > 0 ? (unsigned)digits : 0,
               from.point);
}

bool decimal_round(const struct decimal *a, int places, struct decimal *to) {
    int digits = a->point + places;
    struct decimal cut, half = {a->negative, -places, 1, {5}};
    if (digits >= (int)a->count) {
        *to = *a;
        return true;
    }
    if (digits < 0) {
        *to = zero;
        return true;
    }
    decimal_truncate(a, places, &cut);
    if (a->digit[digits] < 5) {
        *to = cut;
        return true;
    }
    half.digit[0] = 1; // 1 in the last place that is kept
    half.point = 1 - places;
    return decimal_add(&cut, &half, to);
}

struct decimal decimal_from_integer(int64_t value) {
    uint8_t digit[20];
    unsigned first = sizeof digit;
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    struct decimal decimal;
    for (; size > 0; size /= 10)
        digit[--first] = (uint8_t)(size % 10);
    settle(&decimal, value < 0, digit + first, (unsigned)sizeof digit - first,
           (int)(sizeof digit - first));
    return decimal;
}

bool decimal_to_integer(const struct decimal *a, int64_t *value) {
    uint64_t size = 0, most = (uint64_t)INT64_MAX + a->negative;
    if (!is_whole(a) || a->point > 19)
        return false;
    for (int i = 0; i < a->point && a->count > 0; i++)
        size = size * 10 + (i < (int)a->count ? a->digit[i] : 0);
    if (size > most)
        return false;
    *value = (int64_t)(a->negative ? -size : size);
    return true;
}

bool decimal_from_text(const char *text, size_t length, struct decimal *to,
                       bool *overflow) {
    enum { MOST = 400 }; // later digits are too small to matter
    uint8_t digit[MOST];
    unsigned count = 0;
    size_t index = 0;
    long point = 0;
    bool negative = false, seen = false, fraction = false;
    *overflow = false;
    while (index < length && isspace((unsigned char)text[index]))
        index++;
    while (length > index && isspace((unsigned char)text[length - 1]))
        length--;
    if (index < length && (text[index] == '-' || text[index] == '+'))
        negative = text[index++] == '-';
    for (; index < length; index++) {
        char c = text[index];
        if (c == '.' && !fraction) {
            fraction = true;
        } else if (isdigit((unsigned char)c)) {
            seen = true;
            if (count == 0 && c == '0') {
                point -= fraction;
                continue;
            }
            point += !fraction;
            if (count < MOST)
                digit[count++] = (uint8_t)(c - '0');
        } else {
            break;
        }
    }
    if (!seen)
        return false;
    if (index < length && (text[index] == 'e' || text[index] == 'E')) {
        char power[8] = "", *end;
        if (length - index - 1 >= sizeof power || index + 1 == length)
            return false;
        memcpy(power, text + index + 1, length - index - 1);
        if (!isdigit((unsigned char)power[0]) && power[0] != '-' &&
            power[0] != '+')
            return false;
        point += strtol(power, &end, 10);
        if (*end)
            return false;
        index = length;
    }
    if (index != length)
        return false;
    if (count > 0 && point > MOST_POINT + 1)
        *overflow = true;
    else if (point < LEAST_POINT - MOST)
        *to = zero;
    else
        *overflow = !settle(to, negative, digit, count, (int)point);
    return !*overflow;
}
