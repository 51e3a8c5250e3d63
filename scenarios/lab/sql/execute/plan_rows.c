// SPDX-License-Identifier: GPL-2.0-or-later
// SQLite lists the loops of a join one below the other, and after them what is
// done with their rows; Oracle makes a tree of it. An operation has Oracle's
// name where it is the same, else SQLite's.
#include "sql/execute/plan_rows.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/cursor.h"
#include "sql/types/view_marks.h"

struct node { // a row of EXPLAIN QUERY PLAN
    int id, parent;
    char detail[PLAN_OPERATION];
};

struct nodes {
    unsigned count;
    struct node node[MOST_PLAN_ROWS];
};

struct builder {
    const struct nodes *from;
    struct plan_rows *to;
    bool full;
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
    *row = (struct plan_row){.parent = parent, .position = position};
    const int n =
        snprintf(row->operation, sizeof row->operation, "%s ", operation);
    size_t at = n < 0 ? 0 : (size_t)n;
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
// columns of the key, which is what Oracle hashes.
static bool is_hashed(const char *index) {
    const unsigned long columns =
        strtoul(index + sizeof CLUSTER_INDEX + sizeof "00", NULL, 10);
    unsigned long equal = 0;
    for (const char *at = index; (at = strstr(at, "=?")); at++)
        equal++;
    return equal >= columns;
}

// "SCAN t USING INDEX i", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)", ...
static void add_access(struct builder *b, unsigned parent, const char *detail) {
    const bool search = begins(detail, "SEARCH ");
    const char *table = own_name(detail + word(detail) + 1);
    const char *index = strstr(detail, " INDEX ");
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
        add(b, parent, search ? "INDEX RANGE SCAN" : "INDEX FULL SCAN", name,
            *name == '(' ? 0 : word(name)); // SQLite's own index has no name
    } else {
        add(b, parent, "TABLE ACCESS FULL", table, word(table));
    }
}

static bool is_access(const struct node *node) {
    return begins(node->detail, "SCAN ") || begins(node->detail, "SEARCH ");
}

static const char *sort_name(const struct node *node) {
    if (!begins(node->detail, "USE TEMP B-TREE"))
        return NULL;
    return strstr(node->detail, "GROUP BY")   ? "SORT GROUP BY"
           : strstr(node->detail, "DISTINCT") ? "SORT UNIQUE"
           : strstr(node->detail, "ORDER BY") ? "SORT ORDER BY"
                                              : "SORT AGGREGATE";
}

static void add_children(struct builder *b, int of, unsigned parent);

// The first `loops` accesses below `of`: each but the first is joined to those
// before it.
static void add_joined(struct builder *b, int of, unsigned parent,
                       unsigned loops) {
    const struct nodes *from = b->from;
    if (loops > 1) {
        parent = add(b, parent, "NESTED LOOPS", "", 0);
        add_joined(b, of, parent, loops - 1);
    }
    for (unsigned i = 0, seen = 0; i < from->count; i++) {
        const struct node *node = &from->node[i];
        if (node->parent == of && is_access(node) && ++seen == loops)
            add_access(b, parent, node->detail);
    }
}

static void add_children(struct builder *b, int of, unsigned parent) {
    const struct nodes *from = b->from;
    unsigned loops = 0;
    for (unsigned i = from->count; i-- > 0 && !b->full;)
        if (from->node[i].parent == of && sort_name(&from->node[i]))
            parent = add(b, parent, sort_name(&from->node[i]), "", 0);
    for (unsigned i = 0; i < from->count; i++)
        loops += from->node[i].parent == of && is_access(&from->node[i]);
    if (loops > 0)
        add_joined(b, of, parent, loops);
    for (unsigned i = 0; i < from->count && !b->full; i++) {
        const struct node *node = &from->node[i];
        if (node->parent != of || is_access(node) || sort_name(node))
            continue;
        const unsigned row =
            add(b, parent, "", node->detail, strlen(node->detail));
        add_children(b, node->id, row);
    }
}

static bool explain(const struct cursor *cursor, struct nodes *nodes) {
    struct database *database = cursor->database;
    const char *sql = sqlite3_sql(cursor->statement);
    char *text = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sql ? sql : "");
    sqlite3_stmt *plan = NULL;
    int rc = SQLITE_NOMEM;
    struct sqlite3 *counted = database->lio.db;
    database->lio.db = NULL; // its gets are not the statement's
    if (text)
        rc = sqlite3_prepare_v2(database->db, text, -1, &plan, NULL);
    while (rc == SQLITE_OK && nodes->count < MOST_PLAN_ROWS &&
           sqlite3_step(plan) == SQLITE_ROW) {
        struct node *node = &nodes->node[nodes->count++];
        const char *detail = (const char *)sqlite3_column_text(plan, 3);
        node->id = sqlite3_column_int(plan, 0);
        node->parent = sqlite3_column_int(plan, 1);
        snprintf(node->detail, sizeof node->detail, "%s", detail ? detail : "");
    }
    sqlite3_finalize(plan);
    database->lio.db = counted;
    sqlite3_free(text);
    return nodes->count > 0 && nodes->count < MOST_PLAN_ROWS;
}

bool plan_rows_read(const struct cursor *cursor, struct plan_rows *rows) {
    static struct nodes nodes;
    static const char *const changes[] = {
        [STATEMENT_INSERT] = "LOAD TABLE CONVENTIONAL",
        [STATEMENT_UPDATE] = "UPDATE",
        [STATEMENT_MERGE] = "MERGE",
        [STATEMENT_DELETE] = "DELETE",
    };
    struct builder b = {.from = &nodes, .to = rows};
    unsigned top = 0;
    nodes.count = rows->count = 0;
    const bool change =
        cursor->kind >= STATEMENT_INSERT && cursor->kind <= STATEMENT_DELETE;
    if (!cursor->statement || (!change && cursor->kind != STATEMENT_QUERY))
        return false;
    const bool explained = explain(cursor, &nodes);
    if (change)
        top = add(&b, 0, changes[cursor->kind], "", 0);
    if (explained)
        add_children(&b, 0, top);
    return rows->count > 0 && !b.full;
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
