// SPDX-License-Identifier: GPL-2.0-or-later
// INSERT, UPDATE or DELETE ... RETURNING expressions INTO binds.
#include "sql/source.h"

static size_t find_returning(const struct translator *t) {
    const bool word = source_is(t, 1, "into") || source_is(t, 1, "from");
    const size_t table = word ? 2 : 1; // may have the name
    const size_t at = source_find(t, table + 1, t->count, "returning");
    return at < t->count ? at : source_find(t, table + 1, t->count, "return");
}

void take_into_binds(struct translator *t, size_t from, size_t to) {
    t->result->into_from = t->result->binds;
    for (size_t at = from; at < to; at += 2) {
        if (t->tokens[at].type != TOKEN_BIND ||
            (at + 1 < to && !source_is(t, at + 1, ","))) {
            source_refuse(t, 3001, "INTO other than binds");
            return;
        }
        bind_placeholder(t, at);
    }
    t->result->into_to = t->result->binds;
}

static void emit_returning(struct translator *t, size_t from, size_t to) {
    const size_t into = source_find(t, from, to, "into");
    unsigned values = 0;
    if (into == to || into + 1 == to) {
        source_refuse(t, 925, "");
        return;
    }
    emit_text(t, " RETURNING");
    for (size_t at = from + 1; at <= into && !t->result->error;) {
        const size_t end = source_find(t, at, into, ",");
        if (values++ > 0)
            emit_text(t, ",");
        emit_whole_value(t, at, end, 936);
        at = end + 1;
    }
    take_into_binds(t, into + 1, to);
    const unsigned binds = t->result->into_to - t->result->into_from;
    if (!t->result->error && binds != values)
        source_refuse(t, binds < values ? 947 : 913, "");
}

// `emit` sees the statement end where RETURNING begins.
void emit_with_returning(struct translator *t,
                         void (*emit)(struct translator *t)) {
    const size_t count = t->count, at = find_returning(t);
    if (at == count) {
        emit(t);
        return;
    }
    const struct token word = t->tokens[at];
    if (t->result->kind == STATEMENT_INSERT &&
        source_find(t, 0, at, "values") == at)
        source_refuse(t, 933, "");
    t->tokens[at] = (struct token){.type = TOKEN_END, .at = word.at};
    t->count = at;
    emit(t);
    t->tokens[at] = word;
    t->count = count;
    if (!t->result->error)
        emit_returning(t, at, count);
}
