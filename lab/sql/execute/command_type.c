// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/command_type.h"

#include "sql/parse/lexer.h"

static const struct {
    const char *first, *second; // NULL: whatever comes
    int number;
} commands[] = {
    {"select", NULL, 3},        {"with", NULL, 3},
    {"insert", NULL, 2},        {"update", NULL, 6},
    {"delete", NULL, 7},        {"merge", NULL, 189},
    {"begin", NULL, 47},        {"declare", NULL, 47},
    {"call", NULL, 170},        {"commit", NULL, 44},
    {"rollback", NULL, 45},     {"savepoint", NULL, 46},
    {"set", "transaction", 48}, {"explain", NULL, 50},
    {"lock", NULL, 26},         {"truncate", NULL, 85},
    {"comment", NULL, 29},      {"alter", "session", 42},
    {"alter", "table", 15},     {"alter", "index", 11},
    {"create", "table", 1},     {"create", "global", 1}, // temporary table
    {"create", "private", 1},   {"create", "index", 9},
    {"create", "unique", 9},    // index
    {"create", "database", 32}, // link
    {"create", "shared", 32},   {"create", "public", 32},
    {"drop", "database", 33},   {"drop", "public", 33},
    {"create", "view", 21},     {"create", "sequence", 13},
    {"drop", "table", 12},      {"drop", "index", 10},
    {"drop", "view", 22},       {"drop", "sequence", 16},
    {"create", "cluster", 4},   {"drop", "cluster", 8},
};

int command_type_of(const char *sql, size_t length) {
    const char *position = sql, *end = sql + length;
    struct token first = lexer_next(&position, end);
    while (token_is(&first, "(")) // (SELECT ...) UNION ...
        first = lexer_next(&position, end);
    const struct token second = lexer_next(&position, end);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (token_is(&first, commands[i].first) &&
            (!commands[i].second || token_is(&second, commands[i].second)))
            return commands[i].number;
    return 0;
}
