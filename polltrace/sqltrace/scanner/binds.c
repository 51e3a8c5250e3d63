// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem
#include "binds.h"

#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "lines.h"

enum { MOST_BINDS = 65535, MOST_BYTES = 1 << 20 };

static bool begins(const char *at, const char *end, const char *text) {
    const size_t len = strlen(text);
    return (size_t)(end - at) >= len && memcmp(at, text, len) == 0;
}

static bool add(struct binds *to) {
    if (to->count == MOST_BINDS)
        return true;
    if (to->count == to->room) {
        const size_t room = to->room ? 2 * to->room : 4;
        void *grown = realloc(to->bind, room * sizeof *to->bind);
        if (!grown)
            return false;
        to->bind = grown;
        to->room = room;
    }
    to->bind[to->count++] = (struct bind){.value = -1};
    return true;
}

const char *value_end(const char *at, const char *eol) {
    const char *last = eol;
    while (last > at && last[-1] == '\r')
        last--;
    if (last > at && last[-1] == '"')
        return last - 1;
    while (last > at && last[-1] >= '0' && last[-1] <= '9')
        last--;
    static const char NEXT[] = "Bind#";
    const ptrdiff_t len = sizeof NEXT - 1;
    if (last == eol || last - at <= len || memcmp(last - len, NEXT, len) != 0)
        return NULL;
    last -= len;
    while (last > at && last[-1] == ' ')
        last--;
    return last > at && last[-1] == '"' ? last - 1 : NULL;
}

// The closing quote of a value whose lines are those from `at` on.
static const char *closing_quote(const char *at, const char *end) {
    while (at < end) {
        const char *const eol = line_end(at, end);
        const char *const quote = value_end(at, eol);
        if (quote)
            return quote;
        at = after_line(eol, end);
    }
    return NULL;
}

// The rest of the value in quotes at `at`; returns behind it.
static const char *read_quoted(struct binds *to, const char *at,
                               const char *end) {
    const char *const quote = closing_quote(at, end);
    const char *const last = quote ? quote : end;
    to->open = !quote;
    if (to->values.len + (size_t)(last - at) < MOST_BYTES &&
        !strings_extend(&to->values, at, (size_t)(last - at)))
        return NULL;
    return quote ? quote + 1 : end;
}

// The value at `at`; returns behind it.
static const char *read_value(struct binds *to, const char *at,
                              const char *end) {
    const char *const eol = line_end(at, end);
    const bool quoted = at < eol && *at == '"';
    const char *next = memmem(at, (size_t)(eol - at), " Bind#", 6);
    const bool glued = !quoted && next;
    const char *last = glued ? next : eol;
    while (last > at && (last[-1] == '\r' || (glued && last[-1] == ' ')))
        last--;
    const size_t len = quoted ? 0 : (size_t)(last - at);
    if (!to->count || to->values.len + len >= MOST_BYTES || (glued && !len))
        return glued ? next : eol; // NULL has no value
    const int32_t index = strings_add(&to->values, at, len);
    if (index < 0)
        return NULL;
    to->bind[to->count - 1].value = index;
    return quoted ? read_quoted(to, at + 1, end) : last;
}

// "Bind#0"; 10.1 and earlier: "bind 0:".
static bool is_bind(const char *at, const char *eol) {
    if (begins(at, eol, "Bind#"))
        return true;
    if (!begins(at, eol, "bind "))
        return false;
    at += 5;
    const char *const digits = at;
    while (at < eol && *at >= '0' && *at <= '9')
        at++;
    return at > digits && at < eol && *at == ':';
}

static void read_type(struct binds *to, const char *at) {
    int64_t type;
    if (to->count && read_number(&at, &type) && type < 1000)
        to->bind[to->count - 1].type = (int16_t)type;
}

// The word at `at` and its value. Returns where the next may be; NULL where
// there is no memory.
static const char *read_word(struct binds *to, const char *at, const char *eol,
                             const char *end) {
    if (begins(at, eol, "value="))
        return read_value(to, at + 6, end);
    if (is_bind(at, eol)) {
        if (!add(to))
            return NULL;
        at += 5;
    } else if (begins(at, eol, "oacdty=")) {
        read_type(to, at + 7);
    } else if (begins(at, eol, "dty=")) {
        read_type(to, at + 4);
    } else if ((begins(at, eol, "No oacdef") ||
                begins(at, eol, "(No oacdef")) &&
               to->count) {
        to->bind[to->count - 1].type = REPEATED_BIND;
    }
    while (at < eol && *at != ' ')
        at++;
    return at;
}

bool binds_read(struct binds *to, const char *at, const char *end) {
    if (to->open && at < end) {
        at = read_quoted(to, at, end);
        if (!at)
            return false;
    }
    while (at < end) {
        const char *const eol = line_end(at, end);
        if (*at == ' ') {
            while (at < eol && *at == ' ')
                at++;
            if (at < eol) {
                at = read_word(to, at, eol, end);
                if (!at)
                    return false;
                continue;
            }
        }
        at = after_line(eol, end);
    }
    return true;
}

void binds_free(struct binds *binds) {
    if (!binds)
        return;
    strings_free(&binds->values);
    free(binds->bind);
    free(binds);
}
