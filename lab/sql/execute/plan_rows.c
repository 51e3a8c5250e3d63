// SPDX-License-Identifier: GPL-2.0-or-later
// SQLite lists the loops of a join one below the other, and after them the
// operations on their rows; Oracle makes a tree of it. An operation has
// Oracle's name where it is the same, else SQLite's.
#include "sql/execute/plan_rows.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/cursor.h"
#include "sql/types/view_marks.h"

struct nodes {
    unsigned count;
    struct plan_node node[MOST_PLAN_ROWS];
};

struct builder {
    const struct nodes *from;
    struct plan_rows *to;
    bool full;
    unsigned node; // whose rows are added
};

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

// Adds a row and returns its number.
static unsigned add(struct builder *b, unsigned parent, const char *operation,
                    const char *name, size_t name_length) {
    struct plan_rows *to = b->to;
    unsigned position = 1;
    if (to->count == MOST_PLAN_ROWS) {
        b->full = true;
        return 0;
    }
    for (unsigned i = 0; i < to->count; i++)
        position += to->row[i].parent == parent;
    struct plan_row *row = &to->row[to->count++];
    *row = (struct plan_row){
        .parent = parent, .position = position, .node = b->node};
    const int n = snprintf(row->operation, sizeof row->operation, "%s%s",
                           operation, *operation ? " " : "");
    size_t at = n < 0 ? 0 : (size_t)n;
    if (*operation && name_length > 0)
        row->object = (unsigned)at;
    for (size_t i = 0; i < name_length && at + 2 < sizeof row->operation; i++)
        if (name[i] >= ' ' && name[i] != '\'')
            row->operation[at++] = (char)toupper((unsigned char)name[i]);
    row->operation[at] = '\0';
    return to->count;
}

static size_t word(const char *text) {
    return strcspn(text, " ");
}

// The name of a table or index without its schema.
static const char *own_name(const char *text) {
    const char *dot = memchr(text, '.', word(text));
    return dot ? dot + 1 : text;
}

// Whether a search by the index that keeps a table in its cluster names all
// columns of the key, which Oracle hashes.
static bool is_hashed(const char *index) {
    const unsigned long columns =
        strtoul(index + sizeof CLUSTER_INDEX + sizeof "00", NULL, 10);
    unsigned long equal = 0;
    for (const char *at = index; (at = strstr(at, "=?")); at++)
        equal++;
    return equal >= columns;
}

// "SCAN t USING INDEX i", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", ...
static void add_access(struct builder *b, unsigned parent, unsigned at) {
    const char *detail = b->from->node[at].detail;
    const bool search = begins(detail, "SEARCH ");
    const char *table = b->from->node[at].table;
    if (!table)
        table = own_name(detail + word(detail) + 1);
    const char *index = strstr(detail, " INDEX ");
    b->node = at;
    if (begins(table, "CONSTANT ROW")) {
        add(b, parent, "FAST DUAL", "", 0);
    } else if (strstr(detail, "VIRTUAL TABLE")) {
        add(b, parent, "FIXED TABLE FULL", table, word(table));
    } else if (strstr(detail, "INTEGER PRIMARY KEY")) {
        add(b, parent, "TABLE ACCESS BY USER ROWID", table, word(table));
    } else if (index) {
        const char *name = index + strlen(" INDEX ");
        const bool only_index = strstr(detail, "COVERING");
        if (begins(name, CLUSTER_INDEX)) {
            if (search && is_hashed(name)) {
                add(b, parent, "TABLE ACCESS HASH", table, word(table));
                return;
            }
            name += sizeof CLUSTER_INDEX + sizeof "00 00";
        }
        if (!only_index)
            parent = add(b, parent, "TABLE ACCESS BY INDEX ROWID", table,
                         word(table));
        const unsigned row =
            add(b, parent, search ? "INDEX RANGE SCAN" : "INDEX FULL SCAN",
                name, *name == '(' ? 0 : word(name)); // SQLite's own has none
        if (row && !only_index)
            b->to->row[row - 1].kind = PLAN_OF_INDEX;
    } else {
        add(b, parent, b->from->node[at].table ? "TABLE ACCESS FULL" : "VIEW",
            table, word(table));
    }
}

static bool is_access(const struct plan_node *node) {
    return begins(node->detail, "SCAN ") || begins(node->detail, "SEARCH ");
}

static const char *sort_name(const struct plan_node *node) {
    if (!begins(node->detail, "USE TEMP B-TREE"))
        return NULL;
    return strstr(node->detail, "GROUP BY")       ? "SORT GROUP BY"
           : strstr(node->detail, "FOR DISTINCT") ? "SORT UNIQUE"
           : strstr(node->detail, "ORDER BY")     ? "SORT ORDER BY"
                                                  : "SORT AGGREGATE";
}

static void add_children(struct builder *b, int of, unsigned parent);

// The first `loops` accesses below `of`: each but the first is joined to those
// before it.
static void add_joined(struct builder *b, int of, unsigned parent,
                       unsigned loops) {
    const struct nodes *from = b->from;
    unsigned join = 0, first = 0, last = 0;
    for (unsigned i = 0, seen = 0; i < from->count && seen < loops; i++)
        if (from->node[i].parent == of && is_access(&from->node[i])) {
            first = seen++ == 0 ? i : first;
            last = i;
        }
    if (loops > 1) {
        const bool outer = strstr(from->node[last].detail, " LEFT-JOIN");
        parent = join = add(
            b, parent, outer ? "NESTED LOOPS OUTER" : "NESTED LOOPS", "", 0);
        add_joined(b, of, parent, loops - 1);
    }
    add_access(b, parent, last);
    if (join) {
        struct plan_row *row = &b->to->row[join - 1];
        row->kind = PLAN_OF_JOIN;
        row->node = first;
        row->last = last;
    }
}

static void add_children(struct builder *b, int of, unsigned parent) {
    const struct nodes *from = b->from;
    unsigned loops = 0;
    for (unsigned i = from->count; i-- > 0 && !b->full;)
        if (from->node[i].parent == of && sort_name(&from->node[i])) {
            b->node = i;
            parent = add(b, parent, sort_name(&from->node[i]), "", 0);
        }
    for (unsigned i = 0; i < from->count; i++)
        loops += from->node[i].parent == of && is_access(&from->node[i]);
    if (loops > 0)
        add_joined(b, of, parent, loops);
    for (unsigned i = 0; i < from->count && !b->full; i++) {
        const struct plan_node *node = &from->node[i];
        if (node->parent != of || is_access(node) || sort_name(node))
            continue;
        b->node = i;
        const unsigned row =
            add(b, parent, "", node->detail, strlen(node->detail));
        add_children(b, node->id, row);
    }
}

// The statement whose program has the plan: the cursor's, if it is counted,
// else one to be finalized.
static struct sqlite3_stmt *explained(const struct cursor *cursor) {
    struct database *database = cursor->database;
    const char *sql = sqlite3_sql(cursor->statement);
    const bool stepping = database->stepping;
    struct sqlite3_stmt *plan = NULL;
    if (sqlite3_stmt_isexplain(cursor->statement)) // it is counted
        return cursor->statement;
    char *text = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sql ? sql : "");
    struct sqlite3 *counted = database->lio.db;
    database->lio.db = NULL; // its gets are not the statement's
    database->stepping = false;
    if (text)
        sqlite3_prepare_v2(database->db, text, -1, &plan, NULL);
    database->stepping = stepping;
    database->lio.db = counted;
    sqlite3_free(text);
    return plan;
}

static void build(struct builder *b, const struct cursor *cursor,
                  struct sqlite3_stmt *plan, struct nodes *nodes) {
    static const char *const changes[] = {
        [STATEMENT_INSERT] = "LOAD TABLE CONVENTIONAL",
        [STATEMENT_UPDATE] = "UPDATE",
        [STATEMENT_MERGE] = "MERGE",
        [STATEMENT_DELETE] = "DELETE",
    };
    unsigned top = 0;
    nodes->count =
        plan ? counted_program_nodes(plan, nodes->node, MOST_PLAN_ROWS) : 0;
    if (cursor->kind != STATEMENT_QUERY) {
        top = add(b, 0, changes[cursor->kind], "", 0);
        b->to->row[0].kind = PLAN_OF_CHANGE;
    }
    if (nodes->count < MOST_PLAN_ROWS)
        add_children(b, 0, top);
}

bool plan_rows_read(const struct cursor *cursor, struct plan_rows *rows) {
    static struct nodes nodes;
    struct builder b = {.from = &nodes, .to = rows};
    rows->count = 0;
    const bool change =
        cursor->kind >= STATEMENT_INSERT && cursor->kind <= STATEMENT_DELETE;
    if (!cursor->statement || (!change && cursor->kind != STATEMENT_QUERY))
        return false;
    struct sqlite3_stmt *plan = explained(cursor);
    build(&b, cursor, plan, &nodes);
    if (plan != cursor->statement)
        sqlite3_finalize(plan);
    return rows->count > 0 && !b.full;
}

void plan_work_add(struct plan_work *to, const struct plan_work *more) {
    to->gets += more->gets;
    to->current_gets += more->current_gets;
    to->reads += more->reads;
    to->ns += more->ns;
}

static struct plan_counts count_row(const struct plan_row *row,
                                    struct sqlite3_stmt *statement) {
    struct plan_counts table, index, last;
    counted_program_read(statement, row->node, &table, &index);
    if (row->kind == PLAN_OF_INDEX)
        return index;
    if (row->kind == PLAN_OF_NODE)
        return table;
    if (row->kind == PLAN_OF_CHANGE)
        return (struct plan_counts){0};
    counted_program_read(statement, row->last, &last, &index);
    return (struct plan_counts){
        .known = table.known,
        .rows_known = last.known,
        .work_known = table.known,
        .starts = table.starts,
        .rows = last.joined,
    };
}

void plan_rows_count(const struct plan_rows *rows,
                     struct sqlite3_stmt *statement,
                     struct plan_counts *counts) {
    for (unsigned i = 0; i < rows->count; i++)
        counts[i] = count_row(&rows->row[i], statement);
    for (unsigned i = rows->count; i-- > 0;) {
        if (rows->row[i].parent == 0)
            continue;
        struct plan_counts *parent = &counts[rows->row[i].parent - 1];
        plan_work_add(&parent->work, &counts[i].work);
        parent->work_known &= counts[i].work_known;
    }
}

uint32_t plan_rows_hash(const struct plan_rows *rows) {
    uint32_t hash = 2166136261; // FNV-1a
    for (unsigned i = 0; i < rows->count; i++) {
        hash = (hash ^ rows->row[i].parent) * 16777619;
        for (const char *c = rows->row[i].operation; *c; c++)
            hash = (hash ^ (uint8_t)*c) * 16777619;
    }
    return hash ? hash : 1;
}
