// SPDX-License-Identifier: GPL-2.0-or-later
// Calls: a frame for the routine, its parameters, its result.
#include <sqlite3.h>
#include <string.h>

#include "plsql/function_result.h"
#include "plsql/run.h"
#include "plsql/supplied.h"
#include "sql/execute/savepoint.h"
#include "sql/execute/transaction.h"

enum { CANNOT_FIND_UNIT = 6508, WITHOUT_VALUE = 6503, STORAGE_ERROR = 6500 };

bool frame_begin(struct plsql_session *p, struct frame *frame,
                 const struct routine *routine, struct frame *outer) {
    const size_t bytes = (routine->slots + 1) * sizeof *frame->slot;
    *frame = (struct frame){.outer = outer, .routine = routine};
    frame->slot = sqlite3_malloc64(bytes);
    if (!frame->slot)
        return raise_memory(p);
    memset(frame->slot, 0, bytes);
    return true;
}

void frame_end(struct frame *frame) {
    for (const struct variable *one = frame->routine->variables;
         one && frame->slot; one = one->next)
        value_free(&frame->slot[one->slot], one->type);
    sqlite3_free(frame->slot);
    frame->slot = NULL;
}

// Its own function: an error takes much of the stack.
__attribute__((noinline)) static bool load_body(struct plsql_session *p,
                                                struct unit *unit) {
    struct ora_error error = {0};
    if (unit->kind != UNIT_PACKAGE || unit->body || unit_body(unit, &error))
        return true;
    return error.number ? raise_ora(p, &error) : true;
}

static bool initialize(struct plsql_session *p, struct unit *unit) {
    struct frame frame;
    struct package *package = &unit->package;
    const size_t bytes = (package->values + 1) * sizeof *package->value;
    if (!package->value) {
        package->value = sqlite3_malloc64(bytes);
        if (!package->value)
            return raise_memory(p);
        memset(package->value, 0, bytes);
    }
    package->initialized = true; // its own code uses it from now on
    if (!frame_begin(p, &frame, unit->main, NULL))
        return false;
    bool ok = declare_all(p, &frame, &unit->s.tree->unit->declarations) &&
              (!unit->main->body ||
               run_block(p, &frame, unit->main->body) != FLOW_RAISED);
    frame_end(&frame);
    if (!ok)
        package->initialized = false;
    return ok;
}

bool package_ready(struct plsql_session *p, struct unit *unit) {
    if (unit->specification)
        unit = unit->specification;
    if (unit->kind != UNIT_PACKAGE || unit->package.initialized)
        return true;
    return load_body(p, unit) && initialize(p, unit) &&
           (!unit->body || initialize(p, unit->body));
}

// The frame that the routine's outer variables are in.
static struct frame *frame_around(const struct routine *routine,
                                  struct frame *f) {
    if (!f || f->routine->unit != routine->unit)
        return NULL;
    while (f && f->routine->level >= routine->level)
        f = f->outer;
    return f;
}

static bool is_scalar(const struct type *type) {
    return type->kind == TYPE_SCALAR || type->kind == TYPE_BOOLEAN;
}

static bool give(struct plsql_session *p, struct frame *f, struct frame *callee,
                 const struct parameter *parameter, struct code *argument) {
    struct value *to = &callee->slot[parameter->variable->slot];
    const struct type *type = parameter->variable->type;
    struct frame *in = argument ? f : callee; // a default is of the routine
    struct scalar scalar;
    if (parameter->mode == MODE_OUT)
        return value_initialize(p, callee, to, type);
    argument = argument ? argument : parameter->value;
    if (!is_scalar(type)) {
        struct value value;
        if (!evaluate_value(p, in, argument, &value))
            return false;
        *to = value;
        return true;
    }
    return evaluate_scalar(p, in, argument, &scalar) &&
           assign_scalar(p, to, type, &scalar);
}

static bool take_back(struct plsql_session *p, struct frame *f,
                      struct frame *callee, const struct parameter *parameter,
                      struct code *target) {
    struct value *from = &callee->slot[parameter->variable->slot];
    const struct type *type = parameter->variable->type;
    if (parameter->mode == MODE_IN || !target)
        return true;
    if (is_scalar(type) && is_scalar(target->type)) {
        struct scalar value = from->scalar;
        from->scalar = (struct scalar){.kind = SCALAR_NULL};
        return assign_target(p, f, target, &value);
    }
    struct value *place = place_of(p, f, target, true);
    return place && (value_copy(from, place, type) || raise_memory(p));
}

// An autonomous transaction would need a second connection while the session's
// own has changes: SQLite has one writer.
static bool autonomous_begins(struct plsql_session *p) {
    return !transaction_is_open(p->database) ||
           raise_error(p, 3001,
                       "an autonomous transaction inside one with changes");
}

static bool autonomous_ends(struct plsql_session *p, bool ok) {
    if (!transaction_is_open(p->database))
        return ok;
    transaction_rollback(p->database);
    return ok ? raise_error(p, 6519, "") : ok;
}

bool run_routine(struct plsql_session *p, struct frame *frame) {
    const struct routine *routine = frame->routine;
    struct savepoints *outer = NULL;
    if (routine->autonomous && !autonomous_begins(p))
        return false;
    if (routine->autonomous)
        outer = savepoints_set_aside(p->database);
    bool ok = run_block(p, frame, routine->body) != FLOW_RAISED;
    if (routine->autonomous) {
        ok = autonomous_ends(p, ok);
        savepoints_take_back(p->database, outer);
    }
    if (ok && routine->result && !frame->returned) {
        ok = raise_error(p, WITHOUT_VALUE, "");
        raise_place(p, frame, routine->body->end);
    }
    return ok;
}

bool call_routine(struct plsql_session *p, struct frame *f, struct code *call,
                  struct value *result) {
    const struct routine *routine = call->routine;
    struct frame callee;
    memset(result, 0, sizeof *result);
    if (!package_ready(p, routine->unit))
        return false;
    if (!routine->body)
        return raise_error(p, CANNOT_FIND_UNIT, "");
    if (p->depth > MOST_RECURSION)
        return raise_error(p, STORAGE_ERROR, "");
    if (!frame_begin(p, &callee, routine, frame_around(routine, f)))
        return false;
    bool ok = true;
    for (unsigned i = 0; i < routine->parameters && ok; i++)
        ok = give(p, f, &callee, &routine->parameter[i], call->list[i]);
    if (ok) {
        ok = routine->tree->cached ? function_result_run(p, &callee)
                                   : run_routine(p, &callee);
        p->raised.placed = false; // the caller's line comes next
    }
    for (unsigned i = 0; i < routine->parameters && ok; i++)
        ok = take_back(p, f, &callee, &routine->parameter[i], call->list[i]);
    if (ok)
        *result = callee.result;
    else if (routine->result)
        value_free(&callee.result, routine->result);
    frame_end(&callee);
    return ok;
}

// dbms_sql.return_result(cursor)
static bool return_result(struct plsql_session *p, struct frame *f,
                          struct code *argument) {
    struct value *place = place_of(p, f, argument, false);
    if (!place)
        return false;
    if (!place->query || !place->query->open)
        return raise_error(p, 1001, "");
    struct plsql_query **grown =
        sqlite3_realloc64(p->result, (p->results + 1) * sizeof *p->result);
    if (!grown)
        return raise_memory(p);
    p->result = grown;
    p->result[p->results++] = plsql_query_share(place->query);
    return true;
}

// dbms_output.get_lines(lines, numlines)
static bool get_lines(struct plsql_session *p, struct frame *f,
                      struct code *const *argument) {
    struct ora_error error = {0};
    struct scalar converted = {.kind = SCALAR_INTEGER};
    int64_t limit;
    if (!evaluate_whole(p, f, argument[1], &limit))
        return false;
    struct value *lines = place_of(p, f, argument[0], true);
    if (!lines)
        return false;
    if (!table_clear(lines, supplied_type("DBMS_OUTPUT", "CHARARR")))
        return raise_memory(p);
    return output_take(p, lines, limit, &converted.integer, &error)
               ? assign_target(p, f, argument[1], &converted)
               : raise_ora(p, &error);
}

static bool by_function(struct plsql_session *p,
                        const struct supplied *supplied,
                        const struct scalar *argument, unsigned count,
                        struct scalar *result) {
    char text[200];
    sqlite3_stmt *statement = NULL;
    size_t n = 0;
    n += (size_t)sqlite3_snprintf(100, text, "SELECT %s(", supplied->function)
             ? strlen(text)
             : 0;
    for (unsigned i = 0; i < count; i++, n = strlen(text))
        sqlite3_snprintf((int)(sizeof text - n), text + n, i > 0 ? ",?" : "?");
    sqlite3_snprintf((int)(sizeof text - n), text + n, ")");
    bool ok = sqlite3_prepare_v2(p->database->db, text, -1, &statement, NULL) ==
              SQLITE_OK;
    for (unsigned i = 0; i < count && ok; i++)
        ok = scalar_bind(statement, (int)i + 1, &argument[i]) == SQLITE_OK;
    ok = ok && sqlite3_step(statement) == SQLITE_ROW;
    if (!ok)
        raise_sqlite(p);
    else if (!scalar_of_value(sqlite3_column_value(statement, 0), result))
        ok = raise_memory(p);
    sqlite3_finalize(statement);
    return ok;
}

static bool carry_out(struct plsql_session *p, const struct supplied *supplied,
                      struct scalar *argument, unsigned count,
                      struct scalar *result) {
    struct ora_error error = {0};
    if (supplied->result && p->database->reading)
        p->database->reading->tables.varies = true;
    if (supplied->function)
        return by_function(p, supplied, argument, count, result);
    return supplied->call(p, argument, result, &error) || raise_ora(p, &error);
}

bool call_supplied(struct plsql_session *p, struct frame *f, struct code *call,
                   struct scalar *result) {
    const struct supplied *supplied = call->supplied;
    struct scalar argument[MOST_SUPPLIED_PARAMETERS] = {0};
    bool ok = true;
    *result = (struct scalar){.kind = SCALAR_NULL};
    if (supplied->of_cursor)
        return return_result(p, f, call->list[0]);
    if (supplied->of_lines)
        return get_lines(p, f, call->list);
    for (unsigned i = 0; i < call->count && ok; i++)
        if (call->list[i] && supplied->parameter[i].mode != MODE_OUT)
            ok = evaluate_scalar(p, f, call->list[i], &argument[i]);
    ok = ok && carry_out(p, supplied, argument, call->count, result);
    for (unsigned i = 0; i < call->count; i++) {
        if (ok && call->list[i] && supplied->parameter[i].mode != MODE_IN)
            ok = assign_target(p, f, call->list[i], &argument[i]);
        if (argument[i].owned)
            scalar_free(&argument[i]);
    }
    return ok;
}
