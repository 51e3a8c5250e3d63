// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled PL/SQL: a block, or a stored procedure, function or package. The
// compiler resolves the names in the tree; the interpreter walks it. All of it
// lives in the memory of the unit's statement.
#ifndef ORALAB_UNIT_H
#define ORALAB_UNIT_H

#include "plsql/value.h"
#include "sql/execute/cursor.h"
#include "sql/parse/parse.h"
#include "sql/types/column_type.h"

struct frame;
struct plsql_query;
struct supplied;

struct type {
    enum {
        TYPE_SCALAR,
        TYPE_BOOLEAN,
        TYPE_RECORD,
        TYPE_TABLE,
        TYPE_CURSOR, // a REF CURSOR
    } kind;
    enum operand_type operand;
    const char *declared; // as ASSIGN$ reads it; NULL: any value
    struct column_type column;
    bool whole; // PLS_INTEGER
    bool not_null;
    struct field {
        struct field *next;
        const char *name;
        const struct type *type;
        struct code *initial;
    } * fields;
    unsigned count;             // of fields
    const struct type *element; // of a table
    bool indexed, by_text;      // INDEX BY
};

struct variable {
    struct variable *next; // of the same routine or package
    const char *name;
    const struct type *type;
    unsigned level, slot;    // of the frame that has it
    struct package *package; // or this one has it
    struct code *initial;
    bool constant;
};

struct exception {
    struct exception *next;
    const char *name;
    unsigned number; // ORA-; 0: none was given to it
};

struct parameter {
    struct variable *variable;
    enum parameter_mode mode;
    struct code *value; // by default
    const char *name;
};

struct routine {
    struct routine *next; // of the same name: overloaded
    const char *name;
    struct unit *unit;
    unsigned level, slots;
    struct variable *variables;
    struct parameter *parameter;
    unsigned parameters;
    const struct type *result;
    struct routine_tree *tree;
    struct block_tree *body;
    bool autonomous, compiled;
    struct scope *scope; // around it
};

struct declared_cursor {
    struct embedded *query;
    struct parameter *parameter;
    unsigned parameters;
    struct variable *variable; // that holds it when it is open
    const struct type *row;
};

struct symbol {
    struct symbol *next;
    const char *name;
    enum {
        SYMBOL_VARIABLE,
        SYMBOL_TYPE,
        SYMBOL_EXCEPTION,
        SYMBOL_CURSOR,
        SYMBOL_ROUTINE,
    } kind;
    struct variable *variable;
    const struct type *type;
    struct exception *exception;
    struct declared_cursor *cursor;
    struct routine *routine;
};

struct scope {
    struct scope *outer;
    struct symbol *symbols;
    const char *label;
    struct routine *routine; // that it is in
    bool loop;               // EXIT may leave it
    struct package *package; // whose names they are
};

enum code_kind {
    CODE_CONSTANT,
    CODE_VARIABLE,
    CODE_BIND,
    CODE_FIELD,            // left: a record
    CODE_ELEMENT,          // left: a table; right: the index
    CODE_METHOD,           // left: a table; right, third: arguments
    CODE_CURSOR_ATTRIBUTE, // left: the cursor
    CODE_SQL_ATTRIBUTE,    // right: which of %BULK_ROWCOUNT
    CODE_SQLCODE,
    CODE_SQLERRM, // [left]
    CODE_CALL,    // list: an argument for each parameter, or NULL
    CODE_SUPPLIED,
    CODE_AND,
    CODE_OR,
    CODE_NOT,
    CODE_CONSTRUCTOR, // of a table; list: its elements
    CODE_CASE,        // [left] list: WHEN, THEN by turns; right: ELSE
    CODE_ARITHMETIC,  // left sign right, if both are integers; else `sql`
    CODE_COMPARISON,
    CODE_IS_NULL,
    CODE_SQL, // of list, the binds
};

enum attribute { // of cursors and SQL
    ATTRIBUTE_FOUND,
    ATTRIBUTE_NOTFOUND,
    ATTRIBUTE_ISOPEN,
    ATTRIBUTE_ROWCOUNT,
    ATTRIBUTE_BULK_ROWCOUNT,
    ATTRIBUTE_BULK_EXCEPTIONS, // its COUNT
    ATTRIBUTE_ERROR_INDEX,     // of one of them
    ATTRIBUTE_ERROR_CODE,
};

enum method {
    METHOD_COUNT,
    METHOD_FIRST,
    METHOD_LAST,
    METHOD_NEXT,
    METHOD_PRIOR,
    METHOD_EXISTS,
    METHOD_DELETE,
    METHOD_EXTEND,
    METHOD_TRIM,
    METHOD_LIMIT,
    NO_METHOD,
};

struct code {
    enum code_kind kind;
    const struct type *type;
    struct unit *unit;
    struct code *left, *right, *third;
    struct code **list;
    unsigned count;
    unsigned at; // of a field: its place; of a bind: the placeholder; a method
    enum sign sign;
    bool negated;
    struct variable *variable;
    struct routine *routine;
    const struct supplied *supplied;
    struct declared_cursor *cursor;
    struct scalar constant;
    char *sql; // from malloc
    struct sqlite3_stmt *statement;
    bool varies;       // its value follows from more than its arguments
    struct code *next; // of the unit's that have `sql` or a constant
};

// An SQL statement in a block.
struct embedded {
    struct embedded *next;
    struct statement s;
    struct unit *unit;
    char *text; // as it is executed, from malloc
    size_t length;
    struct code **bind, **into;
    unsigned binds, intos;
    bool bulk, returns;
    enum tree_kind kind;
    bool control; // COMMIT and the like
    const struct type *row;
    struct plsql_query *idle; // parsed, and not in use
    unsigned token;           // in the block
};

struct package {
    struct value *value; // of its variables
    unsigned values;
    struct variable *variables;
    bool initialized;
};

struct unit {
    struct unit *next; // of the session's
    struct plsql_session *session;
    struct statement s;
    char *text;        // from malloc
    const char *shown; // "SCOTT.P"; NULL: an anonymous block
    char name[LONGEST_NAME + 1];
    int kind; // of unit_tree
    struct routine *main;
    struct scope *scope; // of a package's names
    struct package package;
    struct unit *body; // of a package
    struct unit *specification;
    struct code *codes;
    struct embedded *embedded;
    unsigned generation; // of the stored units that it refers to
};

#endif
