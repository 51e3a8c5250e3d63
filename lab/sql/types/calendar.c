// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/calendar.h"

#include <stdbool.h>

enum { DAY = 86400, FIRST_GREGORIAN = 2299161 };

const char *const calendar_month_names[12] = {
    "JANUARY", "FEBRUARY", "MARCH",     "APRIL",   "MAY",      "JUNE",
    "JULY",    "AUGUST",   "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"};
const char *const calendar_day_names[7] = {"SUNDAY",    "MONDAY",   "TUESDAY",
                                           "WEDNESDAY", "THURSDAY", "FRIDAY",
                                           "SATURDAY"};

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

// Years begin in March here, so that the leap day is their last day. There is
// no year 0.
int64_t calendar_julian_day(int year, int month, int day) {
    int64_t y = year < 0 ? year + 1 : year;
    int64_t m = month < 3 ? month + 9 : month - 3;
    y -= month < 3;
    int64_t days = 365 * y + floor_divide(y, 4) + (153 * m + 2) / 5 + day;
    int64_t julian = days + 1721117;
    int64_t gregorian =
        julian + 2 - floor_divide(y, 100) + floor_divide(y, 400);
    return gregorian >= FIRST_GREGORIAN ? gregorian : julian;
}

void calendar_set_julian_day(struct oracle_date *date, int64_t day) {
    int64_t days = day - 1721118, y;
    if (day >= FIRST_GREGORIAN) {
        int64_t g = days - 2; // days since 1 March of year 0
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

int calendar_days_in_month(int year, int month) {
    int next_year = month == 12 ? (year == -1 ? 1 : year + 1) : year;
    struct oracle_date last = {0};
    calendar_set_julian_day(
        &last, calendar_julian_day(next_year, month % 12 + 1, 1) - 1);
    return last.day;
}

int calendar_weekday(int64_t julian) {
    return (int)((julian + 1) % 7);
}

int calendar_iso_week(const struct oracle_date *date, int *iso_year) {
    int64_t day = calendar_julian_day(date->year, date->month, date->day);
    // An ISO week belongs to the year that contains its Thursday.
    struct oracle_date thursday = {0};
    calendar_set_julian_day(&thursday,
                            day + 3 - (calendar_weekday(day) + 6) % 7);
    *iso_year = thursday.year;
    return (int)(calendar_julian_day(thursday.year, thursday.month,
                                     thursday.day) -
                 calendar_julian_day(thursday.year, 1, 1)) /
               7 +
           1;
}

int64_t calendar_seconds(const struct oracle_date *date) {
    return calendar_julian_day(date->year, date->month, date->day) * DAY +
           date->hour * 3600 + date->minute * 60 + date->second;
}

void calendar_set_seconds(struct oracle_date *date, int64_t seconds) {
    int64_t day = floor_divide(seconds, DAY);
    int second_of_day = (int)(seconds - day * DAY);
    calendar_set_julian_day(date, day);
    date->hour = second_of_day / 3600;
    date->minute = second_of_day / 60 % 60;
    date->second = second_of_day % 60;
}

void calendar_add_months(struct oracle_date *date, int64_t months) {
    bool last = date->day == calendar_days_in_month(date->year, date->month);
    int64_t year = date->year < 0 ? date->year + 1 : date->year;
    int64_t month = year * 12 + date->month - 1 + months;
    year = floor_divide(month, 12);
    date->month = (int)(month - year * 12) + 1;
    date->year = (int)(year < 1 ? year - 1 : year);
    int days = calendar_days_in_month(date->year, date->month);
    if (last || date->day > days)
        date->day = days;
}
