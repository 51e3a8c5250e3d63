// SPDX-License-Identifier: GPL-2.0-or-later
// A remote session converts dates and text as the local one does, so it has the
// same formats and time zone.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/execute.h"
#include "sql/types/session_zone.h"

// A format with its quotes doubled.
static const char *quoted(const char *format, char to[2 * DATE_FORMAT]) {
    char *end = to;
    for (; *format; format++) {
        if (*format == '\'')
            *end++ = '\'';
        *end++ = *format;
    }
    *end = '\0';
    return to;
}

char *session_formats_sql(struct connection *c) {
    char date[2 * DATE_FORMAT], time[2 * DATE_FORMAT], zoned[2 * DATE_FORMAT];
    char *sql = NULL;
    c->formats = session_date_formats;
    snprintf(c->zone, sizeof c->zone, "%s", session_zone_name());
    const int length = asprintf(
        &sql,
        "ALTER SESSION SET NLS_DATE_FORMAT='%s' "
        "NLS_TIMESTAMP_FORMAT='%s' NLS_TIMESTAMP_TZ_FORMAT='%s' "
        "TIME_ZONE='%s'",
        quoted(c->formats.date, date), quoted(c->formats.timestamp, time),
        quoted(c->formats.timestamp_tz, zoned), c->zone);
    return length < 0 ? NULL : sql;
}

bool session_formats_follow(struct connection *c) {
    const struct date_formats *current_formats = &session_date_formats;
    if (strcmp(c->formats.date, current_formats->date) == 0 &&
        strcmp(c->formats.timestamp, current_formats->timestamp) == 0 &&
        strcmp(c->formats.timestamp_tz, current_formats->timestamp_tz) == 0 &&
        strcmp(c->zone, session_zone_name()) == 0)
        return true;
    char *sql = session_formats_sql(c);
    const bool ok = sql ? execute_alone(c, sql) : connection_lost(c, 4030, "");
    if (!ok)
        *c->zone = '\0'; // to be tried again
    free(sql);
    return ok;
}
