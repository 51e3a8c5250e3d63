// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of a remote query, as the other side describes them.
#include <stdlib.h>
#include <string.h>

#include "link/query.h"
#include "sql/types/utf8.h"
#include "ttc/bind_types.h"

enum {
    MOST_REMOTE_COLUMNS = 1000,
    CHANGED = 932,
    LONGEST_COLUMN = 32767,
    VERSION_OF_ACCESS_FLAGS = 8,
};

static void keep_name(struct column *column, struct bytes name) {
    const size_t limit = sizeof column->name - 1;
    const size_t length = name.length < limit ? name.length : limit;
    if (length > 0)
        memcpy(column->name, name.at, length);
    column->name[length] = '\0';
    utf8_clean(column->name, strlen(column->name));
}

static void read_column(struct connection *c, struct column *column,
                        struct bind_type *type) {
    struct wire_in *in = &c->in;
    *type = (struct bind_type){.type = in_u8(in)};
    in_u8(in); // flags
    column->precision = (int8_t)in_u8(in);
    column->scale = (int8_t)in_u8(in);
    const uint32_t size = in_ub4(in);
    in_ub(in); // elements
    in_ub(in); // continuation flags
    in_dlc(in);
    in_ub(in); // version
    in_ub(in); // character set
    type->form = in_u8(in);
    in_ub(in); // characters
    if (c->field_version >= VERSION_OF_ACCESS_FLAGS)
        in_ub(in);
    in_skip(in, 2); // may be NULL, length of the name
    keep_name(column, in_dlc(in));
    in_dlc(in); // schema
    in_dlc(in); // type
    in_ub(in);  // position
    in_ub(in);  // flags
    column->fixed = type->type == TYPE_CHAR;
    column->type = type->type == TYPE_CHAR ? COLUMN_VARCHAR2 : type->type;
    column->size = size < LONGEST_COLUMN ? size : LONGEST_COLUMN;
}

// The fields behind the columns.
static void read_rest(struct wire_in *in) {
    in_dlc(in);
    for (int i = 0; i < 4; i++)
        in_ub(in);
    in_dlc(in);
}

// A server that can describe a query only while it executes it says type 0.
bool query_is_typed(const struct remote_query *query) {
    for (unsigned i = 0; i < query->columns; i++)
        if (query->type[i].type == 0)
            return false;
    return true;
}

static bool same_types(const struct remote_query *query,
                       const struct bind_type *type, unsigned columns) {
    bool is_same = columns == query->columns;
    for (unsigned i = 0; i < columns && is_same; i++)
        is_same =
            query->type[i].type == 0 || (type[i].type == query->type[i].type &&
                                         type[i].form == query->type[i].form);
    return is_same;
}

static bool keep(struct remote_query *query, struct column *column,
                 struct bind_type *type, unsigned columns) {
    struct connection *c = query->connection;
    const bool first = !query->column;
    if (first && !(query->value = calloc(columns + 1, sizeof *query->value)))
        return connection_lost(c, 4030, "");
    const bool is_same = first || same_types(query, type, columns);
    if (is_same && (first || !query_is_typed(query))) {
        free(query->column);
        free(query->type);
        query->column = column;
        query->type = type;
        query->columns = columns;
        return true;
    }
    free(column);
    free(type);
    if (!is_same)
        ora_error_set(&c->error, CHANGED, "the remote columns have changed");
    return is_same;
}

bool query_describe(struct remote_query *query) {
    struct connection *c = query->connection;
    struct wire_in *in = &c->in;
    in_clr(in);
    in_ub(in); // the longest row
    const uint32_t columns = in_ub4(in);
    if (columns > 0)
        in_u8(in);
    if (columns > MOST_REMOTE_COLUMNS)
        in_refuse(in, "too many columns");
    struct column *column =
        in->bad ? NULL : calloc(columns + 1, sizeof *column);
    struct bind_type *type = in->bad ? NULL : calloc(columns + 1, sizeof *type);
    if (!in->bad && !(column && type))
        in_refuse(in, "no memory for the columns");
    for (uint32_t i = 0; i < columns && !in->bad; i++)
        read_column(c, &column[i], &type[i]);
    if (!in->bad)
        read_rest(in);
    if (!in->bad)
        return keep(query, column, type, columns);
    free(column);
    free(type);
    return false;
}
