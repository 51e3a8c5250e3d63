// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's encoding of points in time, which is also how the lab stores them: 7
// bytes for a DATE, 11 for a TIMESTAMP, 13 for one WITH TIME ZONE, whose fields
// are in UTC. The bytes sort chronologically.
#ifndef ORALAB_ORACLE_DATE_H
#define ORALAB_ORACLE_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DATE_BYTES = 7, TIMESTAMP_BYTES = 11, TIMESTAMP_TZ_BYTES = 13 };

struct oracle_date {
    int year, month, day, hour, minute, second;
    uint32_t nanosecond;
    int zone; // the fields' time zone in minutes east of UTC; else 0
};

bool oracle_date_valid(const struct oracle_date *date);
void oracle_date_write(const struct oracle_date *date, uint8_t *to,
                       size_t bytes);
bool oracle_date_read(const uint8_t *from, size_t bytes,
                      struct oracle_date *date);
struct oracle_date oracle_date_of(int64_t seconds, uint32_t nanosecond);

#endif
