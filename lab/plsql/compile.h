// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces between the files of the compiler.
#ifndef ORALAB_PLSQL_COMPILE_H
#define ORALAB_PLSQL_COMPILE_H

#include "plsql/session.h"
#include "plsql/unit.h"
#include "sql/views/catalog.h"

struct compiler {
    struct unit *unit;
    struct statement *s; // whose tokens the tree refers to
    struct scope *scope;
    struct routine *routine;
    struct embedded *embedded; // that is compiled, or NULL
    struct cursor *cursor;     // of a block: has its binds; or NULL
    const struct plsql *loop;  // around the current place
    unsigned depth;            // of statements
};

// The object that a name denotes, up to the part before the token `rest`; 0:
// all of it.
struct found {
    const struct symbol *symbol;
    const struct supplied *supplied;
    struct unit *package; // of the symbol
    unsigned rest;
};

// names.c
struct symbol *scope_add(struct compiler *c, int kind, unsigned token);
bool scope_has(const struct scope *scope, const struct token *name);
bool name_lookup(struct compiler *c, struct name name, struct found *found);
const char *name_spelled(struct compiler *c, unsigned token);
struct variable *variable_new(struct compiler *c, const char *name,
                              const struct type *type);
// The code for the name, call, field or attribute in PL/SQL; NULL:
// nothing, or it was refused.
struct code *compile_reference(struct compiler *c, struct expr *e);
// calls.c
struct code *compile_call(struct compiler *c, const struct found *found,
                          struct expr *call);
struct code *compile_supplied(struct compiler *c,
                              const struct supplied *supplied,
                              struct expr *call);
// A value of the type, which must be a table without INDEX BY.
struct code *compile_constructor(struct compiler *c, const struct type *type,
                                 struct expr *call);
// Assigns arguments to parameters by position or name. False after refusing.
bool compile_arguments(struct compiler *c, const struct parameter *parameter,
                       unsigned parameters, struct exprs list, unsigned token,
                       struct code **to);
// types.c
const struct type *type_of_operand(enum operand_type operand);
const struct type *type_of_column(struct compiler *c, const char *declared,
                                  enum operand_type operand, bool own);
const struct type *type_named(struct compiler *c, struct type_ref *ref);
// The same for a parameter or a result, which may be a CHAR of any size.
const struct type *type_of_parameter(struct compiler *c, struct type_ref *ref);
// Whether the value can be assigned to a variable of the type, if it is of the
// right size and form.
bool type_takes(const struct type *type, const struct code *value);
const struct type *type_boolean(void), *type_whole(void), *type_cursor(void);
// A record with a column for each of the query's; NULL if they are not known.
const struct type *type_of_row(struct compiler *c,
                               const struct column_defs *columns);
struct field *type_field(const struct type *record, const struct token *name,
                         unsigned *at);
// expressions.c
struct code *code_new(struct compiler *c, enum code_kind kind,
                      const struct type *type);
struct code *compile_value(struct compiler *c, struct expr *e);
// The same, of a BOOLEAN or of anything else.
struct code *compile_condition(struct compiler *c, struct expr *e);
struct code *compile_scalar(struct compiler *c, struct expr *e);
// A copy of the value = other.
struct expr *expr_equal(struct compiler *c, const struct expr *value,
                        struct expr *other);
struct code *code_of_bind(struct compiler *c, unsigned token, bool sets);
// A target of assignments.
struct code *compile_target(struct compiler *c, struct expr *e, bool reads);
struct code **compile_targets(struct compiler *c, const struct exprs *list);
struct code **code_array(struct compiler *c, unsigned count);
// embedded.c: NULL after refusing.
struct embedded *compile_sql(struct compiler *c, unsigned token);
// declarations.c
void compile_declarations(struct compiler *c, struct declarations *list);
void compile_parameters(struct compiler *c, struct parameter_trees *list,
                        struct parameter **parameter, unsigned *count);
struct routine *declare_routine(struct compiler *c, struct routine_tree *tree);
// statements.c
void compile_block(struct compiler *c, struct block_tree *block,
                   unsigned label);
void compile_routine_body(struct compiler *c, struct routine *routine);
struct scope *scope_enter(struct compiler *c);
// "PLS-00201: identifier 'X' must be declared" and the like; %s: the name.
void refuse_name(struct compiler *c, unsigned token, const char *pls,
                 struct name name);
void *compile_take(struct compiler *c, size_t bytes);

#endif
