// SPDX-License-Identifier: GPL-2.0-or-later
// The syntax tree of PL/SQL: blocks, declarations, statements. Expressions are
// those of SQL (tree.h). An SQL statement in a block is one token: its text is
// parsed as a statement of its own.
#ifndef ORALAB_PLSQL_TREE_H
#define ORALAB_PLSQL_TREE_H

#include "sql/parse/tree.h"

struct code;
struct declared_cursor;
struct embedded;
struct exception;
struct routine;
struct routine_tree;
struct variable;

// A type as a declaration names it.
struct type_ref {
    unsigned from;
    struct type_name *plain; // a word, maybe with a size; NULL: `name`
    struct name name;
    enum { TYPE_ITSELF, TYPE_OF, TYPE_ROW_OF } of; // %TYPE, %ROWTYPE
    bool not_null;
};

enum parameter_mode { MODE_IN, MODE_OUT, MODE_IN_OUT };

struct parameter_tree { // also the field of a record
    struct parameter_tree *next;
    unsigned name;
    enum parameter_mode mode;
    struct type_ref *type;
    struct expr *value; // by default
};

struct parameter_trees {
    struct parameter_tree *first, *last;
    unsigned count;
};

struct declaration {
    struct declaration *next;
    enum {
        DECLARES_VARIABLE,
        DECLARES_EXCEPTION,
        DECLARES_PRAGMA,
        DECLARES_RECORD,
        DECLARES_TABLE,
        DECLARES_REF_CURSOR,
        DECLARES_SUBTYPE,
        DECLARES_CURSOR,
        DECLARES_ROUTINE,
    } kind;
    unsigned name;
    bool constant;
    struct type_ref *type; // of a variable, an element, a result
    struct expr *value;    // by default
    struct exprs arguments;
    struct parameter_trees parameters; // of a cursor; fields of a record
    unsigned sql;                      // the query of a cursor
    bool by_text;                      // INDEX BY VARCHAR2
    bool indexed;                      // INDEX BY
    struct routine_tree *routine;
    // resolved
    struct variable *variable;
};

struct declarations {
    struct declaration *first, *last;
};

struct handler { // WHEN names THEN body
    struct handler *next;
    struct exprs names; // EXPR_COLUMN; none: OTHERS
    struct plsqls body;
    // resolved: of each name
    struct exception **exception;
};

struct handlers {
    struct handler *first, *last;
};

struct block_tree {
    unsigned from;
    struct declarations declarations;
    struct plsqls body;
    struct handlers handlers;
    unsigned end;   // the token END
    unsigned label; // of the outermost one
};

struct routine_tree { // a procedure, or a function
    unsigned from;
    unsigned name;
    bool function;
    unsigned cached; // the token RESULT_CACHE; 0: its results are not kept
    struct parameter_trees parameters;
    struct type_ref *result;
    struct block_tree *body; // NULL: only announced
};

struct unit_tree { // CREATE PROCEDURE, FUNCTION, PACKAGE
    enum {
        UNIT_NONE,
        UNIT_ROUTINE,
        UNIT_PACKAGE,
        UNIT_PACKAGE_BODY,
    } kind;
    unsigned from; // where its stored text begins
    struct name name;
    struct routine_tree *routine;
    struct declarations declarations;
    struct block_tree *body; // of a package: its initialization; or NULL
};

struct branch { // of IF and CASE
    struct branch *next;
    struct expr *when;
    struct plsqls body;
    struct code *code; // resolved
};

struct branches {
    struct branch *first, *last;
};

enum plsql_kind {
    PLSQL_NULL,
    PLSQL_ASSIGN, // target := value
    PLSQL_CALL,   // target: EXPR_CALL or EXPR_COLUMN
    PLSQL_IF,     // branches, otherwise
    PLSQL_CASE,   // [value] branches, otherwise
    PLSQL_LOOP,
    PLSQL_WHILE,      // value
    PLSQL_FOR,        // name, low, value: the upper bound
    PLSQL_FOR_QUERY,  // name, sql
    PLSQL_FOR_CURSOR, // name, target
    PLSQL_FORALL,     // name, low, value, sql
    PLSQL_EXIT,       // [exits] [value]
    PLSQL_CONTINUE,
    PLSQL_BLOCK,
    PLSQL_RAISE,  // [target]
    PLSQL_RETURN, // [value]
    PLSQL_SQL,
    PLSQL_OPEN,     // target: the cursor, with its arguments
    PLSQL_OPEN_FOR, // target, sql or value, using
    PLSQL_FETCH,    // target, into, bulk, low: LIMIT
    PLSQL_CLOSE,
    PLSQL_EXECUTE, // value, into, bulk, using, returning
};

struct use { // of USING
    struct use *next;
    enum parameter_mode mode;
    struct expr *value;
    struct code *code; // resolved
};

struct uses {
    struct use *first, *last;
    unsigned count;
};

struct plsql { // a statement
    struct plsql *next;
    enum plsql_kind kind;
    unsigned from;
    unsigned label; // a token; 0: none
    unsigned name;  // of a loop's variable
    unsigned exits; // the label that EXIT and CONTINUE name
    unsigned sql;   // the token that is an SQL statement
    bool reverse, bulk, saves_exceptions, has_otherwise;
    struct expr *target, *value, *low;
    struct exprs into, returning;
    struct uses uses;
    struct branches branches;
    struct plsqls body, otherwise;
    struct block_tree *block;
    // resolved
    struct code *target_code, *value_code, *low_code;
    struct code **into_code, **returning_code;
    struct embedded *embedded;
    struct declared_cursor *cursor; // that is opened, or looped over
    struct code **argument;         // of it
    struct variable *variable;      // of a loop
    struct exception *exception;
    const struct plsql *loop; // that EXIT and CONTINUE are about
};

#endif
