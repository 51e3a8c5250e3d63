// SPDX-License-Identifier: GPL-2.0-or-later
// Days, weeks and months of Oracle's calendar: Julian until 1582-10-04,
// Gregorian from the next day on, which is 1582-10-15.
#ifndef ORALAB_CALENDAR_H
#define ORALAB_CALENDAR_H

#include <stdint.h>

#include "sql/types/oracle_date.h"

extern const char *const calendar_month_names[12]; // "JANUARY" ...
extern const char *const calendar_day_names[7];    // "SUNDAY" ...

// Julian day number; 1721424 is 1 January of the year 1.
int64_t calendar_julian_day(int year, int month, int day);
// Keeps the time of day.
void calendar_set_julian_day(struct oracle_date *date, int64_t day);
int calendar_days_in_month(int year, int month);
int calendar_weekday(int64_t julian); // 0 is Sunday
int calendar_iso_week(const struct oracle_date *date, int *iso_year);
// Whole seconds since Julian day 0.
int64_t calendar_seconds(const struct oracle_date *date);
void calendar_set_seconds(struct oracle_date *date, int64_t seconds);
// Moves to the same day of another month, or to its last day if there is no
// such day. The last day of a month stays the last day.
void calendar_add_months(struct oracle_date *date, int64_t months);

#endif
