// SPDX-License-Identifier: GPL-2.0-or-later
// SQL statements, and the cursors that run them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binds;

// The meaning of a cursor number from one PARSING IN CURSOR to the next.
struct statement {
    uint32_t refs;
    uint32_t batch, index; // where the batch that is made has it
    char sqlid[32];        // "#0" where no statement is known for a cursor
    int64_t hv, oct, uid, lid, dep;
    bool known;
    char *sql;
    size_t sql_len;
};

struct cursor {
    int64_t number;
    struct statement *statement; // NULL: an empty slot
    int64_t parse_id, exec_id;
    struct binds *binds; // of the execution that comes; NULL: none
};

// By number. A session that has more than it may is hostile or very long: all
// but the statement that is parsed are forgotten.
struct cursors {
    struct cursor *slot;
    size_t count, room;
    uint64_t forgotten;
};

struct statement *statement_new(void);
void statement_release(struct statement *statement);

// Read "PARSING IN CURSOR #..." [at, at + len).
void statement_read(struct statement *to, const char *at, size_t len);

// The same length and hash value, which are of the text.
bool statement_is_again(const struct statement *one,
                        const struct statement *other);

// Add to the text; the part beyond 1 MiB is left out. False: no memory.
bool statement_add_text(struct statement *to, const char *at, size_t len);

// Remove from the end of the text: the last line's end, and the line END OF
// STMT where a block's end hid that it was one.
void statement_end_text(struct statement *statement);

// The same for a statement that did not parse, which ends before a record and
// is called by a hash of its text.
void statement_end_error(struct statement *statement);

// The cursor of that number; a new one has a statement that is not known.
// NULL where there is no memory.
struct cursor *cursors_find(struct cursors *cursors, int64_t number);

// The binds of the next execution, which the caller frees; NULL: none.
struct binds *cursor_take_binds(struct cursor *cursor);

void cursors_free(struct cursors *cursors);
