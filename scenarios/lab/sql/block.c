// SPDX-License-Identifier: GPL-2.0-or-later
// PL/SQL, as far as drivers and tools send it on their own account: nothing,
// one SELECT ... INTO binds, or calls of the packages that name a session's
// work. Calls become a query of functions that carry them out.
#include "sql/source.h"

#include <string.h>

enum { MOST_PARAMETERS = 3 };

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
    // Nobody reads what would be put there.
    {"dbms_output", "enable", "NOTHING$", {"buffer_size"}},
    {"dbms_output", "disable", "NOTHING$", {NULL}},
};

static const struct procedure *procedure_at(const struct translator *t,
                                            size_t at) {
    for (size_t i = 0; i < sizeof procedures / sizeof *procedures; i++)
        if (is(t, at, procedures[i].package) && is(t, at + 1, ".") &&
            is(t, at + 2, procedures[i].name))
            return &procedures[i];
    return NULL;
}

// The argument for parameter `n` in [from, to): by its name, or by its place.
static bool find_argument(const struct translator *t, size_t from, size_t to,
                          const struct procedure *procedure, int n,
                          size_t *begins, size_t *ends) {
    int place = 0;
    while (from < to) {
        size_t end = find(t, from, to, ",");
        bool named = is(t, from + 1, "=>");
        if (named ? is(t, from, procedure->parameter[n]) : place == n) {
            *begins = named ? from + 2 : from;
            *ends = end;
            return *begins < *ends;
        }
        place++;
        from = end + 1;
    }
    return false;
}

// Says one call, [from, to), whose package begins it.
static void say_procedure(struct translator *t, size_t from, size_t to) {
    const struct procedure *procedure = procedure_at(t, from);
    size_t open = from + 3, inside = to, close = to, begins, ends;
    if (!procedure ||
        (open < to && (!is(t, open, "(") || t->close[open] + 1 != to))) {
        refuse(t, 3001, "PL/SQL other than calls that name the session's work");
        return;
    }
    if (open < to) {
        inside = open + 1;
        close = to - 1;
    }
    say(t, procedure->function);
    say(t, "(");
    for (int n = 0; n < MOST_PARAMETERS && procedure->parameter[n]; n++) {
        if (n > 0)
            say(t, ",");
        if (find_argument(t, inside, close, procedure, n, &begins, &ends))
            say_whole_value(t, begins, ends, 6550);
        else
            say(t, "NULL");
    }
    say(t, ")");
}

static void say_calls(struct translator *t, size_t from, size_t to) {
    const char *between = "SELECT ";
    while (from < to && !t->result->error) {
        size_t end = find(t, from, to, ";");
        if (!(is(t, from, "null") && end == from + 1)) {
            say(t, between);
            say_procedure(t, from, end);
            between = ",";
        }
        from = end + 1;
    }
}

// The binds of an INTO are counted in their turn.
static void take_into(struct translator *t, size_t from, size_t to) {
    t->result->into_from = t->result->binds;
    for (size_t at = from; at < to; at += 2) {
        if (t->tokens[at].type != TOKEN_BIND ||
            (at + 1 < to && !is(t, at + 1, ","))) {
            refuse(t, 3001, "SELECT INTO other than binds");
            return;
        }
        placeholder(t, at);
    }
    t->result->into_to = t->result->binds;
}

// BEGIN SELECT a, b INTO :x, :y FROM ...; END;
static void say_into_binds(struct translator *t, size_t end) {
    size_t into = find(t, 1, end, "into"), from = find(t, 1, end, "from");
    if (find(t, 1, end, ";") != end - 1 || into > from || from >= end - 1)
        refuse(t, 3001, "PL/SQL other than one SELECT INTO");
    else
        say_select_into(t, 1, end - 1, into, take_into);
}

void say_plsql(struct translator *t) {
    const size_t end = t->count - 1;
    if (t->count < 4 || !is(t, end, "end") || !is(t, end - 1, ";"))
        refuse(t, 6550, "BEGIN without END;");
    else if (is(t, 1, "select"))
        say_into_binds(t, end);
    else
        say_calls(t, 1, end);
}
