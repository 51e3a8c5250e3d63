// SPDX-License-Identifier: GPL-2.0-or-later
// Runs statements and blocks, and finds the handlers of exceptions.
#include <stdlib.h>
#include <string.h>

#include "plsql/run.h"
#include "sql/execute/statement_steps.h"

enum {
    // How many steps of a SQLite program a statement counts as, for the break
    // check (statement_steps.h): chosen by judgement, fitted to nothing.
    STEPS_OF_STATEMENT = 40,
    CASE_NOT_FOUND = 6592,
};

static unsigned line_of(const struct frame *f, unsigned token) {
    unsigned line, column;
    statement_place(&f->routine->unit->s, token, &line, &column);
    return line;
}

void raise_place(struct plsql_session *p, const struct frame *f,
                 unsigned token) {
    if (p->raised.placed)
        return;
    exception_place(&p->raised, f->routine->unit, line_of(f, token));
    p->raised.placed = true;
}

bool declare_all(struct plsql_session *p, struct frame *f,
                 const struct declarations *list) {
    for (const struct declaration *one = list->first; one; one = one->next) {
        const struct variable *variable = one->variable;
        if (!variable)
            continue;
        struct value *value = variable->package
                                  ? &variable->package->value[variable->slot]
                                  : &f->slot[variable->slot];
        struct code target = {.kind = CODE_VARIABLE,
                              .type = variable->type,
                              .variable = (struct variable *)variable};
        if (!value_initialize(p, f, value, variable->type) ||
            (variable->initial &&
             !assign_code(p, f, &target, variable->initial))) {
            raise_place(p, f, one->name);
            return false;
        }
    }
    return true;
}

// A block's cursors are closed with it.
static void close_cursors(struct frame *f, const struct declarations *list) {
    for (const struct declaration *one = list->first; one; one = one->next)
        if (one->kind == DECLARES_CURSOR && one->variable &&
            !one->variable->package)
            value_free(&f->slot[one->variable->slot], one->variable->type);
}

static const struct handler *handler_of(const struct plsql_session *p,
                                        const struct handlers *handlers) {
    if (!exception_can_be_handled(&p->raised))
        return NULL;
    for (const struct handler *handler = handlers->first; handler;
         handler = handler->next) {
        if (handler->names.count == 0)
            return handler;
        for (unsigned i = 0; i < handler->names.count; i++)
            if (exception_is(&p->raised, handler->exception[i]))
                return handler;
    }
    return NULL;
}

static enum flow handle(struct plsql_session *p, struct frame *f,
                        const struct handler *handler) {
    struct raised *saved = malloc(sizeof *saved);
    if (!saved) {
        raise_memory(p);
        return FLOW_RAISED;
    }
    *saved = p->raised;
    const struct raised *previous = p->handled;
    p->handled = saved;
    p->raised.error.number = 0;
    const enum flow flow = run_statements(p, f, &handler->body);
    p->handled = previous;
    free(saved);
    return flow;
}

enum flow run_block(struct plsql_session *p, struct frame *f,
                    struct block_tree *block) {
    if (!declare_all(p, f, &block->declarations))
        return FLOW_RAISED; // the block's own handlers are not for these
    enum flow flow = run_statements(p, f, &block->body);
    if (flow == FLOW_RAISED) {
        const struct handler *handler = handler_of(p, &block->handlers);
        if (handler)
            flow = handle(p, f, handler);
    }
    close_cursors(f, &block->declarations);
    return flow;
}

static enum flow flow_of(bool done) {
    return done ? FLOW_NEXT : FLOW_RAISED;
}

static enum flow run_if(struct plsql_session *p, struct frame *f,
                        const struct plsql *s) {
    for (const struct branch *one = s->branches.first; one; one = one->next) {
        int truth;
        if (!evaluate_condition(p, f, one->code, &truth))
            return FLOW_RAISED;
        if (truth > 0)
            return run_statements(p, f, &one->body);
    }
    if (s->kind == PLSQL_CASE && !s->has_otherwise)
        return flow_of(raise_error(p, CASE_NOT_FOUND, ""));
    return run_statements(p, f, &s->otherwise);
}

enum flow loop_goes_on(struct plsql_session *p, const struct plsql *loop,
                       enum flow flow, bool *over) {
    *over = true;
    if (flow != FLOW_EXIT && flow != FLOW_CONTINUE) {
        *over = flow != FLOW_NEXT;
        return flow;
    }
    if (p->leaving != loop)
        return flow;
    *over = flow == FLOW_EXIT;
    return FLOW_NEXT;
}

static enum flow run_loop(struct plsql_session *p, struct frame *f,
                          const struct plsql *s) {
    enum flow flow = FLOW_NEXT;
    for (bool over = false; !over;) {
        int truth = 1;
        if (s->kind == PLSQL_WHILE &&
            !evaluate_condition(p, f, s->value_code, &truth))
            return FLOW_RAISED;
        if (truth <= 0)
            return FLOW_NEXT;
        flow = loop_goes_on(p, s, run_statements(p, f, &s->body), &over);
    }
    return flow;
}

static enum flow run_for(struct plsql_session *p, struct frame *f,
                         const struct plsql *s) {
    int64_t low, high;
    enum flow flow = FLOW_NEXT;
    if (!evaluate_whole(p, f, s->low_code, &low) ||
        !evaluate_whole(p, f, s->value_code, &high))
        return FLOW_RAISED;
    if (low < INT32_MIN || low > INT32_MAX || high < INT32_MIN ||
        high > INT32_MAX)
        return flow_of(raise_error(p, 1426, ""));
    int64_t index = s->reverse ? high : low;
    for (bool over = false; !over && index >= low && index <= high;
         index += s->reverse ? -1 : 1) {
        struct value *variable = &f->slot[s->variable->slot];
        scalar_free(&variable->scalar);
        variable->scalar =
            (struct scalar){.kind = SCALAR_INTEGER, .integer = index};
        flow = loop_goes_on(p, s, run_statements(p, f, &s->body), &over);
    }
    return flow;
}

static enum flow run_exit(struct plsql_session *p, struct frame *f,
                          const struct plsql *s) {
    int truth = 1;
    if (s->value_code && !evaluate_condition(p, f, s->value_code, &truth))
        return FLOW_RAISED;
    if (truth <= 0)
        return FLOW_NEXT;
    p->leaving = s->loop;
    return s->kind == PLSQL_EXIT ? FLOW_EXIT : FLOW_CONTINUE;
}

static enum flow run_return(struct plsql_session *p, struct frame *f,
                            const struct plsql *s) {
    const struct type *type = f->routine->result;
    if (!s->value_code)
        return FLOW_RETURN;
    if (type->kind == TYPE_SCALAR || type->kind == TYPE_BOOLEAN) {
        struct scalar value;
        if (!evaluate_scalar(p, f, s->value_code, &value) ||
            !assign_scalar(p, &f->result, type, &value))
            return FLOW_RAISED;
    } else {
        struct value value;
        if (!evaluate_value(p, f, s->value_code, &value))
            return FLOW_RAISED;
        value_free(&f->result, type);
        f->result = value;
    }
    f->returned = true;
    return FLOW_RETURN;
}

static enum flow run_raise(struct plsql_session *p, const struct plsql *s) {
    if (s->exception) {
        exception_begin(&p->raised, s->exception);
    } else if (p->handled) {
        p->raised = *p->handled;
        p->raised.placed = false;
    } else {
        raise_error(p, 6501, "");
    }
    return FLOW_RAISED;
}

static bool run_call(struct plsql_session *p, struct frame *f,
                     struct code *code) {
    struct scalar result = {.kind = SCALAR_NULL};
    struct value value;
    if (code->kind == CODE_CALL)
        return call_routine(p, f, code, &value);
    return evaluate_scalar(p, f, code, &result);
}

static enum flow run_statement(struct plsql_session *p, struct frame *f,
                               const struct plsql *s) {
    switch (s->kind) {
    case PLSQL_NULL:
        return FLOW_NEXT;
    case PLSQL_ASSIGN:
        return flow_of(assign_code(p, f, s->target_code, s->value_code));
    case PLSQL_CALL:
        return flow_of(run_call(p, f, s->target_code));
    case PLSQL_IF:
    case PLSQL_CASE:
        return run_if(p, f, s);
    case PLSQL_LOOP:
    case PLSQL_WHILE:
        return run_loop(p, f, s);
    case PLSQL_FOR:
        return run_for(p, f, s);
    case PLSQL_FOR_QUERY:
    case PLSQL_FOR_CURSOR:
        return run_query_loop(p, f, s);
    case PLSQL_FORALL:
        return flow_of(run_forall(p, f, s));
    case PLSQL_EXIT:
    case PLSQL_CONTINUE:
        return run_exit(p, f, s);
    case PLSQL_BLOCK:
        return run_block(p, f, s->block);
    case PLSQL_RAISE:
        return run_raise(p, s);
    case PLSQL_RETURN:
        return run_return(p, f, s);
    case PLSQL_SQL:
        return flow_of(run_embedded(p, f, s->embedded));
    case PLSQL_OPEN:
    case PLSQL_OPEN_FOR:
    case PLSQL_FETCH:
    case PLSQL_CLOSE:
        return flow_of(run_cursor_statement(p, f, s));
    case PLSQL_EXECUTE:
        return flow_of(run_execute(p, f, s));
    }
    return flow_of(raise_error(p, 600, "plsql statement"));
}

enum flow run_statements(struct plsql_session *p, struct frame *f,
                         const struct plsqls *list) {
    enum flow flow = FLOW_NEXT;
    p->depth++;
    for (const struct plsql *one = list->first; one && flow == FLOW_NEXT;
         one = one->next) {
        if (!statement_steps_take(p->database, STEPS_OF_STATEMENT)) {
            raise_error(p, 1013, "");
            flow = FLOW_RAISED;
        } else {
            flow = run_statement(p, f, one);
        }
        if (flow == FLOW_RAISED)
            raise_place(p, f, one->from);
    }
    p->depth--;
    return flow;
}
