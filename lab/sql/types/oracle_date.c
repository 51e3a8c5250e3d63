// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/oracle_date.h"

#include <string.h>
#include <time.h>

#include "sql/types/calendar.h"

enum { HOUR_ZERO = 20, MINUTE_ZERO = 60, NAMED_ZONE = 0x80 };

bool oracle_date_valid(const struct oracle_date *date) {
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (date->month < 1 || date->month > 12 || date->year < -4712 ||
        date->year > 9999 || date->year == 0)
        return false;
    bool leap =
        date->year % 4 == 0 && (date->year % 100 != 0 || date->year % 400 == 0);
    return date->day >= 1 && date->day <= days[date->month - 1] &&
           (date->month != 2 || date->day < 29 || leap) && date->hour >= 0 &&
           date->hour < 24 && date->minute >= 0 && date->minute < 60 &&
           date->second >= 0 && date->second < 60 &&
           date->nanosecond < 1000000000;
}

// `date` converted to UTC.
static struct oracle_date in_utc(const struct oracle_date *date) {
    struct oracle_date utc = *date;
    if (date->zone != 0)
        calendar_set_seconds(&utc, calendar_seconds(date) - date->zone * 60);
    return utc;
}

void oracle_date_write(const struct oracle_date *shown, uint8_t *to,
                       size_t bytes) {
    const struct oracle_date utc =
        bytes == TIMESTAMP_TZ_BYTES ? in_utc(shown) : *shown;
    const struct oracle_date *date = &utc;
    memset(to, 0, bytes);
    to[0] = (uint8_t)(date->year / 100 + 100);
    to[1] = (uint8_t)(date->year % 100 + 100);
    to[2] = (uint8_t)date->month;
    to[3] = (uint8_t)date->day;
    to[4] = (uint8_t)(date->hour + 1);
    to[5] = (uint8_t)(date->minute + 1);
    to[6] = (uint8_t)(date->second + 1);
    for (int i = 0; i < 4 && bytes >= TIMESTAMP_BYTES; i++)
        to[7 + i] = (uint8_t)(date->nanosecond >> (24 - 8 * i));
    if (bytes == TIMESTAMP_TZ_BYTES) {
        to[11] = (uint8_t)(HOUR_ZERO + date->zone / 60);
        to[12] = (uint8_t)(MINUTE_ZERO + date->zone % 60);
    }
}

bool oracle_date_read(const uint8_t *from, size_t bytes,
                      struct oracle_date *date) {
    if (bytes < DATE_BYTES)
        return false;
    *date = (struct oracle_date){
        .year = (from[0] - 100) * 100 + from[1] - 100,
        .month = from[2],
        .day = from[3],
        .hour = from[4] - 1,
        .minute = from[5] - 1,
        .second = from[6] - 1,
    };
    // Drivers omit a fraction of zero.
    if (bytes >= TIMESTAMP_BYTES)
        date->nanosecond = (uint32_t)from[7] << 24 | (uint32_t)from[8] << 16 |
                           (uint32_t)from[9] << 8 | from[10];
    if (!oracle_date_valid(date))
        return false;
    if (bytes >= TIMESTAMP_TZ_BYTES) {
        if (from[11] & NAMED_ZONE)
            return false;
        date->zone = (from[11] - HOUR_ZERO) * 60 + from[12] - MINUTE_ZERO;
        calendar_set_seconds(date, calendar_seconds(date) + date->zone * 60);
    }
    return oracle_date_valid(date);
}

struct oracle_date oracle_date_of(int64_t seconds, uint32_t nanosecond) {
    time_t time_seconds = (time_t)seconds;
    struct tm tm;
    gmtime_r(&time_seconds, &tm);
    return (struct oracle_date){
        tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
        tm.tm_min,         tm.tm_sec,     nanosecond, 0};
}
