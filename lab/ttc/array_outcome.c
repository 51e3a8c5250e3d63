// SPDX-License-Identifier: GPL-2.0-or-later
// The result of each row of binds in a call that executes once for each.
#include <stdlib.h>
#include <string.h>

#include "ttc/server.h"

bool outcome_changed(struct array_outcome *outcome, uint64_t rows) {
    if (outcome->tried == outcome->room) {
        const uint32_t room = outcome->room ? 2 * outcome->room : 64;
        uint64_t *grown =
            realloc(outcome->changed, room * sizeof *outcome->changed);
        if (!grown)
            return false;
        outcome->changed = grown;
        outcome->room = room;
    }
    outcome->changed[outcome->tried++] = rows;
    return true;
}

bool outcome_failed(struct array_outcome *outcome, uint32_t row,
                    const struct ora_error *error) {
    const size_t bytes = (outcome->failures + 1) * sizeof *outcome->failed;
    struct row_error *grown = realloc(outcome->failed, bytes);
    if (!grown)
        return false;
    outcome->failed = grown;
    outcome->failed[outcome->failures++] =
        (struct row_error){.row = row, .error = *error};
    return true;
}

void outcome_forget(struct array_outcome *outcome) {
    free(outcome->changed);
    free(outcome->failed);
    *outcome = (struct array_outcome){0};
}

void answer_row_counts(struct server *server) {
    const struct array_outcome *outcome = &server->outcome;
    out_ub(&server->out, outcome->tried);
    for (uint32_t i = 0; i < outcome->tried; i++)
        out_ub(&server->out, outcome->changed[i]);
}

// Three arrays: numbers, rows, texts. A byte in front of each would be 0xfe if
// it were in chunks.
void answer_row_errors(struct server *server) {
    struct wire_out *out = &server->out;
    const struct array_outcome *outcome = &server->outcome;
    const uint32_t count = outcome->failures;
    out_ub(out, count);
    if (count > 0)
        out_u8(out, 1);
    for (uint32_t i = 0; i < count; i++)
        out_ub(out, outcome->failed[i].error.number);
    out_ub(out, count);
    if (count > 0)
        out_u8(out, 1);
    for (uint32_t i = 0; i < count; i++)
        out_ub(out, outcome->failed[i].row);
    out_ub(out, count);
    if (count > 0)
        out_u8(out, 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = outcome->failed[i].error.text;
        const size_t length = strlen(text);
        out_ub(out, length);
        out_clr(out, text, length);
        out_zeros(out, 2);
    }
}
