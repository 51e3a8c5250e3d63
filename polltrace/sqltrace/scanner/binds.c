// SPDX-License-Identifier: GPL-2.0-or-later
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

// Where a value in quotes ends: at the last quote of a line. Its lines are
// those up to the next that a bind has.
static const char *closing_quote(const char *at, const char *end) {
    while (at < end) {
        const char *const eol = line_end(at, end);
        const char *last = eol;
        if (last > at && last[-1] == '\r')
            last--;
        if (last > at && last[-1] == '"')
            return last - 1;
        at = after_line(eol, end);
    }
    return NULL;
}

// The rest of the value in quotes at `at`; returns behind its last line.
static const char *read_quoted(struct binds *to, const char *at,
                               const char *end) {
    const char *const quote = closing_quote(at, end);
    const char *const last = quote ? quote : end;
    to->open = !quote;
    if (to->values.len + (size_t)(last - at) < MOST_BYTES &&
        !strings_extend(&to->values, at, (size_t)(last - at)))
        return NULL;
    return quote ? skip_line(quote, end) : end;
}

// The value at `at`; returns behind its last line.
static const char *read_value(struct binds *to, const char *at,
                              const char *end) {
    const char *const eol = line_end(at, end);
    const bool quoted = at < eol && *at == '"';
    const char *last = eol;
    while (last > at && last[-1] == '\r')
        last--;
    const size_t len = quoted ? 0 : (size_t)(last - at);
    if (!to->count || to->values.len + len >= MOST_BYTES)
        return after_line(eol, end);
    const int32_t index = strings_add(&to->values, at, len);
    if (index < 0)
        return NULL;
    to->bind[to->count - 1].value = index;
    return quoted ? read_quoted(to, at + 1, end) : after_line(eol, end);
}

bool binds_read(struct binds *to, const char *at, const char *end) {
    if (to->open && at < end) {
        at = read_quoted(to, at, end);
        if (!at)
            return false;
    }
    while (at < end) {
        const char *eol = line_end(at, end);
        int64_t type;
        if (begins(at, eol, " Bind#")) {
            if (!add(to))
                return false;
        } else if (begins(at, eol, "  value=")) {
            at = read_value(to, at + 8, end);
            if (!at)
                return false;
            continue;
        } else if (begins(at, eol, "  No oacdef") && to->count) {
            to->bind[to->count - 1].type = REPEATED_BIND;
        } else if (begins(at, eol, "  oacdty=") && to->count) {
            const char *number = at + 9;
            if (read_number(&number, &type) && type < 1000)
                to->bind[to->count - 1].type = (int16_t)type;
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
