// SPDX-License-Identifier: GPL-2.0-or-later
// The syntax tree of a statement, in the statement's arena. The parser fills in
// the text; resolve/ adds its meaning (marked "resolved").
#ifndef ORALAB_TREE_H
#define ORALAB_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "sql/parse/statement.h"
#include "sql/types/operand_type.h"

struct query;
struct sequence;
struct interval;
struct block;
struct function;
struct block_tree;
struct unit_tree;

// A possibly qualified name: its parts are the tokens first, first + 2 ...
// last.
struct name {
    unsigned first, last;
};

struct names { // of a list
    struct name_entry {
        struct name_entry *next;
        unsigned token;
    } * first, *last;
    unsigned count;
};

enum expr_kind {
    // values
    EXPR_NULL,
    EXPR_TEXT,
    EXPR_NUMBER,
    EXPR_BINARY_NUMBER, // 1d, 1f
    EXPR_DATE,          // DATE 'text' in `from` + 1
    EXPR_TIMESTAMP,
    EXPR_INTERVAL, // 'text' in `from` + 1; name: the fields; cast: digits
    EXPR_BIND,
    EXPR_COLUMN, // or a function without parentheses
    EXPR_ROWNUM,
    EXPR_SIGN,       // left; `negative`
    EXPR_ARITHMETIC, // left sign right
    EXPR_PARENTHESIZED,
    EXPR_SUBQUERY,
    EXPR_CALL, // function(list) [OVER window]
    EXPR_CASE, // [left] list of EXPR_WHEN [right: ELSE]
    EXPR_WHEN, // left: condition or value; right: result
    EXPR_CAST,
    EXPR_EXTRACT, // word from left
    EXPR_TRIM,    // left: the text; right: the characters, or NULL
    EXPR_PRIOR,   // left: of the parent's row
    EXPR_ROOT,    // CONNECT_BY_ROOT left
    EXPR_DEFAULT, // the keyword in VALUES and SET
    EXPR_ROW,     // (list), in the conditions of rows
    // of PL/SQL
    EXPR_FIELD,     // left: a call or an element; name
    EXPR_ATTRIBUTE, // name%ATTRIBUTE [(left)]; the token behind the name
    EXPR_ARGUMENT,  // name => left
    EXPR_VARIABLE,  // resolved: a value that PL/SQL binds
    // conditions
    EXPR_AND,
    EXPR_OR,
    EXPR_NOT,
    EXPR_CONDITION, // in parentheses
    EXPR_COMPARISON,
    EXPR_BETWEEN, // left, right, third
    EXPR_IN_LIST,
    EXPR_IN_QUERY,
    EXPR_LIKE,    // left, right, third: ESCAPE
    EXPR_IS_NULL, // `negated`: IS NOT NULL
    EXPR_EXISTS,
    EXPR_LNNVL,          // left: not true
    EXPR_REGEXP_LIKE,    // list
    EXPR_ROW_COMPARISON, // left: a row; right: one, or a subquery
    EXPR_ROW_IN_LIST,    // left, list: rows
    EXPR_ROW_IN_QUERY,
    EXPR_TRUTH, // left: a BOOLEAN
};

enum sign {
    SIGN_ADD,
    SIGN_SUBTRACT,
    SIGN_MULTIPLY,
    SIGN_DIVIDE,
    SIGN_CONCATENATE,
    SIGN_POWER, // of PL/SQL
    SIGN_EQUAL,
    SIGN_UNEQUAL,
    SIGN_LESS,
    SIGN_AT_MOST,
    SIGN_GREATER,
    SIGN_AT_LEAST,
};

// The sets of levels by which rows are grouped: all up to one, all that there
// are, or each level alone.
enum group_sets { SETS_ROLLUP, SETS_CUBE, SETS_LISTED };

enum trim_side { TRIM_BOTH, TRIM_LEADING, TRIM_TRAILING };

struct exprs {
    struct expr *first, *last;
    unsigned count;
};

// A type in CREATE TABLE and CAST: word [(size [, scale])]
struct type_name {
    unsigned from, to;    // tokens
    unsigned after;       // the token behind the type's word and its size
    unsigned size, scale; // tokens; 0: none
    unsigned unit;        // CHAR or BYTE
    bool negative;        // scale
    bool any_size;        // NUMBER(*)
    bool zoned;           // WITH TIME ZONE
    // INTERVAL: `size` TO `scale`; `interval_sized`: with numbers of digits
    bool interval, interval_sized;
    const char *declared; // resolved
};

struct order_terms {
    struct order_term *first, *last;
    unsigned siblings; // ORDER SIBLINGS BY: its token; else 0
};

struct expr {
    enum expr_kind kind;
    unsigned from, to; // tokens [from, to)
    unsigned depth;
    struct expr *next; // in a list
    struct expr *left, *right, *third;
    struct exprs list;
    struct query *query;
    struct name name;          // of a column, or function
    struct window *window;     // OVER
    struct order_terms within; // WITHIN GROUP, KEEP
    struct type_name *cast;    // CAST, INTERVAL
    enum sign sign;
    enum trim_side side;
    bool negative;            // a sign or a literal behind one
    bool negated;             // NOT before BETWEEN, IN, LIKE; IS NOT NULL
    bool distinct, star, all; // of an aggregate
    bool has_over;
    bool keeps_first, keeps_last; // KEEP (DENSE_RANK FIRST or LAST
    bool outer;                   // column(+)
    unsigned level;       // in a ROLLUP or the like, from 1; 0: it is in none
    enum group_sets sets; // which that is
    // resolved
    enum operand_type type;  // the type of every value
    enum operand_type shown; // the described type of the column
    unsigned bind;           // 1 + the index of the placeholder; 0: none
    bool literal;            // a text literal, which is a CHAR
    bool padded;             // one that ends with a blank
    bool fixed;              // a CHAR, if it is no literal
    const char *declared;    // of a table's column; NULL: not known
    // SQLite's own operator or function does the same as Oracle's; of a
    // subquery: it returns one row at most
    bool native;
    bool alike; // an entry of IN, a bound of BETWEEN: SQLite compares it
    const struct function *function;
    const struct interval *interval;
    const char *sequence; // of NEXTVAL and CURRVAL
    struct expr *next_sequence;
    struct source *source; // of a column; NULL: of several, or of none
    // of LEVEL and the like, and of the values that a row of the hierarchy
    // carries, under this number from 1
    struct hierarchy *hierarchy;
    unsigned carried;
    struct expr *next_carried;
    uint32_t object; // of a table's own ROWID: the data object; else 0
    bool stored;     // a call of a stored function of PL/SQL
};

struct order_term {
    struct order_term *next;
    struct expr *value;
    bool descending, nulls_first;
    // resolved
    struct item *item;
    bool by_key; // SORT_KEY$()
    bool by_position;
    unsigned position;
};

struct bound {
    enum { BOUND_CURRENT, BOUND_PRECEDING, BOUND_FOLLOWING } kind;
    unsigned rows; // the token; 0: UNBOUNDED
};

struct window {
    unsigned token;
    struct exprs partition;
    struct order_terms order;
    bool framed, range, between;
    struct bound from, to;
};

struct item {
    struct item *next;
    unsigned from, to; // without its alias
    struct expr *value;
    unsigned alias; // its token; 0: none
    bool star;
    struct name table; // of a qualified star; 0: none
    // resolved
    const char *name; // of the column, as the dictionary spells it
};

struct items {
    struct item *first, *last;
    unsigned count;
};

// A column of a table or of a query; resolved.
struct column_def {
    struct column_def *next;
    const char *name;
    const char *declared; // of a table; "": unknown
    enum operand_type type, shown;
    bool fixed; // a CHAR, which is compared with its blanks
};

struct column_defs {
    struct column_def *first, *last;
    unsigned count;
    bool known; // they are all
};

// A column of a view, and that of its query; resolved.
struct view_column {
    struct view_column *next;
    const char *name, *inner;
};

// Where SQLite has a table.
enum place {
    PLACE_BARE,  // by its name alone
    PLACE_OWN,   // in the user's schema
    PLACE_OWNER, // in that of its qualifier
    PLACE_SYS,
    PLACE_VIEW,   // nowhere: its query stands for it
    PLACE_REMOTE, // a virtual table reads it through a link
};

// A source of columns in a FROM: a table, or a query.
struct source {
    struct source *next; // of the block
    struct name table;
    struct name link;           // table@link; 0: none
    struct source *next_remote; // of the statement, in the order of the text
    struct query *query;
    struct expr *function; // TABLE(function)
    unsigned alias;        // a token; 0: none
    // resolved
    enum place place;
    struct column_defs columns;
    const char *remote_name;     // by which SQLite knows table@link
    struct view_column *view;    // `query` is the user's view; else NULL
    bool in_catalog;             // a table, but not at the end of a link
    bool own;                    // a user's table
    bool rowids;                 // their ROWIDs are used
    struct names_list *using;    // columns that it is joined by
    bool joined;                 // in that order
    struct exprs outer;          // of WHERE: the conditions with its (+)
    struct hierarchy *hierarchy; // whose rows have its columns; else NULL
    struct source *next_outer;   // of those with (+), each after those it needs
};

struct names_list {
    struct names_list *next;
    struct names *names;
};

enum join_kind {
    JOIN_SOURCE, // no join: a table or query
    JOIN_PARENTHESIZED,
    JOIN_CROSS,
    JOIN_INNER,
    JOIN_LEFT,
    JOIN_RIGHT,
    JOIN_FULL,
};

struct join {
    enum join_kind kind;
    bool natural, word; // `word`: INNER or OUTER is there
    struct source *source;
    struct join *left, *right;
    struct expr *on;
    struct names using;
    struct join *next; // after a comma
    unsigned depth;
};

struct joins {
    struct join *first, *last;
};

enum set_operator {
    SET_NONE,
    SET_UNION,
    SET_UNION_ALL,
    SET_INTERSECT,
    SET_MINUS
};

struct carried { // a list by next_carried
    struct expr *first, *last;
    unsigned count;
};

// CONNECT BY.
struct hierarchy {
    unsigned from;
    struct expr *start, *connect;
    bool nocycle;
    // resolved
    const struct block *block;
    bool generates;        // LEVEL <= n of DUAL, which one function does
    struct carried values; // that a row has of its parent or root
    struct carried priors; // in `connect`: a row that has its ancestor's loops
    bool connecting;       // `connect` is being resolved, or `start`
    // Where the columns are as it is being written: in the tables, in the row
    // that `connect` is asked about, or in one that is connected.
    enum { ROW_TABLE, ROW_CHILD, ROW_NODE } row;
    bool starting; // a root is being written, or `start`
};

// SELECT ... up to HAVING, or a query in parentheses.
struct block {
    struct block *next;    // of a set
    enum set_operator set; // before it
    unsigned from;
    struct query *inner; // in parentheses
    bool distinct;
    struct items items;
    unsigned into_from, into_to; // tokens of INTO's list; 0: none
    struct exprs into;
    bool bulk;          // BULK COLLECT
    unsigned from_word; // the token FROM
    struct joins joins;
    unsigned joins_to; // the token behind FROM's list
    struct expr *where, *having;
    struct hierarchy *hierarchy; // NULL: no CONNECT BY
    struct exprs group;
    unsigned group_from;
    struct order_terms order;
    // resolved
    struct source *sources, *last_source;
    struct column_defs columns;
    struct source *outer; // the first table with (+)
    bool grouped;         // GROUP BY, HAVING or an aggregate in the list
    bool aggregates;      // in the list
    bool limited;         // WHERE limits ROWNUM
    bool windowed;        // a function of its rows has a window
    bool limited_first;   // ROWNUM limits rows before groups, order and windows
    unsigned rollup;      // levels of the ROLLUP or the like; 0: there is none
    enum group_sets group_sets; // which that is
};

struct with {
    struct with *next;
    unsigned name;
    struct names columns;
    struct query *query;
    struct with *others; // all of the statement
    // resolved
    struct column_defs defs;
};

struct withs {
    struct with *first, *last;
};

struct row_limit {
    struct expr *offset, *count;
    bool fetch;
    bool other; // WITH TIES, PERCENT
};

struct query {
    unsigned from, to;
    struct with *with;
    struct block *first, *last;
    bool set;                 // it has set operators
    struct order_terms order; // of the set
    struct row_limit limit;
    // resolved
    struct column_defs columns;
    bool set_by_name; // ORDER BY in a query around the set
};

struct assignment {
    struct assignment *next;
    struct name column;
    struct expr *value;
    struct names_of_columns *columns; // (a, b) = (query)
    struct query *query;
    // resolved
    const struct column_def *target;
};

struct assignments {
    struct assignment *first, *last;
};

// Its new values are the tree's `assignments` and `values`.
struct merge {
    struct block *source; // with USING's table as its FROM
    struct expr *on;
    unsigned update, insert;            // tokens of their WHEN; 0: none
    struct expr *update_if, *insert_if; // WHERE
};

struct returning {
    struct exprs values;
    struct exprs into;
    unsigned into_from; // the token INTO, or BULK
    bool bulk;
};

struct constraint {
    struct constraint *next;
    enum {
        CONSTRAINT_DEFAULT,
        CONSTRAINT_NAME,
        CONSTRAINT_NOT_NULL,
        CONSTRAINT_NULL,
        CONSTRAINT_PRIMARY,
        CONSTRAINT_UNIQUE,
        CONSTRAINT_CHECK,
    } kind;
    unsigned name;
    struct expr *expr;
    const char *text, *text_end; // Oracle's, of the expression
    struct names columns;        // none: the column itself
};

struct constraints {
    struct constraint *first, *last;
};

struct column_spec { // of CREATE TABLE: a column, or constraints of the table
    struct column_spec *next;
    unsigned name; // 0: of the table
    struct type_name *type;
    struct constraints constraints;
};

struct column_specs {
    struct column_spec *first, *last;
};

struct plsqls { // statements; see plsql_tree.h
    struct plsql *first, *last;
};

struct link_spec { // of CREATE and DROP DATABASE LINK
    struct name name;
    unsigned user, password, host; // tokens
    bool shared;
};

struct sequence_option { // of CREATE SEQUENCE
    struct sequence_option *next;
    unsigned word, number; // tokens; number 0: none
    bool negative;
};

struct sequence_options {
    struct sequence_option *first, *last;
};

// ALTER TABLE; ADD's column is in the tree's `specs`. Tokens of names; 0: none.
struct alteration {
    unsigned drops, renames, to;
};

// CREATE CLUSTER; its key's columns are in the tree's `specs`.
struct cluster_options {
    unsigned hashkeys, size; // 0: there is none
    bool single;             // SINGLE TABLE
    struct expr *hash;       // HASH IS
};

struct clustered_table { // resolved
    struct clustered_table *next;
    const char *name;
};

enum tree_kind {
    TREE_QUERY,
    TREE_INSERT,
    TREE_UPDATE,
    TREE_MERGE,
    TREE_DELETE,
    TREE_CREATE_TABLE,
    TREE_CREATE_INDEX,
    TREE_DROP_TABLE,
    TREE_DROP_INDEX,
    TREE_TRUNCATE,
    TREE_CREATE_CLUSTER,
    TREE_DROP_CLUSTER,
    TREE_CREATE_VIEW,
    TREE_DROP_VIEW,
    TREE_CREATE_SYNONYM,
    TREE_DROP_SYNONYM,
    TREE_CREATE_LINK,
    TREE_DROP_LINK,
    TREE_LOCK,
    TREE_ALTER_TABLE,
    TREE_CREATE_SEQUENCE,
    TREE_DROP_SEQUENCE,
    TREE_BLOCK,
    TREE_CREATE_UNIT,
    TREE_DROP_UNIT,
};

struct tree {
    enum tree_kind kind;
    struct query *query; // of a query, INSERT ... SELECT, CREATE TABLE AS
    bool sets;           // a query in it has set operators
    bool outer_marks;    // or (+)
    // FOR UPDATE
    bool locks, skips_locked;
    int lock_wait; // seconds; -1: without limit
    // changes
    struct source *target; // also the table of DDL
    bool has_columns, target_alias;
    struct names_of_columns *columns; // INSERT's
    struct exprs values;
    struct assignments assignments;
    struct expr *where;
    struct returning *returning;
    struct merge *merge;
    // DDL
    bool unique, other_properties;
    bool annotates, forces; // RESULT_CACHE; with FORCE
    struct name name;       // of the index, sequence, synonym or cluster
    struct names view_columns;
    bool is_public; // a synonym
    struct column_specs specs;
    struct exprs index;
    struct link_spec link;
    struct sequence_options sequence_options;
    struct alteration alteration;
    struct cluster_options options;
    bool clustered; // CREATE TABLE ... CLUSTER `cluster` (`cluster_key`)
    struct name cluster;
    struct names cluster_key;
    bool including; // DROP CLUSTER ... INCLUDING TABLES
    // PL/SQL
    struct block_tree *block;
    struct unit_tree *unit;
    bool call;                           // SQL's CALL
    bool replaces;                       // CREATE OR REPLACE
    struct with *withs;                  // all of the statement
    struct source *remote, *last_remote; // tables at the end of a link
    // resolved
    struct expr *sequences;         // NEXTVALs and CURRVALs
    struct sequence *made_sequence; // of CREATE SEQUENCE
    unsigned cluster_number;        // of a clustered table, from 1
    struct clustered_table *tables; // that DROP CLUSTER drops, too
    bool local;                     // a table is here
    bool bound_to_us; // a function's value depends on where it is called
};

struct names_of_columns { // possibly qualified
    struct names_of_columns *next;
    struct name name;
    // resolved
    const struct column_def *target;
};

struct column_names {
    struct names_of_columns *first, *last;
};

// Nodes; each list takes an entry at its end.
struct expr *tree_expr(struct statement *s, enum expr_kind kind, unsigned from,
                       unsigned to);
struct expr *tree_operation(struct statement *s, enum expr_kind kind,
                            enum sign sign, struct expr *left,
                            struct expr *right);
struct expr *tree_sign(struct statement *s, unsigned token, bool negative,
                       struct expr *operand);
// The kinds with the same place for their parts: BETWEEN, IN, LIKE ...
struct expr *tree_condition(struct statement *s, enum expr_kind kind,
                            struct expr *left, bool negated, struct expr *right,
                            struct expr *third);
// Counts the depth of `child` into `node`; refuses a tree that is too deep.
void tree_deepen(struct statement *s, struct expr *node,
                 const struct expr *child);
void exprs_append(struct exprs *list, struct expr *one);
struct names names_append(struct statement *s, struct names list,
                          unsigned token);
// Whether all of their parts are the same.
bool names_equal(const struct statement *s, struct name a, struct name b);
struct item *tree_item(struct statement *s, struct expr *value, unsigned alias);
struct item *tree_star(struct statement *s, struct name table, unsigned star);
struct source *tree_source(struct statement *s, struct name table,
                           unsigned alias);
// table@link
struct source *tree_remote_source(struct statement *s, struct name table,
                                  struct name link);
struct join *tree_join(struct statement *s, enum join_kind kind,
                       struct join *left, struct join *right);
struct join *tree_join_source(struct statement *s, struct source *source);

#endif
