// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sql/types/calendar.h"
#include "sql/types/date_format.h"

enum {
    TWICE = 1810,
    NOT_FOR_INPUT = 1820,
    NOT_RECOGNIZED = 1821,
    INPUT_LEFT = 1830,
    DAY_NOT_IN_MONTH = 1839,
    TOO_SHORT = 1840,
    NO_YEAR = 1841,
    NO_MONTH = 1843,
    NO_WEEKDAY = 1846,
    NO_DAY = 1847,
    NO_DAY_OF_YEAR = 1848,
    NO_HOUR_OF_12 = 1849,
    NO_HOUR = 1850,
    NO_MINUTE = 1851,
    NO_SECOND = 1852,
    NO_SECOND_OF_DAY = 1853,
    NO_JULIAN_DAY = 1854,
    NO_AM = 1855,
    NOT_NUMERIC = 1858,
    NO_MATCH = 1861,
    UNIMPLEMENTED = 3001,
};

enum { SECONDS_OF_DAY = 86400 };

struct parse {
    const char *at, *end;
    struct oracle_date *date;
    int hour12;    // -1: none
    int afternoon; // -1: not given
    int64_t julian;
    int weekday;         // -1: not given
    int day_of_year;     // 0: not given
    int64_t day_seconds; // -1: not given
    bool last;           // no further digits may follow this element
};

static unsigned read_number(struct parse *p, unsigned most, unsigned *digits,
                            int64_t *value) {
    *digits = 0;
    *value = 0;
    if (p->at == p->end)
        return TOO_SHORT;
    for (; p->at < p->end && *digits < most && isdigit((unsigned char)*p->at);
         p->at++, ++*digits)
        *value = *value * 10 + (*p->at - '0');
    return *digits > 0 ? 0 : NOT_NUMERIC;
}

static bool take(struct parse *p, const char *word, size_t length) {
    if ((size_t)(p->end - p->at) < length ||
        strncasecmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

// Matches a full name or its first three letters. Returns its index, or -1.
static int read_name(struct parse *p, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (take(p, names[i], strlen(names[i])))
            return i;
    for (int i = 0; i < count; i++)
        if (take(p, names[i], 3))
            return i;
    return -1;
}

static int century_of(const struct date_token *token, int value, int this_year,
                      unsigned digits) {
    bool rounded =
        token->element == ELEMENT_RR || token->element == ELEMENT_RRRR;
    if (digits > 2 && token->element == ELEMENT_RRRR)
        return value;
    if (rounded) {
        int half = this_year % 100 / 50, century = this_year / 100;
        return (century + half - value / 50) * 100 + value;
    }
    int power = token->digits == 1   ? 10
                : token->digits == 2 ? 100
                : token->digits == 3 ? 1000
                                     : 10000;
    return this_year / power * power + value;
}

static unsigned read_literal(struct parse *p, const struct date_token *token) {
    for (size_t i = 0; i < token->length; i++) {
        if (p->at == p->end)
            return 0; // the rest of the format may be left out
        const bool punctuation =
            ispunct((unsigned char)token->at[i]) || token->at[i] == ' ';
        if (*p->at == token->at[i])
            p->at++;
        else if (punctuation &&
                 (ispunct((unsigned char)*p->at) || *p->at == ' '))
            p->at++; // any punctuation matches
        else if (!punctuation)
            return NO_MATCH;
    }
    return 0;
}

static unsigned read_fraction(struct parse *p, unsigned most) {
    uint32_t value = 0;
    unsigned digits = 0;
    for (; p->at < p->end && digits < most && isdigit((unsigned char)*p->at);
         digits++)
        value = value * 10 + (uint32_t)(*p->at++ - '0');
    for (unsigned i = digits; i < 9; i++)
        value *= 10;
    p->date->nanosecond = value;
    return 0;
}

static unsigned read_word(struct parse *p, const struct date_token *token) {
    int result;
    switch (token->element) {
    case ELEMENT_MON:
    case ELEMENT_MONTH:
        result = read_name(p, calendar_month_names, 12);
        p->date->month = result + 1;
        return result < 0 ? NO_MONTH : 0;
    case ELEMENT_DY:
    case ELEMENT_DAY:
        p->weekday = read_name(p, calendar_day_names, 7);
        return p->weekday < 0 ? NO_WEEKDAY : 0;
    default:
        if (take(p, "AM", 2) || take(p, "A.M.", 4))
            p->afternoon = 0;
        else if (take(p, "PM", 2) || take(p, "P.M.", 4))
            p->afternoon = 1;
        else
            return NO_AM;
        return 0;
    }
}

// Whether four digits stand for YY or RR, which Oracle takes as YYYY then.
static bool is_whole_year(const struct parse *p,
                          const struct date_token *token) {
    enum { DIGITS = 4 };
    int n = 0;
    while (p->at + n < p->end && isdigit((unsigned char)p->at[n]))
        n++;
    return n == DIGITS && p->last && token->digits == 2 &&
           (token->element == ELEMENT_YEAR || token->element == ELEMENT_RR);
}

static unsigned read_digits(struct parse *p, const struct date_token *token) {
    const int this_year = p->date->year;
    const bool whole_year = is_whole_year(p, token);
    unsigned digits, error;
    int64_t value;
    error = read_number(p, whole_year ? 4 : token->digits, &digits, &value);
    if (error == NOT_NUMERIC && token->element == ELEMENT_MM)
        return read_word(p, &(struct date_token){.element = ELEMENT_MON})
                   ? NOT_NUMERIC
                   : 0;
    if (error)
        return error;
    switch (token->element) {
    case ELEMENT_YEAR:
    case ELEMENT_RR:
    case ELEMENT_RRRR:
        p->date->year = whole_year
                            ? (int)value
                            : century_of(token, (int)value, this_year, digits);
        return p->date->year == 0 ? NO_YEAR : 0;
    case ELEMENT_MM:
        p->date->month = (int)value;
        return value < 1 || value > 12 ? NO_MONTH : 0;
    case ELEMENT_DD:
        p->date->day = (int)value;
        return value < 1 || value > 31 ? NO_DAY : 0;
    case ELEMENT_DDD:
        p->day_of_year = (int)value;
        return value < 1 || value > 366 ? NO_DAY_OF_YEAR : 0;
    case ELEMENT_SSSSS:
        p->day_seconds = value;
        return value >= SECONDS_OF_DAY ? NO_SECOND_OF_DAY : 0;
    case ELEMENT_J:
        p->julian = value;
        return value < 1 || value > 5373484 ? NO_JULIAN_DAY : 0;
    case ELEMENT_HH24:
        p->date->hour = (int)value;
        return value > 23 ? NO_HOUR : 0;
    case ELEMENT_HH12:
        p->hour12 = (int)value;
        return value < 1 || value > 12 ? NO_HOUR_OF_12 : 0;
    case ELEMENT_MI:
        p->date->minute = (int)value;
        return value > 59 ? NO_MINUTE : 0;
    default:
        p->date->second = (int)value;
        return value > 59 ? NO_SECOND : 0;
    }
}

static unsigned read_element(struct parse *p, const struct date_token *token,
                             bool fraction) {
    switch (token->element) {
    case ELEMENT_LITERAL:
        return read_literal(p, token);
    case ELEMENT_FM:
        return 0;
    case ELEMENT_X:
        if (p->at < p->end && *p->at == '.')
            p->at++;
        return 0;
    case ELEMENT_FF:
        return fraction
                   ? read_fraction(p, token->digits == 6 ? 9 : token->digits)
                   : NOT_RECOGNIZED;
    case ELEMENT_MON:
    case ELEMENT_MONTH:
    case ELEMENT_DY:
    case ELEMENT_DAY:
    case ELEMENT_AM:
    case ELEMENT_AM_DOTS:
        return p->at == p->end ? TOO_SHORT : read_word(p, token);
    case ELEMENT_YEAR:
    case ELEMENT_RR:
    case ELEMENT_RRRR:
    case ELEMENT_MM:
    case ELEMENT_DD:
    case ELEMENT_DDD:
    case ELEMENT_J:
    case ELEMENT_HH24:
    case ELEMENT_HH12:
    case ELEMENT_MI:
    case ELEMENT_SS:
    case ELEMENT_SSSSS:
        return read_digits(p, token);
    case ELEMENT_UNIMPLEMENTED:
        return UNIMPLEMENTED;
    case ELEMENT_UNKNOWN:
        return NOT_RECOGNIZED;
    default:
        return NOT_FOR_INPUT;
    }
}

static bool of_the_time(enum date_element element) {
    return element == ELEMENT_HH24 || element == ELEMENT_HH12 ||
           element == ELEMENT_MI || element == ELEMENT_SS ||
           element == ELEMENT_FF || element == ELEMENT_X ||
           element == ELEMENT_SSSSS;
}

// Elements that repeat a part of DDD or SSSSS: Oracle has an error for
// each that does not agree.
static bool says_again(uint64_t seen) {
    static const enum date_element of_day[] = {ELEMENT_MM, ELEMENT_MON,
                                               ELEMENT_MONTH, ELEMENT_DD,
                                               ELEMENT_J},
                                   of_time[] = {ELEMENT_HH24, ELEMENT_HH12,
                                                ELEMENT_MI, ELEMENT_SS};
    uint64_t day = 0, time = 0;
    for (size_t i = 0; i < sizeof of_day / sizeof *of_day; i++)
        day |= 1ULL << of_day[i];
    for (size_t i = 0; i < sizeof of_time / sizeof *of_time; i++)
        time |= 1ULL << of_time[i];
    return (seen & 1ULL << ELEMENT_DDD && seen & day) ||
           (seen & 1ULL << ELEMENT_SSSSS && seen & time);
}

static unsigned finish(struct parse *p) {
    struct oracle_date *date = p->date;
    if (p->day_seconds >= 0) {
        date->hour = (int)(p->day_seconds / 3600);
        date->minute = (int)(p->day_seconds / 60 % 60);
        date->second = (int)(p->day_seconds % 60);
    }
    if (p->day_of_year > 0) {
        const int year = date->year;
        calendar_set_julian_day(date, calendar_julian_day(year, 1, 1) +
                                          p->day_of_year - 1);
        if (date->year != year)
            return NO_DAY_OF_YEAR;
    }
    if (p->hour12 >= 0)
        date->hour = p->hour12 % 12 + (p->afternoon == 1 ? 12 : 0);
    if (p->julian > 0)
        calendar_set_julian_day(date, p->julian);
    if (date->day > calendar_days_in_month(date->year, date->month))
        return DAY_NOT_IN_MONTH;
    // the ten days that the Gregorian calendar skipped
    if (!oracle_date_valid(date))
        return DAY_NOT_IN_MONTH;
    if (p->weekday >= 0 &&
        p->weekday != calendar_weekday(calendar_julian_day(
                          date->year, date->month, date->day)))
        return 1835; // day of week conflicts with Julian date
    return 0;
}

unsigned date_parse(const char *text, size_t length, const char *format,
                    bool fraction, struct oracle_date *date) {
    struct parse p = {text, text + length, date, -1, -1, 0, -1, 0, -1, false};
    uint64_t seen_elements = 0;
    time_t today = time(NULL);
    struct tm tm;
    gmtime_r(&today, &tm);
    *date = (struct oracle_date){
        .year = tm.tm_year + 1900, .month = tm.tm_mon + 1, .day = 1};
    while (p.at < p.end && isspace((unsigned char)*p.at))
        p.at++;
    while (p.end > p.at && isspace((unsigned char)p.end[-1]))
        p.end--;
    for (;;) {
        struct date_token token = date_token_next(&format);
        if (token.element == ELEMENT_END)
            break;
        uint64_t bit = 1ULL << token.element;
        if (token.element > ELEMENT_FM && (seen_elements & bit))
            return TWICE;
        seen_elements |= bit;
        if (p.at == p.end && of_the_time(token.element))
            continue; // midnight
        const char *next_element = format;
        const enum date_element next = date_token_next(&next_element).element;
        p.last = next == ELEMENT_END || next == ELEMENT_LITERAL;
        unsigned error = read_element(&p, &token, fraction);
        if (error)
            return error;
    }
    if (says_again(seen_elements))
        return UNIMPLEMENTED;
    return p.at < p.end ? INPUT_LEFT : finish(&p);
}
