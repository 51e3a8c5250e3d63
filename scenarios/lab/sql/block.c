// SPDX-License-Identifier: GPL-2.0-or-later
// The PL/SQL that drivers and tools send on their own: an empty block, one
// SELECT ... INTO binds, OPENs of cursors (open_for.c), or calls of the
// packages that name a session's work. Calls become a query over functions that
// carry them out.
#include "sql/block_query.h"

#include <string.h>

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

static const struct procedure *procedure_at(const struct translator *t,
                                            size_t at) {
    for (size_t i = 0; i < sizeof procedures / sizeof *procedures; i++)
        if (source_is(t, at, procedures[i].package) &&
            source_is(t, at + 1, ".") &&
            source_is(t, at + 2, procedures[i].name))
            return &procedures[i];
    return NULL;
}

// The argument for parameter `n` in [from, to), by its name or its position.
static bool find_argument(const struct translator *t, size_t from, size_t to,
                          const struct procedure *procedure, int n,
                          size_t *begins, size_t *ends) {
    int place = 0;
    while (from < to) {
        size_t end = source_find(t, from, to, ",");
        bool named = source_is(t, from + 1, "=>");
        if (named ? source_is(t, from, procedure->parameter[n]) : place == n) {
            *begins = named ? from + 2 : from;
            *ends = end;
            return *begins < *ends;
        }
        place++;
        from = end + 1;
    }
    return false;
}

static bool has_parameter(const struct procedure *procedure,
                          const struct translator *t, size_t named) {
    for (int n = 0; n < MOST_PARAMETERS && procedure->parameter[n]; n++)
        if (source_is(t, named, procedure->parameter[n]))
            return true;
    return false;
}

// Whether each argument in [from, to) is for one of the parameters.
static bool arguments_are_known(const struct translator *t, size_t from,
                                size_t to, const struct procedure *procedure) {
    int place = 0;
    for (; from < to; from = source_find(t, from, to, ",") + 1) {
        if (source_is(t, from + 1, "=>")) {
            if (!has_parameter(procedure, t, from))
                return false;
        } else if (place == MOST_PARAMETERS || !procedure->parameter[place++]) {
            return false;
        }
    }
    return true;
}

static bool is_boolean(const struct translator *t, size_t at) {
    return source_is(t, at, "true") || source_is(t, at, "false");
}

// Emits the call in [from, to), which begins with the package's name.
static void emit_procedure(struct translator *t, size_t from, size_t to) {
    if (source_is(t, from, "sys") && source_is(t, from + 1, "."))
        from += 2;
    const struct procedure *procedure = procedure_at(t, from);
    size_t open = from + 3, inside = to, close = to, begins, ends;
    if (!procedure ||
        (open < to && (!source_is(t, open, "(") || t->close[open] + 1 != to))) {
        source_refuse(t, 3001,
                      "PL/SQL other than calls that name or trace a session");
        return;
    }
    if (open < to) {
        inside = open + 1;
        close = to - 1;
    }
    if (!arguments_are_known(t, inside, close, procedure)) {
        source_refuse(t, 6550, "wrong number or types of arguments");
        return;
    }
    emit_text(t, procedure->function);
    emit_text(t, "(");
    for (int n = 0; n < MOST_PARAMETERS && procedure->parameter[n]; n++) {
        if (n > 0)
            emit_text(t, ",");
        if (!find_argument(t, inside, close, procedure, n, &begins, &ends))
            emit_text(t, "NULL");
        else if (ends == begins + 1 && is_boolean(t, begins))
            emit_text(t, source_is(t, begins, "true") ? "1" : "0");
        else
            emit_whole_value(t, begins, ends, 6550);
    }
    emit_text(t, ")");
}

static void emit_calls(struct translator *t, size_t from, size_t to) {
    const char *between = "SELECT ";
    while (from < to && !t->result->error) {
        size_t end = source_find(t, from, to, ";");
        if (!(source_is(t, from, "null") && end == from + 1)) {
            emit_text(t, between);
            emit_procedure(t, from, end);
            between = ",";
        }
        from = end + 1;
    }
}

// BEGIN SELECT a, b INTO :x, :y FROM ...; END;, with SELECT at `first`.
static void emit_into_binds(struct translator *t, size_t first, size_t end) {
    size_t into = source_find(t, first, end, "into");
    size_t from = source_find(t, first, end, "from");
    if (source_find(t, first, end, ";") != end - 1 || into > from ||
        from >= end - 1)
        source_refuse(t, 3001, "PL/SQL other than one SELECT INTO");
    else
        emit_select_into(t, first, end - 1, into, take_into_binds);
    if (!t->result->error)
        t->result->query = block_query_text(t, first, into, from, end - 1);
}

// Where BEGIN is. Variables may be declared before it, as early versions of
// go-ora do, but used only by OPEN.
static size_t find_begin(const struct translator *t) {
    size_t at = 0;
    while (source_is(t, 0, "declare") && at < t->count &&
           !source_is(t, at, "begin"))
        at++;
    return at;
}

// Whether what is declared before BEGIN, at `begin`, are variables without a
// value.
static bool declares_variables(const struct translator *t, size_t begin) {
    size_t at = 1;
    while (at < begin) {
        const size_t type = at + 1; // and maybe its size: no value, no cursor
        const size_t after =
            source_is(t, type + 1, "(") ? t->close[type + 1] : type;
        if (!source_is(t, after + 1, ";"))
            return false;
        at = after + 2;
    }
    return true;
}

void emit_plsql_block(struct translator *t) {
    if (source_is(t, 0, "call")) { // SQL's way to run a procedure
        emit_text(t, "SELECT ");
        emit_procedure(t, 1, t->count);
        return;
    }
    const size_t end = t->count - 1, first = find_begin(t) + 1;
    const bool opens = block_opens_cursors(t, first);
    if (!source_is(t, first - 1, "begin") ||
        (!opens && !declares_variables(t, first - 1))) {
        source_refuse(t, 3001,
                      "PL/SQL with other declarations than of variables");
        return;
    }
    if (t->count < first + 3 || !source_is(t, end, "end") ||
        !source_is(t, end - 1, ";"))
        source_refuse(t, 6550, "BEGIN without END;");
    else if (opens)
        take_opened_cursors(t, first, end);
    else if (source_is(t, first, "select"))
        emit_into_binds(t, first, end);
    else
        emit_calls(t, first, end);
}
