// SPDX-License-Identifier: GPL-2.0-or-later
// ALTER SESSION SET name = value ... Drivers set several parameters in one
// statement.
//
// BREAK_POLL_SKIP = N is the lab's own. Oracle reads its skip from sqlnet.ora
// when a server starts and keeps it. Two servers differ by some per cent
// depending on their memory layout; one session at two skips does not. 0 turns
// break checks off, as in an out-of-band session: an in-band break is then
// noticed only when the call ends.
//
// So is "_result_cache_latch_mode": whether the session finds results with the
// latch held exclusively, as Oracle 11.1 does, or shared, as from 11.2 on.
#include "sql/execute/alter_session.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/breakcheck.h"
#include "sql/execute/link_ddl.h"
#include "sql/execute/trace_setting.h"
#include "sql/parse/lexer.h"
#include "sql/types/date_format.h"
#include "sql/types/session_zone.h"

enum {
    INVALID_OPTION = 922,
    NOT_IMPLEMENTED = 3001,
    NO_SUCH_ZONE = 1882,
    NO_SUCH_PARAMETER = 2248
};

struct value {
    const char *at;
    size_t length;
};

static bool is_text(const struct value *value, const char *text) {
    return value->length == strlen(text) &&
           strncasecmp(value->at, text, value->length) == 0;
}

static unsigned set_skip(struct break_channel *channel,
                         const struct value *value) {
    char *end;
    const unsigned long skip = strtoul(value->at, &end, 10);
    if (value->length == 0 || value->length > 9 ||
        end != value->at + value->length)
        return INVALID_OPTION;
    if (!channel)
        return 0;
    channel->mode = skip ? BREAK_IN_BAND : BREAK_OUT_OF_BAND;
    channel->skip = (unsigned)skip;
    channel->skipped = 0;
    return 0;
}

static unsigned set_result_cache_mode(struct cached_result_settings *settings,
                                      const struct value *value) {
    if (!is_text(value, "force") && !is_text(value, "manual"))
        return INVALID_OPTION;
    settings->force = is_text(value, "force");
    return 0;
}

static unsigned set_statistics_level(struct database *database,
                                     const struct value *value) {
    if (!is_text(value, "all") && !is_text(value, "typical"))
        return is_text(value, "basic") ? NOT_IMPLEMENTED : INVALID_OPTION;
    database->gathers = is_text(value, "all");
    return 0;
}

static unsigned set_latch_mode(struct cached_result_settings *settings,
                               const struct value *value) {
    if (!is_text(value, "exclusive") && !is_text(value, "shared"))
        return INVALID_OPTION;
    settings->exclusive = is_text(value, "exclusive");
    return 0;
}

// Names that begin with an underscore are quoted.
static bool is_hidden(const struct token *token, const char *name) {
    return token->type == TOKEN_QUOTED && token->length == strlen(name) &&
           strncasecmp(token->at, name, token->length) == 0;
}

// Updates the row that NLS_SESSION_PARAMETERS shows.
static void show_parameter(struct database *database, const char *name,
                           const char *value) {
    char *sql = sqlite3_mprintf("UPDATE main.NLS_SESSION_PARAMETERS SET VALUE="
                                "%Q WHERE PARAMETER=upper(%Q)",
                                value, name);
    database->declaring = true;
    if (sql)
        sqlite3_exec(database->db, sql, NULL, NULL, NULL);
    database->declaring = false;
    sqlite3_free(sql);
}

static unsigned set_format(struct database *database, const char *name,
                           const struct value *value, char *format) {
    if (value->length >= DATE_FORMAT)
        return INVALID_OPTION;
    size_t n = 0;
    for (size_t i = 0; i < value->length; i++) {
        format[n++] = value->at[i];
        i += value->at[i] == '\''; // two in a literal are one
    }
    format[n] = '\0';
    show_parameter(database, name, format);
    return 0;
}

// Parameters with a single supported value.
static unsigned keep(const struct database *database, const struct token *name,
                     const struct value *value) {
    static const struct {
        const char *name, *value;
    } fixed[] = {
        {"nls_numeric_characters", ".,"},
        {"nls_language", "AMERICAN"},
        {"nls_date_language", "AMERICAN"},
        {"nls_territory", "AMERICA"},
        {"nls_calendar", "GREGORIAN"},
        {"nls_sort", "BINARY"},
        {"nls_comp", "BINARY"},
        {"nls_currency", "$"},
        {"nls_length_semantics", "BYTE"},
        {"nls_nchar_conv_excp", "FALSE"},
        {"isolation_level", "READ"},
        {"timed_statistics", "TRUE"},
        {"cursor_sharing", "EXACT"},
        {"optimizer_mode", "ALL_ROWS"},
    };
    // Settings of Oracle's without an effect here.
    static const char *const ignored_settings[] = {
        "container",
        "ddl_lock_timeout",
        "plsql_code_type",
        "workarea_size_policy",
        "sort_area_size",
        "hash_area_size",
        "query_rewrite_enabled",
        "star_transformation_enabled",
        "parallel_degree_policy",
        "parallel_force_local",
        "edition",
        "time_zone",
        "nls_iso_currency",
        "nls_dual_currency",
        "sqltune_category",
        "commit_logging",
        "commit_wait",
        "constraints",
        "db_file_multiblock_read_count",
        "optimizer_features_enable",
        "optimizer_index_cost_adj",
        "optimizer_index_caching",
        "optimizer_dynamic_sampling",
        "optimizer_use_invisible_indexes",
        "session_cached_cursors",
        "recyclebin",
        "skip_unusable_indexes",
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (token_is(name, fixed[i].name))
            return is_text(value, fixed[i].value) ? 0 : NOT_IMPLEMENTED;
    if (token_is(name, "current_schema"))
        return is_text(value, database->sga->user) ? 0 : NOT_IMPLEMENTED;
    for (size_t i = 0; i < sizeof ignored_settings / sizeof *ignored_settings;
         i++)
        if (token_is(name, ignored_settings[i]))
            return NOT_IMPLEMENTED;
    return name->length > 0 && *name->at == '_' ? NOT_IMPLEMENTED
                                                : NO_SUCH_PARAMETER;
}

static unsigned set(struct database *database, const struct token *name,
                    const struct value *value) {
    if (token_is(name, "nls_date_format"))
        return set_format(database, "nls_date_format", value,
                          session_date_formats.date);
    if (token_is(name, "nls_timestamp_format"))
        return set_format(database, "nls_timestamp_format", value,
                          session_date_formats.timestamp);
    if (token_is(name, "nls_timestamp_tz_format"))
        return set_format(database, "nls_timestamp_tz_format", value,
                          session_date_formats.timestamp_tz);
    if (token_is(name, "time_zone"))
        return is_text(value, "dbtimezone") ? !session_zone_set("+00:00", 6)
               : is_text(value, "local")    ? NOT_IMPLEMENTED
               : session_zone_set(value->at, value->length) ? 0
                                                            : NO_SUCH_ZONE;
    unsigned error;
    if (trace_setting_parameter(database, name, value->at, value->length,
                                &error))
        return error;
    if (token_is(name, "break_poll_skip"))
        return set_skip(database->lio.channel, value);
    if (token_is(name, "statistics_level"))
        return set_statistics_level(database, value);
    if (token_is(name, "result_cache_mode"))
        return set_result_cache_mode(&database->cached_results, value);
    if (is_hidden(name, "_result_cache_latch_mode"))
        return set_latch_mode(&database->cached_results, value);
    return keep(database, name, value);
}

// Not Q'[text]'.
static bool is_plain_text(const struct token *token) {
    return token->type == TOKEN_STRING && *token->at == '\'';
}

// A clause that is not supported is given to `refused`; without it, it ends the
// statement with an error.
static bool apply(struct database *database, const char *sql, size_t length,
                  struct ora_error *error, void (*refused)(const char *why)) {
    const char *position = sql, *end = sql + length;
    struct token name = lexer_next(&position, end);
    bool any = false;
    while (name.type != TOKEN_END && name.type != TOKEN_BAD) {
        struct token next = lexer_next(&position, end);
        if (token_is(&name, "events")) {
            if (token_is(&next, "="))
                next = lexer_next(&position, end);
            const unsigned wrong =
                is_plain_text(&next)
                    ? trace_setting_events(database, next.at + 1,
                                           next.length - 2)
                    : INVALID_OPTION;
            if (wrong) {
                ora_error_set(error, wrong, "these events");
                return false;
            }
            any = true;
            name = lexer_next(&position, end);
            continue;
        }
        if (!token_is(&next, "=")) {
            name = next;
            continue;
        }
        any = true;
        next = lexer_next(&position, end);
        struct value value = {next.at, next.length};
        if (next.type == TOKEN_STRING)
            value = (struct value){next.at + 1, next.length - 2};
        const unsigned number =
            next.type == TOKEN_STRING && !is_plain_text(&next)
                ? INVALID_OPTION
                : set(database, &name, &value);
        if (number) {
            char about[80];
            snprintf(about, sizeof about, "%.*s = %.*s", (int)name.length % 64,
                     name.at, (int)value.length % 40, value.at);
            ora_error_set(error, number, about);
            if (!refused)
                return false;
            refused(error->text);
            *error = (struct ora_error){0};
        }
        name = next.type == TOKEN_BAD ? next : lexer_next(&position, end);
    }
    // SET TRANSACTION comes here as well, where it changes nothing.
    if (!any && length >= 5 && strncasecmp(sql, "alter", 5) == 0)
        ora_error_set(error, NOT_IMPLEMENTED, "this ALTER SESSION");
    return error->number == 0;
}

bool alter_session_execute(struct database *database, const char *sql,
                           size_t length, struct ora_error *error) {
    bool succeeded;
    if (link_close_session(database, sql, length, &succeeded, error))
        return succeeded;
    return apply(database, sql, length, error, NULL);
}

void alter_session_at_logon(struct database *database, const char *sql,
                            size_t length, void (*refused)(const char *why)) {
    struct ora_error error = {0};
    if (!apply(database, sql, length, &error, refused))
        refused(error.text);
}
