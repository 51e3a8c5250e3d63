// SPDX-License-Identifier: GPL-2.0-or-later
// Part of statement_journal.c, which has SQLite's structures.
#include "sql/execute/counted_program.h"

#include <time.h>

#include "process/statistic.h"

enum { NS_PER_S = 1000000000 };

struct counted_op {
    uint64_t executed;
    unsigned line;  // that it belongs to
    unsigned reads; // the line that its gets belong to; 0: the same
    int count_from; // the register with the rows that OP_Count has found; else
                    // 0
};

struct counted_node {
    int id, scan, row, match, sort, count, entry; // addresses; 0: none
    bool is_scan, is_constant, by_index;
    bool shares;      // its cursor with another, or is of several that do
    bool gives_rows;  // as many as its sort has: it does not group them
    unsigned before;  // the line around it
    uint64_t counted; // by OP_Count
};

struct counted {
    const uint64_t *stat;
    const Op *ops; // not those of a trigger
    unsigned line; // of the instruction that runs
    struct plan_work since;
    unsigned reads;          // of the instruction that runs
    struct plan_work before; // it, without time
    unsigned nodes, op_count;
    struct counted_node *node;
    struct plan_work *work; // per line
    struct counted_op op[];
};

static struct counted *counting; // by the program that runs

// Line 0 is the statement's own.
static unsigned line_of(unsigned node, bool index) {
    return 1 + 2 * node + index;
}

static struct plan_work blocks_now(const struct counted *c) {
    return (struct plan_work){
        .gets = c->stat[STAT_CONSISTENT_GETS],
        .current_gets = c->stat[STAT_DB_BLOCK_GETS],
        .reads = c->stat[STAT_PHYSICAL_READS],
    };
}

static struct plan_work work_now(const struct counted *c) {
    struct plan_work work = blocks_now(c);
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    work.ns = (uint64_t)clock.tv_sec * NS_PER_S + (uint64_t)clock.tv_nsec;
    return work;
}

static void add_difference(struct plan_work *to, const struct plan_work *from,
                           const struct plan_work *until) {
    to->gets += until->gets - from->gets;
    to->current_gets += until->current_gets - from->current_gets;
    to->reads += until->reads - from->reads;
    to->ns += until->ns - from->ns;
}

static void charge(struct counted *c) {
    const struct plan_work work = work_now(c);
    add_difference(&c->work[c->line], &c->since, &work);
    c->since = work;
}

// After an instruction whose gets belong to another line than its time.
static void move_gets(struct counted *c) {
    const struct plan_work work = blocks_now(c);
    add_difference(&c->work[c->reads], &c->before, &work);
    add_difference(&c->work[c->line], &work, &c->before);
    c->reads = 0;
}

static void count_rows(struct counted *c, const Vdbe *program, int from) {
    for (unsigned i = 0; i < c->nodes; i++)
        if (c->node[i].count == from)
            c->node[i].counted += (uint64_t)program->aMem[c->ops[from].p2].u.i;
}

// Before each instruction.
static inline void count_step(const Vdbe *program, const Op *ops,
                              const Op *next) {
    struct counted *c = counting;
    if (ops != c->ops)
        return;
    struct counted_op *op = &c->op[next - ops];
    op->executed++;
    if (c->reads)
        move_gets(c);
    if (op->count_from)
        count_rows(c, program, op->count_from);
    if (op->line != c->line) {
        charge(c);
        c->line = op->line;
    }
    if (op->reads) {
        c->reads = op->reads;
        c->before = blocks_now(c);
    }
}

#include "counted-exec.c"

static struct counted *counted_of(const Vdbe *program) {
    return program->explain == 3 ? (struct counted *)program->aOp[0].p4.p
                                 : NULL;
}

static int vdbe_exec_counted(Vdbe *program) {
    struct counted *outer = counting;
    counting = counted_of(program);
    counting->since = work_now(counting);
    const int rc = vdbe_exec_copy(program);
    if (counting->reads)
        move_gets(counting);
    charge(counting);
    counting = outer;
    return rc;
}

static bool text_begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_mark(const Op *op, enum plan_mark kind) {
    return op->opcode == OP_Noop && op->p5 == kind;
}

static struct counted_node *node_at(struct counted *c, int id) {
    for (unsigned i = 0; i < c->nodes && id; i++)
        if (c->node[i].id == id)
            return &c->node[i];
    return NULL;
}

static unsigned node_line(const struct counted *c,
                          const struct counted_node *node, bool index) {
    return line_of((unsigned)(node - c->node), index);
}

// Whether an instruction moves its cursor P1 for the operation whose cursor it
// is, wherever it stands.
static bool moves_cursor(int opcode) {
    static const u8 opcodes[] = {
        OP_Next,         OP_Prev,       OP_SeekLT,     OP_SeekLE,
        OP_SeekGE,       OP_SeekGT,     OP_Rewind,     OP_Last,
        OP_FinishSeek,   OP_Count,      OP_VNext,      OP_SorterOpen,
        OP_SorterSort,   OP_SorterData, OP_SorterNext, OP_SorterCompare,
        OP_SorterInsert,
    };
    return memchr(opcodes, opcode, sizeof opcodes);
}

// Or reads from it: usually the row that the cursor is at.
static bool reads_cursor(int opcode) {
    static const u8 opcodes[] = {OP_Column, OP_Rowid, OP_RowData, OP_IdxRowid,
                                 OP_VColumn};
    return memchr(opcodes, opcode, sizeof opcodes);
}

// The cursor is the node's. A table's that another one has is neither's.
static void claim(struct counted *c, unsigned *cursor_line, int cursor,
                  struct counted_node *node, bool index) {
    const unsigned line = node_line(c, node, index);
    for (struct counted_node *one = c->node; one < node; one++)
        if (one->scan && c->ops[one->scan].p1 == cursor)
            one->shares = node->shares = true;
    cursor_line[cursor] = node->shares ? 0 : line;
}

// The instructions of a program know their lines by where they are ...
static void find_lines(struct counted *c, unsigned *cursor_line) {
    const Op *ops = c->ops;
    struct counted_node *node = NULL, *sort = NULL;
    unsigned line = 0, made = 0;
    for (unsigned at = 1; at < c->op_count; at++) {
        const Op *op = &ops[at];
        // The beginning of the rest is at the end.
        if ((int)at == ops[0].p2)
            line = 0;
        if (op->opcode == OP_Explain) {
            const char *detail = op->p4.z;
            node = &c->node[made++];
            *node = (struct counted_node){.id = op->p1, .before = line};
            node->is_scan =
                text_begins(detail, "SCAN ") || text_begins(detail, "SEARCH ");
            node->is_constant = text_begins(detail, "SCAN CONSTANT ROW");
            node->by_index = strstr(detail, " INDEX ") &&
                             !strstr(detail, " COVERING INDEX ") &&
                             !strstr(detail, " VIRTUAL TABLE ");
            node->shares = text_begins(detail, "MULTI-INDEX OR") ||
                           text_begins(detail, "INDEX ") ||
                           text_begins(detail, "RIGHT-JOIN ");
            if (text_begins(detail, "USE TEMP B-TREE"))
                sort = node;
            if (!node->is_scan && !text_begins(detail, "REUSE ") &&
                !text_begins(detail, "BLOOM "))
                line = node_line(c, node, false);
            // SELECT count(*) FROM t needs no loop.
            if (node->is_scan && at > 2 && ops[at - 2].opcode == OP_Count) {
                node->count = (int)at - 2;
                c->op[at - 1].count_from = node->count;
                cursor_line[ops[node->count].p1] = node_line(c, node, false);
            }
        } else if (is_mark(op, PLAN_SCAN) && (node = node_at(c, op->p3))) {
            node->scan = (int)at;
            line = node_line(c, node, false);
            claim(c, cursor_line, op->p1, node, false);
            if (op->p2 >= 0)
                claim(c, cursor_line, op->p2, node, node->by_index);
        } else if (is_mark(op, PLAN_ROW) && (node = node_at(c, op->p3))) {
            node->row = (int)at;
            line = node->before;
        } else if (is_mark(op, PLAN_END) && (node = node_at(c, op->p3))) {
            line = node->before;
        } else if (is_mark(op, PLAN_MATCH)) {
            for (unsigned i = 0; i < made; i++)
                if (c->node[i].scan && ops[c->node[i].scan].p1 == op->p1)
                    c->node[i].match = (int)at;
        } else if (op->opcode == OP_DeferredSeek) {
            for (unsigned i = 0; i < made; i++)
                if (c->node[i].scan && ops[c->node[i].scan].p2 == op->p1)
                    c->node[i].entry = (int)at;
        } else if ((op->opcode == OP_SorterSort || op->opcode == OP_Sort) &&
                   sort) {
            cursor_line[op->p1] = node_line(c, sort, false);
            sort->sort = (int)at;
            sort->gives_rows = strstr(ops[sort->id].p4.z, "ORDER BY");
            sort = NULL;
        }
        c->op[at].line = line;
    }
}

// Whether the line is that of a table's rows that are found by an index, and
// read with their first column.
static bool is_read_late(const struct counted *c, unsigned line) {
    const unsigned node = (line - 1) / 2;
    return c->node[node].by_index && line == line_of(node, false);
}

// ... and by their cursors.
static void find_cursors_lines(struct counted *c, const unsigned *cursor_line) {
    for (unsigned at = 1; at < c->op_count; at++) {
        const Op *op = &c->ops[at];
        op += op->opcode == OP_SeekScan; // moves the cursor of the next one
        const bool moves = moves_cursor(op->opcode);
        const unsigned line =
            moves || reads_cursor(op->opcode) ? cursor_line[op->p1] : 0;
        if (!line)
            continue;
        if (moves || is_read_late(c, line))
            c->op[at].line = line;
        else if (line != c->op[at].line)
            c->op[at].reads = line;
    }
}

static struct counted *counted_new(const Vdbe *program, const uint64_t *stat) {
    unsigned nodes = 0;
    for (int at = 0; at < program->nOp; at++)
        nodes += program->aOp[at].opcode == OP_Explain;
    const size_t lines = line_of(nodes, false);
    const size_t ops = sizeof(struct counted) +
                       (size_t)program->nOp * sizeof(struct counted_op);
    const size_t work = lines * sizeof(struct plan_work);
    struct counted *counted = sqlite3DbMallocZero(
        program->db, ops + work + nodes * sizeof(struct counted_node));
    unsigned *cursor_line = sqlite3DbMallocZero(
        program->db, (size_t)(program->nCursor + 1) * sizeof *cursor_line);
    if (counted && cursor_line) {
        counted->stat = stat;
        counted->ops = program->aOp;
        counted->nodes = nodes;
        counted->op_count = (unsigned)program->nOp;
        counted->work = (struct plan_work *)((char *)counted + ops);
        counted->node = (struct counted_node *)((char *)counted->work + work);
        find_lines(counted, cursor_line);
        find_cursors_lines(counted, cursor_line);
    } else {
        sqlite3DbFree(program->db, counted);
        counted = NULL;
    }
    sqlite3DbFree(program->db, cursor_line);
    return counted;
}

bool counted_program_make(sqlite3_stmt **statement, const uint64_t *stat) {
    Vdbe *plain = (Vdbe *)*statement, *program;
    sqlite3_stmt *explained = NULL;
    char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", plain->zSql);
    if (sql)
        sqlite3_prepare_v3(plain->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                           &explained, NULL);
    sqlite3_free(sql);
    program = (Vdbe *)explained;
    struct counted *counted = program ? counted_new(program, stat) : NULL;
    if (!counted) {
        sqlite3_finalize(explained);
        return false;
    }
    program->explain = 3;
    // OP_Init would have the statement's text for sqlite3_trace() there.
    program->aOp[0].p4.p = (void *)counted;
    program->aOp[0].p4type = P4_DYNAMIC;
    SWAP(Mem *, program->aColName, plain->aColName);
    SWAP(u16, program->nResColumn, plain->nResColumn);
#if SQLITE_VERSION_NUMBER >= 3043000
    SWAP(u16, program->nResAlloc, plain->nResAlloc);
#endif
    SWAP(char *, program->zSql, plain->zSql);
    sqlite3_finalize(*statement);
    *statement = explained;
    return true;
}

void counted_program_restart(sqlite3_stmt *statement) {
    struct counted *c = counted_of((const Vdbe *)statement);
    if (!c)
        return;
    for (unsigned i = 0; i < c->op_count; i++)
        c->op[i].executed = 0;
    for (unsigned i = 0; i < c->nodes; i++)
        c->node[i].counted = 0;
    memset(c->work, 0, line_of(c->nodes, false) * sizeof *c->work);
}

void counted_program_read(sqlite3_stmt *statement, unsigned at,
                          struct plan_counts *table,
                          struct plan_counts *index) {
    const struct counted *c = counted_of((const Vdbe *)statement);
    *table = *index = (struct plan_counts){0};
    if (!c || at >= c->nodes)
        return;
    const struct counted_node *node = &c->node[at];
    const struct counted_op *op = c->op;
    const int began = node->scan    ? node->scan
                      : node->count ? node->count
                      : node->sort  ? node->sort
                                    : node->id;
    const int row = node->match        ? node->match
                    : node->row        ? node->row
                    : node->gives_rows ? node->sort + 1
                                       : 0;
    table->known = !node->shares && (!node->is_scan || node->is_constant ||
                                     node->scan || node->count);
    table->work_known = table->known;
    table->starts = op[began].executed;
    table->rows_known = row || node->count || node->is_constant;
    table->rows = row           ? op[row].executed
                  : node->count ? node->counted
                                : table->starts;
    table->joined = node->row ? op[node->row].executed : 0;
    table->work = c->work[line_of(at, false)];
    if (!node->by_index || !table->known)
        return;
    *index = (struct plan_counts){
        .known = true,
        .rows_known = node->entry,
        .work_known = true,
        .starts = table->starts,
        .rows = node->entry ? op[node->entry].executed : 0,
        .work = c->work[line_of(at, true)],
    };
}

// The name of the table that a program opens as that cursor.
static const char *table_of_cursor(const Vdbe *program, int cursor) {
    for (int at = 0; at < program->nOp; at++) {
        const Op *op = &program->aOp[at];
        if (op->p1 != cursor)
            continue;
        if (op->opcode == OP_VOpen)
            return op->p4.pVtab->pMod->zName;
        if (op->opcode != OP_OpenRead && op->opcode != OP_OpenWrite)
            continue;
        const Hash *tables = &program->db->aDb[op->p3].pSchema->tblHash;
        for (HashElem *one = sqliteHashFirst(tables); one;
             one = sqliteHashNext(one)) {
            const Table *table = sqliteHashData(one);
            if (table->tnum == (Pgno)op->p2)
                return table->zName;
        }
    }
    return NULL;
}

unsigned counted_program_nodes(sqlite3_stmt *statement, struct plan_node *node,
                               unsigned most) {
    const Vdbe *program = (const Vdbe *)statement;
    unsigned count = 0;
    for (int at = 0; at < program->nOp && count < most; at++) {
        const Op *op = &program->aOp[at];
        if (op->opcode != OP_Explain)
            continue;
        const Op *opens = is_mark(op + 1, PLAN_SCAN)            ? op + 1
                          : at > 2 && op[-2].opcode == OP_Count ? op - 2
                                                                : NULL;
        node[count++] = (struct plan_node){
            .id = op->p1,
            .parent = op->p2,
            .detail = op->p4.z,
            .table = opens ? table_of_cursor(program, opens->p1) : NULL,
        };
    }
    return count;
}
