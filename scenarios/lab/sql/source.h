// SPDX-License-Identifier: GPL-2.0-or-later
// A statement as an array of tokens, and the SQLite text that is emitted from
// it. The emit_ functions append to that text; the source_ functions read
// tokens.
#ifndef ORALAB_SOURCE_H
#define ORALAB_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/lexer.h"
#include "sql/translate.h"

struct catalog;
struct known_column;

enum { LONGEST_NAME = 128 }; // of a table or column, in bytes

// The type of a value in the emitted text.
enum operand_type {
    OPERAND_UNKNOWN,
    OPERAND_NULL,
    // a NUMBER in a form that SQLite orders correctly; see value.h
    OPERAND_SMALL,
    OPERAND_NUMBER,
    OPERAND_TEXT,
    OPERAND_DATE,
    OPERAND_TIMESTAMP,
    OPERAND_TIMESTAMP_TZ,
    OPERAND_RAW,
    OPERAND_INTERVAL_YM,
    OPERAND_INTERVAL_DS,
    OPERAND_BINARY_FLOAT,
    OPERAND_BINARY_DOUBLE,
    OPERAND_ROWID,
    OPERAND_CLOB,
    OPERAND_BLOB,
};

// A value in the emitted text, at [from, to).
struct operand {
    enum operand_type type;
    size_t from, to;
    unsigned bind;   // 1 + the index of the placeholder that it is; 0: none
    bool literal;    // a text literal, which is a CHAR
    bool padded;     // a literal that ends with a blank
    uint32_t object; // of a table's own ROWID: its data object; 0: it is none
};

// An item of a select list.
struct item {
    struct operand value;
    size_t tokens_from, tokens_to; // without its alias
    size_t alias;                  // its token; 0: none
    bool star;
    enum operand_type shown; // the type, if known better than value.type
};

enum { MOST_WITHS = 50, MOST_SOURCES = 16 };

struct translator {
    struct token *tokens; // ends with a TOKEN_END
    size_t *close;        // per opening parenthesis: the token that closes it
    size_t count;
    bool ordered;           // a hint asks for joins in the order of FROM
    bool rownum_allowed;    // ROWNUM may be used: in a select list
    const char *own_schema; // schema of new tables, quoted
    char *text;
    size_t length;
    size_t room;
    struct translation *result;
    unsigned depth;   // nesting of expressions
    unsigned queries; // nesting of queries
    // placeholders.c: those of the tokens before `binds_to` have been added.
    // The table has 2 * bind_room places.
    size_t binds_to;
    uint32_t *bind_slot;
    uint32_t bind_room;
    // names.c: the columns of the statement's tables.
    const struct catalog *catalog;
    struct known_column *column;
    size_t columns;
    // query.c: the select list emitted last.
    struct item *item;
    size_t items;
    // grouping.c: the block's GROUP BY, while a part that it governs is
    // emitted.
    bool grouping;
    size_t group_from, group_to;
    size_t covered; // tokens before this one are part of a GROUP BY expression
    unsigned aggregates; // nesting of aggregates around the expression
    // query.c: names of WITH queries, while they are in scope.
    size_t with[MOST_WITHS];
    unsigned with_source[MOST_WITHS];
    unsigned withs;
    // outputs.c: the columns of queries; each query has a number.
    struct output *output;
    size_t outputs;
    unsigned queries_emitted;
    unsigned from_source[MOST_SOURCES]; // queries in the block's FROM
    unsigned from_sources;
    // A column name that two of the last query's items share; 0: none.
    size_t twice;
    // remote_source.c: the tables that the statement names so far.
    unsigned local_tables, remote_tables;
    size_t remote_link; // where the name of the first one's link is
    bool several_links;
};

// Reads the whole statement. False after refusing.
bool source_read(struct translator *t, const char *oracle, size_t length);
void source_free(struct translator *t);

// Records an ORA- error; only the first one counts.
void source_refuse(struct translator *t, unsigned error, const char *about);
void source_refuse_token(struct translator *t, unsigned error, size_t token);

// Counts work; a unit is about the comparison of a token with a word. Bounds
// the translation, and lets the client cancel it: either error ends it at the
// next place that checks for one.
void source_work(const struct translator *t, size_t units);

bool source_is(const struct translator *t, size_t token, const char *word);
// The first token in [from, to) outside parentheses that is `word`, else `to`.
size_t source_find(const struct translator *t, size_t from, size_t to,
                   const char *word);
// The token after `at`, or after the parenthesis that opens at `at`.
size_t source_after(const struct translator *t, size_t at);

void emit_text(struct translator *t, const char *text);
void emit_bytes(struct translator *t, const char *text, size_t length);

// Whether a value of this type can only be stored, fetched and given to
// functions: ORA-00932 for a comparison or an order.
bool operand_is_lob(enum operand_type type);
bool operand_is_binary_number(enum operand_type type);

// Inserts text at an offset of the emitted text.
void emit_at(struct translator *t, size_t at, const char *text);
// Appends a copy of the emitted text in [from, to).
void emit_again(struct translator *t, size_t from, size_t to);

// names.c
void names_read(struct translator *t);
// The type of the statement's columns of this name; unknown if there is none,
// or if they differ.
enum operand_type operand_type_of_name(const struct translator *t,
                                       size_t token);
// Whether SQLite orders all columns of the statement as Oracle does.
bool columns_order_natively(const struct translator *t);
bool name_equals(const struct token *a, const struct token *b);
bool source_is_name(const struct translator *t, size_t token);
bool source_is_keyword(const struct translator *t, size_t token);
// remote_source.c: a table's name that is followed by @link. It is looked up,
// for its columns, and emitted; *at is moved past the link.
void remote_table_read(struct translator *t, size_t name, bool owned);
void emit_remote_table(struct translator *t, size_t name, bool owned,
                       size_t *at, size_t to);
// The whole query was emitted: where all of it is at one link, it is replaced.
void emit_as_remote_query(struct translator *t);
// ORA-02064 where the statement changes a remote table.
void remote_target_refuse(struct translator *t);
// The name of a link, which may have several parts, to a room of LINK_NAME.
// Returns the token after it.
size_t source_link_name(struct translator *t, size_t at, char *link);
// link_ddl.c: CREATE or DROP DATABASE LINK. False if the statement is neither.
bool take_link_ddl(struct translator *t);
// reserved_words.c: whether Oracle takes the word for no name, and whether it
// accepts it as an alias.
bool source_is_reserved(const struct translator *t, size_t token);
bool source_may_name(const struct translator *t, size_t token);
void emit_name(struct translator *t, size_t token);
// A name of one to three parts; moves *at past it.
void emit_qualified_name(struct translator *t, size_t *at, size_t to);
// A table's name; SYS's tables are in several of SQLite's schemas.
void emit_table_name(struct translator *t, size_t *at, size_t to);
enum operand_type operand_type_of_declaration(const char *declared, bool own);

// expression.c: emits the value that begins at *at and ends before `to`; moves
// *at past it.
struct operand emit_value(struct translator *t, size_t *at, size_t to);
// The value must fill [from, to); `error` if it does not.
struct operand emit_whole_value(struct translator *t, size_t from, size_t to,
                                unsigned error);
// primary.c: a value without operators.
void emit_primary(struct translator *t, size_t *at, size_t to,
                  struct operand *emitted);
// rowid_column.c: ROWID, or a table's. False if the name is another.
bool emit_rowid(struct translator *t, size_t *at, size_t to,
                struct operand *emitted);
// A table's own ROWID = another value, so that SQLite finds the row by it. Both
// are emitted, one after the other.
void emit_row_equals(struct translator *t, struct operand rowid,
                     struct operand other);
void emit_number(struct translator *t, size_t *at, bool negative,
                 struct operand *emitted);
// placeholders.c: adds the binds up to the one at `token` to the placeholders.
// Returns its number, from 1; 0 after refusing.
unsigned bind_placeholder(struct translator *t, size_t token);
// function_call.c: the function whose name is at *at.
struct operand emit_call(struct translator *t, size_t *at, size_t to);
// special_forms.c: NVL, DECODE and others that are no functions in SQLite.
// False if the name is none of them.
bool emit_special(struct translator *t, size_t *at, size_t to,
                  struct operand *emitted);
// case_expression.c
struct operand emit_case(struct translator *t, size_t *at, size_t to);
// predicate.c: the rest of a comparison, after its first value.
void emit_comparison(struct translator *t, struct operand x, size_t *at,
                     size_t to);
// SQLite's operator for the comparison at this token; NULL if it is none.
const char *comparison_at(const struct translator *t, size_t token);
// condition.c
void emit_condition(struct translator *t, size_t from, size_t to);
// Compares the values emitted to [a.from, b.from) and [b.from, end).
void emit_operator_between(struct translator *t, struct operand a,
                           struct operand b, const char *sign);
// A copy of the emitted text in [from, to), to be freed; NULL after refusing.
char *emitted_copy(struct translator *t, size_t from, size_t to);
// Notes that the value, if it is a placeholder of unknown type, has this type.
void operand_expect(struct translator *t, struct operand *value,
                    enum operand_type type);
bool operand_orders_natively(enum operand_type type);
// The common type; unknown after refusing two types that exclude each other.
enum operand_type operand_common_type(struct translator *t, enum operand_type a,
                                      enum operand_type b);
// outputs.c: the token that names an item; 0: an unnamed expression.
size_t outputs_name_of(const struct translator *t, const struct item *item);
// Stores the columns of the query whose items were just emitted. Returns the
// query's number.
unsigned outputs_keep(struct translator *t);
// Renames the columns of a query by the list whose parenthesis is at `open`.
void outputs_rename(struct translator *t, unsigned query, size_t open);
// Adds a query to the FROM of the current block.
void outputs_add_source(struct translator *t, unsigned query);
// Gives items that are a column of such a query that column's type.
void outputs_resolve_types(struct translator *t);
// Merges the type of a CASE's further result into *type.
void operand_merge_type(struct translator *t, enum operand_type *type,
                        enum operand_type more);
// grouping.c
void grouping_begin(struct translator *t, size_t group_from, size_t group_to,
                    bool grouped);
void grouping_check(struct translator *t, size_t token, size_t end);
void grouping_cover(struct translator *t, size_t at);
bool grouping_has_aggregate(const struct translator *t, size_t from, size_t to);
void emit_group_by(struct translator *t, size_t from, size_t to);
// order_by.c: ORDER BY in [from, to). A window's ORDER BY cannot refer to items
// of the select list.
void emit_order_by(struct translator *t, size_t from, size_t to, bool window,
                   bool distinct);
// Reads ASC or DESC and NULLS FIRST or LAST at the end of the term in [from,
// to). Returns where its value ends.
size_t source_order_direction(struct translator *t, size_t from, size_t to,
                              bool *descending, bool *nulls_first);
// query.c: SELECT ... or WITH ... SELECT ...; returns the first column's type.
enum operand_type emit_query(struct translator *t, size_t from, size_t to);
// query_block.c: SELECT list INTO targets FROM ... without the INTO, for which
// it calls `emit_into`.
void emit_select_into(struct translator *t, size_t from, size_t to, size_t into,
                      void (*emit_into)(struct translator *t, size_t from,
                                        size_t to));
// insert.c, dml.c
void emit_insert(struct translator *t);
void emit_update(struct translator *t);
void emit_delete(struct translator *t);
// returning.c: the statement by `emit`, then its RETURNING, if it has one.
void emit_with_returning(struct translator *t,
                         void (*emit)(struct translator *t));
// The binds of an INTO, in [from, to).
void take_into_binds(struct translator *t, size_t from, size_t to);
// open_for.c: a block whose first statement, at `first`, opens a cursor.
bool block_opens_cursors(const struct translator *t, size_t first);
void take_opened_cursors(struct translator *t, size_t first, size_t to);
// ddl.c: false if the statement is no DDL.
bool emit_ddl(struct translator *t);
// block.c: BEGIN ... END
void emit_plsql_block(struct translator *t);
// rownum.c
bool rownum_limits_where(const struct translator *t, size_t from, size_t to);
// Emits the WHERE clause without its conditions on ROWNUM ...
void emit_where(struct translator *t, size_t from, size_t to);
// ... and those as a LIMIT.
void emit_rownum_limit(struct translator *t, size_t from, size_t to);

#endif
