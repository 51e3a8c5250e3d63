// SPDX-License-Identifier: GPL-2.0-or-later
// One input is one statement of Oracle's SQL. It is translated twice, with and
// without known columns. Nothing is run, so that a second makes thousands.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/parse/lexer.h"
#include "sql/emit/translate.h"

enum { MOST_TOKENS = 512, LONGEST = 8192 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed);

static void take_columns(take_column_of *take, void *to) {
    static const char *const columns[][2] = {
        {"N", "NUMBER(5,0)"}, {"WIDE", "NUMBER"},
        {"V", "VARCHAR2(5)"}, {"D", "DATE"},
        {"S", "TIMESTAMP"},   {"Z", "TIMESTAMP WITH TIME ZONE"},
        {"R", "RAW(16)"},     {"B", "BINARY_DOUBLE"},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        take(to, columns[i][0], columns[i][1], true);
}

static enum table_owner table(void *data, const char *owner, const char *name,
                              take_column_of *take, void *to) {
    (void)data;
    if (strcmp(owner, "SYS") == 0 || strcmp(name, "T") != 0)
        return strcmp(name, "DUAL") == 0 ? OTHERS_TABLE : NO_TABLE;
    take_columns(take, to);
    return OWN_TABLE;
}

static bool cluster(void *data, const char *name, take_column_of *take,
                    void *to, bool *single) {
    (void)data;
    *single = strcmp(name, "S") == 0;
    if (!*single && strcmp(name, "C") != 0)
        return false;
    take(to, "N", "NUMBER(5,0)", true);
    return true;
}

static void clustered(void *data, take_clustered_of *take, void *to) {
    (void)data;
    take(to, "C", 1, "T");
}

static unsigned remote_table(void *data, const char *link, const char *owner,
                             const char *name, char known[REMOTE_NAME],
                             take_column_of *take, void *to) {
    (void)data, (void)owner;
    if (*link != 'L')
        return 2019;
    snprintf(known, REMOTE_NAME, "%s@%s", name, link);
    take_columns(take, to);
    return 0;
}

// All of the text that goes to the other side is read.
static unsigned remote_query(void *data, const char *link, const char *sql,
                             size_t length, unsigned binds, unsigned *number,
                             take_column_of *take, void *to) {
    (void)data, (void)link, (void)binds;
    if (memchr(sql, '@', length) && !memchr(sql, '\'', length) &&
        !memchr(sql, '"', length) && !memchr(sql, '-', length) &&
        !memchr(sql, '*', length))
        abort(); // the name of a link is left in it
    *number = 1;
    take_columns(take, to);
    return 0;
}

static uint32_t object(void *data, const char *owner, const char *name) {
    (void)data, (void)owner;
    return *name == 'T';
}

static bool differs_in_case(void *data, const char *name) {
    (void)data;
    return strcmp(name, "t") == 0;
}

static const struct catalog catalog = {
    .table = table,
    .object = object,
    .differs_in_case = differs_in_case,
    .cluster = cluster,
    .clustered = clustered,
    .remote_table = remote_table,
    .remote_query = remote_query,
};

static void translate(const uint8_t *data, size_t size,
                      const struct catalog *with) {
    static struct translation made;
    translation_make((const char *)data, size, "\"SCOTT\"", with, NULL, &made);
    // A translation without an error has a text.
    if (!made.error && made.kind <= STATEMENT_DDL && !made.sql)
        abort();
    translation_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    translate(data, size, NULL);
    translate(data, size, &catalog);
    return 0;
}

struct tokens {
    struct token token[MOST_TOKENS];
    size_t count;
};

static void read_tokens(const uint8_t *data, size_t size, struct tokens *all) {
    const char *position = (const char *)data, *end = position + size;
    for (all->count = 0; all->count < MOST_TOKENS; all->count++) {
        const struct token next = lexer_next(&position, end);
        if (next.type == TOKEN_END || next.type == TOKEN_BAD)
            return;
        all->token[all->count] = next;
    }
}

static const char *const words[] = {
    "select ",
    "create table hc_t (n number(5)) ",
    "create cluster hc (n number(5)) ",
    "drop cluster c including tables ",
    "cluster c (n) ",
    "hashkeys 7 ",
    "hash is n ",
    "size 2 k ",
    "single table ",
    "from ",
    "where ",
    "and ",
    "or ",
    "not ",
    "(",
    ")",
    ",",
    "null ",
    "union ",
    "all ",
    "case ",
    "when ",
    "then ",
    "else ",
    "end ",
    "group by ",
    "having ",
    "over (",
    "order by ",
    "rownum ",
    "distinct ",
    "in (",
    "exists (",
    "between ",
    "like ",
    "is ",
    "as ",
    "with ",
    "join ",
    "using (",
    "on ",
    "t ",
    "dual ",
    "n ",
    "wide ",
    "v ",
    "d ",
    "s ",
    "z ",
    "r ",
    "1 ",
    "1e39 ",
    "'x' ",
    "'' ",
    ":b ",
    "* ",
    "+ ",
    "- ",
    "/ ",
    "|| ",
    "= ",
    "<> ",
    "nvl(",
    "decode(",
    "cast(",
    "trim(",
    "count(",
    "max(",
    "to_char(",
    "trunc(",
    "set ",
    "values ",
    "insert into ",
    "for update ",
    "begin ",
    "declare ",
    "; ",
    "loop ",
    "end loop ",
    "if ",
    "end if ",
    "exit ",
    ":= ",
    "for i in ",
    "1..9 ",
    "exception ",
    "when ",
    "%rowtype ",
    "%notfound ",
    "open c ",
    "fetch c ",
    "bulk collect ",
    "into x ",
    "forall ",
    "cursor c is ",
    "raise ",
    "return ",
    "procedure p ",
    "execute immediate ",
    "<<a>> ",
};

static size_t append(uint8_t *to, size_t length, const char *text,
                     size_t bytes) {
    if (length + bytes > LONGEST)
        return length;
    memcpy(to + length, text, bytes);
    return length + bytes;
}

// Moves, repeats, drops or replaces whole tokens, so that most results still
// get past the lexer. One time in four anything goes.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed) {
    static struct tokens all;
    static uint8_t made[LONGEST];
    size_t length = 0;
    read_tokens(data, size, &all);
    if (all.count == 0 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, most);
    srand(seed);
    const size_t index = (size_t)rand() % all.count;
    const size_t other_index = (size_t)rand() % all.count;
    const unsigned how = (unsigned)rand() % 5;
    const char *word = words[(size_t)rand() % (sizeof words / sizeof *words)];
    for (size_t i = 0; i < all.count; i++) {
        const bool is_target = i == index;
        const struct token *from =
            &all.token[is_target && how == 1 ? other_index : i];
        if (is_target && how == 0)
            continue; // dropped
        if (is_target && how >= 3)
            length = append(made, length, word, strlen(word));
        if (is_target && how == 4)
            continue; // replaced
        // A quoted name's token is without its quotes, a bind's without colon.
        if (from->type == TOKEN_QUOTED || from->type == TOKEN_BIND)
            length =
                append(made, length, from->type == TOKEN_BIND ? ":" : "\"", 1);
        length = append(made, length, from->at, from->length);
        if (from->type == TOKEN_QUOTED)
            length = append(made, length, "\"", 1);
        length = append(made, length, " ", 1);
        if (is_target && how == 2 && i + 1 < all.count) // the rest once more
            length = append(made, length, from->at,
                            (size_t)((char *)data + size - from->at));
    }
    length = length < most ? length : most;
    memcpy(data, made, length);
    return length;
}
