// SPDX-License-Identifier: GPL-2.0-or-later
// The PL/SQL that drivers and tools send on their own: an empty block, one
// SELECT ... INTO binds, OPENs of cursors (opens.c), or calls of the packages
// that name a session's work. Calls become a query over functions that carry
// them out.
#include "sql/emit/emitter.h"

enum { MOST_PARAMETERS = 5 };

struct procedure {
    const char *package, *name;
    const char *function; // see session_functions.c
    const char *parameter[MOST_PARAMETERS];
};

static const struct procedure procedures[] = {
    {"dbms_application_info",
     "set_module",
     "SET_MODULE$",
     {"module_name", "action_name"}},
    {"dbms_application_info", "set_action", "SET_ACTION$", {"action_name"}},
    {"dbms_application_info",
     "set_client_info",
     "SET_CLIENT_INFO$",
     {"client_info"}},
    {"dbms_session", "set_identifier", "SET_IDENTIFIER$", {"client_id"}},
    {"dbms_session", "clear_identifier", "SET_IDENTIFIER$", {NULL}},
    {"dbms_session", "set_sql_trace", "SET_SQL_TRACE$", {"sql_trace"}},
    {"dbms_session",
     "session_trace_enable",
     "OWN_TRACE_ENABLE$",
     {"waits", "binds", "plan_stat"}},
    {"dbms_session", "session_trace_disable", "OWN_TRACE_DISABLE$", {NULL}},
    {"dbms_monitor",
     "session_trace_enable",
     "SESSION_TRACE_ENABLE$",
     {"session_id", "serial_num", "waits", "binds", "plan_stat"}},
    {"dbms_monitor",
     "session_trace_disable",
     "SESSION_TRACE_DISABLE$",
     {"session_id", "serial_num"}},
    {"dbms_system",
     "set_sql_trace_in_session",
     "SET_SQL_TRACE_IN_SESSION$",
     {"sid", "serial#", "sql_trace"}},
    {"dbms_result_cache", "flush", "RESULT_CACHE_FLUSH$", {NULL}},
    {"dbms_result_cache",
     "invalidate",
     "RESULT_CACHE_INVALIDATE$",
     {"owner", "name"}},
    {"dbms_result_cache", "bypass", "RESULT_CACHE_BYPASS$", {"bypass_mode"}},
    // There are no statistics of tables for an optimizer.
    {"dbms_stats",
     "gather_table_stats",
     "NOTHING$",
     {"ownname", "tabname", "partname"}},
    // The lab has no output buffer, so these do nothing.
    {"dbms_output", "enable", "NOTHING$", {"buffer_size"}},
    {"dbms_output", "disable", "NOTHING$", {NULL}},
};

// A package may be qualified by SYS.
static const struct procedure *procedure_named(const struct statement *s,
                                               struct name name) {
    if (name.last - name.first == 4 && statement_is(s, name.first, "sys"))
        name.first += 2;
    if (name.last - name.first != 2)
        return NULL;
    for (size_t i = 0; i < sizeof procedures / sizeof *procedures; i++)
        if (statement_is(s, name.first, procedures[i].package) &&
            statement_is(s, name.last, procedures[i].name))
            return &procedures[i];
    return NULL;
}

static bool has_parameter(const struct statement *s,
                          const struct procedure *procedure, unsigned named) {
    for (int n = 0; n < MOST_PARAMETERS && procedure->parameter[n]; n++)
        if (statement_is(s, named, procedure->parameter[n]))
            return true;
    return false;
}

// Whether each argument is for one of the parameters.
static bool arguments_are_known(const struct statement *s,
                                const struct procedure *procedure,
                                const struct arguments *arguments) {
    int place = 0;
    for (const struct argument *one = arguments->first; one; one = one->next)
        if (one->name && !has_parameter(s, procedure, one->name))
            return false;
        else if (!one->name &&
                 (place == MOST_PARAMETERS || !procedure->parameter[place++]))
            return false;
    return true;
}

// The argument for parameter `n`, by its name or its position; NULL: none.
static const struct expr *argument_of(const struct statement *s,
                                      const struct procedure *procedure,
                                      const struct arguments *arguments,
                                      int n) {
    int place = 0;
    for (const struct argument *one = arguments->first; one;
         one = one->next, place++)
        if (one->name ? statement_is(s, one->name, procedure->parameter[n])
                      : place == n)
            return one->value;
    return NULL;
}

static void emit_argument(struct emitter *e, const struct expr *value) {
    const bool name = value && value->kind == EXPR_COLUMN;
    if (!value)
        emit_text(e, "NULL");
    else if (name && statement_is(e->s, value->from, "true"))
        emit_text(e, "1");
    else if (name && statement_is(e->s, value->from, "false"))
        emit_text(e, "0");
    else
        emit_value(e, value);
}

static void emit_procedure(struct emitter *e, const struct plsql *call) {
    const struct procedure *procedure = procedure_named(e->s, call->name);
    if (!procedure) {
        statement_refuse(
            e->s, 3001, call->from,
            "PL/SQL other than calls that name or trace a session");
        return;
    }
    if (!arguments_are_known(e->s, procedure, &call->arguments)) {
        statement_refuse(e->s, 6550, call->from,
                         "wrong number or types of arguments");
        return;
    }
    emit_text(e, procedure->function);
    emit_text(e, "(");
    for (int n = 0; n < MOST_PARAMETERS && procedure->parameter[n]; n++) {
        emit_text(e, n > 0 ? "," : "");
        emit_argument(e, argument_of(e->s, procedure, &call->arguments, n));
    }
    emit_text(e, ")");
}

static void emit_calls(struct emitter *e) {
    const char *between = "SELECT ";
    for (const struct plsql *one = e->s->tree->body.first; one;
         one = one->next) {
        if (one->kind == PLSQL_NULL)
            continue;
        if (one->kind != PLSQL_CALL)
            statement_refuse(
                e->s, 3001, one->from,
                "PL/SQL other than calls that name or trace a session");
        emit_text(e, between);
        emit_procedure(e, one);
        between = ",";
    }
}

static void emit_into_binds(struct emitter *e, const struct plsql *select) {
    const struct block *block = select->query->first;
    if (select->next || !block->into.first) {
        statement_refuse(e->s, 3001, select->from,
                         "PL/SQL other than one SELECT INTO");
        return;
    }
    emit_query(e, select->query);
    take_into(e, &block->into);
    if (!e->s->error)
        e->result->query = block_query_text(
            e->s, select->from, block->into_from, block->from_word, select->to);
}

static bool opens_cursors(const struct tree *tree) {
    for (const struct plsql *one = tree->body.first; one; one = one->next)
        if (one->kind == PLSQL_OPEN)
            return true;
    return false;
}

void emit_plsql(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    const bool opens = opens_cursors(tree);
    for (const struct variable *one = tree->variables.first; one && !opens;
         one = one->next)
        if (one->has_value)
            statement_refuse(
                e->s, 3001, one->name,
                "PL/SQL with other declarations than of variables");
    if (opens)
        take_opened_cursors(e);
    else if (tree->body.first->kind == PLSQL_SELECT)
        emit_into_binds(e, tree->body.first);
    else
        emit_calls(e);
}
