// SPDX-License-Identifier: GPL-2.0-or-later
// DBMS_OUTPUT: lines that a session keeps until its client reads them.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plsql/supplied.h"

enum { LINE_TOO_LONG = 20000, BUFFER_OVERFLOW = 20000, LEAST = 2000 };

static void forget_lines(struct output *output) {
    while (output->first) {
        struct output_line *next = output->first->next;
        sqlite3_free(output->first);
        output->first = next;
    }
    output->last = NULL;
    output->bytes = 0;
}

void output_free(struct output *output) {
    forget_lines(output);
    sqlite3_free(output->line);
    output->line = NULL;
    output->length = 0;
}

static bool end_line(struct output *output, struct ora_error *error) {
    char about[100];
    if (output->limit > 0 && output->bytes + output->length > output->limit) {
        snprintf(about, sizeof about,
                 "ORU-10027: buffer overflow, limit of %zu bytes",
                 output->limit);
        ora_error_set(error, BUFFER_OVERFLOW, about);
        return false;
    }
    struct output_line *line =
        sqlite3_malloc64(sizeof *line + output->length + 1);
    if (!line) {
        ora_error_set(error, 4036, "");
        return false;
    }
    *line = (struct output_line){.length = output->length};
    memcpy(line->text, output->line ? output->line : "", output->length);
    if (output->last)
        output->last->next = line;
    else
        output->first = line;
    output->last = line;
    output->bytes += output->length;
    output->length = 0;
    return true;
}

static bool add_text(struct output *output, const char *text, size_t length,
                     struct ora_error *error) {
    if (output->length + length > LONGEST_LINE) {
        ora_error_set(error, LINE_TOO_LONG,
                      "ORU-10028: line length overflow, limit of 32767 bytes "
                      "per line");
        return false;
    }
    if (!output->line)
        output->line = sqlite3_malloc64(LONGEST_LINE);
    if (!output->line) {
        ora_error_set(error, 4036, "");
        return false;
    }
    memcpy(output->line + output->length, text, length);
    output->length += length;
    return true;
}

static bool add(struct plsql_session *p, const struct scalar *value,
                struct ora_error *error) {
    size_t length;
    char *text = scalar_text(p, value, &length);
    const bool ok =
        add_text(&p->output, text ? text : "", text ? length : 0, error);
    sqlite3_free(text);
    return ok;
}

bool output_line(struct plsql_session *p, const char *line,
                 struct ora_error *error) {
    return !p->output.enabled ||
           (add_text(&p->output, line, strlen(line), error) &&
            end_line(&p->output, error));
}

static bool put(struct plsql_session *p, struct scalar *argument,
                struct scalar *result, struct ora_error *error) {
    (void)result;
    return !p->output.enabled || add(p, &argument[0], error);
}

static bool new_line(struct plsql_session *p, struct scalar *argument,
                     struct scalar *result, struct ora_error *error) {
    (void)argument, (void)result;
    return !p->output.enabled || end_line(&p->output, error);
}

static bool put_line(struct plsql_session *p, struct scalar *argument,
                     struct scalar *result, struct ora_error *error) {
    return put(p, argument, result, error) &&
           new_line(p, argument, result, error);
}

static bool enable(struct plsql_session *p, struct scalar *argument,
                   struct scalar *result, struct ora_error *error) {
    (void)result, (void)error;
    p->output.enabled = true;
    const double requested = scalar_double(&argument[0]);
    p->output.limit = argument[0].kind == SCALAR_NULL ? 0
                      : requested < LEAST             ? LEAST
                      : requested > 1e9               ? 1000000000
                                                      : (size_t)requested;
    return true;
}

static bool disable(struct plsql_session *p, struct scalar *argument,
                    struct scalar *result, struct ora_error *error) {
    (void)argument, (void)result, (void)error;
    p->output.enabled = false;
    output_free(&p->output);
    return true;
}

// (line OUT, status OUT): 0 with a line, 1 without
static bool get_line(struct plsql_session *p, struct scalar *argument,
                     struct scalar *result, struct ora_error *error) {
    struct output *output = &p->output;
    struct output_line *line = output->first;
    (void)result;
    argument[1] = (struct scalar){.kind = SCALAR_INTEGER, .integer = !line};
    if (!line)
        return true;
    if (!scalar_of_text(p, line->text, line->length, &argument[0])) {
        ora_error_set(error, 4036, "");
        return false;
    }
    output->first = line->next;
    if (!output->first)
        output->last = NULL;
    output->bytes -= line->length;
    sqlite3_free(line);
    return true;
}

static const struct type line_type = {
    .kind = TYPE_SCALAR,
    .operand = OPERAND_TEXT,
    .declared = "VARCHAR2(32767)",
    .column = {CLASS_TEXT, .size = LONGEST_LINE}};
static const struct type lines_type = {
    .kind = TYPE_TABLE, .element = &line_type, .indexed = true};

const struct type *supplied_type(const char *package, const char *name) {
    return strcmp(package, "DBMS_OUTPUT") == 0 && strcmp(name, "CHARARR") == 0
               ? &lines_type
               : NULL;
}

bool output_take(struct plsql_session *p, struct value *lines, int64_t most,
                 int64_t *taken, struct ora_error *error) {
    for (*taken = 0; *taken < most && p->output.first; ++*taken) {
        struct scalar argument[2] = {0}, result;
        struct value *new_value =
            table_make(lines, &lines_type, *taken + 1, NULL);
        if (!new_value) {
            ora_error_set(error, 4036, "");
            return false;
        }
        if (!get_line(p, argument, &result, error))
            return false;
        new_value->scalar = argument[0];
    }
    return true;
}

const struct supplied output_package[] = {
    {"DBMS_OUTPUT", "ENABLE", {{"BUFFER_SIZE", MODE_IN, true}}, .call = enable},
    {"DBMS_OUTPUT", "DISABLE", .call = disable},
    {"DBMS_OUTPUT", "PUT", {{"A", MODE_IN}}, .call = put},
    {"DBMS_OUTPUT", "PUT_LINE", {{"A", MODE_IN}}, .call = put_line},
    {"DBMS_OUTPUT", "NEW_LINE", .call = new_line},
    {"DBMS_OUTPUT",
     "GET_LINE",
     {{"LINE", MODE_OUT}, {"STATUS", MODE_OUT}},
     .call = get_line},
    {"DBMS_OUTPUT",
     "GET_LINES",
     {{"LINES", MODE_OUT}, {"NUMLINES", MODE_IN_OUT}},
     .of_lines = true},
    {NULL},
};
