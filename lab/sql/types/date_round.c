// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/date_round.h"

#include <string.h>
#include <strings.h>

#include "sql/types/calendar.h"
#include "sql/types/value.h"

enum unit {
    CENTURY,
    YEAR,
    ISO_YEAR,
    QUARTER,
    MONTH,
    WW,
    IW,
    W,
    DAY_OF,
    WEEK,
    HOUR,
    MINUTE,
    NONE
};

static enum unit unit_of(const char *text, size_t length) {
    static const struct {
        const char *text;
        enum unit unit;
    } units[] = {
        {"CC", CENTURY}, {"SCC", CENTURY},   {"SYYYY", YEAR},  {"YYYY", YEAR},
        {"YEAR", YEAR},  {"SYEAR", YEAR},    {"YYY", YEAR},    {"YY", YEAR},
        {"Y", YEAR},     {"IYYY", ISO_YEAR}, {"IY", ISO_YEAR}, {"I", ISO_YEAR},
        {"Q", QUARTER},  {"MONTH", MONTH},   {"MON", MONTH},   {"MM", MONTH},
        {"RM", MONTH},   {"WW", WW},         {"IW", IW},       {"W", W},
        {"DDD", DAY_OF}, {"DD", DAY_OF},     {"J", DAY_OF},    {"DAY", WEEK},
        {"DY", WEEK},    {"D", WEEK},        {"HH", HOUR},     {"HH12", HOUR},
        {"HH24", HOUR},  {"MI", MINUTE},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].text) == length &&
            strncasecmp(units[i].text, text, length) == 0)
            return units[i].unit;
    return NONE;
}

// The start of the unit that contains `d`.
static struct oracle_date begin_of(const struct oracle_date *d,
                                   enum unit unit) {
    struct oracle_date start = {
        .year = d->year, .month = d->month, .day = d->day};
    const int64_t day = calendar_julian_day(d->year, d->month, d->day);
    int iso_year;
    switch (unit) {
    case CENTURY:
        start.year = (d->year - 1) / 100 * 100 + 1;
        start.month = start.day = 1;
        break;
    case YEAR:
        start.month = start.day = 1;
        break;
    case ISO_YEAR: // the Monday of its first ISO week
        calendar_iso_week(d, &iso_year);
        calendar_set_julian_day(&start, calendar_julian_day(iso_year, 1, 4));
        calendar_set_julian_day(
            &start,
            calendar_julian_day(iso_year, 1, 4) -
                (calendar_weekday(calendar_julian_day(iso_year, 1, 4)) + 6) %
                    7);
        break;
    case QUARTER:
        start.month = (d->month - 1) / 3 * 3 + 1;
        start.day = 1;
        break;
    case MONTH:
        start.day = 1;
        break;
    case WW: // weeks start on the weekday of 1 January
        calendar_set_julian_day(
            &start, day - (day - calendar_julian_day(d->year, 1, 1)) % 7);
        break;
    case W:
        start.day = (d->day - 1) / 7 * 7 + 1;
        break;
    case IW:
        calendar_set_julian_day(&start, day - (calendar_weekday(day) + 6) % 7);
        break;
    case WEEK:
        calendar_set_julian_day(&start, day - calendar_weekday(day));
        break;
    case MINUTE:
        start.minute = d->minute;
        start.hour = d->hour;
        break;
    case HOUR:
        start.hour = d->hour;
        break;
    default:
        break;
    }
    return start;
}

// The start of the next unit if `d` rounds up to it.
static struct oracle_date rounded(const struct oracle_date *d, enum unit unit) {
    struct oracle_date start = begin_of(d, unit);
    int64_t seconds = calendar_seconds(&start), length;
    switch (unit) {
    case YEAR:
        if (d->month >= 7)
            start.year++;
        return start;
    case QUARTER: // rounds up on the 16th of its second month
        if ((d->month - 1) % 3 == 2 ||
            ((d->month - 1) % 3 == 1 && d->day >= 16))
            calendar_add_months(&start, 3);
        start.day = 1;
        return start;
    case MONTH:
        if (d->day >= 16)
            calendar_add_months(&start, 1);
        start.day = 1;
        return start;
    case WW:
    case IW:
    case W:
    case WEEK:
        length = 7 * 86400;
        break;
    case HOUR:
        length = 3600;
        break;
    case MINUTE:
        length = 60;
        break;
    default:
        length = 86400;
    }
    if (2 * (calendar_seconds(d) - seconds) >= length)
        calendar_set_seconds(&start, seconds + length);
    return start;
}

void date_round_result(struct sqlite3_context *context, int n,
                       struct sqlite3_value **value, bool cut) {
    struct oracle_date date;
    struct text format;
    enum unit unit = DAY_OF;
    if (n > 1) {
        if (!value_text(context, value[1], &format))
            return;
        unit = unit_of(format.at, format.length);
        if (unit == NONE) {
            value_result_error(context, 1898, "");
            return;
        }
    }
    if (!value_time(context, value[0], &date))
        return;
    if (!cut && (unit == CENTURY || unit == ISO_YEAR)) {
        value_result_error(context, 3001,
                           "rounding to centuries and ISO years");
        return;
    }
    if (date.year < 1) {
        value_result_error(context, 3001, "TRUNC and ROUND of years before 1");
        return;
    }
    date = cut ? begin_of(&date, unit) : rounded(&date, unit);
    value_result_time(context, &date, DATE_BYTES);
}
