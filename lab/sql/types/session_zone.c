// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "sql/types/session_zone.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sql/types/calendar.h"

enum { LONGEST_ZONE = 64, EPOCH = 2440588 /* as a Julian day */ };

static char zone_name[LONGEST_ZONE] = "+00:00";

static bool is_offset(const char *name, int *hours, int *minutes) {
    char sign, rest;
    return sscanf(name, "%c%2d:%2d%c", &sign, hours, minutes, &rest) == 3 &&
           (sign == '+' || sign == '-') && *hours <= 14 && *minutes >= 0 &&
           *minutes < 60;
}

static bool is_region(const char *name) {
    char path[LONGEST_ZONE + 32];
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("/_+-", *c))
            return false;
    if (strcmp(name, "UTC") == 0 || strcmp(name, "GMT") == 0)
        return true;
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    struct stat about;
    return isupper((unsigned char)*name) && stat(path, &about) == 0 &&
           S_ISREG(about.st_mode);
}

bool session_zone_set(const char *name, size_t length) {
    char zone_text[LONGEST_ZONE], posix[LONGEST_ZONE + 8];
    int hours, minutes;
    if (length == 0 || length >= sizeof zone_text)
        return false;
    memcpy(zone_text, name, length);
    zone_text[length] = '\0';
    if (is_offset(zone_text, &hours,
                  &minutes)) // POSIX counts offsets westwards
        snprintf(posix, sizeof posix, "<LAB>%c%02d:%02d",
                 *zone_text == '+' ? '-' : '+', hours, minutes);
    else if (is_region(zone_text))
        snprintf(posix, sizeof posix, ":%s", zone_text);
    else
        return false;
    setenv("TZ", posix, true);
    tzset();
    memcpy(zone_name, zone_text, sizeof zone_name);
    if (posix[0] == '<')
        snprintf(zone_name, sizeof zone_name, "%c%02d:%02d", *zone_text, hours,
                 minutes);
    return true;
}

const char *session_zone_name(void) {
    return zone_name;
}

// Until a zone is set, TZ is the server's own.
static bool is_utc(void) {
    return strcmp(zone_name, "+00:00") == 0;
}

int session_zone_at(const struct oracle_date *local) {
    struct tm tm = {
        .tm_year = local->year - 1900,
        .tm_mon = local->month - 1,
        .tm_mday = local->day,
        .tm_hour = local->hour,
        .tm_min = local->minute,
        .tm_sec = local->second,
        .tm_isdst = -1,
    };
    if (is_utc())
        return 0;
    mktime(&tm);
    return (int)(tm.tm_gmtoff / 60);
}

void session_zone_show(struct oracle_date *utc) {
    struct tm tm;
    const time_t index = (time_t)(calendar_seconds(utc) - EPOCH * 86400LL);
    if (!is_utc() && localtime_r(&index, &tm))
        utc->zone = (int)(tm.tm_gmtoff / 60);
    calendar_set_seconds(utc, calendar_seconds(utc) + utc->zone * 60);
}
