// SPDX-License-Identifier: GPL-2.0-or-later
// Cursors: OPEN, FETCH, CLOSE, their attributes, and loops over their rows.
#include <string.h>

#include "plsql/run_sql.h"

enum {
    INVALID_CURSOR = 1001,
    ALREADY_OPEN = 6511,
    // at a time, as Oracle's cursor FOR loop fetches them
    ROWS_OF_LOOP = 100,
};

// Assigns the arguments to the cursor's parameters, which are variables of the
// frame that has the cursor.
static bool give_arguments(struct plsql_session *p, struct frame *f,
                           const struct declared_cursor *cursor,
                           struct code **argument) {
    for (unsigned i = 0; i < cursor->parameters; i++) {
        const struct parameter *parameter = &cursor->parameter[i];
        struct code target = {.kind = CODE_VARIABLE,
                              .type = parameter->variable->type,
                              .variable = parameter->variable};
        if (!assign_code(p, f, &target,
                         argument[i] ? argument[i] : parameter->value))
            return false;
    }
    return true;
}

static struct value *declared_place(struct plsql_session *p, struct frame *f,
                                    const struct declared_cursor *cursor) {
    struct code code = {.kind = CODE_VARIABLE,
                        .type = cursor->variable->type,
                        .variable = cursor->variable};
    return place_of(p, f, &code, false);
}

static bool open_declared(struct plsql_session *p, struct frame *f,
                          const struct plsql *s) {
    struct value *place = declared_place(p, f, s->cursor);
    if (!place)
        return false;
    if (place->query && place->query->open)
        return raise_error(p, ALREADY_OPEN, "");
    if (place->query)
        plsql_query_release(place->query);
    place->query = NULL;
    if (!give_arguments(p, f, s->cursor, s->argument))
        return false;
    struct plsql_query *query = query_of(p, s->cursor->query);
    if (!query)
        return false;
    if (!execute_embedded(p, f, s->cursor->query, query, 0)) {
        plsql_query_release(query);
        return false;
    }
    place->query = query;
    return true;
}

// OPEN variable FOR text USING values
static struct plsql_query *open_text(struct plsql_session *p, struct frame *f,
                                     const struct plsql *s) {
    struct plsql_query *query = dynamic_query(p, f, s->value_code);
    if (!query)
        return NULL;
    const bool select = query->cursor.kind == STATEMENT_QUERY;
    if ((select || raise_error(p, 3001, "OPEN of other than a query")) &&
        dynamic_execute(p, f, query, &s->uses, 0, 0))
        return query;
    plsql_query_release(query);
    return NULL;
}

static bool open_for(struct plsql_session *p, struct frame *f,
                     const struct plsql *s) {
    struct plsql_query *query;
    if (s->embedded) {
        // A cursor for the client, or for other variables, is separate.
        query = query_of(p, s->embedded);
        if (query)
            query->of = NULL;
        if (query && !execute_embedded(p, f, s->embedded, query, 0)) {
            plsql_query_release(query);
            query = NULL;
        }
    } else {
        query = open_text(p, f, s);
    }
    struct value *place = query ? place_of(p, f, s->target_code, true) : NULL;
    if (!place) {
        if (query)
            plsql_query_release(query);
        return false;
    }
    if (place->query)
        plsql_query_release(place->query);
    place->query = query;
    return true;
}

static struct plsql_query *opened(struct plsql_session *p, struct frame *f,
                                  const struct plsql *s) {
    struct value *place = s->cursor ? declared_place(p, f, s->cursor)
                                    : place_of(p, f, s->target_code, false);
    if (!place)
        return NULL;
    if (!place->query || !place->query->open) {
        raise_error(p, INVALID_CURSOR, "");
        return NULL;
    }
    return place->query;
}

static bool fetch(struct plsql_session *p, struct frame *f,
                  const struct plsql *s) {
    int64_t limit = INT64_MAX;
    uint64_t row_count = 0;
    struct plsql_query *query = opened(p, f, s);
    if (!query || (s->low_code && !evaluate_whole(p, f, s->low_code, &limit)))
        return false;
    if (limit < 1)
        return raise_error(p, 6502, "");
    bool ok;
    if (s->bulk) {
        ok = bulk_fetch(p, f, query, s->into_code, s->into.count,
                        (uint64_t)limit, &row_count);
        query->last_found = row_count == (uint64_t)limit;
    } else {
        ok = fetch_rows(p, query, 1);
        struct sqlite3_value **row = ok ? plsql_query_row(query) : NULL;
        row_count = row != NULL;
        query->last_found = row_count;
        ok = ok && (!row || store_row(p, f, s->into_code, s->into.count, row,
                                      query->cursor.columns));
    }
    query->fetched_once = true;
    query->fetched += row_count;
    return ok;
}

static bool close(struct plsql_session *p, struct frame *f,
                  const struct plsql *s) {
    struct plsql_query *query = opened(p, f, s);
    if (!query)
        return false;
    plsql_query_close(query);
    return true;
}

bool run_cursor_statement(struct plsql_session *p, struct frame *f,
                          const struct plsql *s) {
    switch (s->kind) {
    case PLSQL_OPEN:
        return open_declared(p, f, s);
    case PLSQL_OPEN_FOR:
        return open_for(p, f, s);
    case PLSQL_FETCH:
        return fetch(p, f, s);
    default:
        return close(p, f, s);
    }
}

static enum flow loop_over(struct plsql_session *p, struct frame *f,
                           const struct plsql *s, struct plsql_query *query) {
    enum flow flow = FLOW_NEXT;
    for (bool over = false; !over;) {
        struct sqlite3_value **row = plsql_query_row(query);
        if (!row && query->ended)
            break;
        if (!row && !fetch_rows(p, query, ROWS_OF_LOOP))
            return FLOW_RAISED;
        if (!row)
            continue;
        query->fetched++;
        query->fetched_once = query->last_found = true;
        struct value *record = &f->slot[s->variable->slot];
        if (!store_record(p, record, s->variable->type, row,
                          query->cursor.columns))
            return FLOW_RAISED;
        flow = loop_goes_on(p, s, run_statements(p, f, &s->body), &over);
    }
    return flow;
}

enum flow run_query_loop(struct plsql_session *p, struct frame *f,
                         const struct plsql *s) {
    struct embedded *e = s->cursor ? s->cursor->query : s->embedded;
    struct value *place = NULL;
    if (s->cursor) {
        place = declared_place(p, f, s->cursor);
        if (!place)
            return FLOW_RAISED;
        if (place->query && place->query->open) {
            raise_error(p, ALREADY_OPEN, "");
            return FLOW_RAISED;
        }
        if (!give_arguments(p, f, s->cursor, s->argument))
            return FLOW_RAISED;
    }
    struct plsql_query *query = query_of(p, e);
    if (!query)
        return FLOW_RAISED;
    if (place) { // its attributes can be read in the loop
        if (place->query)
            plsql_query_release(place->query);
        place->query = plsql_query_share(query);
    }
    enum flow flow = FLOW_RAISED;
    if (execute_embedded(p, f, e, query, ROWS_OF_LOOP))
        flow = loop_over(p, f, s, query);
    if (place) {
        plsql_query_release(place->query);
        place->query = NULL;
    }
    plsql_query_release(query);
    return flow;
}

static struct scalar truth_of(bool truth) {
    return (struct scalar){.kind = SCALAR_INTEGER, .integer = truth};
}

// SQL%BULK_EXCEPTIONS(i).ERROR_INDEX or ERROR_CODE
static bool bulk_exception(struct plsql_session *p, struct frame *f,
                           struct code *code, struct scalar *to) {
    int64_t index;
    if (!evaluate_whole(p, f, code->right, &index))
        return false;
    if (index < 1 || (uint64_t)index > p->bulk_errors)
        return raise_error(p, 1403, "");
    const struct bulk_error *bulk_error = &p->bulk_error[index - 1];
    *to = (struct scalar){.kind = SCALAR_INTEGER,
                          .integer = code->at == ATTRIBUTE_ERROR_INDEX
                                         ? bulk_error->iteration
                                         : (int64_t)bulk_error->number};
    return true;
}

static bool sql_attribute(struct plsql_session *p, struct frame *f,
                          struct code *code, struct scalar *to) {
    int64_t index;
    switch ((enum attribute)code->at) {
    case ATTRIBUTE_ISOPEN:
        *to = truth_of(false);
        return true;
    case ATTRIBUTE_BULK_ROWCOUNT:
        if (!code->right)
            return raise_error(p, 6502, "");
        if (!evaluate_whole(p, f, code->right, &index))
            return false;
        index -= p->bulk_low;
        if (index < 0 || (uint64_t)index >= p->bulk_count)
            return raise_error(p, 1403, "");
        *to = (struct scalar){.kind = SCALAR_INTEGER,
                              .integer = (int64_t)p->bulk_rows[index]};
        return true;
    case ATTRIBUTE_BULK_EXCEPTIONS:
        *to = (struct scalar){.kind = SCALAR_INTEGER,
                              .integer = (int64_t)p->bulk_errors};
        return true;
    case ATTRIBUTE_ERROR_INDEX:
    case ATTRIBUTE_ERROR_CODE:
        return bulk_exception(p, f, code, to);
    default:
        break;
    }
    if (p->sql_rows < 0)
        return true; // NULL: there was no statement yet
    *to = code->at == ATTRIBUTE_ROWCOUNT
              ? (struct scalar){.kind = SCALAR_INTEGER, .integer = p->sql_rows}
          : code->at == ATTRIBUTE_FOUND ? truth_of(p->sql_rows > 0)
                                        : truth_of(p->sql_rows == 0);
    return true;
}

bool evaluate_attribute(struct plsql_session *p, struct frame *f,
                        struct code *code, struct scalar *to) {
    *to = (struct scalar){.kind = SCALAR_NULL};
    if (code->kind == CODE_SQL_ATTRIBUTE)
        return sql_attribute(p, f, code, to);
    const struct value *place = place_of(p, f, code->left, false);
    if (!place)
        return false;
    const struct plsql_query *query = place->query;
    const bool open = query && query->open;
    if (code->at == ATTRIBUTE_ISOPEN) {
        *to = truth_of(open);
        return true;
    }
    if (!open)
        return raise_error(p, INVALID_CURSOR, "");
    if (code->at == ATTRIBUTE_ROWCOUNT)
        *to = (struct scalar){.kind = SCALAR_INTEGER,
                              .integer = (int64_t)query->fetched};
    else if (query->fetched_once)
        *to = truth_of(query->last_found == (code->at == ATTRIBUTE_FOUND));
    return true;
}
