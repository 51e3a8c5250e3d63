// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/types/calendar.h"
#include "sql/types/date_format.h"

struct shown {
    char *to;
    size_t length, size;
    bool fill; // pad with blanks and zeros; each FM toggles it
};

static void add(struct shown *shown, const char *text, size_t length) {
    if (shown->length + length < shown->size) {
        memcpy(shown->to + shown->length, text, length);
        shown->length += length;
    } else {
        shown->length = shown->size; // too long
    }
}

static void add_number(struct shown *shown, int64_t value, unsigned digits) {
    char text[24];
    int n = snprintf(text, sizeof text, "%0*lld", shown->fill ? (int)digits : 1,
                     (long long)value);
    add(shown, text, (size_t)n);
}

// Applies the case of the format's own first two letters.
static void add_name(struct shown *shown, const char *name, size_t length,
                     const struct date_token *as, size_t filled) {
    bool upper = isupper((unsigned char)as->at[0]);
    bool upper_rest = upper && isupper((unsigned char)as->at[1]);
    for (size_t i = 0; i < length; i++) {
        int c =
            (i == 0 ? upper : upper_rest) ? toupper(name[i]) : tolower(name[i]);
        char character = (char)c;
        add(shown, &character, 1);
    }
    for (size_t i = length; i < filled && shown->fill; i++)
        add(shown, " ", 1);
}

static void add_fraction(struct shown *shown, uint32_t nanosecond,
                         unsigned digits) {
    char text[12];
    snprintf(text, sizeof text, "%09u", nanosecond);
    add(shown, text, digits);
}

static int power_of_ten(unsigned n) {
    return n == 0 ? 1 : 10 * power_of_ten(n - 1);
}

static unsigned add_element(struct shown *shown, const struct oracle_date *d,
                            size_t bytes, const struct date_token *token) {
    enum { NOT_RECOGNIZED = 1821 };
    const int64_t day = calendar_julian_day(d->year, d->month, d->day);
    const int day_of_year = (int)(day - calendar_julian_day(d->year, 1, 1)) + 1;
    const int hour12 = d->hour % 12 == 0 ? 12 : d->hour % 12;
    const char *month = calendar_month_names[d->month - 1];
    const char *name = calendar_day_names[calendar_weekday(day)];
    int iso_year, week = calendar_iso_week(d, &iso_year);
    switch (token->element) {
    case ELEMENT_LITERAL:
        add(shown, token->at, token->length);
        break;
    case ELEMENT_FM:
        shown->fill = !shown->fill;
        break;
    case ELEMENT_YEAR:
    case ELEMENT_RR:
    case ELEMENT_RRRR:
        add_number(shown, abs(d->year) % power_of_ten(token->digits),
                   token->digits);
        break;
    case ELEMENT_ISO_YEAR:
        add_number(shown, abs(iso_year) % power_of_ten(token->digits),
                   token->digits);
        break;
    case ELEMENT_QUARTER:
        add_number(shown, (d->month + 2) / 3, 1);
        break;
    case ELEMENT_MM:
        add_number(shown, d->month, 2);
        break;
    case ELEMENT_MON:
        add_name(shown, month, 3, token, 3);
        break;
    case ELEMENT_MONTH:
        add_name(shown, month, strlen(month), token, 9);
        break;
    case ELEMENT_WW:
        add_number(shown, (day_of_year - 1) / 7 + 1, 2);
        break;
    case ELEMENT_IW:
        add_number(shown, week, 2);
        break;
    case ELEMENT_W:
        add_number(shown, (d->day - 1) / 7 + 1, 1);
        break;
    case ELEMENT_DDD:
        add_number(shown, day_of_year, 3);
        break;
    case ELEMENT_DD:
        add_number(shown, d->day, 2);
        break;
    case ELEMENT_D:
        add_number(shown, calendar_weekday(day) + 1, 1);
        break;
    case ELEMENT_DY:
        add_name(shown, name, 3, token, 3);
        break;
    case ELEMENT_DAY:
        add_name(shown, name, strlen(name), token, 9);
        break;
    case ELEMENT_J:
        add_number(shown, day, 7);
        break;
    case ELEMENT_HH24:
        add_number(shown, d->hour, 2);
        break;
    case ELEMENT_HH12:
        add_number(shown, hour12, 2);
        break;
    case ELEMENT_MI:
        add_number(shown, d->minute, 2);
        break;
    case ELEMENT_SS:
        add_number(shown, d->second, 2);
        break;
    case ELEMENT_SSSSS:
        add_number(shown, d->hour * 3600 + d->minute * 60 + d->second, 5);
        break;
    case ELEMENT_AM:
        add_name(shown, d->hour < 12 ? "AM" : "PM", 2, token, 2);
        break;
    case ELEMENT_AM_DOTS:
        add(shown, d->hour < 12 ? "A.M." : "P.M.", 4);
        break;
    case ELEMENT_X:
        add(shown, ".", 1);
        break;
    case ELEMENT_FF:
        if (bytes == DATE_BYTES)
            return NOT_RECOGNIZED;
        add_fraction(shown, d->nanosecond, token->digits);
        break;
    case ELEMENT_TZH:
    case ELEMENT_TZM:
    case ELEMENT_TZR:
        if (bytes != TIMESTAMP_TZ_BYTES)
            return NOT_RECOGNIZED;
        if (token->element != ELEMENT_TZM) {
            add(shown, d->zone < 0 ? "-" : "+", 1);
            add_number(shown, abs(d->zone) / 60, 2);
        }
        if (token->element == ELEMENT_TZR)
            add(shown, ":", 1);
        if (token->element != ELEMENT_TZH)
            add_number(shown, abs(d->zone) % 60, 2);
        break;
    case ELEMENT_UNIMPLEMENTED:
        return 3001;
    default:
        return NOT_RECOGNIZED;
    }
    return 0;
}

unsigned date_show(const struct oracle_date *date, size_t bytes,
                   const char *format, char *to, size_t size) {
    struct shown output = {.to = to, .size = size, .fill = true};
    for (;;) {
        struct date_token token = date_token_next(&format);
        if (token.element == ELEMENT_END)
            break;
        unsigned error = add_element(&output, date, bytes, &token);
        if (error)
            return error;
    }
    if (output.length >= size)
        return 1801; // date format is too long for internal buffer
    to[output.length] = '\0';
    return 0;
}
