// SPDX-License-Identifier: GPL-2.0-or-later
// Programs of SQLite's that count the work of each operation of their plan.
//
// SQLite makes the same program for EXPLAIN QUERY PLAN as for the statement,
// except that it says where each operation begins; plan_marks.patch has it also
// say where one has a row. A counted program is such a program, run by a second
// copy of SQLite's interpreter that counts, so that the other programs cost
// nothing more.
//
// Work belongs to the operation in whose part of the program it is
// done. So do gets, except that a row may be read, and the rest of a long one,
// only when a column of it is needed, in another's part. Work of no operation
// is the statement's own. Where several operations share a cursor (MULTI-INDEX
// OR, RIGHT JOIN) whose work it is is not known.
#ifndef ORALAB_COUNTED_PROGRAM_H
#define ORALAB_COUNTED_PROGRAM_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

// A row of EXPLAIN QUERY PLAN.
struct plan_node {
    int id, parent; // parent 0: none
    const char *detail;
    const char *table; // its own name, which an alias is not; NULL: not known
};

struct plan_work {
    uint64_t gets, current_gets, reads; // blocks
    uint64_t ns;
};

// The work of an operation, without those that it calls. An access by an
// index is two of them, the table's and the index's.
struct plan_counts {
    bool known; // else none of it is, and the work is part of its parent's
    bool rows_known, work_known;
    uint64_t starts, rows;
    uint64_t joined; // rows with those of the loops around it
    struct plan_work work;
};

// Each is about a statement that begins with EXPLAIN QUERY PLAN, or is counted.
unsigned counted_program_nodes(sqlite3_stmt *statement, struct plan_node *node,
                               unsigned most);
// Makes the statement a counted one; `stat` are the session's statistics. False
// without memory, and the statement stays as it was.
bool counted_program_make(sqlite3_stmt **statement, const uint64_t *stat);
// Restarts counting.
void counted_program_restart(sqlite3_stmt *statement);
// By the node's index. `index` is only known of an access to a table by it.
void counted_program_read(sqlite3_stmt *statement, unsigned node,
                          struct plan_counts *table, struct plan_counts *index);

#endif
