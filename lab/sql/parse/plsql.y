// SPDX-License-Identifier: GPL-2.0-or-later
// PL/SQL: blocks and stored units. It follows grammar.y, whose
// expressions it has. An SQL statement in a block is the token SQL.

tree ::= CALL(C) call_target(P). {
    struct plsql *call = plsql_of(s, PLSQL_CALL, C);
    call->target = P;
    s->tree->kind = TREE_BLOCK;
    s->tree->call = true;
    s->tree->block = NODE(block_tree);
    s->tree->block->from = C;
    s->tree->block->body = (struct plsqls){call, call};
}
tree ::= labels(L) block_statement(B). {
    s->tree->kind = TREE_BLOCK;
    s->tree->block = B;
    B->label = L;
}
tree ::= CREATE or_replace stored(U). {
    s->tree->kind = TREE_CREATE_UNIT;
    s->tree->unit = U;
}
tree ::= DROP(D) unit_word(K) object_name(N). {
    s->tree->kind = TREE_DROP_UNIT;
    s->tree->unit = NODE(unit_tree);
    s->tree->unit->from = D + 1;
    s->tree->unit->kind = K;
    s->tree->unit->name = N;
}
%include {
static struct plsql *plsql_of(struct statement *s, enum plsql_kind kind,
                              unsigned from) {
    struct plsql *made = NODE(plsql);
    made->kind = kind;
    made->from = from;
    return made;
}

// A condition as a value: a BOOLEAN.
static struct expr *value_of(struct expr *condition) {
    return condition->kind == EXPR_TRUTH ? condition->left : condition;
}
}
%type unit_word {int}
unit_word(A) ::= PROCEDURE. { A = UNIT_ROUTINE; }
unit_word(A) ::= FUNCTION. { A = UNIT_ROUTINE; }
unit_word(A) ::= PACKAGE. { A = UNIT_PACKAGE; }
unit_word(A) ::= PACKAGE BODY. { A = UNIT_PACKAGE_BODY; }
or_replace ::= .
or_replace ::= replacing.
replacing ::= OR REPLACE. { s->tree->replaces = true; }
%type object_name {struct name}
object_name(A) ::= name(N). { A = (struct name){N, N}; }
object_name(A) ::= name(M) DOT name(N). { A = (struct name){M, N}; }

// ---- Stored units

%type stored {struct unit_tree *}
stored(A) ::= PROCEDURE(P) object_name(N) parameters(L) rights(R) is_or_as routine_body(B). {
    parse_no_result_cache(s, R);
    A = unit_of(s, UNIT_ROUTINE, P, N);
    A->routine = routine_of(s, P, N.last, L, NULL, B);
}
stored(A) ::= FUNCTION(F) object_name(N) parameters(L) RETURN type_ref(T) rights(R)
            is_or_as routine_body(B). {
    A = unit_of(s, UNIT_ROUTINE, F, N);
    A->routine = routine_of(s, F, N.last, L, T, B);
    A->routine->cached = R;
}
stored(A) ::= PACKAGE(P) object_name(N) rights(R) is_or_as declarations(D) END end_name. {
    parse_no_result_cache(s, R);
    A = unit_of(s, UNIT_PACKAGE, P, N);
    A->declarations = D;
}
stored(A) ::= PACKAGE(P) BODY object_name(N) is_or_as declarations(D) END end_name. {
    A = unit_of(s, UNIT_PACKAGE_BODY, P, N);
    A->declarations = D;
}
stored(A) ::= PACKAGE(P) BODY object_name(N) is_or_as declarations(D) BEGIN(B) statements(L)
            handlers(H) END(E) end_name. {
    A = unit_of(s, UNIT_PACKAGE_BODY, P, N);
    A->declarations = D;
    A->body = block_of(s, B, (struct declarations){0}, L, H, E);
}
%include {
static struct unit_tree *unit_of(struct statement *s, int kind, unsigned from,
                                 struct name name) {
    struct unit_tree *made = NODE(unit_tree);
    made->kind = kind;
    made->from = from;
    made->name = name;
    return made;
}

static struct routine_tree *
routine_of(struct statement *s, unsigned from, unsigned name,
           struct parameter_trees parameters, struct type_ref *result,
           struct block_tree *body) {
    struct routine_tree *made = NODE(routine_tree);
    *made = (struct routine_tree){.from = from,
                                  .name = name,
                                  .function = result,
                                  .parameters = parameters,
                                  .result = result,
                                  .body = body};
    return made;
}

static struct block_tree *block_of(struct statement *s, unsigned from,
                                   struct declarations declarations,
                                   struct plsqls body, struct handlers handlers,
                                   unsigned end) {
    struct block_tree *made = NODE(block_tree);
    *made = (struct block_tree){.from = from,
                                .declarations = declarations,
                                .body = body,
                                .handlers = handlers,
                                .end = end};
    return made;
}
}
%type routine_body {struct block_tree *}
routine_body(A) ::= declarations(D) BEGIN(B) statements(L) handlers(H) END(E) end_name. {
    A = block_of(s, B, D, L, H, E);
}
is_or_as ::= IS.
is_or_as ::= AS.
end_name ::= .
end_name ::= name.
// The token RESULT_CACHE; 0: there is none. What RELIES_ON names is what the
// function is seen to read.
%type rights {unsigned}
rights(A) ::= . { A = 0; }
rights(A) ::= rights(B) ID(W). {
    parse_right(s, W);
    A = B;
}
rights(A) ::= rights(B) CURRENT_USER. { A = B; }
rights(A) ::= rights RESULT_CACHE(R) relies_on. { A = R; }
relies_on ::= .
relies_on ::= RELIES_ON LP object_names RP.
object_names ::= object_name.
object_names ::= object_names COMMA object_name.

// ---- Declarations

%type block_statement {struct block_tree *}
block_statement(A) ::= BEGIN(B) statements(L) handlers(H) END(E) end_name. {
    A = block_of(s, B, (struct declarations){0}, L, H, E);
}
block_statement(A) ::= DECLARE(F) declarations(D) BEGIN statements(L) handlers(H) END(E)
                       end_name. {
    A = block_of(s, F, D, L, H, E);
}
%type declarations {struct declarations}
declarations(A) ::= . { A = (struct declarations){0}; }
declarations(A) ::= declarations(B) declaration(D) SEMI. { A = B; APPEND(A, D); }
%include {
static struct declaration *declares(struct statement *s, int kind,
                                    unsigned name) {
    struct declaration *made = NODE(declaration);
    made->kind = kind;
    made->name = name;
    return made;
}
}
%type declaration {struct declaration *}
declaration(A) ::= name(N) constant(C) type_ref(T) not_null(U) initial(V). {
    A = declares(s, DECLARES_VARIABLE, N);
    A->constant = C;
    A->type = T;
    T->not_null = U;
    A->value = V;
}
declaration(A) ::= name(N) EXCEPTION. { A = declares(s, DECLARES_EXCEPTION, N); }
declaration(A) ::= PRAGMA name(N). { A = declares(s, DECLARES_PRAGMA, N); }
declaration(A) ::= PRAGMA name(N) LP values(L) RP. {
    A = declares(s, DECLARES_PRAGMA, N);
    A->arguments = L;
}
declaration(A) ::= TYPE name(N) IS RECORD LP fields(L) RP. {
    A = declares(s, DECLARES_RECORD, N);
    A->parameters = L;
}
declaration(A) ::= TYPE name(N) IS TABLE OF type_ref(T) not_null(U) index_by(I). {
    A = declares(s, DECLARES_TABLE, N);
    A->type = T;
    T->not_null = U;
    A->indexed = I != NULL;
    A->by_text = I && parse_is_text_type(s, I);
}
declaration(A) ::= TYPE name(N) IS name(V) LP NUMBER RP OF type_ref. {
    A = declares(s, DECLARES_TABLE, N);
    statement_refuse_token(s, 3001, V); // VARRAY
}
declaration(A) ::= TYPE name(N) IS REF CURSOR. { A = declares(s, DECLARES_REF_CURSOR, N); }
declaration(A) ::= TYPE name(N) IS REF CURSOR RETURN type_ref(T). {
    A = declares(s, DECLARES_REF_CURSOR, N);
    A->type = T;
}
declaration(A) ::= SUBTYPE name(N) IS type_ref(T). {
    A = declares(s, DECLARES_SUBTYPE, N);
    A->type = T;
}
declaration(A) ::= CURSOR name(N) parameters(L) IS SQL(Q). {
    A = declares(s, DECLARES_CURSOR, N);
    A->parameters = L;
    A->sql = Q;
}
declaration(A) ::= routine(R). {
    A = declares(s, DECLARES_ROUTINE, R->name);
    A->routine = R;
}
%type routine {struct routine_tree *}
routine(A) ::= PROCEDURE(P) name(N) parameters(L). {
    A = routine_of(s, P, N, L, NULL, NULL);
}
routine(A) ::= PROCEDURE(P) name(N) parameters(L) is_or_as routine_body(B). {
    A = routine_of(s, P, N, L, NULL, B);
}
routine(A) ::= FUNCTION(F) name(N) parameters(L) RETURN type_ref(T) rights(R). {
    A = routine_of(s, F, N, L, T, NULL);
    A->cached = R;
}
routine(A) ::= FUNCTION(F) name(N) parameters(L) RETURN type_ref(T) rights(R) is_or_as
               routine_body(B). {
    A = routine_of(s, F, N, L, T, B);
    A->cached = R;
}
%type constant {bool}
constant(A) ::= . { A = false; }
constant(A) ::= CONSTANT. { A = true; }
%type not_null {bool}
not_null(A) ::= . { A = false; }
not_null(A) ::= NOT NULL. { A = true; }
%type initial {struct expr *}
initial(A) ::= . { A = NULL; }
initial(A) ::= ASSIGN expression(V). { A = V; }
initial(A) ::= DEFAULT expression(V). { A = V; }
%type index_by {struct type_ref *}
index_by(A) ::= . { A = NULL; }
index_by(A) ::= INDEX BY type_ref(T). { A = T; }
%type type_ref {struct type_ref *}
type_ref(A) ::= any_type(T). {
    A = NODE(type_ref);
    A->from = T->from;
    A->plain = T;
}
type_ref(A) ::= PSEUDO(W). { // ROWID
    A = NODE(type_ref);
    A->from = W;
    A->plain = NODE(type_name);
    A->plain->from = W;
    A->plain->to = W + 1;
}
type_ref(A) ::= REF(R) CURSOR. {
    A = NODE(type_ref);
    A->from = R;
    statement_refuse(s, 3001, R, "REF CURSOR here");
}
type_ref(A) ::= name(M) DOT part(N). {
    A = NODE(type_ref);
    A->from = M;
    A->name = (struct name){M, N};
}
type_ref(A) ::= name(N) ATTRIBUTE(T). {
    A = NODE(type_ref);
    A->from = N;
    A->name = (struct name){N, N};
    A->of = parse_type_attribute(s, T);
}
type_ref(A) ::= name(M) DOT part(N) ATTRIBUTE(T). {
    A = NODE(type_ref);
    A->from = M;
    A->name = (struct name){M, N};
    A->of = parse_type_attribute(s, T);
}
type_ref(A) ::= name(L) DOT name DOT part(N) ATTRIBUTE(T). {
    A = NODE(type_ref);
    A->from = L;
    A->name = (struct name){L, N};
    A->of = parse_type_attribute(s, T);
}
%type parameters {struct parameter_trees}
parameters(A) ::= . { A = (struct parameter_trees){0}; }
parameters(A) ::= LP some_parameters(L) RP. { A = L; }
%type some_parameters {struct parameter_trees}
some_parameters(A) ::= parameter(P). { A = (struct parameter_trees){P, P, 1}; }
some_parameters(A) ::= some_parameters(B) COMMA parameter(P). {
    A = B;
    APPEND(A, P);
    A.count++;
}
%type parameter {struct parameter_tree *}
parameter(A) ::= name(N) mode(M) type_ref(T) initial(V). {
    A = NODE(parameter_tree);
    *A = (struct parameter_tree){.name = N, .mode = M, .type = T, .value = V};
}
%type fields {struct parameter_trees}
fields(A) ::= field(F). { A = (struct parameter_trees){F, F, 1}; }
fields(A) ::= fields(B) COMMA field(F). {
    A = B;
    APPEND(A, F);
    A.count++;
}
%type field {struct parameter_tree *}
field(A) ::= name(N) type_ref(T) not_null(U) initial(V). {
    A = NODE(parameter_tree);
    *A = (struct parameter_tree){.name = N, .type = T, .value = V};
    T->not_null = U;
}
%type mode {enum parameter_mode}
mode(A) ::= . { A = MODE_IN; }
mode(A) ::= IN. { A = MODE_IN; }
mode(A) ::= OUT nocopy. { A = MODE_OUT; }
mode(A) ::= IN OUT nocopy. { A = MODE_IN_OUT; }
nocopy ::= .
nocopy ::= NOCOPY.

// ---- Statements

%type handlers {struct handlers}
handlers(A) ::= . { A = (struct handlers){0}; }
handlers(A) ::= EXCEPTION some_handlers(H). { A = H; }
%type some_handlers {struct handlers}
some_handlers(A) ::= handler(H). { A = (struct handlers){H, H}; }
some_handlers(A) ::= some_handlers(B) handler(H). { A = B; APPEND(A, H); }
%type handler {struct handler *}
handler(A) ::= WHEN exception_names(N) THEN statements(L). {
    A = NODE(handler);
    A->names = N;
    A->body = L;
}
%type exception_names {struct exprs}
exception_names(A) ::= column_name(N). { A = one_expr(column_of(s, N)); }
exception_names(A) ::= exception_names(B) OR column_name(N). {
    A = B;
    exprs_append(&A, column_of(s, N));
}

%type statements {struct plsqls}
statements(A) ::= statement(P) SEMI. { A = (struct plsqls){P, P}; }
statements(A) ::= statements(B) statement(P) SEMI. { A = B; APPEND(A, P); }
%type labels {unsigned}
labels(A) ::= . { A = 0; }
labels(A) ::= labels LABEL_OPENS name(N) LABEL_CLOSES. { A = N; }
%type statement {struct plsql *}
statement(A) ::= labels(L) unlabelled(P). { A = P; A->label = L; }

%type unlabelled {struct plsql *}
unlabelled(A) ::= NULL(N). { A = plsql_of(s, PLSQL_NULL, N); }
unlabelled(A) ::= SQL(Q). { A = plsql_of(s, PLSQL_SQL, Q); A->sql = Q; }
unlabelled(A) ::= call_target(T). { A = plsql_of(s, PLSQL_CALL, T->from); A->target = T; }
unlabelled(A) ::= call_target(T) ASSIGN expression(V). {
    A = plsql_of(s, PLSQL_ASSIGN, T->from);
    A->target = T;
    A->value = V;
}
unlabelled(A) ::= BIND(B) ASSIGN expression(V). {
    A = plsql_of(s, PLSQL_ASSIGN, B);
    A->target = tree_expr(s, EXPR_BIND, B, B + 1);
    A->value = V;
}
// A procedure with its arguments, or the target of an assignment.
%type call_target {struct expr *}
call_target(A) ::= column_name(N). { A = column_of(s, N); }
call_target(A) ::= column_name(N) LP RP(R). { A = call_of(s, N, R, (struct exprs){0}); }
call_target(A) ::= column_name(N) LP arguments(L) RP(R). { A = call_of(s, N, R, L); }
call_target(A) ::= column_name(N) LP arguments(L) RP(R) DOT name(F). {
    A = field_of(s, call_of(s, N, R, L), F);
}
%type expression {struct expr *}
expression(A) ::= condition(C). { A = value_of(C); }

unlabelled(A) ::= block_statement(B). { A = plsql_of(s, PLSQL_BLOCK, B->from); A->block = B; }
unlabelled(A) ::= IF(I) expression(C) THEN statements(L) elsifs(E) otherwise(O) END IF. {
    struct branch *first = branch_of(s, C, L);
    A = plsql_of(s, PLSQL_IF, I);
    first->next = E.first;
    A->branches = (struct branches){first, E.first ? E.last : first};
    A->otherwise = O;
}
%include {
static struct branch *branch_of(struct statement *s, struct expr *when,
                                struct plsqls body) {
    struct branch *made = NODE(branch);
    made->when = when;
    made->body = body;
    return made;
}
}
%type elsifs {struct branches}
elsifs(A) ::= . { A = (struct branches){0}; }
elsifs(A) ::= elsifs(B) ELSIF expression(C) THEN statements(L). {
    struct branch *one = branch_of(s, C, L);
    A = B;
    APPEND(A, one);
}
%type otherwise {struct plsqls}
otherwise(A) ::= . { A = (struct plsqls){0}; }
otherwise(A) ::= ELSE statements(L). { A = L; }
unlabelled(A) ::= CASE(C) whens(L) otherwise(O) END CASE. {
    A = plsql_of(s, PLSQL_CASE, C);
    A->branches = L;
    A->otherwise = O;
    A->has_otherwise = O.first;
}
unlabelled(A) ::= CASE(C) expression(V) whens(L) otherwise(O) END CASE. {
    A = plsql_of(s, PLSQL_CASE, C);
    A->value = V;
    A->branches = L;
    A->otherwise = O;
    A->has_otherwise = O.first;
}
%type whens {struct branches}
whens(A) ::= when(W). { A = (struct branches){W, W}; }
whens(A) ::= whens(B) when(W). { A = B; APPEND(A, W); }
%type when {struct branch *}
when(A) ::= WHEN expression(C) THEN statements(L). { A = branch_of(s, C, L); }

unlabelled(A) ::= loop(L). { A = L; }
%type loop {struct plsql *}
loop(A) ::= loop_body(L). { A = L; }
loop(A) ::= WHILE(W) expression(C) loop_body(L). {
    A = L;
    A->kind = PLSQL_WHILE;
    A->from = W;
    A->value = C;
}
loop(A) ::= FOR(F) name(N) IN value(X) RANGE_SIGN value(Y) loop_body(L). {
    A = counting(L, F, N, X, Y);
}
loop(A) ::= FOR(F) name(N) IN REVERSE value(X) RANGE_SIGN value(Y) loop_body(L). {
    A = counting(L, F, N, X, Y);
    A->reverse = true;
}
%include {
static struct plsql *counting(struct plsql *loop, unsigned from, unsigned name,
                              struct expr *low, struct expr *high) {
    loop->kind = PLSQL_FOR;
    loop->from = from;
    loop->name = name;
    loop->low = low;
    loop->value = high;
    return loop;
}
}
loop(A) ::= FOR(F) name(N) IN LP SQL(Q) RP loop_body(L). {
    A = L;
    A->kind = PLSQL_FOR_QUERY;
    A->from = F;
    A->name = N;
    A->sql = Q;
}
loop(A) ::= FOR(F) name(N) IN value(C) loop_body(L). {
    A = L;
    A->kind = PLSQL_FOR_CURSOR;
    A->from = F;
    A->name = N;
    A->target = C;
}
%type loop_body {struct plsql *}
loop_body(A) ::= LOOP(L) statements(B) END LOOP end_name. {
    A = plsql_of(s, PLSQL_LOOP, L);
    A->body = B;
}
unlabelled(A) ::= EXIT(E) end_name_of(N) when_condition(C). {
    A = plsql_of(s, PLSQL_EXIT, E);
    A->exits = N;
    A->value = C;
}
unlabelled(A) ::= CONTINUE(E) end_name_of(N) when_condition(C). {
    A = plsql_of(s, PLSQL_CONTINUE, E);
    A->exits = N;
    A->value = C;
}
%type end_name_of {unsigned}
end_name_of(A) ::= . { A = 0; }
end_name_of(A) ::= name(N). { A = N; }
%type when_condition {struct expr *}
when_condition(A) ::= . { A = NULL; }
when_condition(A) ::= WHEN expression(C). { A = C; }

unlabelled(A) ::= RAISE(R). { A = plsql_of(s, PLSQL_RAISE, R); }
unlabelled(A) ::= RAISE(R) column_name(N). {
    A = plsql_of(s, PLSQL_RAISE, R);
    A->target = column_of(s, N);
}
unlabelled(A) ::= GOTO(G) name. {
    A = plsql_of(s, PLSQL_NULL, G);
    statement_refuse_token(s, 3001, G);
}
unlabelled(A) ::= RETURN(R). { A = plsql_of(s, PLSQL_RETURN, R); }
unlabelled(A) ::= RETURN(R) expression(V). {
    A = plsql_of(s, PLSQL_RETURN, R);
    A->value = V;
}

// ---- SQL in PL/SQL

unlabelled(A) ::= OPEN(O) cursor_target(C). {
    A = plsql_of(s, PLSQL_OPEN, O);
    A->target = C;
}
unlabelled(A) ::= OPEN(O) cursor_target(C) FOR SQL(Q). {
    A = plsql_of(s, PLSQL_OPEN_FOR, O);
    A->target = C;
    A->sql = Q;
}
unlabelled(A) ::= OPEN(O) cursor_target(C) FOR value(V) using(U). {
    A = plsql_of(s, PLSQL_OPEN_FOR, O);
    A->target = C;
    A->value = V;
    A->uses = U;
}
%type cursor_target {struct expr *}
cursor_target(A) ::= BIND(B). { A = tree_expr(s, EXPR_BIND, B, B + 1); }
cursor_target(A) ::= call_target(T). { A = T; }
unlabelled(A) ::= FETCH(F) cursor_name(C) bulk(B) INTO targets(T) limit(L). {
    A = plsql_of(s, PLSQL_FETCH, F);
    A->target = C;
    A->bulk = B;
    A->into = T;
    A->low = L;
}
%type cursor_name {struct expr *}
cursor_name(A) ::= BIND(B). { A = tree_expr(s, EXPR_BIND, B, B + 1); }
cursor_name(A) ::= column_name(N). { A = column_of(s, N); }
%type limit {struct expr *}
limit(A) ::= . { A = NULL; }
limit(A) ::= LIMIT value(V). { A = V; }
unlabelled(A) ::= CLOSE(C) cursor_name(T). {
    A = plsql_of(s, PLSQL_CLOSE, C);
    A->target = T;
}
unlabelled(A) ::= FORALL(F) name(N) IN value(X) RANGE_SIGN value(Y) save(E) SQL(Q). {
    A = plsql_of(s, PLSQL_FORALL, F);
    A->name = N;
    A->low = X;
    A->value = Y;
    A->saves_exceptions = E;
    A->sql = Q;
}
%type save {bool}
save(A) ::= . { A = false; }
save(A) ::= SAVE EXCEPTIONS. { A = true; }
unlabelled(A) ::= EXECUTE(E) IMMEDIATE value(V) execute_into(I) using(U) execute_returning(R). {
    A = plsql_of(s, PLSQL_EXECUTE, E);
    A->value = V;
    A->bulk = I.bulk;
    A->into = I.targets;
    A->uses = U;
    A->returning = R;
}
%type execute_into {struct into}
execute_into(A) ::= . { A = (struct into){0}; }
execute_into(A) ::= bulk(B) INTO(I) targets(T). { A = (struct into){I, B, T}; }
%type execute_returning {struct exprs}
execute_returning(A) ::= . { A = (struct exprs){0}; }
execute_returning(A) ::= return_word INTO targets(T). { A = T; }
%type using {struct uses}
using(A) ::= . { A = (struct uses){0}; }
using(A) ::= USING uses(L). { A = L; }
%type uses {struct uses}
uses(A) ::= use(U). { A = (struct uses){U, U, 1}; }
uses(A) ::= uses(B) COMMA use(U). { A = B; APPEND(A, U); A.count++; }
%type use {struct use *}
use(A) ::= mode(M) value(V). {
    A = NODE(use);
    A->mode = M;
    A->value = V;
}
