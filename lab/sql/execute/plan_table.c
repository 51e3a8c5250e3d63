// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/plan_table.h"

#include <stdio.h>
#include <string.h>

enum { CELL = 24, NS_PER_CENTISECOND = 10000000 };

struct table {
    sqlite3_str *out;
    const struct plan_rows *rows;
    const char *statement; // the operation of Id 0
    const struct plan_counts *counts, *more;
    bool reads;            // there were physical reads
    int operation, object; // widths
};

static int depth_of(const struct plan_rows *rows, unsigned id) {
    int depth = 0;
    for (; id > 0; id = rows->row[id - 1].parent)
        depth++;
    return depth;
}

// Without its object.
static int operation_length(const struct plan_row *row) {
    int length = (int)(row->object ? row->object : strlen(row->operation));
    while (length > 0 && row->operation[length - 1] == ' ')
        length--;
    return length;
}

static const char *object_of(const struct plan_row *row) {
    return row->object ? row->operation + row->object : "";
}

static int widest(int a, int b) {
    return a > b ? a : b;
}

static void measure(struct table *t) {
    t->operation = widest((int)strlen("Operation"), (int)strlen(t->statement));
    t->object = (int)strlen("Name");
    for (unsigned id = 1; id <= t->rows->count; id++) {
        const struct plan_row *row = &t->rows->row[id - 1];
        t->operation =
            widest(t->operation, depth_of(t->rows, id) + operation_length(row));
        t->object = widest(t->object, (int)strlen(object_of(row)));
    }
}

static struct plan_counts counts_of(const struct table *t, unsigned id) {
    struct plan_counts of = t->counts[id];
    if (!t->more)
        return of;
    const struct plan_counts *additional = &t->more[id];
    of.starts += additional->starts;
    of.rows += additional->rows;
    plan_work_add(&of.work, &additional->work);
    return of;
}

// From 100,000 on Oracle rounds to thousands, and so on.
static void number(const struct table *t, int width, bool known,
                   uint64_t value) {
    static const char units[] = " KMGT";
    char text[CELL] = " ";
    unsigned unit = 0;
    while (value >= 100000 && units[unit + 1]) {
        value = (value + 500) / 1000;
        unit++;
    }
    if (known)
        snprintf(text, sizeof text, "%llu%c", (unsigned long long)value,
                 units[unit]);
    sqlite3_str_appendf(t->out, "%*s|", width, text);
}

// Hours, minutes, seconds and hundredths, of which one that has begun counts.
static void time_of(const struct table *t, bool known, uint64_t ns) {
    const uint64_t all = (ns + NS_PER_CENTISECOND - 1) / NS_PER_CENTISECOND;
    const unsigned seconds = (unsigned)(all / 100);
    char text[CELL] = "";
    if (known)
        snprintf(text, sizeof text, "%02u:%02u:%02u.%02u ",
                 seconds / 3600 % 100, seconds / 60 % 60, seconds % 60,
                 (unsigned)(all % 100));
    sqlite3_str_appendf(t->out, "%12s|", text);
}

static void rule(const struct table *t) {
    const int counted = t->counts ? 41 + 9 * t->reads : 0;
    sqlite3_str_appendchar(t->out, 12 + t->operation + t->object + counted,
                           '-');
    sqlite3_str_appendall(t->out, "\n");
}

static void row(const struct table *t, unsigned id) {
    const struct plan_row *of = id ? &t->rows->row[id - 1] : NULL;
    const char *operation = of ? of->operation : t->statement;
    const int length = of ? operation_length(of) : (int)strlen(operation);
    const int indent = depth_of(t->rows, id);
    sqlite3_str_appendf(t->out, "|%4u |%*s%.*s%*s| %-*s |", id, indent + 1, "",
                        length, operation, t->operation - indent - length, "",
                        t->object, of ? object_of(of) : "");
    if (t->counts) {
        const struct plan_counts c = counts_of(t, id);
        number(t, 8, c.known, c.starts);
        number(t, 8, c.known && c.rows_known, c.rows);
        time_of(t, c.work_known, c.work.ns);
        number(t, 9, c.work_known, c.work.gets + c.work.current_gets);
        if (t->reads)
            number(t, 8, c.work_known, c.work.reads);
    }
    sqlite3_str_appendall(t->out, "\n");
}

void plan_table_show(sqlite3_str *out, const struct plan_rows *rows,
                     enum statement_kind kind, const struct plan_counts *counts,
                     const struct plan_counts *more) {
    static const char *const statements[] = {
        [STATEMENT_QUERY] = "SELECT STATEMENT",
        [STATEMENT_INSERT] = "INSERT STATEMENT",
        [STATEMENT_UPDATE] = "UPDATE STATEMENT",
        [STATEMENT_MERGE] = "MERGE STATEMENT",
        [STATEMENT_DELETE] = "DELETE STATEMENT",
    };
    struct table t = {.out = out,
                      .rows = rows,
                      .statement = statements[kind],
                      .counts = counts,
                      .more = more};
    t.reads = counts && counts_of(&t, 0).work.reads > 0;
    measure(&t);
    rule(&t);
    sqlite3_str_appendf(
        out, "| Id  | %-*s| %-*s |%s%s\n", t.operation, "Operation", t.object,
        "Name", counts ? " Starts | A-Rows |   A-Time   | Buffers |" : "",
        t.reads ? " Reads  |" : "");
    rule(&t);
    for (unsigned id = 0; id <= rows->count; id++)
        row(&t, id);
    rule(&t);
}
