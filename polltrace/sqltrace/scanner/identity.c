// SPDX-License-Identifier: GPL-2.0-or-later
#include "identity.h"

#include <stdlib.h>
#include <string.h>

struct identity *identity_new(void) {
    struct identity *identity = calloc(1, sizeof *identity);
    if (identity)
        identity->refs = 1;
    return identity;
}

struct identity *identity_copy(const struct identity *from) {
    struct identity *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *from;
    copy->refs = 1;
    copy->batch = 0;
    return copy;
}

void identity_release(struct identity *identity) {
    if (identity && --identity->refs == 0)
        free(identity);
}

static bool digits(const char **at, const char *end, int count, int64_t *to) {
    *to = 0;
    for (int i = 0; i < count; i++, (*at)++) {
        if (*at >= end || **at < '0' || **at > '9')
            return false;
        *to = *to * 10 + (**at - '0');
    }
    return true;
}

static bool sign(const char **at, const char *end, const char *any_of) {
    if (*at >= end || !**at || !strchr(any_of, **at))
        return false;
    (*at)++;
    return true;
}

// Days since 1970-01-01 of the Gregorian calendar: years begin in March here,
// so that the leap day is the last.
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    const int64_t era = year / 400, of_era = year % 400;
    const int64_t of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    const int64_t day_of_era =
        of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    return era * 146097 + day_of_era - 719468;
}

// ".454039": as many digits as there are; microseconds.
static int64_t read_fraction(const char **at, const char *end) {
    int64_t us = 0, unit = 100000;
    if (!sign(at, end, ".,"))
        return 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
        us += unit * (**at - '0');
    return us;
}

// "+02:00"; seconds.
static int64_t read_offset(const char **at, const char *end) {
    if (*at >= end || (**at != '+' && **at != '-'))
        return 0;
    const int64_t to = *(*at)++ == '-' ? -1 : 1;
    int64_t hours, minutes;
    if (!digits(at, end, 2, &hours) || !sign(at, end, ":") ||
        !digits(at, end, 2, &minutes))
        return 0;
    return to * (hours * 3600 + minutes * 60);
}

bool read_timestamp(const char *at, const char *end, int64_t *us) {
    int64_t year, month, day, hour, minute, second;
    if (!digits(&at, end, 4, &year) || !sign(&at, end, "-") ||
        !digits(&at, end, 2, &month) || !sign(&at, end, "-") ||
        !digits(&at, end, 2, &day) || !sign(&at, end, " T") ||
        !digits(&at, end, 2, &hour) || !sign(&at, end, ":") ||
        !digits(&at, end, 2, &minute) || !sign(&at, end, ":") ||
        !digits(&at, end, 2, &second))
        return false;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 ||
        hour > 23 || minute > 59 || second > 60)
        return false;
    const int64_t fraction = read_fraction(&at, end);
    const int64_t seconds = days_since_1970(year, month, day) * 86400 +
                            hour * 3600 + minute * 60 + second;
    *us = (seconds - read_offset(&at, end)) * 1000000 + fraction;
    return true;
}

const char *read_value_of(const char *name, const char *at, const char *end,
                          size_t *len, const char **after) {
    const size_t named = strlen(name);
    if ((size_t)(end - at) < named + 4 || memcmp(at + 4, name, named) != 0)
        return NULL;
    const char *const value = at + 4 + named;
    // The bracket that a timestamp follows, else the last one.
    const char *close = NULL;
    int64_t us;
    for (const char *p = value; p < end; p++)
        if (*p == ')') {
            close = p;
            if (p + 2 < end && read_timestamp(p + 2, end, &us))
                break;
        }
    if (!close)
        return NULL;
    *len = (size_t)(close - value);
    *after = close + 1;
    return value;
}
