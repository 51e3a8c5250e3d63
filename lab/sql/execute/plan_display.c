// SPDX-License-Identifier: GPL-2.0-or-later
// Not shown are estimates, because the lab has no optimizer of its own that
// makes any, and predicates.
#include "sql/execute/plan_display.h"

#include <sqlite3.h>
#include <string.h>
#include <strings.h>

#include "sql/execute/plan_statistics.h"
#include "sql/execute/plan_table.h"
#include "sql/types/value.h"

enum { NOT_IMPLEMENTED = 3001, LINE = 80 };

// A plan and its statistics.
struct shown {
    const char *sql_id;
    const char *sql;
    size_t length;
    const struct plan_rows *rows;
    const struct plan_statistics *statistics; // NULL: none
    enum statement_kind kind;
};

struct format {
    bool basic, statistics, last;
};

// False: another one than those that are here.
static bool read_format(const char *text, struct format *format) {
    *format = (struct format){0};
    while (text && *(text += strspn(text, " ,"))) {
        const size_t length = strcspn(text, " ,");
        const char *const words[] = {"TYPICAL", "BASIC", "ALLSTATS", "IOSTATS",
                                     "LAST"};
        size_t i = 0;
        while (i < 5 && (strlen(words[i]) != length ||
                         strncasecmp(words[i], text, length) != 0))
            i++;
        if (i == 5)
            return false;
        format->basic |= i == 1;
        format->statistics |= i == 2 || i == 3;
        format->last |= i == 4;
        text += length;
    }
    return true;
}

// The statement's text, in lines of at most LINE bytes where it has blanks.
static void show_text(sqlite3_str *out, const char *sql, size_t length) {
    const char *end = sql + length;
    while (sql < end) {
        const char *stop = memchr(sql, '\n', (size_t)(end - sql));
        if (!stop)
            stop = end;
        const char *next = stop < end ? stop + 1 : end;
        if (stop - sql > LINE) {
            const char *blank = sql + LINE;
            while (blank > sql && *blank != ' ')
                blank--;
            while (blank < stop && (blank == sql || *blank != ' '))
                blank++;
            stop = blank;
            next = blank < end ? blank + 1 : end;
        }
        sqlite3_str_append(out, sql, (int)(stop - sql));
        sqlite3_str_appendall(out, "\n");
        sql = next;
    }
}

static void show_heading(sqlite3_str *out, const struct shown *of, bool basic) {
    static const char basic_heading[] = "EXPLAINED SQL STATEMENT:";
    char *heading =
        basic ? sqlite3_mprintf("%s", basic_heading)
              : sqlite3_mprintf("SQL_ID  %s, child number 0", of->sql_id);
    if (!heading)
        return;
    sqlite3_str_appendf(out, "%s\n", heading);
    sqlite3_str_appendchar(out, (int)strlen(heading), '-');
    sqlite3_str_appendall(out, "\n");
    sqlite3_free(heading);
    show_text(out, of->sql, of->length);
    sqlite3_str_appendall(out, "\n");
}

static void show_plan(sqlite3_str *out, const struct shown *of,
                      const struct format *format) {
    const struct plan_statistics *statistics =
        format->statistics ? of->statistics : NULL;
    show_heading(out, of, format->basic);
    sqlite3_str_appendf(out, "Plan hash value: %u\n\n",
                        plan_rows_hash(of->rows));
    plan_table_show(out, of->rows, of->kind,
                    statistics ? statistics->last : NULL,
                    statistics && !format->last ? statistics->before : NULL);
    if (format->statistics && !statistics)
        sqlite3_str_appendall(
            out,
            "\nNote\n-----\n"
            "   - Warning: basic plan statistics not available. These are only "
            "collected when:\n"
            "       * hint 'gather_plan_statistics' is used for the statement "
            "or\n"
            "       * parameter 'statistics_level' is set to 'ALL', at session "
            "or system level\n");
}

static void show_none(sqlite3_str *out, const char *sql_id, int64_t child,
                      const struct cursor *cursor) {
    if (cursor) {
        const struct shown of = {
            .sql_id = sql_id, .sql = cursor->sql, .length = cursor->sql_length};
        show_heading(out, &of, false);
    }
    sqlite3_str_appendf(
        out,
        "NOTE: cannot fetch plan for SQL_ID: %s, CHILD_NUMBER: %lld\n"
        "      Please verify value of SQL_ID and CHILD_NUMBER;\n"
        "      It could also be that the plan is no longer in cursor cache "
        "(check v$sql_plan)\n",
        sql_id, (long long)child);
}

static const struct cursor *open_cursor(const struct database *database,
                                        const char *sql_id) {
    const struct cursor *cursor = database->cursors;
    while (cursor && strcmp(cursor->sql_id, sql_id) != 0)
        cursor = cursor->next;
    return cursor;
}

static void show(sqlite3_str *out, const struct database *database,
                 const char *sql_id, int64_t child,
                 const struct format *format) {
    static struct plan_rows rows;
    const struct plan_statistics *statistics =
        plan_statistics_find(database, sql_id);
    const struct cursor *cursor = open_cursor(database, sql_id);
    if (child == 0 && statistics)
        show_plan(out,
                  &(struct shown){sql_id, statistics->sql, statistics->length,
                                  &statistics->rows, statistics,
                                  statistics->kind},
                  format);
    else if (child == 0 && cursor && plan_rows_read(cursor, &rows))
        show_plan(out,
                  &(struct shown){sql_id, cursor->sql, cursor->sql_length,
                                  &rows, NULL, cursor->kind},
                  format);
    else
        show_none(out, sql_id, child, child == 0 ? cursor : NULL);
}

// The lines of `text` as an array of JSON's.
static char *lines_of(const char *text) {
    sqlite3_str *out = sqlite3_str_new(NULL);
    const char *separator = "[";
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const int length = (int)strcspn(text, "\n");
        sqlite3_str_appendf(out, "%s\"", separator);
        for (int i = 0; i < length; i++) {
            const unsigned char c = (unsigned char)text[i];
            if (c < ' ')
                sqlite3_str_appendf(out, "\\u%04x", c);
            else
                sqlite3_str_appendf(
                    out, "%s%.1s", c == '"' || c == '\\' ? "\\" : "", text + i);
        }
        sqlite3_str_appendall(out, "\"");
        separator = ",";
    }
    sqlite3_str_appendall(out, "]");
    return sqlite3_str_finish(out);
}

// (sql_id, cursor_child_no, format). NULL is the session's last statement, and
// the format TYPICAL.
static void display_cursor(sqlite3_context *context, int n,
                           sqlite3_value **value) {
    (void)n;
    const struct database *database = sqlite3_user_data(context);
    const char *sql_id = (const char *)sqlite3_value_text(value[0]);
    struct format format;
    if (!read_format((const char *)sqlite3_value_text(value[2]), &format)) {
        value_result_error(context, NOT_IMPLEMENTED,
                           "this format of DBMS_XPLAN.DISPLAY_CURSOR");
        return;
    }
    sqlite3_str *out = sqlite3_str_new(NULL);
    show(out, database, sql_id ? sql_id : database->last_sql_id,
         sql_id ? sqlite3_value_int64(value[1]) : 0, &format);
    char *text = sqlite3_str_finish(out);
    char *lines = text ? lines_of(text) : NULL;
    sqlite3_free(text);
    if (lines)
        sqlite3_result_text(context, lines, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

bool plan_display_register(struct database *database) {
    return sqlite3_create_function(database->db, "DISPLAY_CURSOR$", 3,
                                   SQLITE_UTF8, database, display_cursor, NULL,
                                   NULL) == SQLITE_OK;
}
