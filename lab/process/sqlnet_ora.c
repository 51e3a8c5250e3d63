// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "process/sqlnet_ora.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// 3 is the default on Unix in 10.2 and 11.1, 60 seconds since 10.2, for clients
// that log on as for connecting to others (TCP.CONNECT_TIMEOUT).
const struct sqlnet_ora sqlnet_ora_defaults = {.break_poll_skip = 3,
                                               .default_sdu_size = 8192,
                                               .inbound_connect_timeout = 60,
                                               .outbound_connect_timeout = 60};

static bool word_is(const char *at, size_t n, const char *word) {
    return n == strlen(word) && strncasecmp(at, word, n) == 0;
}

static bool says_yes(const char *at, size_t n) {
    return word_is(at, n, "on") || word_is(at, n, "true") ||
           word_is(at, n, "yes") || word_is(at, n, "1");
}

static const char *trimmed(const char *from, const char *to, size_t *n) {
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    *n = (size_t)(to - from);
    return from;
}

// A value that is no number from `least` to `most` changes nothing.
static void take_number(const char *value, size_t length, long least, long most,
                        unsigned *to) {
    char digits[12] = "", *stop;
    if (length == 0 || length >= sizeof digits)
        return;
    memcpy(digits, value, length);
    const long number = strtol(digits, &stop, 10);
    if (*stop == '\0' && number >= least && number <= most)
        *to = (unsigned)number;
}

void sqlnet_ora_line(struct sqlnet_ora *ora, const char *line) {
    const char *end = line + strcspn(line, "#\r\n");
    const char *equals = memchr(line, '=', (size_t)(end - line));
    if (!equals)
        return;
    size_t name_length, length;
    const char *name = trimmed(line, equals, &name_length);
    const char *value = trimmed(equals + 1, end, &length);
    // Oracle's own tools also write (value) and "value".
    while (length >= 2 && ((value[0] == '(' && value[length - 1] == ')') ||
                           (value[0] == '"' && value[length - 1] == '"')))
        value = trimmed(value + 1, value + length - 1, &length);

    if (word_is(name, name_length, "break_poll_skip")) {
        take_number(value, length, 1, INT_MAX, &ora->break_poll_skip);
    } else if (word_is(name, name_length, "default_sdu_size")) {
        take_number(value, length, 512, 2097152, &ora->default_sdu_size);
    } else if (word_is(name, name_length, "sqlnet.inbound_connect_timeout")) {
        take_number(value, length, 0, 3600, &ora->inbound_connect_timeout);
    } else if (word_is(name, name_length, "sqlnet.expire_time")) {
        take_number(value, length, 0, 500, &ora->expire_time);
    } else if (word_is(name, name_length, "sqlnet.recv_timeout")) {
        take_number(value, length, 1, 86400, &ora->receive_timeout);
    } else if (word_is(name, name_length, "sqlnet.outbound_connect_timeout")) {
        take_number(value, length, 1, 3600, &ora->outbound_connect_timeout);
    } else if (word_is(name, name_length, "disable_oob")) {
        ora->disable_oob = says_yes(value, length);
    } else if (word_is(name, name_length, "disable_oob_auto")) {
        ora->disable_oob_auto = says_yes(value, length);
    }
}

struct sqlnet_ora sqlnet_ora_read(const char *directory) {
    struct sqlnet_ora ora = sqlnet_ora_defaults;
    char path[PATH_MAX];
    if (!directory || snprintf(path, sizeof path, "%s/sqlnet.ora", directory) >=
                          (int)sizeof path)
        return ora;
    FILE *file = fopen(path, "re");
    if (!file)
        return ora;
    char line[1024];
    while (fgets(line, sizeof line, file))
        sqlnet_ora_line(&ora, line);
    fclose(file);
    return ora;
}
