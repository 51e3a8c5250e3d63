// SPDX-License-Identifier: GPL-2.0-or-later
// Days, weeks and months of Oracle's calendar: Julian until 1582-10-04,
// Gregorian from the day after, which is 1582-10-15.
#ifndef ORALAB_CALENDAR_H
#define ORALAB_CALENDAR_H

#include <stdint.h>

#include "sql/oracle_date.h"

extern const char *const month_names[12]; // "JANUARY" ...
extern const char *const day_names[7];    // "SUNDAY" ...

// Julian day numbers: 1721424 is the first of January of the year 1.
int64_t julian_day(int year, int month, int day);
// The time of day stays as it is.
void set_julian_day(struct oracle_date *date, int64_t day);
int days_in_month(int year, int month);
int weekday(int64_t julian); // 0: Sunday
int iso_week(const struct oracle_date *date, int *iso_year);
// Seconds since Julian day 0, without the fraction.
int64_t seconds_of(const struct oracle_date *date);
void set_seconds(struct oracle_date *date, int64_t seconds);
// The same day of another month, the last one where there is no such day;
// the last day stays the last day.
void add_months(struct oracle_date *date, int64_t months);

#endif
