// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/trace_setting.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/sql_trace.h"
#include "process/trace_file.h"

enum { INVALID_OPTION = 922, NOT_IMPLEMENTED = 3001 };

static bool is_word(const char *text, size_t length, const char *word) {
    const struct token token = {
        .type = TOKEN_WORD, .at = text, .length = length};
    return token_is(&token, word);
}

static unsigned set_trace(struct database *database, const char *value,
                          size_t length) {
    const bool on = is_word(value, length, "true");
    if (!on && !is_word(value, length, "false"))
        return INVALID_OPTION;
    sql_trace_set(database->self, on ? SQL_TRACE_ON : SQL_TRACE_OFF);
    return 0;
}

// It is part of a file's name.
static unsigned set_identifier(const char *value, size_t length) {
    char identifier[SGA_NAME];
    if (length >= sizeof identifier)
        return INVALID_OPTION;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)value[i]) && !strchr("_-$#", value[i]))
            return INVALID_OPTION;
    snprintf(identifier, sizeof identifier, "%.*s", (int)length, value);
    trace_file_identify(identifier);
    return 0;
}

// A number of blocks of 512 bytes, or of bytes with a unit.
static unsigned set_limit(const char *value, size_t length) {
    char text[24];
    char *end;
    if (is_word(value, length, "unlimited")) {
        trace_file_limit(TRACE_UNLIMITED);
        return 0;
    }
    snprintf(text, sizeof text, "%.*s", (int)(length < 23 ? length : 23),
             value);
    const unsigned long number = strtoul(text, &end, 10);
    const int unit = toupper((unsigned char)*end);
    const char *units = "KMG", *found = *end ? strchr(units, unit) : NULL;
    if (!isdigit((unsigned char)*text) || number > INT32_MAX ||
        (*end && (!found || end[1])))
        return INVALID_OPTION;
    trace_file_limit(found ? (int64_t)number << 10 * (found - units + 1)
                           : (int64_t)number * DUMP_BLOCK);
    return 0;
}

bool trace_setting_parameter(struct database *database,
                             const struct token *name, const char *value,
                             size_t length, unsigned *error) {
    if (token_is(name, "sql_trace"))
        *error = set_trace(database, value, length);
    else if (token_is(name, "tracefile_identifier"))
        *error = set_identifier(value, length);
    else if (token_is(name, "max_dump_file_size"))
        *error = set_limit(value, length);
    else
        return false;
    return true;
}

struct reader {
    const char *at, *end;
    struct token token;
};

static bool next_is(struct reader *r, const char *word) {
    r->token = lexer_next(&r->at, r->end);
    return token_is(&r->token, word);
}

static bool next_number(struct reader *r, uint32_t *number) {
    r->token = lexer_next(&r->at, r->end);
    if (r->token.type != TOKEN_NUMBER || r->token.length > 9)
        return false;
    *number = (uint32_t)strtoul(r->token.at, NULL, 10);
    return true;
}

static bool at_end(struct reader *r) {
    return lexer_next(&r->at, r->end).type == TOKEN_END;
}

// ... trace name context {off | forever [, level N]}
static unsigned set_10046(struct database *database, struct reader *r) {
    uint32_t level = SQL_TRACE_ON;
    if (!next_is(r, "trace") || !next_is(r, "name") || !next_is(r, "context"))
        return NOT_IMPLEMENTED;
    if (next_is(r, "off"))
        level = SQL_TRACE_OFF;
    else if (!token_is(&r->token, "forever"))
        return NOT_IMPLEMENTED;
    else if (next_is(r, ",") &&
             (!next_is(r, "level") || !next_number(r, &level)))
        return NOT_IMPLEMENTED;
    if (!at_end(r))
        return NOT_IMPLEMENTED;
    sql_trace_set(database->self, level);
    return 0;
}

static bool read_bit(struct reader *r, uint32_t bit, uint32_t *level) {
    if (!next_is(r, "="))
        return false;
    *level &= ~bit;
    if (next_is(r, "true"))
        *level |= bit;
    return token_is(&r->token, "true") || token_is(&r->token, "false");
}

static bool read_plan(struct reader *r, uint32_t *level) {
    if (!next_is(r, "="))
        return false;
    *level &= ~(uint32_t)(SQL_TRACE_NO_PLAN | SQL_TRACE_EVERY_PLAN);
    if (next_is(r, "never"))
        *level |= SQL_TRACE_NO_PLAN;
    else if (token_is(&r->token, "all_executions"))
        *level |= SQL_TRACE_EVERY_PLAN;
    else
        return token_is(&r->token, "first_execution");
    return true;
}

// sql_trace {off | [level=N] [wait=true] [bind=true] [plan_stat=never]}
static unsigned set_sql_trace(struct database *database, struct reader *r) {
    uint32_t level = SQL_TRACE_ON | SQL_TRACE_WAITS; // as in Oracle: with waits
    bool valid = true;
    r->token = lexer_next(&r->at, r->end);
    if (token_is(&r->token, "off") && at_end(r)) {
        sql_trace_set(database->self, SQL_TRACE_OFF);
        return 0;
    }
    while (valid && r->token.type != TOKEN_END) {
        if (token_is(&r->token, "wait"))
            valid = read_bit(r, SQL_TRACE_WAITS, &level);
        else if (token_is(&r->token, "bind"))
            valid = read_bit(r, SQL_TRACE_BINDS, &level);
        else if (token_is(&r->token, "plan_stat"))
            valid = read_plan(r, &level);
        else if (token_is(&r->token, "level"))
            valid = next_is(r, "=") && next_number(r, &level);
        else
            valid = false;
        if (next_is(r, ","))
            r->token = lexer_next(&r->at, r->end);
    }
    if (!valid)
        return NOT_IMPLEMENTED;
    sql_trace_set(database->self, level);
    return 0;
}

unsigned trace_setting_events(struct database *database, const char *text,
                              size_t length) {
    struct reader r = {.at = text, .end = text + length};
    uint32_t event = 0;
    if (next_number(&r, &event))
        return event == 10046 ? set_10046(database, &r) : NOT_IMPLEMENTED;
    return token_is(&r.token, "sql_trace") ? set_sql_trace(database, &r)
                                           : NOT_IMPLEMENTED;
}
