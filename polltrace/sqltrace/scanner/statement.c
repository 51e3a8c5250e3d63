// SPDX-License-Identifier: GPL-2.0-or-later
#include "statement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binds.h"
#include "fields.h"

enum { LONGEST_SQL = 1 << 20, MOST_CURSORS = 1 << 16, FIRST_ROOM = 64 };

struct statement *statement_new(void) {
    struct statement *statement = calloc(1, sizeof *statement);
    if (statement)
        statement->refs = 1;
    return statement;
}

void statement_release(struct statement *statement) {
    if (!statement || --statement->refs)
        return;
    free(statement->sql);
    free(statement);
}

// The letters between quotes after "sqlid='".
static bool read_sqlid(const char *at, const char *end, char *to, size_t room) {
    static const char NAME[] = "sqlid='";
    const size_t len = sizeof NAME - 1;
    for (; end - at > (ptrdiff_t)len; at++)
        if (memcmp(at, NAME, len) == 0) {
            const char *from = at + len;
            size_t i = 0;
            while (from + i < end && from[i] != '\'' && i < room - 1) {
                to[i] = from[i];
                i++;
            }
            to[i] = '\0';
            return i > 0;
        }
    return false;
}

void statement_read(struct statement *to, const char *at, size_t len) {
    const char *const end = at + len;
    to->known = true;
    find_number(at, end, "hv=", &to->hv);
    find_number(at, end, "oct=", &to->oct);
    find_number(at, end, "uid=", &to->uid);
    find_number(at, end, "lid=", &to->lid);
    find_number(at, end, "dep=", &to->dep);
    // Before 11.1 there is none, and the hash value tells statements apart.
    if (!read_sqlid(at, end, to->sqlid, sizeof to->sqlid))
        snprintf(to->sqlid, sizeof to->sqlid, "hv=%" PRId64, to->hv);
}

bool statement_add_text(struct statement *to, const char *at, size_t len) {
    if (len > LONGEST_SQL - to->sql_len)
        len = LONGEST_SQL - to->sql_len;
    char *grown = realloc(to->sql, to->sql_len + len + 1);
    if (!grown)
        return false;
    to->sql = grown;
    memcpy(to->sql + to->sql_len, at, len);
    to->sql_len += len;
    return true;
}

static bool strip(struct statement *from, const char *text) {
    const size_t len = strlen(text);
    if (from->sql_len < len ||
        memcmp(from->sql + from->sql_len - len, text, len) != 0)
        return false;
    from->sql_len -= len;
    return true;
}

void statement_end_text(struct statement *statement) {
    if (!strip(statement, "\nEND OF STMT\n") &&
        !strip(statement, "\nEND OF STMT\r\n"))
        strip(statement, "\n");
    strip(statement, "\r");
}

void statement_end_error(struct statement *statement) {
    while (strip(statement, "\n") || strip(statement, "\r"))
        ;
    uint64_t hash = 0xCBF29CE484222325u; // FNV-1a
    for (size_t i = 0; i < statement->sql_len; i++)
        hash = (hash ^ (unsigned char)statement->sql[i]) * 0x100000001B3u;
    snprintf(statement->sqlid, sizeof statement->sqlid, "text=%016" PRIx64,
             hash);
}

static size_t slot_of(const struct cursors *cursors, int64_t number) {
    uint64_t hash = (uint64_t)number * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(hash >> 32) & (cursors->room - 1);
    while (cursors->slot[i].statement && cursors->slot[i].number != number)
        i = (i + 1) & (cursors->room - 1);
    return i;
}

static bool make_room(struct cursors *cursors) {
    if (cursors->count >= MOST_CURSORS) {
        cursors->forgotten += cursors->count;
        const uint64_t forgotten = cursors->forgotten;
        cursors_free(cursors);
        cursors->forgotten = forgotten;
    }
    if (cursors->room && cursors->count < cursors->room / 2)
        return true;
    struct cursors grown = *cursors;
    grown.room = cursors->room ? 2 * cursors->room : FIRST_ROOM;
    grown.slot = calloc(grown.room, sizeof *grown.slot);
    if (!grown.slot)
        return false;
    for (size_t i = 0; i < cursors->room; i++)
        if (cursors->slot[i].statement)
            grown.slot[slot_of(&grown, cursors->slot[i].number)] =
                cursors->slot[i];
    free(cursors->slot);
    *cursors = grown;
    return true;
}

// The name of a cursor that was parsed before the trace began.
static struct statement *unknown_statement(int64_t number) {
    struct statement *statement = statement_new();
    if (!statement)
        return NULL;
    snprintf(statement->sqlid, sizeof statement->sqlid, "#%" PRIu64,
             (uint64_t)number);
    if (!statement_add_text(statement, statement->sqlid,
                            strlen(statement->sqlid))) {
        statement_release(statement);
        return NULL;
    }
    return statement;
}

struct cursor *cursors_find(struct cursors *cursors, int64_t number) {
    if (cursors->room) {
        struct cursor *cursor = &cursors->slot[slot_of(cursors, number)];
        if (cursor->statement)
            return cursor;
    }
    if (!make_room(cursors))
        return NULL;
    struct cursor *cursor = &cursors->slot[slot_of(cursors, number)];
    cursor->statement = unknown_statement(number);
    if (!cursor->statement)
        return NULL;
    cursor->number = number;
    cursors->count++;
    return cursor;
}

struct binds *cursor_take_binds(struct cursor *cursor) {
    struct binds *binds = cursor->binds;
    cursor->binds = NULL;
    return binds;
}

void cursors_free(struct cursors *cursors) {
    for (size_t i = 0; i < cursors->room; i++) {
        statement_release(cursors->slot[i].statement);
        binds_free(cursors->slot[i].binds);
    }
    free(cursors->slot);
    *cursors = (struct cursors){0};
}
