// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/calendar.h"

#include <stdbool.h>

enum { DAY = 86400, FIRST_GREGORIAN = 2299161 };

const char *const month_names[12] = {
    "JANUARY", "FEBRUARY", "MARCH",     "APRIL",   "MAY",      "JUNE",
    "JULY",    "AUGUST",   "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"};
const char *const day_names[7] = {"SUNDAY",   "MONDAY", "TUESDAY", "WEDNESDAY",
                                  "THURSDAY", "FRIDAY", "SATURDAY"};

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

// The years of both calendars begin in March here, so that the leap day is
// their last. There is no year 0.
int64_t julian_day(int year, int month, int day) {
    int64_t y = year < 0 ? year + 1 : year;
    int64_t m = month < 3 ? month + 9 : month - 3;
    y -= month < 3;
    int64_t days = 365 * y + floor_divide(y, 4) + (153 * m + 2) / 5 + day;
    int64_t julian = days + 1721117;
    int64_t gregorian =
        julian + 2 - floor_divide(y, 100) + floor_divide(y, 400);
    return gregorian >= FIRST_GREGORIAN ? gregorian : julian;
}

void set_julian_day(struct oracle_date *date, int64_t day) {
    int64_t days = day - 1721118, y;
    if (day >= FIRST_GREGORIAN) {
        int64_t g = days - 2; // since the first of March of the year 0
        int64_t era = floor_divide(g, 146097), in_era = g - era * 146097;
        int64_t year =
            (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
        y = era * 400 + year;
        days = in_era - (365 * year + year / 4 - year / 100);
    } else {
        y = floor_divide(4 * days + 3, 1461);
        days -= 365 * y + floor_divide(y, 4);
    }
    int64_t m = (5 * days + 2) / 153;
    date->day = (int)(days - (153 * m + 2) / 5 + 1);
    date->month = (int)(m < 10 ? m + 3 : m - 9);
    y += m >= 10;
    date->year = (int)(y < 1 ? y - 1 : y);
}

int days_in_month(int year, int month) {
    int next_year = month == 12 ? (year == -1 ? 1 : year + 1) : year;
    struct oracle_date last = {0};
    set_julian_day(&last, julian_day(next_year, month % 12 + 1, 1) - 1);
    return last.day;
}

int weekday(int64_t julian) {
    return (int)((julian + 1) % 7);
}

int iso_week(const struct oracle_date *date, int *iso_year) {
    int64_t day = julian_day(date->year, date->month, date->day);
    // The week belongs to the year that its Thursday is in.
    struct oracle_date thursday = {0};
    set_julian_day(&thursday, day + 3 - (weekday(day) + 6) % 7);
    *iso_year = thursday.year;
    return (int)(julian_day(thursday.year, thursday.month, thursday.day) -
                 julian_day(thursday.year, 1, 1)) /
               7 +
           1;
}

int64_t seconds_of(const struct oracle_date *date) {
    return julian_day(date->year, date->month, date->day) * DAY +
           date->hour * 3600 + date->minute * 60 + date->second;
}

void set_seconds(struct oracle_date *date, int64_t seconds) {
    int64_t day = floor_divide(seconds, DAY);
    int rest = (int)(seconds - day * DAY);
    set_julian_day(date, day);
    date->hour = rest / 3600;
    date->minute = rest / 60 % 60;
    date->second = rest % 60;
}

void add_months(struct oracle_date *date, int64_t months) {
    bool last = date->day == days_in_month(date->year, date->month);
    int64_t year = date->year < 0 ? date->year + 1 : date->year;
    int64_t month = year * 12 + date->month - 1 + months;
    year = floor_divide(month, 12);
    date->month = (int)(month - year * 12) + 1;
    date->year = (int)(year < 1 ? year - 1 : year);
    int days = days_in_month(date->year, date->month);
    if (last || date->day > days)
        date->day = days;
}
