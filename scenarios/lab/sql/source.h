// SPDX-License-Identifier: GPL-2.0-or-later
// A statement as an array of tokens, and the text being made from it.
#ifndef ORALAB_SOURCE_H
#define ORALAB_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/lexer.h"
#include "sql/translate.h"

struct catalog;
struct known_column;

enum { LONGEST_NAME = 128 }; // of a table, a column

// What type a part of the text that is being made has.
enum operand_type {
    OPERAND_UNKNOWN,
    OPERAND_NULL,
    OPERAND_SMALL, // a NUMBER that SQLite orders rightly; see value.h
    OPERAND_NUMBER,
    OPERAND_TEXT,
    OPERAND_DATE,
    OPERAND_TIMESTAMP,
    OPERAND_TIMESTAMP_TZ,
    OPERAND_RAW,
};

// A value in the text that is being made.
struct operand {
    enum operand_type type;
    size_t from, to;
    unsigned bind; // 1 + the placeholder that it is; 0: it is none
    bool literal;  // a text literal, which is a CHAR
    bool padded;   // and ends with a blank
};

// An item of a select list.
struct item {
    struct operand value;
    size_t tokens_from, tokens_to; // without its alias
    size_t alias;                  // its token; 0: none
    bool star;
    enum operand_type shown; // the type, also where only this is sure
};

enum { MOST_WITHS = 50, MOST_SOURCES = 16 };

struct translator {
    struct token *tokens; // ends with a TOKEN_END
    size_t *close;        // of an opening parenthesis: where it is closed
    size_t count;
    bool ordered;           // the hint: joins in the order of the FROM clause
    bool rownum_allowed;    // in a select list
    const char *own_schema; // where new tables go, quoted
    char *text;
    size_t length;
    size_t room;
    struct translation *result;
    unsigned depth;   // of expressions in expressions
    unsigned queries; // of queries in queries
    // names.c: the columns of the tables that the statement names.
    const struct catalog *catalog;
    struct known_column *column;
    size_t columns;
    // query.c: the select list that was said last.
    struct item *item;
    size_t items;
    // grouping.c: the block's GROUP BY, while a part is said that it rules.
    bool grouping;
    size_t group_from, group_to;
    size_t covered; // tokens before this one belong to a group's expression
    unsigned aggregates; // how many the expression being said is in
    // query.c: the names that a WITH gives to queries, as far as they reach.
    size_t with[MOST_WITHS];
    unsigned with_source[MOST_WITHS];
    unsigned withs;
    // outputs.c: what columns queries have, each query under a number.
    struct output *output;
    size_t outputs;
    unsigned queries_said;
    unsigned from_source[MOST_SOURCES]; // queries in the block's FROM
    unsigned from_sources;
    // An output name that two of the last query's items have; 0: none.
    size_t twice;
};

// Reads the whole statement. False after reporting an error.
bool source_read(struct translator *t, const char *oracle, size_t length);
void source_free(struct translator *t);

// Reports the first error; later ones change nothing.
void refuse(struct translator *t, unsigned error, const char *about);
void refuse_token(struct translator *t, unsigned error, size_t token);

bool is(const struct translator *t, size_t token, const char *word);
// The first token in [from, to) outside parentheses that is `word`, else `to`.
size_t find(const struct translator *t, size_t from, size_t to,
            const char *word);
// The token after `at`, or after what is in parentheses if one opens at `at`.
size_t past(const struct translator *t, size_t at);

void say(struct translator *t, const char *text);
void say_part(struct translator *t, const char *text, size_t length);

// Puts text where some was said before.
void insert(struct translator *t, size_t at, const char *text);
// Says again what was said in [from, to).
void say_again(struct translator *t, size_t from, size_t to);

// names.c
void names_read(struct translator *t);
// Of the statement's columns with this name; unknown when there is none, or
// when they differ.
enum operand_type name_type(const struct translator *t, size_t token);
// Whether SQLite orders every one of the statement's columns as Oracle does.
bool columns_order_themselves(const struct translator *t);
bool equal_names(const struct token *a, const struct token *b);
bool is_name(const struct translator *t, size_t token);
bool is_keyword(const struct translator *t, size_t token);
// reserved_words.c: whether Oracle takes the word for no name, and whether it
// lets something be called so.
bool is_reserved(const struct translator *t, size_t token);
bool may_be_named(const struct translator *t, size_t token);
void say_name(struct translator *t, size_t token);
// One to three of them with points between; moves *at past them.
void say_names(struct translator *t, size_t *at, size_t to);
// A table's, where SYS stands for more than one schema.
void say_table_name(struct translator *t, size_t *at, size_t to);
enum operand_type declared_type(const char *declared, bool own);

// expression.c: a value that begins at *at and ends before `to`; moves *at to
// what comes after it.
struct operand say_value(struct translator *t, size_t *at, size_t to);
// One that must be all of [from, to); `error` when there is more.
struct operand say_whole_value(struct translator *t, size_t from, size_t to,
                               unsigned error);
// primary.c: one without operators.
void say_primary(struct translator *t, size_t *at, size_t to,
                 struct operand *said);
void say_number(struct translator *t, size_t token, bool negative,
                struct operand *said);
// Counts the bind at `token` as a placeholder. Returns its number, from 1.
unsigned placeholder(struct translator *t, size_t token);
// function_call.c: the one whose name is at *at, before a parenthesis.
struct operand say_call(struct translator *t, size_t *at, size_t to);
// special_forms.c: NVL, DECODE and others that are no functions to SQLite.
// False when the name is none of them.
bool say_special(struct translator *t, size_t *at, size_t to,
                 struct operand *said);
// case_expression.c
struct operand say_case(struct translator *t, size_t *at, size_t to);
// predicate.c: what comes after the first value of a condition.
void say_comparison(struct translator *t, struct operand x, size_t *at,
                    size_t to);
// SQLite's sign for the comparison at this token; NULL where it is none.
const char *sign_at(const struct translator *t, size_t token);
// condition.c
void say_condition(struct translator *t, size_t from, size_t to);
// Makes a comparison of the values said in [a.from, b.from) and [b.from, end).
void join_by(struct translator *t, struct operand a, struct operand b,
             const char *sign);
// What was said in [from, to), for saying it again after it has moved. To be
// freed; NULL after refusing.
char *said_text(struct translator *t, size_t from, size_t to);
// Tells that placeholder `bind` - 1 is taken to have this type.
void expect(struct translator *t, struct operand *value,
            enum operand_type type);
bool orders_itself(enum operand_type type);
// What both may be; unknown after refusing those that no value can be.
enum operand_type common_type(struct translator *t, enum operand_type a,
                              enum operand_type b);
// outputs.c. The token that an item's name is; 0 where an expression has none.
size_t output_name(const struct translator *t, const struct item *item);
// Keeps the columns of the query whose items have just been said, and tells
// the number of it.
unsigned keep_outputs(struct translator *t);
// Names the columns of a query by the list whose parenthesis is at `open`.
void rename_outputs(struct translator *t, unsigned query, size_t open);
// That query is in the FROM of the block being said.
void add_source(struct translator *t, unsigned query);
// Items that are a column of such a query have that column's type.
void show_types(struct translator *t);
// All results of a CASE have one type: takes `more` into *type.
void take_type(struct translator *t, enum operand_type *type,
               enum operand_type more);
// grouping.c
void grouping_of(struct translator *t, size_t group_from, size_t group_to,
                 bool grouped);
void check_grouped(struct translator *t, size_t token, size_t end);
void cover_group(struct translator *t, size_t at);
bool has_aggregate(const struct translator *t, size_t from, size_t to);
void say_group_by(struct translator *t, size_t from, size_t to);
// order_by.c: [from, to) begins with ORDER BY. Of a window, items do not
// matter.
void say_order_by(struct translator *t, size_t from, size_t to, bool window,
                  bool distinct);
// query.c: SELECT ..., WITH ... SELECT ... Says what its first column is.
enum operand_type say_query(struct translator *t, size_t from, size_t to);
// query_block.c: SELECT list INTO targets FROM ...: without the INTO, which
// `say_into` is called for in its turn.
void say_select_into(struct translator *t, size_t from, size_t to, size_t into,
                     void (*say_into)(struct translator *t, size_t from,
                                      size_t to));
// insert.c, dml.c
void say_insert(struct translator *t);
void say_update(struct translator *t);
void say_delete(struct translator *t);
// ddl.c: false when it is no such statement.
bool say_ddl(struct translator *t);
// block.c: BEGIN ... END
void say_plsql(struct translator *t);
// rownum.c
bool where_limits_rows(const struct translator *t, size_t from, size_t to);
// Says the WHERE clause without its conditions on ROWNUM ...
void say_where(struct translator *t, size_t from, size_t to);
// ... and these as a LIMIT.
void say_limit(struct translator *t, size_t from, size_t to);

#endif
