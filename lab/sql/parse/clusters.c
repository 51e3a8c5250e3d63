// SPDX-License-Identifier: GPL-2.0-or-later
// The options of CREATE CLUSTER, and the properties that a table in a cluster
// may not have.
#include "sql/parse/parse.h"

// Properties of space are the cluster's where a table is in one.
void parse_table_property(struct statement *s, unsigned property) {
    static const char *const of_space[] = {
        "initrans", "maxtrans", "pctfree", "pctused", "storage", "tablespace"};
    for (size_t i = 0; i < sizeof of_space / sizeof *of_space; i++)
        if (s->tree->clustered && statement_is(s, property, of_space[i]))
            statement_refuse(s, 1771, property, "");
    statement_refuse(s, 3001, property, "table properties");
}

void parse_cluster_number(struct statement *s, unsigned word, unsigned number) {
    const bool keys = statement_is(s, word, "hashkeys");
    unsigned *to = keys ? &s->tree->options.hashkeys : &s->tree->options.size;
    if (!keys && !statement_is(s, word, "size"))
        statement_refuse_token(s, 3001, word);
    else if (*to)
        statement_refuse(s, 922, word, "");
    *to = (unsigned)parse_number(s, number);
    if (*to == 0)
        statement_refuse(s, keys ? 2459 : 922, number, "");
}

void parse_cluster_unit(struct statement *s, unsigned unit) {
    unsigned *size = &s->tree->options.size;
    const bool mega = statement_is(s, unit, "m");
    if (!statement_is(s, unit - 2, "size") ||
        (!mega && !statement_is(s, unit, "k")))
        statement_refuse_token(s, 3001, unit);
    else if (*size > (mega ? 1U << 10 : 1U << 20))
        statement_refuse(s, 3001, unit, "so large a SIZE");
    else
        *size <<= mega ? 20 : 10;
}
