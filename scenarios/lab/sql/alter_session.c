// SPDX-License-Identifier: GPL-2.0-or-later
// ALTER SESSION SET BREAK_POLL_SKIP = N, the lab's own: Oracle takes its skip
// from sqlnet.ora as a server starts, and keeps it. Two servers differ by per
// cents, by where their memory happens to lie; one session at two skips does
// not. 0 is no break checks at all, as a session has it out-of-band: an in-band
// break is then seen only as the call ends.
#define _GNU_SOURCE
#include "sql/alter_session.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "net/breakcheck.h"
#include "sql/date_format.h"

// ALTER SESSION SET NLS_DATE_FORMAT = '...' and its like. Drivers set several
// parameters in one statement.
static void set_format(const char *sql, const char *end, const char *name,
                       char *format) {
    const char *at = sql;
    const size_t length = strlen(name);
    for (; (size_t)(end - at) > length; at++) {
        if (strncasecmp(at, name, length) != 0)
            continue;
        const char *open = memchr(at, '\'', (size_t)(end - at));
        const char *close =
            open ? memchr(open + 1, '\'', (size_t)(end - open - 1)) : NULL;
        const char *next = at + length;
        while (next < end && (*next == ' ' || *next == '='))
            next++;
        if (close && open == next && close - open - 1 < DATE_FORMAT) {
            memcpy(format, open + 1, (size_t)(close - open - 1));
            format[close - open - 1] = '\0';
        }
        return;
    }
}

bool alter_session(struct database *database, const char *sql, size_t length) {
    char text[80], rest;
    unsigned skip;
    struct break_channel *channel = database->lio.channel;

    set_format(sql, sql + length, "nls_date_format", the_formats.date);
    set_format(sql, sql + length, "nls_timestamp_format",
               the_formats.timestamp);
    set_format(sql, sql + length, "nls_timestamp_tz_format",
               the_formats.timestamp_tz);
    if (length >= sizeof text)
        return true; // something else's value: accepted, and without meaning
    memcpy(text, sql, length);
    text[length] = '\0';
    if (!strcasestr(text, "break_poll_skip"))
        return true;
    char *value = strchr(text, '=');
    if (!value || sscanf(value + 1, " %9u %c", &skip, &rest) != 1)
        return false;
    if (!channel)
        return true;
    channel->mode = skip ? BREAK_IN_BAND : BREAK_OUT_OF_BAND;
    channel->skip = skip;
    channel->skipped = 0;
    return true;
}
