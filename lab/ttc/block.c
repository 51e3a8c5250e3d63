// SPDX-License-Identifier: GPL-2.0-or-later
// The answer to a PL/SQL block: the binds that it sets, and their values;
// cursors among them, and those that DBMS_SQL.RETURN_RESULT has returned.
#include <sqlite3.h>
#include <stdlib.h>

#include "ttc/bind_types.h"
#include "ttc/server.h"

// The client gets a number for it. 0 after an error.
static unsigned hand_over(struct server *server, struct cursor **cursor) {
    const unsigned id = open_cursor_for_parse(server, 0);
    if (id == 0)
        return 0;
    struct open_cursor *opened = &server->cursor[id - 1];
    cursor_move(*cursor, &opened->cursor);
    free(*cursor);
    *cursor = NULL;
    opened->open = true;
    server->self->stat[STAT_CURSORS_OPENED]++;
    server->self->stat[STAT_CURSORS_OPEN]++;
    return id;
}

static bool answer_cursor(struct server *server, struct cursor **cursor) {
    if (!*cursor) {
        server_raise(server, 1001, "");
        return false;
    }
    const unsigned id = hand_over(server, cursor);
    if (id == 0)
        return false;
    out_u8(&server->out, 1); // the length of something that follows, for some
    answer_columns(server, &server->cursor[id - 1].cursor);
    out_ub(&server->out, id);
    out_ub(&server->out, 0); // nothing was cut off
    return true;
}

// Its number of elements, then each.
static bool answer_array(struct server *server, const struct open_cursor *open,
                         unsigned at, const struct bind_type *bind,
                         const struct bind_array *array) {
    enum { OUT_OF_RANGE = 6513, WRONG_ARGUMENTS = 6550 };
    if (!bind->array || !array->given) {
        server_raise(server, WRONG_ARGUMENTS,
                     "PLS-00306: wrong number or types of arguments: a bind "
                     "is a PL/SQL array, or is to be one");
        return false;
    }
    if (array->count > bind->elements) {
        server_raise(server, OUT_OF_RANGE, "");
        return false;
    }
    out_ub(&server->out, array->count);
    for (size_t i = 0; i < array->count; i++)
        if (!answer_out_bind(server, open, at, array->element[i]))
            return false;
    return true;
}

static bool answer_values(struct server *server, struct open_cursor *open) {
    struct cursor *cursor = &open->cursor;
    out_u8(&server->out, MESSAGE_ROW_DATA);
    for (unsigned i = 0; i < cursor->placeholders; i++) {
        const struct bind_type *bind = bind_of(open, i);
        const unsigned first = cursor->first[i];
        if (!bind || cursor_direction(cursor, i) == DIRECTION_IN ||
            !bind_is_first(open, i))
            continue;
        const struct bind_array *array = &cursor->block.array[first];
        if (bind->array || array->given
                ? !answer_array(server, open, i, bind, array)
            : bind->type == TYPE_CURSOR
                ? !answer_cursor(server, &cursor->block.cursor[first])
                : !answer_out_bind(server, open, i, cursor->block.value[first]))
            return false;
    }
    return true;
}

static bool answer_results(struct server *server, struct cursor *cursor) {
    struct block_binds *block = &cursor->block;
    out_u8(&server->out, MESSAGE_IMPLICIT_RESULTS);
    out_ub(&server->out, block->results);
    for (unsigned i = 0; i < block->results; i++) {
        const unsigned id = hand_over(server, &block->result[i]);
        if (id == 0)
            return false;
        out_u8(&server->out, 0);
        answer_columns(server, &server->cursor[id - 1].cursor);
        out_ub(&server->out, id);
    }
    free(block->result);
    block->result = NULL;
    block->results = 0;
    return true;
}

void answer_block(struct server *server, struct open_cursor *open) {
    struct cursor *cursor = &open->cursor;
    const size_t start = server->out.length;
    bool ok = true;
    if (cursor->block.value && cursor_sets_any(cursor)) {
        answer_io_vector(server, open);
        ok = answer_values(server, open);
    }
    if (ok && cursor->block.results > 0)
        ok = answer_results(server, cursor);
    cursor_forget_outcome(cursor);
    if (!ok || server->error.number)
        server->out.length = start;
}
