// SPDX-License-Identifier: GPL-2.0-or-later
// EXECUTE IMMEDIATE, and OPEN FOR a text.
#include <sqlite3.h>
#include <string.h>

#include "plsql/run_sql.h"
#include "plsql/supplied.h"

struct plsql_query *dynamic_query(struct plsql_session *p, struct frame *f,
                                  struct code *code) {
    struct scalar value;
    struct ora_error error = {0};
    size_t length;
    if (!evaluate_scalar(p, f, code, &value))
        return NULL;
    char *text = scalar_text(p, &value, &length);
    if (value.owned)
        scalar_free(&value);
    if (!text) {
        raise_error(p, 6535, "");
        return NULL;
    }
    struct plsql_query *query = plsql_query_new(p, text, length, &error);
    sqlite3_free(text);
    if (!query)
        raise_ora(p, &error);
    return query;
}

bool dynamic_execute(struct plsql_session *p, struct frame *f,
                     struct plsql_query *query, const struct uses *uses,
                     unsigned more, uint32_t rows) {
    const unsigned count = uses->count + more;
    struct scalar *value = sqlite3_malloc64((count + 1) * sizeof *value);
    unsigned n = 0;
    bool ok = value || raise_memory(p);
    if (ok)
        memset(value, 0, (count + 1) * sizeof *value);
    for (const struct use *one = uses->first; one && ok; one = one->next, n++) {
        struct scalar argument = {.kind = SCALAR_NULL};
        if (one->mode != MODE_OUT)
            ok = evaluate_scalar(p, f, one->code, &argument);
        if (!ok)
            break;
        value[n] = argument;
        if (!argument.owned && !scalar_copy(&argument, &value[n]))
            ok = raise_memory(p);
    }
    ok = ok && execute_values(p, query, value, count, rows);
    for (unsigned i = 0; value && i < n; i++)
        scalar_free(&value[i]);
    sqlite3_free(value);
    return ok;
}

// The values that a block has given to its binds.
static bool take_outs(struct plsql_session *p, struct frame *f,
                      struct plsql_query *query, const struct uses *uses) {
    const struct cursor *cursor = &query->cursor;
    const bool by_name = uses->count != cursor->placeholders;
    unsigned n = 0;
    for (const struct use *one = uses->first; one; one = one->next, n++) {
        if (one->mode == MODE_IN || !cursor->block.value)
            continue;
        for (unsigned at = 0; at < cursor->placeholders; at++) {
            struct scalar value = {.kind = SCALAR_NULL};
            if (cursor_value_of(cursor, at, by_name) != n)
                continue;
            sqlite3_value *from = cursor->block.value[cursor->first[at]];
            if (from && !scalar_of_value(from, &value))
                return raise_memory(p);
            if (!assign_target(p, f, one->code, &value))
                return false;
            break;
        }
    }
    return true;
}

static bool run_dynamic(struct plsql_session *p, struct frame *f,
                        const struct plsql *s, struct plsql_query *query) {
    enum { EXACTLY = 2 };
    const bool select = query->cursor.kind == STATEMENT_QUERY;
    const bool into = s->into.count > 0;
    int64_t index = 0;
    if (s->returning.count > 0 && !cursor_returns(&query->cursor))
        return raise_error(p, 6547, "");
    if (!dynamic_execute(p, f, query, &s->uses, s->returning.count,
                         select && into ? EXACTLY : 0))
        return false;
    if (select)
        return !into ||
               select_into(p, f, query, s->into_code, s->into.count, s->bulk);
    if (query->cursor.kind == STATEMENT_BLOCK)
        return take_outs(p, f, query, &s->uses);
    p->sql_rows = (int64_t)query->cursor.rows;
    return s->returning.count == 0 ||
           returning_into(p, f, query, s->returning_code, s->returning.count,
                          s->returning_code[0]->type->kind == TYPE_TABLE,
                          &index);
}

bool run_execute(struct plsql_session *p, struct frame *f,
                 const struct plsql *s) {
    struct plsql_query *query = dynamic_query(p, f, s->value_code);
    if (!query)
        return false;
    const bool ok = run_dynamic(p, f, s, query);
    plsql_query_release(query);
    return ok;
}
