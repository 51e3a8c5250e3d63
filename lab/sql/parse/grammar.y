// SPDX-License-Identifier: GPL-2.0-or-later
// The grammar of the lab's SQL, for Lemon. That of PL/SQL follows in plsql.y. A token's value is its number. Words
// are keywords where the grammar has a place for them, and names elsewhere
// (%fallback), unless Oracle reserves them; see words.c.
//
// The part missing where a statement breaks off, and so the error, is found by
// asking which of these tokens could follow; see parse.c. The NO_ tokens never
// occur: each stands for a kind of name that has an error of its own.
%name grammar
%token_prefix TK_
%token_type {unsigned}
%extra_context {struct statement *s}
%stack_size 1000
%start_symbol program

%include {
#include "sql/parse/parse.h"
#include "sql/parse/plsql_tree.h"

#define NODE(type) statement_take(s, sizeof(struct type))
#define APPEND(list, one)                                                      \
    do {                                                                       \
        if ((list).last)                                                       \
            (list).last->next = (one);                                         \
        else                                                                   \
            (list).first = (one);                                              \
        (list).last = (one);                                                   \
    } while (0)

static struct expr *between(struct statement *s, enum expr_kind kind,
                            struct expr *left, unsigned negated,
                            struct expr *right, struct expr *third) {
    return tree_condition(s, kind, left, negated, right, third);
}

static struct expr *call_of(struct statement *s, struct name name,
                            unsigned close, struct exprs list) {
    struct expr *made = tree_expr(s, EXPR_CALL, name.first, close + 1);
    made->name = name;
    made->list = list;
    for (struct expr *one = list.first; one; one = one->next)
        tree_deepen(s, made, one);
    return made;
}

static struct expr *around(struct statement *s, enum expr_kind kind,
                           unsigned open, struct expr *inside,
                           unsigned close) {
    struct expr *made = tree_expr(s, kind, open, close + 1);
    made->left = inside;
    tree_deepen(s, made, inside);
    return made;
}

static struct expr *with_query(struct statement *s, enum expr_kind kind,
                               unsigned from, struct query *query,
                               unsigned close) {
    struct expr *made = tree_expr(s, kind, from, close + 1);
    made->query = query;
    return made;
}

static struct expr *column_of(struct statement *s, struct name name) {
    struct expr *made = tree_expr(s, EXPR_COLUMN, name.first, name.last + 1);
    made->name = name;
    return made;
}

static struct expr *field_of(struct statement *s, struct expr *record,
                             unsigned field) {
    struct expr *made = tree_expr(s, EXPR_FIELD, record->from, field + 1);
    made->left = record;
    made->name = (struct name){field, field};
    tree_deepen(s, made, record);
    return made;
}

static struct exprs one_expr(struct expr *one) {
    return (struct exprs){one, one, 1};
}

static struct query *query_of(struct statement *s, struct block *first) {
    struct query *made = NODE(query);
    made->from = first->from;
    made->first = made->last = first;
    return made;
}

static struct query *add_block(struct statement *s, struct query *query,
                               enum set_operator set, struct block *block) {
    s->tree->sets = true;
    block->set = set;
    query->last->next = block;
    query->last = block;
    query->set = true;
    return query;
}

static struct tree *insert_into(struct statement *s, struct source *table,
                                struct names_of_columns *columns,
                                struct returning *returning) {
    s->tree->kind = TREE_INSERT;
    s->tree->target = table;
    s->tree->has_columns = columns;
    s->tree->columns = columns;
    s->tree->returning = returning;
    return s->tree;
}

static struct block *inner_block(struct statement *s, unsigned open,
                                 struct query *inner) {
    struct block *made = NODE(block);
    made->from = open;
    made->inner = inner;
    return made;
}
}

%syntax_error { (void)yyminor; parse_unexpected(s, yypParser, yymajor); }
%stack_overflow { statement_refuse(s, 3001, 0, "so deep a statement"); }

%nonassoc NAME_ENDS TRUTH.
%nonassoc RP.
%left OR.
%left AND.
%right NOT.

%fallback ID
    AUTHENTICATED BEGIN BODY BOTH BULK CALL CASCADE CLOSE COLLECT CONSTANT CONSTRAINT CONTINUE
    CROSS CURRENT_USER CURSOR DATABASE DECLARE ELSIF END ESCAPE EXCEPTION EXCEPTIONS
    EXECUTE EXIT FETCH FIRST FOLLOWING FORALL FOREIGN FULL FUNCTION GOTO IF IMMEDIATE INNER
    INTERVAL JOIN KEEP KEY LAST LEADING LEFT LIMIT LINK LOCKED LOOP NATURAL NEXT NOCOPY
    NOCYCLE NULLS OFFSET ONLY OPEN OUT OUTER OVER PACKAGE PARTITION PERCENT PRAGMA
    PRECEDING PRIMARY PROCEDURE PURGE RAISE RANGE RECORD REF REFERENCES RELIES_ON REPLACE
    RESULT_CACHE RETURN
    RETURNING REVERSE RIGHT SAVE SHARED SKIP SOME_WORD SUBTYPE TIES TIME TRAILING
    TRUNCATE TYPE UNBOUNDED USING WAIT WHEN WHILE ZONE.

%fallback RESERVED CLUSTER.

%fallback ID CUBE GROUPING_SETS LNNVL MATCHED MERGE REGEXP_LIKE ROLLUP
    SEQUENCE WITHIN_GROUP.

// ---- Statements

program ::= tree.

tree ::= query(Q) for_update(F). {
    s->tree->kind = TREE_QUERY;
    s->tree->query = Q;
    (void)F;
}
tree ::= insert.
tree ::= update.
tree ::= delete.
tree ::= merge.
tree ::= lock_table.
tree ::= alter_table.
tree ::= create.
tree ::= drop.

%type for_update {unsigned}
for_update(A) ::= . { A = 0; }
for_update(A) ::= FOR(F) UPDATE of_columns wait. {
    A = F;
    s->tree->locks = true;
}
of_columns ::= .
of_columns ::= OF lock_columns.
lock_columns ::= column_name.
lock_columns ::= lock_columns COMMA column_name.
wait ::= . { s->tree->lock_wait = -1; }
wait ::= NOWAIT. { s->tree->lock_wait = 0; }
wait ::= WAIT NUMBER(N). { s->tree->lock_wait = parse_number(s, N); }
wait ::= SKIP LOCKED. {
    s->tree->lock_wait = 0;
    s->tree->skips_locked = true;
}

// ---- Queries

%type query {struct query *}
query(A) ::= body(B) order_by(O) row_limit(L). { A = parse_end_query(s, B, NULL, O, L); }
query(A) ::= WITH(W) withs(L) body(B) order_by(O) row_limit(R). {
    A = parse_end_query(s, B, L.first, O, R);
    A->from = W;
}

%type withs {struct withs}
withs(A) ::= with(W). { A = (struct withs){W, W}; }
withs(A) ::= withs(B) COMMA with(W). { A = B; APPEND(A, W); }
%type with {struct with *}
with(A) ::= name(N) with_columns(C) AS LP query_or_more(Q) RP. {
    A = NODE(with);
    A->name = N;
    A->columns = C;
    A->query = Q;
    A->others = s->tree->withs;
    s->tree->withs = A;
}
%type with_columns {struct names}
with_columns(A) ::= . { A = (struct names){0}; }
with_columns(A) ::= LP names(N) RP. { A = N; }

%type body {struct query *}
body(A) ::= block(B). { A = query_of(s, B); }
body(A) ::= LP(P) query(Q) RP set_operator(O) operand(B). {
    A = add_block(s, query_of(s, inner_block(s, P, Q)), O, B);
}
body(A) ::= body(B) set_operator(O) operand(C). { A = add_block(s, B, O, C); }
%type operand {struct block *}
operand(A) ::= block(B). { A = B; }
operand(A) ::= LP(P) query(Q) RP. { A = inner_block(s, P, Q); }
%type query_or_more {struct query *}
query_or_more(A) ::= query(Q). { A = Q; }
query_or_more(A) ::= LP(P) query(Q) RP. { A = query_of(s, inner_block(s, P, Q)); }

%type set_operator {enum set_operator}
set_operator(A) ::= UNION. { A = SET_UNION; }
set_operator(A) ::= UNION ALL. { A = SET_UNION_ALL; }
set_operator(A) ::= INTERSECT. { A = SET_INTERSECT; }
set_operator(A) ::= MINUS. { A = SET_MINUS; }

%type block {struct block *}
block(A) ::= SELECT(S) quantifier(D) items(I) into(N) FROM(F) joins(J) where(W)
             connect_by(C) group_by(G) having(H). {
    A = NODE(block);
    A->from = S;
    A->distinct = D;
    A->items = I;
    A->into_from = N.from;
    A->into_to = F;
    A->into = N.targets;
    A->bulk = N.bulk;
    A->from_word = F;
    A->joins = J;
    A->where = W;
    A->hierarchy = C;
    A->group = G;
    A->having = H;
}
%type quantifier {bool}
quantifier(A) ::= . { A = false; }
quantifier(A) ::= ALL. { A = false; }
quantifier(A) ::= DISTINCT. { A = true; }
quantifier(A) ::= UNIQUE. { A = true; }

%type items {struct items}
items(A) ::= STAR(S). {
    struct item *one = tree_star(s, (struct name){0, 0}, S);
    A = (struct items){one, one, 1};
}
items(A) ::= some_items(B). { A = B; }
%type some_items {struct items}
some_items(A) ::= item(I). { A = (struct items){I, I, 1}; }
some_items(A) ::= some_items(B) COMMA item(I). {
    enum { MOST_ITEMS = 1000 };
    A = B;
    APPEND(A, I);
    if (++A.count > MOST_ITEMS)
        statement_refuse(s, 1792, I->from, "");
}
%type item {struct item *}
item(A) ::= value(V). { A = tree_item(s, V, 0); }
item(A) ::= value(V) name(N). { A = tree_item(s, V, N); }
item(A) ::= value(V) AS name(N). { A = tree_item(s, V, N); }
item(A) ::= value(V) AS NO_ALIAS(N). { A = tree_item(s, V, N); }
item(A) ::= name(N) DOT STAR(S). { A = tree_star(s, (struct name){N, N}, S); }
item(A) ::= name(M) DOT name(N) DOT STAR(S). { A = tree_star(s, (struct name){M, N}, S); }

%include {
struct into {
    unsigned from;
    bool bulk;
    struct exprs targets;
};
}
%type into {struct into}
into(A) ::= . { A = (struct into){0}; }
into(A) ::= INTO(I) targets(T). { A = (struct into){I, false, T}; }
into(A) ::= BULK(I) COLLECT INTO targets(T). { A = (struct into){I, true, T}; }
// Binds in SQL; also variables in PL/SQL.
%type targets {struct exprs}
targets(A) ::= target(T). { A = one_expr(T); }
targets(A) ::= targets(L) COMMA target(T). { A = L; exprs_append(&A, T); }
%type target {struct expr *}
target(A) ::= BIND(B). { A = tree_expr(s, EXPR_BIND, B, B + 1); }
target(A) ::= column_name(N). { A = column_of(s, N); parse_target(s, A); }
target(A) ::= column_name(N) LP value(V) RP(R). {
    A = call_of(s, N, R, one_expr(V));
    parse_target(s, A);
}
target(A) ::= column_name(N) LP value(V) RP(R) DOT name(F). {
    A = field_of(s, call_of(s, N, R, one_expr(V)), F);
    parse_target(s, A);
}

%type where {struct expr *}
where(A) ::= . { A = NULL; }
where(A) ::= WHERE condition(C). { A = C; }
%type having {struct expr *}
having(A) ::= . { A = NULL; }
having(A) ::= HAVING condition(C). { A = C; }
%type connect_by {struct hierarchy *}
connect_by(A) ::= . { A = NULL; }
connect_by(A) ::= connect(H). { A = H; }
connect_by(A) ::= connect(H) START WITH condition(C). { A = H; A->start = C; }
connect_by(A) ::= START WITH condition(C) connect(H). { A = H; A->start = C; }
%type connect {struct hierarchy *}
connect(A) ::= CONNECT(W) BY nocycle(N) condition(C). {
    A = NODE(hierarchy);
    A->from = W;
    A->nocycle = N;
    A->connect = C;
}
%type nocycle {bool}
nocycle(A) ::= . { A = false; }
nocycle(A) ::= NOCYCLE. { A = true; }
%type group_by {struct exprs}
group_by(A) ::= . { A = (struct exprs){0}; }
group_by(A) ::= GROUP BY group_items(L). { A = L; }
%type group_items {struct exprs}
group_items(A) ::= group_item(V). { A = V; }
group_items(A) ::= group_items(B) COMMA group_item(V). { A = parse_join_groups(s, B, V); }
%type group_item {struct exprs}
group_item(A) ::= group_set(V). { A = V; }
group_item(A) ::= ROLLUP LP group_sets(L) RP. { A = L; }
group_item(A) ::= CUBE LP group_sets(L) RP. { A = parse_sets(L, SETS_CUBE); }
group_item(A) ::= GROUPING_SETS ID LP group_sets(L) RP. { A = parse_sets(L, SETS_LISTED); }
%type group_set {struct exprs}
group_set(A) ::= value(V). { A = one_expr(V); }
group_set(A) ::= LP value(V) COMMA values(L) RP. {
    A = one_expr(V);
    V->next = L.first;
    A.last = L.last;
    A.count = L.count + 1;
}
// Those of a ROLLUP, CUBE or GROUPING SETS have levels from 1.
%type group_sets {struct exprs}
group_sets(A) ::= group_set(V). { A = parse_level(V, 1); }
group_sets(A) ::= group_sets(B) COMMA group_set(V). {
    V = parse_level(V, B.last->level + 1);
    A = B;
    A.last->next = V.first;
    A.last = V.last;
    A.count += V.count;
}

%type order_by {struct order_terms}
order_by(A) ::= . { A = (struct order_terms){0}; }
order_by(A) ::= ORDER BY order_terms(L). { A = L; }
order_by(A) ::= ORDER ID(S) BY order_terms(L). {
    A = L;
    A.siblings = S;
    if (!statement_is(s, S, "siblings"))
        statement_refuse(s, 924, S, "");
}
%type order_terms {struct order_terms}
order_terms(A) ::= order_term(T). { A = (struct order_terms){T, T, 0}; }
order_terms(A) ::= order_terms(B) COMMA order_term(T). { A = B; APPEND(A, T); }
%type order_term {struct order_term *}
order_term(A) ::= value(V) direction(D) nulls(N). {
    A = NODE(order_term);
    A->value = V;
    A->descending = D;
    A->nulls_first = N < 0 ? D : N;
}
%type direction {bool}
direction(A) ::= . { A = false; }
direction(A) ::= ASC. { A = false; }
direction(A) ::= DESC. { A = true; }
%type nulls {int}
nulls(A) ::= . { A = -1; }
nulls(A) ::= NULLS FIRST. { A = 1; }
nulls(A) ::= NULLS LAST. { A = 0; }

%type row_limit {struct row_limit}
row_limit(A) ::= . { A = (struct row_limit){0}; }
row_limit(A) ::= offset(O). { A = (struct row_limit){.offset = O}; }
row_limit(A) ::= fetch(F). { A = F; }
row_limit(A) ::= offset(O) fetch(F). { A = F; A.offset = O; }
%type offset {struct expr *}
offset(A) ::= OFFSET limit_count(V) rows. { A = V; }
%type fetch {struct row_limit}
fetch(A) ::= FETCH first_or_next limit_count(V) rows ONLY. {
    A = (struct row_limit){.fetch = true, .count = V};
}
fetch(A) ::= FETCH first_or_next rows ONLY. { A = (struct row_limit){.fetch = true}; }
fetch(A) ::= FETCH first_or_next limit_count rows WITH TIES. {
    A = (struct row_limit){.other = true};
}
fetch(A) ::= FETCH first_or_next limit_count PERCENT rows ONLY. {
    A = (struct row_limit){.other = true};
}
first_or_next ::= FIRST.
first_or_next ::= NEXT.
rows ::= ROW.
rows ::= ROWS.
%type limit_count {struct expr *}
limit_count(A) ::= NUMBER(N). { A = tree_expr(s, EXPR_NUMBER, N, N + 1); }
limit_count(A) ::= BIND(N). { A = tree_expr(s, EXPR_BIND, N, N + 1); }

// ---- FROM

%type joins {struct joins}
joins(A) ::= join(J). { A = (struct joins){J, J}; }
joins(A) ::= joins(B) COMMA join(J). { A = B; APPEND(A, J); }
%type join {struct join *}
join(A) ::= source(S). { A = S; }
join(A) ::= join(L) CROSS JOIN source(R). { A = tree_join(s, JOIN_CROSS, L, R); }
join(A) ::= join(L) NATURAL join_kind(K) JOIN source(R). {
    A = tree_join(s, K.kind, L, R);
    A->natural = true;
    A->word = K.word;
}
join(A) ::= join(L) join_kind(K) JOIN source(R) ON condition(C). {
    A = tree_join(s, K.kind, L, R);
    A->word = K.word;
    A->on = C;
}
join(A) ::= join(L) join_kind(K) JOIN source(R) USING LP names(N) RP. {
    A = tree_join(s, K.kind, L, R);
    A->word = K.word;
    A->using = N;
}
%include {
struct kind_of_join {
    enum join_kind kind;
    bool word;
};
}
%type join_kind {struct kind_of_join}
join_kind(A) ::= . { A = (struct kind_of_join){JOIN_INNER, false}; }
join_kind(A) ::= INNER. { A = (struct kind_of_join){JOIN_INNER, true}; }
join_kind(A) ::= LEFT outer(O). { A = (struct kind_of_join){JOIN_LEFT, O}; }
join_kind(A) ::= RIGHT outer(O). { A = (struct kind_of_join){JOIN_RIGHT, O}; }
join_kind(A) ::= FULL outer(O). { A = (struct kind_of_join){JOIN_FULL, O}; }
%type outer {bool}
outer(A) ::= . { A = false; }
outer(A) ::= OUTER. { A = true; }

%type source {struct join *}
source(A) ::= table(T) alias(N). {
    T->alias = N;
    A = tree_join_source(s, T);
}
source(A) ::= LP query(Q) RP alias(N). {
    struct source *made = tree_source(s, (struct name){0, 0}, N);
    made->query = Q;
    A = tree_join_source(s, made);
}
source(A) ::= TABLE(T) LP value(V) RP alias(N). {
    struct source *made = tree_source(s, (struct name){T, T}, N);
    made->function = V;
    A = tree_join_source(s, made);
}
source(A) ::= LP join(J) RP. { A = tree_join(s, JOIN_PARENTHESIZED, J, NULL); }
%type table {struct source *}
table(A) ::= table_name(N). { A = tree_source(s, N, 0); }
table(A) ::= table_name(N) AT link_name(L). { A = tree_remote_source(s, N, L); }
%type table_name {struct name}
table_name(A) ::= name(N). { A = (struct name){N, N}; }
table_name(A) ::= name(M) DOT name(N). { A = (struct name){M, N}; }
table_name(A) ::= NO_TABLE(N). { A = (struct name){N, N}; }
%type alias {unsigned}
alias(A) ::= . { A = 0; }
alias(A) ::= name(N). { A = N; }

// ---- Names

// Of any number of parts.
%type link_name {struct name}
link_name(A) ::= name(N). { A = (struct name){N, N}; }
link_name(A) ::= link_name(L) DOT name(N). { A = (struct name){L.first, N}; }
link_name(A) ::= NO_LINK(N). { A = (struct name){N, N}; }

%type name {unsigned}
name(A) ::= ID(N). { A = N; }
name(A) ::= QUOTED(N). { A = N; }
%type names {struct names}
names(A) ::= name(N). { A = names_append(s, (struct names){0}, N); }
names(A) ::= names(L) COMMA name(N). { A = names_append(s, L, N); }
names(A) ::= NO_COLUMN. { A = (struct names){0}; }
// Of one to three parts; the last may be a pseudo-column.
%type column_name {struct name}
column_name(A) ::= name(N). [NAME_ENDS] { A = (struct name){N, N}; }
column_name(A) ::= name(M) DOT part(N). { A = (struct name){M, N}; }
column_name(A) ::= name(L) DOT name DOT part(N). { A = (struct name){L, N}; }
%type part {unsigned}
part(A) ::= name(N). { A = N; }
part(A) ::= PSEUDO(N). { A = N; }
part(A) ::= NO_PART(N). { A = N; }

// ---- Values

%type values {struct exprs}
values(A) ::= value(V). { A = one_expr(V); }
values(A) ::= values(B) COMMA value(V). { A = B; exprs_append(&A, V); }
%type value {struct expr *}
value(A) ::= term(T). { A = T; }
value(A) ::= value(L) PLUS term(R). { A = tree_operation(s, EXPR_ARITHMETIC, SIGN_ADD, L, R); }
value(A) ::= value(L) MINUS_SIGN term(R). {
    A = tree_operation(s, EXPR_ARITHMETIC, SIGN_SUBTRACT, L, R);
}
value(A) ::= value(L) CONCAT term(R). {
    A = tree_operation(s, EXPR_ARITHMETIC, SIGN_CONCATENATE, L, R);
}
%type term {struct expr *}
term(A) ::= factor(F). { A = F; }
term(A) ::= term(L) STAR factor(R). { A = tree_operation(s, EXPR_ARITHMETIC, SIGN_MULTIPLY, L, R); }
term(A) ::= term(L) SLASH factor(R). { A = tree_operation(s, EXPR_ARITHMETIC, SIGN_DIVIDE, L, R); }
%type factor {struct expr *}
factor(A) ::= primary(P). { A = P; }
factor(A) ::= primary(L) POWER exponent(R). { // of PL/SQL
    A = tree_operation(s, EXPR_ARITHMETIC, SIGN_POWER, L, R);
}
factor(A) ::= PRIOR(N) factor(F). { A = around(s, EXPR_PRIOR, N, F, F->to - 1); }
factor(A) ::= CONNECT_BY_ROOT(N) factor(F). { A = around(s, EXPR_ROOT, N, F, F->to - 1); }
factor(A) ::= PLUS(S) factor(F). { A = tree_sign(s, S, false, F); }
factor(A) ::= MINUS_SIGN(S) factor(F). { A = tree_sign(s, S, true, F); }

%type exponent {struct expr *}
exponent(A) ::= primary(P). { A = P; }
exponent(A) ::= PLUS(S) primary(P). { A = tree_sign(s, S, false, P); }
exponent(A) ::= MINUS_SIGN(S) primary(P). { A = tree_sign(s, S, true, P); }

%type primary {struct expr *}
primary(A) ::= NULL(N). { A = tree_expr(s, EXPR_NULL, N, N + 1); }
primary(A) ::= STRING(N). { A = tree_expr(s, EXPR_TEXT, N, N + 1); }
primary(A) ::= NUMBER(N). { A = tree_expr(s, EXPR_NUMBER, N, N + 1); }
primary(A) ::= BINARY_NUMBER(N). { A = tree_expr(s, EXPR_BINARY_NUMBER, N, N + 1); }
primary(A) ::= BIND(N). { A = tree_expr(s, EXPR_BIND, N, N + 1); }
primary(A) ::= DATE(N) STRING. { A = tree_expr(s, EXPR_DATE, N, N + 2); }
primary(A) ::= TIMESTAMP_WORD(N) STRING. { A = tree_expr(s, EXPR_TIMESTAMP, N, N + 2); }
primary(A) ::= INTERVAL_WORD(N) STRING ID(F) type_size(P). {
    A = tree_expr(s, EXPR_INTERVAL, N, P->after ? P->after : F + 1);
    A->name = (struct name){F, F};
    A->cast = P;
}
primary(A) ::= INTERVAL_WORD(N) STRING ID(F) type_size(P) TO ID(T) type_size(Q). {
    A = tree_expr(s, EXPR_INTERVAL, N, Q->after ? Q->after : T + 1);
    A->name = (struct name){F, T};
    A->cast = P;
    if (Q->after)
        A->cast->scale = Q->size;
}
primary(A) ::= ROWNUM(N). { A = tree_expr(s, EXPR_ROWNUM, N, N + 1); }
primary(A) ::= PSEUDO(N). { A = column_of(s, (struct name){N, N}); }
primary(A) ::= column_name(N). { A = column_of(s, N); }
primary(A) ::= attribute(B). { A = B; }
primary(A) ::= attribute(B) DOT name(F). { A = field_of(s, B, F); }
// cursor%NOTFOUND
%type attribute {struct expr *}
attribute(A) ::= column_name(N) ATTRIBUTE(T). {
    A = tree_expr(s, EXPR_ATTRIBUTE, N.first, T + 1);
    A->name = N;
}
attribute(A) ::= column_name(N) ATTRIBUTE(T) LP value(V) RP(R). {
    A = tree_expr(s, EXPR_ATTRIBUTE, N.first, R + 1);
    A->name = N;
    A->left = V;
    (void)T;
}
primary(A) ::= function(F) DOT name(N). { A = field_of(s, F, N); }
primary(A) ::= LP(P) value(V) RP(R). { A = around(s, EXPR_PARENTHESIZED, P, V, R); }
primary(A) ::= LP(P) query(Q) RP(R). { A = with_query(s, EXPR_SUBQUERY, P, Q, R); }
primary(A) ::= call(C). { A = C; }
primary(A) ::= CASE(C) WHEN condition_whens(L) case_else(E) END(N). {
    A = tree_expr(s, EXPR_CASE, C, N + 1);
    A->list = L;
    A->right = E;
    for (struct expr *one = L.first; one; one = one->next)
        tree_deepen(s, A, one);
    tree_deepen(s, A, E);
}
primary(A) ::= CASE(C) value(V) WHEN value_whens(L) case_else(E) END(N). {
    A = tree_expr(s, EXPR_CASE, C, N + 1);
    A->left = V;
    A->list = L;
    A->right = E;
    tree_deepen(s, A, V);
    for (struct expr *one = L.first; one; one = one->next)
        tree_deepen(s, A, one);
    tree_deepen(s, A, E);
}
primary(A) ::= CAST(C) LP value(V) AS type(T) RP(R). {
    A = around(s, EXPR_CAST, C, V, R);
    A->cast = T;
}
primary(A) ::= EXTRACT(E) LP name(F) FROM value(V) RP(R). {
    A = around(s, EXPR_EXTRACT, E, V, R);
    A->name = (struct name){F, F};
}
primary(A) ::= TRIM(T) LP trim_side(S) FROM value(V) RP(R). {
    A = around(s, EXPR_TRIM, T, V, R);
    A->side = S;
}
primary(A) ::= TRIM(T) LP trim_side(S) value(C) FROM value(V) RP(R). {
    A = around(s, EXPR_TRIM, T, V, R);
    A->side = S;
    A->right = C;
    tree_deepen(s, A, C);
}
primary(A) ::= TRIM(T) LP value(C) FROM value(V) RP(R). {
    A = around(s, EXPR_TRIM, T, V, R);
    A->right = C;
    tree_deepen(s, A, C);
}
primary(A) ::= TRIM(T) LP values(L) RP(R). { A = call_of(s, (struct name){T, T}, R, L); }
primary(A) ::= primary(P) OUTER_MARK(M). {
    A = P;
    A->outer = s->tree->outer_marks = true;
    A->to = M + 1;
    if (P->kind != EXPR_COLUMN)
        statement_refuse(s, 3001, M, "(+) of other than a column");
}
primary(A) ::= primary(P) AT_TIME(M). {
    A = P;
    statement_refuse(s, 3001, M, "AT TIME ZONE");
}
primary(A) ::= REFUSED(N). {
    A = tree_expr(s, EXPR_NULL, N, N + 1);
    statement_refuse_token(s, 3001, N);
}
%type trim_side {enum trim_side}
trim_side(A) ::= LEADING. { A = TRIM_LEADING; }
trim_side(A) ::= TRAILING. { A = TRIM_TRAILING; }
trim_side(A) ::= BOTH. { A = TRIM_BOTH; }

%type condition_whens {struct exprs}
condition_whens(A) ::= condition(C) THEN value(V). {
    A = one_expr(tree_operation(s, EXPR_WHEN, SIGN_EQUAL, C, V));
}
condition_whens(A) ::= condition_whens(B) WHEN condition(C) THEN value(V). {
    A = B;
    exprs_append(&A, tree_operation(s, EXPR_WHEN, SIGN_EQUAL, C, V));
}
%type value_whens {struct exprs}
value_whens(A) ::= value(C) THEN value(V). {
    A = one_expr(tree_operation(s, EXPR_WHEN, SIGN_EQUAL, C, V));
}
value_whens(A) ::= value_whens(B) WHEN value(C) THEN value(V). {
    A = B;
    exprs_append(&A, tree_operation(s, EXPR_WHEN, SIGN_EQUAL, C, V));
}
%type case_else {struct expr *}
case_else(A) ::= . { A = NULL; }
case_else(A) ::= ELSE value(V). { A = V; }

// A function's name, then OVER for those that have a window.
%type call {struct expr *}
call(A) ::= function(F). { A = F; }
call(A) ::= function(F) OVER(O) LP window(W) RP(R). {
    A = F;
    A->to = R + 1;
    A->window = W;
    W->token = O;
}
call(A) ::= function(F) WITHIN_GROUP(W) GROUP LP ORDER BY order_terms(O) RP(R). {
    A = F;
    A->to = R + 1;
    A->within = O;
    (void)W;
}
call(A) ::= function(F) WITHIN_GROUP GROUP LP ORDER BY order_terms RP OVER(O) LP window RP. {
    A = F;
    statement_refuse(s, 3001, O, "OVER behind WITHIN GROUP");
}
call(A) ::= function(F) keep(K) RP(R). {
    A = F;
    A->to = R + 1;
    A->within = K.order;
    A->keeps_first = !K.last;
    A->keeps_last = K.last;
}
call(A) ::= function(F) keep RP OVER(O) LP window RP. {
    A = F;
    statement_refuse(s, 3001, O, "OVER behind KEEP");
}
%include {
struct keep {
    bool last;
    struct order_terms order;
};
}
%type keep {struct keep}
keep(A) ::= KEEP LP ID(D) first_or_last(L) ORDER BY order_terms(O). {
    A = (struct keep){L, O};
    if (!statement_is(s, D, "dense_rank"))
        statement_refuse(s, 907, D, "");
}
%type first_or_last {bool}
first_or_last(A) ::= FIRST. { A = false; }
first_or_last(A) ::= LAST. { A = true; }
call(A) ::= function(F) OVER(O) name. {
    A = F;
    statement_refuse(s, 30484, O, "");
}
%type function {struct expr *}
function(A) ::= column_name(N) LP RP(R). { A = call_of(s, N, R, (struct exprs){0}); }
function(A) ::= column_name(N) LP arguments(L) RP(R). { A = call_of(s, N, R, L); }
function(A) ::= column_name(N) LP STAR RP(R). {
    A = call_of(s, N, R, (struct exprs){0});
    A->star = true;
}
function(A) ::= column_name(N) LP ALL value(V) RP(R). {
    A = call_of(s, N, R, one_expr(V));
    A->all = true;
}
function(A) ::= column_name(N) LP DISTINCT value(V) RP(R). {
    A = call_of(s, N, R, one_expr(V));
    A->distinct = true;
}
function(A) ::= column_name(N) LP UNIQUE value(V) RP(R). {
    A = call_of(s, N, R, one_expr(V));
    A->distinct = true;
}
%type arguments {struct exprs}
arguments(A) ::= argument(V). { A = one_expr(V); }
arguments(A) ::= arguments(B) COMMA argument(V). { A = B; exprs_append(&A, V); }
%type argument {struct expr *}
argument(A) ::= value(V). { A = V; }
argument(A) ::= name(N) ARROW value(V). {
    A = around(s, EXPR_ARGUMENT, N, V, V->to - 1);
    A->name = (struct name){N, N};
}

%type window {struct window *}
window(A) ::= partition_by(P) order_by(O) frame(F). {
    A = F;
    A->partition = P;
    A->order = O;
}
%type partition_by {struct exprs}
partition_by(A) ::= . { A = (struct exprs){0}; }
partition_by(A) ::= PARTITION BY values(L). { A = L; }
%type frame {struct window *}
frame(A) ::= . { A = NODE(window); }
frame(A) ::= rows_or_range(R) bound(B). {
    A = NODE(window);
    A->framed = true;
    A->range = R;
    A->from = B;
}
frame(A) ::= rows_or_range(R) BETWEEN bound(B) AND bound(C). {
    A = NODE(window);
    A->framed = A->between = true;
    A->range = R;
    A->from = B;
    A->to = C;
}
%type rows_or_range {bool}
rows_or_range(A) ::= ROWS. { A = false; }
rows_or_range(A) ::= RANGE. { A = true; }
%type bound {struct bound}
bound(A) ::= CURRENT ROW. { A = (struct bound){BOUND_CURRENT, 0}; }
bound(A) ::= UNBOUNDED PRECEDING. { A = (struct bound){BOUND_PRECEDING, 0}; }
bound(A) ::= UNBOUNDED FOLLOWING. { A = (struct bound){BOUND_FOLLOWING, 0}; }
bound(A) ::= value(V) PRECEDING. { A = (struct bound){BOUND_PRECEDING, parse_bound(s, V)}; }
bound(A) ::= value(V) FOLLOWING. { A = (struct bound){BOUND_FOLLOWING, parse_bound(s, V)}; }

// ---- Conditions

%type condition {struct expr *}
condition(A) ::= condition(L) OR condition(R). {
    A = tree_operation(s, EXPR_OR, SIGN_EQUAL, L, R);
}
condition(A) ::= condition(L) AND condition(R). {
    A = tree_operation(s, EXPR_AND, SIGN_EQUAL, L, R);
}
// A BOOLEAN of PL/SQL.
condition(A) ::= value(V). [TRUTH] {
    A = around(s, EXPR_TRUTH, V->from, V, V->to - 1);
    if (!s->plsql)
        statement_refuse(s, 920, V->to, "");
}
condition(A) ::= NOT(N) condition(C). { A = around(s, EXPR_NOT, N, C, C->to - 1); }
condition(A) ::= LP(P) condition(C) RP(R). { A = around(s, EXPR_CONDITION, P, C, R); }
condition(A) ::= EXISTS(E) LP query_or_more(Q) RP(R). { A = with_query(s, EXPR_EXISTS, E, Q, R); }
condition(A) ::= value(L) comparison(S) value(R). {
    A = tree_operation(s, EXPR_COMPARISON, S, L, R);
}
condition(A) ::= value(X) comparison(S) quantified(Q) LP values(L) RP(R). {
    A = between(s, EXPR_IN_LIST, X, S == SIGN_UNEQUAL, NULL, NULL);
    A->list = L;
    A->to = R + 1;
    for (struct expr *one = L.first; one; one = one->next)
        tree_deepen(s, A, one);
    parse_quantified(s, S, Q);
}
condition(A) ::= value(X) comparison(S) quantified(Q) LP query(B) RP(R). {
    A = between(s, EXPR_IN_QUERY, X, S == SIGN_UNEQUAL, NULL, NULL);
    A->query = B;
    A->to = R + 1;
    parse_quantified(s, S, Q);
}
condition(A) ::= value(X) not(N) BETWEEN value(L) AND value(H). {
    A = between(s, EXPR_BETWEEN, X, N, L, H);
    A->to = H->to;
}
condition(A) ::= value(X) not(N) LIKE value(P). {
    A = between(s, EXPR_LIKE, X, N, P, NULL);
    A->to = P->to;
}
condition(A) ::= value(X) not(N) LIKE value(P) ESCAPE value(E). {
    A = between(s, EXPR_LIKE, X, N, P, E);
    A->to = E->to;
}
condition(A) ::= value(X) not(N) IN LP values(L) RP(R). {
    A = between(s, EXPR_IN_LIST, X, N, NULL, NULL);
    A->list = L;
    A->to = R + 1;
    for (struct expr *one = L.first; one; one = one->next)
        tree_deepen(s, A, one);
}
condition(A) ::= value(X) not(N) IN LP query(Q) RP(R). {
    A = between(s, EXPR_IN_QUERY, X, N, NULL, NULL);
    A->query = Q;
    A->to = R + 1;
}
condition(A) ::= value(X) IS NULL(R). {
    A = between(s, EXPR_IS_NULL, X, false, NULL, NULL);
    A->to = R + 1;
}
condition(A) ::= value(X) IS NOT NULL(R). {
    A = between(s, EXPR_IS_NULL, X, true, NULL, NULL);
    A->to = R + 1;
}
condition(A) ::= row(L) comparison(S) row(R). {
    A = tree_operation(s, EXPR_ROW_COMPARISON, S, L, R);
}
condition(A) ::= row(L) comparison(S) LP(P) query(Q) RP(R). {
    A = tree_operation(s, EXPR_ROW_COMPARISON, S, L, with_query(s, EXPR_SUBQUERY, P, Q, R));
}
condition(A) ::= row(X) not(N) IN LP rows_of_values(L) RP(R). {
    A = between(s, EXPR_ROW_IN_LIST, X, N, NULL, NULL);
    A->list = L;
    A->to = R + 1;
    for (struct expr *one = L.first; one; one = one->next)
        tree_deepen(s, A, one);
}
condition(A) ::= row(X) not(N) IN LP query(Q) RP(R). {
    A = between(s, EXPR_ROW_IN_QUERY, X, N, NULL, NULL);
    A->query = Q;
    A->to = R + 1;
}
condition(A) ::= REGEXP_LIKE(N) LP values(L) RP(R). {
    A = tree_expr(s, EXPR_REGEXP_LIKE, N, R + 1);
    A->list = L;
    for (struct expr *one = L.first; one; one = one->next)
        tree_deepen(s, A, one);
}
condition(A) ::= LNNVL(N) LP condition(C) RP(R). { A = around(s, EXPR_LNNVL, N, C, R); }
%type row {struct expr *}
row(A) ::= LP(P) value(V) COMMA values(L) RP(R). {
    A = tree_expr(s, EXPR_ROW, P, R + 1);
    V->next = L.first;
    A->list = (struct exprs){V, L.last, L.count + 1};
    for (struct expr *one = V; one; one = one->next)
        tree_deepen(s, A, one);
}
%type rows_of_values {struct exprs}
rows_of_values(A) ::= row(R). { A = one_expr(R); }
rows_of_values(A) ::= rows_of_values(B) COMMA row(R). { A = B; exprs_append(&A, R); }
%type not {bool}
not(A) ::= . { A = false; }
not(A) ::= NOT. { A = true; }
%type comparison {enum sign}
comparison(A) ::= EQ. { A = SIGN_EQUAL; }
comparison(A) ::= NE. { A = SIGN_UNEQUAL; }
comparison(A) ::= LT. { A = SIGN_LESS; }
comparison(A) ::= LE. { A = SIGN_AT_MOST; }
comparison(A) ::= GT. { A = SIGN_GREATER; }
comparison(A) ::= GE. { A = SIGN_AT_LEAST; }
%type quantified {unsigned}
quantified(A) ::= ANY(N). { A = N; }
quantified(A) ::= SOME_WORD(N). { A = N; }
quantified(A) ::= ALL(N). { A = N; }

// ---- Changes

insert ::= INSERT INTO table(T) VALUES LP new_values(L) RP returning(R). {
    insert_into(s, T, NULL, R)->values = L;
}
insert ::= INSERT INTO table(T) LP column_names(C) RP VALUES LP new_values(L) RP returning(R). {
    insert_into(s, T, C.first, R)->values = L;
}
insert ::= INSERT INTO table(T) query(Q) returning(R). { insert_into(s, T, NULL, R)->query = Q; }
insert ::= INSERT INTO table(T) LP query(Q) RP returning(R). {
    insert_into(s, T, NULL, R)->query = Q;
}
insert ::= INSERT INTO table(T) LP column_names(C) RP query(Q) returning(R). {
    insert_into(s, T, C.first, R)->query = Q;
}
insert ::= INSERT INTO table(T) LP column_names(C) RP LP query(Q) RP returning(R). {
    insert_into(s, T, C.first, R)->query = Q;
}
insert ::= INSERT INTO table name(N). { statement_refuse(s, 3001, N, "an alias of the table"); }
insert ::= INSERT ALL(A). { statement_refuse(s, 3001, A, "INSERT into several tables"); }
insert ::= INSERT FIRST(A). { statement_refuse(s, 3001, A, "INSERT into several tables"); }
%type column_names {struct column_names}
column_names(A) ::= new_name(N). {
    struct names_of_columns *one = NODE(names_of_columns);
    one->name = N;
    A = (struct column_names){one, one};
}
column_names(A) ::= column_names(B) COMMA new_name(N). {
    struct names_of_columns *one = NODE(names_of_columns);
    one->name = N;
    A = B;
    APPEND(A, one);
}
%type new_name {struct name}
new_name(A) ::= column_name(N). { A = N; }
new_name(A) ::= NO_COLUMN(N). { A = (struct name){N, N}; }
%type new_values {struct exprs}
new_values(A) ::= new_value(V). { A = one_expr(V); }
new_values(A) ::= new_values(B) COMMA new_value(V). { A = B; exprs_append(&A, V); }
new_values(A) ::= new_values(B) NO_COMMA. { A = B; }
%type new_value {struct expr *}
new_value(A) ::= value(V). { A = V; }
new_value(A) ::= DEFAULT(N). {
    A = tree_expr(s, EXPR_DEFAULT, N, N + 1);
    statement_refuse(s, 3001, N, "DEFAULT as a value");
}

update ::= UPDATE table(T) alias(N) SET assignments(L) where(W) returning(R). {
    s->tree->kind = TREE_UPDATE;
    s->tree->target = T;
    T->alias = N;
    s->tree->assignments = L;
    s->tree->where = W;
    s->tree->returning = R;
}
%type assignments {struct assignments}
assignments(A) ::= assignment(S). { A = (struct assignments){S, S}; }
assignments(A) ::= assignments(B) COMMA assignment(S). { A = B; APPEND(A, S); }
%type assignment {struct assignment *}
assignment(A) ::= new_name(N) EQ new_value(V). {
    A = NODE(assignment);
    A->column = N;
    A->value = V;
}
assignment(A) ::= LP column_names(C) RP EQ LP query(Q) RP. {
    A = NODE(assignment);
    A->columns = C.first;
    A->query = Q;
}

delete ::= DELETE from_word table(T) alias(N) where(W) returning(R). {
    s->tree->kind = TREE_DELETE;
    s->tree->target = T;
    T->alias = N;
    s->tree->where = W;
    s->tree->returning = R;
}
from_word ::= .
from_word ::= FROM.

%type returning {struct returning *}
returning(A) ::= . { A = NULL; }
returning(A) ::= return_word values(L) bulk(B) INTO(I) targets(T). {
    A = NODE(returning);
    A->values = L;
    A->into = T;
    A->bulk = B;
    A->into_from = B ? B : I;
}
%type bulk {unsigned}
bulk(A) ::= . { A = 0; }
bulk(A) ::= BULK(B) COLLECT. { A = B; }
return_word ::= RETURNING.
return_word ::= RETURN.

// ---- MERGE

merge ::= MERGE INTO table(T) alias(N) USING source(S) ON LP condition(C) RP merge_clauses. {
    struct merge *made = s->tree->merge;
    s->tree->kind = TREE_MERGE;
    s->tree->target = T;
    T->alias = N;
    made->source = NODE(block);
    made->source->joins = (struct joins){S, S};
    made->on = C;
}
merge_clauses ::= merge_clause.
merge_clauses ::= merge_clauses merge_clause.
merge_clause ::= WHEN(W) MATCHED THEN UPDATE SET assignments(L) where(C). {
    struct merge *made = parse_merge(s);
    if (made->update)
        statement_refuse(s, 933, W, "");
    made->update = W;
    made->update_if = C;
    s->tree->assignments = L;
}
merge_clause ::= WHEN MATCHED THEN UPDATE SET assignments where DELETE(D) WHERE condition. {
    parse_merge(s);
    statement_refuse(s, 3001, D, "DELETE in MERGE");
}
merge_clause ::= WHEN(W) NOT MATCHED THEN INSERT merge_columns VALUES LP new_values(L) RP
                 where(C). {
    struct merge *made = parse_merge(s);
    if (made->insert)
        statement_refuse(s, 933, W, "");
    made->insert = W;
    made->insert_if = C;
    s->tree->values = L;
}
merge_columns ::= .
merge_columns ::= LP column_names(C) RP. {
    s->tree->has_columns = true;
    s->tree->columns = C.first;
}

// ---- LOCK TABLE

lock_table ::= LOCK TABLE table(T) IN lock_mode MODE lock_wait. {
    s->tree->kind = TREE_LOCK;
    s->tree->target = T;
}
lock_mode ::= ROW SHARE.
lock_mode ::= ROW EXCLUSIVE.
lock_mode ::= SHARE UPDATE.
lock_mode ::= SHARE.
lock_mode ::= SHARE ROW EXCLUSIVE.
lock_mode ::= EXCLUSIVE.
lock_wait ::= . { s->tree->lock_wait = -1; }
lock_wait ::= NOWAIT. { s->tree->lock_wait = 0; }
lock_wait ::= WAIT NUMBER(N). { s->tree->lock_wait = parse_number(s, N); }

// ---- Tables and indexes

create ::= CREATE TABLE table_name(N) LP specs(L) RP clustered properties. {
    s->tree->kind = TREE_CREATE_TABLE;
    s->tree->target = tree_source(s, N, 0);
    s->tree->specs = L;
}
create ::= CREATE TABLE table_name(N) clustered annotation AS query_or_more(Q). {
    s->tree->kind = TREE_CREATE_TABLE;
    s->tree->target = tree_source(s, N, 0);
    s->tree->query = Q;
}
create ::= CREATE or_replace object_words VIEW table_name(N) with_columns(C) AS query_or_more(Q)
           view_end. {
    s->tree->kind = TREE_CREATE_VIEW;
    s->tree->target = tree_source(s, N, 0);
    s->tree->view_columns = C;
    s->tree->query = Q;
}
create ::= CREATE or_replace object_words SYNONYM synonym.
create ::= CREATE PUBLIC SYNONYM synonym. { s->tree->is_public = true; }
create ::= CREATE replacing PUBLIC SYNONYM synonym. { s->tree->is_public = true; }
synonym ::= object_name(N) FOR table(T). {
    s->tree->kind = TREE_CREATE_SYNONYM;
    s->tree->name = N;
    s->tree->target = T;
}
object_words ::= .
object_words ::= object_words ID(W). { parse_object_word(s, W); }
view_end ::= .
view_end ::= WITH ID(W) ONLY. {
    if (!statement_is(s, W, "read"))
        statement_refuse(s, 905, W, "");
}
view_end ::= WITH CHECK RESERVED.
create ::= CREATE unique(U) INDEX index_name(I) ON table_name(N) LP index_items(L) RP
           index_properties. {
    s->tree->kind = TREE_CREATE_INDEX;
    s->tree->unique = U;
    s->tree->name = I;
    s->tree->target = tree_source(s, N, 0);
    s->tree->index = L;
}
create ::= CREATE unique INDEX index_name ON CLUSTER(C) property_words. {
    statement_refuse(s, 3001, C, "an index of a cluster");
}
%type unique {bool}
unique(A) ::= . { A = false; }
unique(A) ::= UNIQUE. { A = true; }
%type index_name {struct name}
index_name(A) ::= name(N). { A = (struct name){N, N}; }
index_name(A) ::= name(M) DOT name(N). { A = (struct name){M, N}; }
index_name(A) ::= NO_INDEX(N). { A = (struct name){N, N}; }
%type index_items {struct exprs}
index_items(A) ::= index_item(V). { A = one_expr(V); }
index_items(A) ::= index_items(B) COMMA index_item(V). { A = B; exprs_append(&A, V); }
%type index_item {struct expr *}
index_item(A) ::= value(V). { A = V; }
index_item(A) ::= value(V) ASC(D). {
    A = V;
    statement_refuse(s, 3001, D, "an index of expressions");
}
index_item(A) ::= value(V) DESC(D). {
    A = V;
    statement_refuse(s, 3001, D, "an index of expressions");
}
properties ::= annotation.
properties ::= annotation property(P) property_words. { parse_table_property(s, P); }
annotation ::= .
annotation ::= result_cache.
result_cache ::= RESULT_CACHE LP MODE DEFAULT RP. { s->tree->annotates = true; }
result_cache ::= RESULT_CACHE LP MODE ID(M) RP. {
    s->tree->annotates = s->tree->forces = true;
    if (statement_is(s, M, "manual"))
        statement_refuse(s, 3001, M, "RESULT_CACHE (MODE MANUAL)");
    else if (!statement_is(s, M, "force"))
        statement_refuse(s, 922, M, "");
}
index_properties ::= .
index_properties ::= property(P) property_words. {
    statement_refuse(s, 3001, P, "index properties");
}
%type property {unsigned}
property(A) ::= ID(P). { A = P; }
property(A) ::= RESERVED(P). { A = P; }
property(A) ::= ON(P). { A = P; }
property(A) ::= AS(P). { A = P; }

property_words ::= .
property_words ::= property_words property_word.
property_word ::= ID.
property_word ::= RESERVED.
property_word ::= NUMBER.
property_word ::= LP.
property_word ::= RP.

%type specs {struct column_specs}
specs(A) ::= spec(C). { A = (struct column_specs){C, C}; }
specs(A) ::= specs(B) COMMA spec(C). { A = B; APPEND(A, C); }
%type spec {struct column_spec *}
spec(A) ::= new_column(N) type(T) constraints(L). {
    A = NODE(column_spec);
    A->name = N;
    A->type = T;
    A->constraints = L;
}
spec(A) ::= table_constraints(L). {
    A = NODE(column_spec);
    A->constraints = L;
}
%type new_column {unsigned}
new_column(A) ::= name(N). { A = N; }
new_column(A) ::= NO_NEW_COLUMN(N). { A = N; }
%type table_constraints {struct constraints}
table_constraints(A) ::= CONSTRAINT name(N) table_constraint(C). {
    struct constraint *made = NODE(constraint);
    made->kind = CONSTRAINT_NAME;
    made->name = N;
    made->next = C;
    A = (struct constraints){made, C};
}
table_constraints(A) ::= table_constraint(C). { A = (struct constraints){C, C}; }
%type table_constraint {struct constraint *}
table_constraint(A) ::= PRIMARY KEY LP names(L) RP. {
    A = NODE(constraint);
    A->kind = CONSTRAINT_PRIMARY;
    A->columns = L;
}
table_constraint(A) ::= UNIQUE LP names(L) RP. {
    A = NODE(constraint);
    A->kind = CONSTRAINT_UNIQUE;
    A->columns = L;
}
table_constraint(A) ::= check(C). { A = C; }
table_constraint(A) ::= FOREIGN(F). {
    A = NODE(constraint);
    statement_refuse_token(s, 3001, F);
}
%type check {struct constraint *}
check(A) ::= CHECK LP(P) condition(C) RP(R). {
    A = NODE(constraint);
    A->kind = CONSTRAINT_CHECK;
    A->expr = C;
    A->text = s->tokens[P].at + 1;
    A->text_end = s->tokens[R].at;
}
%type constraints {struct constraints}
constraints(A) ::= . { A = (struct constraints){0}; }
constraints(A) ::= constraints(B) constraint(C). { A = B; APPEND(A, C); }
%type constraint {struct constraint *}
constraint(A) ::= CONSTRAINT name(N). {
    A = NODE(constraint);
    A->kind = CONSTRAINT_NAME;
    A->name = N;
}
constraint(A) ::= DEFAULT(D) value(V). {
    A = NODE(constraint);
    A->kind = CONSTRAINT_DEFAULT;
    A->expr = V;
    A->text = s->tokens[D].at + s->tokens[D].length;
    A->text_end = s->tokens[V->to].at;
}
constraint(A) ::= NOT NULL. { A = NODE(constraint); A->kind = CONSTRAINT_NOT_NULL; }
constraint(A) ::= NULL. { A = NODE(constraint); A->kind = CONSTRAINT_NULL; }
constraint(A) ::= PRIMARY KEY. { A = NODE(constraint); A->kind = CONSTRAINT_PRIMARY; }
constraint(A) ::= UNIQUE. { A = NODE(constraint); A->kind = CONSTRAINT_UNIQUE; }
constraint(A) ::= check(C). { A = C; }
constraint(A) ::= REFERENCES(R). { A = NODE(constraint); statement_refuse_token(s, 3001, R); }
constraint(A) ::= ID(R). { A = NODE(constraint); statement_refuse_token(s, 3001, R); }

%type type {struct type_name *}
type(A) ::= any_type(T). {
    A = T;
    parse_check_type(s, T);
}
%type any_type {struct type_name *}
any_type(A) ::= type_word(W) type_size(S). {
    A = S;
    A->from = W;
    A->to = S->after ? S->after : W + 1;
}
any_type(A) ::= type_word(W) type_size(S) WITH time_zone(Z). {
    A = S;
    A->from = W;
    A->to = Z + 1;
    A->zoned = true;
}
any_type(A) ::= INTERVAL(W) ID(F) type_size(S) TO ID(T) type_size(P). {
    A = S;
    A->interval = true;
    A->interval_sized = S->after || P->after;
    A->size = F;
    A->scale = T;
    A->from = W;
    A->to = T + 1;
}
%type type_word {unsigned}
type_word(A) ::= ID(W). { A = W; }
type_word(A) ::= TYPE_WORD(W). { A = W; }
type_word(A) ::= DATE(W). { A = W; }
%type time_zone {unsigned}
time_zone(A) ::= TIME ZONE(Z). { A = Z; }
time_zone(A) ::= ID TIME ZONE(Z). { A = Z; }
%type type_size {struct type_name *}
type_size(A) ::= . { A = NODE(type_name); }
type_size(A) ::= LP NUMBER(N) RP(R). { A = NODE(type_name); A->size = N; A->after = R + 1; }
type_size(A) ::= LP NUMBER(N) unit(U) RP(R). {
    A = NODE(type_name);
    A->size = N;
    A->unit = U;
    A->after = R + 1;
}
type_size(A) ::= LP NUMBER(N) COMMA NUMBER(C) RP(R). {
    A = NODE(type_name);
    A->size = N;
    A->scale = C;
    A->after = R + 1;
}
type_size(A) ::= LP NUMBER(N) COMMA MINUS_SIGN NUMBER(C) RP(R). {
    A = NODE(type_name);
    A->size = N;
    A->scale = C;
    A->negative = true;
    A->after = R + 1;
}
type_size(A) ::= LP STAR(N) RP(R). {
    A = NODE(type_name);
    A->any_size = true;
    A->size = N;
    A->after = R + 1;
}
type_size(A) ::= LP STAR(N) COMMA NUMBER(C) RP(R). {
    A = NODE(type_name);
    A->any_size = true;
    A->size = N;
    A->scale = C;
    A->after = R + 1;
}
%type unit {unsigned}
unit(A) ::= ID(U). { A = U; }
unit(A) ::= TYPE_WORD(U). { A = U; }

// ---- Hash clusters

create ::= CREATE CLUSTER cluster_name(N) LP cluster_columns(L) RP cluster_options. {
    s->tree->kind = TREE_CREATE_CLUSTER;
    s->tree->name = N;
    s->tree->specs = L;
}
drop ::= DROP CLUSTER cluster_name(N) including. {
    s->tree->kind = TREE_DROP_CLUSTER;
    s->tree->name = N;
}
including ::= .
including ::= ID(I) ID(T) cascade. {
    s->tree->including = true;
    if (!statement_is(s, I, "including") || !statement_is(s, T, "tables"))
        statement_refuse(s, 950, I, "");
}
clustered ::= .
clustered ::= CLUSTER cluster_name(N) LP names(L) RP. {
    s->tree->clustered = true;
    s->tree->cluster = N;
    s->tree->cluster_key = L;
}
%type cluster_name {struct name}
cluster_name(A) ::= name(N). { A = (struct name){N, N}; }
cluster_name(A) ::= name(M) DOT name(N). { A = (struct name){M, N}; }
cluster_name(A) ::= NO_CLUSTER(N). { A = (struct name){N, N}; }
%type cluster_columns {struct column_specs}
cluster_columns(A) ::= cluster_column(C). { A = (struct column_specs){C, C}; }
cluster_columns(A) ::= cluster_columns(B) COMMA cluster_column(C). { A = B; APPEND(A, C); }
%type cluster_column {struct column_spec *}
cluster_column(A) ::= new_column(N) type(T). {
    A = NODE(column_spec);
    A->name = N;
    A->type = T;
}
cluster_options ::= .
cluster_options ::= cluster_options cluster_option.
cluster_option ::= ID(W) NUMBER(N). { parse_cluster_number(s, W, N); }
cluster_option ::= RESERVED(W) NUMBER(N). { parse_cluster_number(s, W, N); }
cluster_option ::= ID(W) TABLE. {
    s->tree->options.single = true;
    if (!statement_is(s, W, "single"))
        statement_refuse_token(s, 3001, W);
}
cluster_option ::= ID(W) IS value(V). {
    s->tree->options.hash = V;
    if (!statement_is(s, W, "hash"))
        statement_refuse_token(s, 3001, W);
}
cluster_option ::= ID(W) LP. { statement_refuse_token(s, 3001, W); }
cluster_option ::= ID(U). { parse_cluster_unit(s, U); }
cluster_option ::= INDEX(I). { statement_refuse(s, 3001, I, "an index cluster"); }

drop ::= DROP TABLE table_name(N) cascade purge. {
    s->tree->kind = TREE_DROP_TABLE;
    s->tree->target = tree_source(s, N, 0);
}
drop ::= DROP VIEW table_name(N) words. {
    s->tree->kind = TREE_DROP_VIEW;
    s->tree->target = tree_source(s, N, 0);
}
drop ::= DROP SYNONYM object_name(N) words. {
    s->tree->kind = TREE_DROP_SYNONYM;
    s->tree->name = N;
}
drop ::= DROP PUBLIC SYNONYM object_name(N) words. {
    s->tree->kind = TREE_DROP_SYNONYM;
    s->tree->name = N;
    s->tree->is_public = true;
}
drop ::= DROP INDEX index_name(N) words. {
    s->tree->kind = TREE_DROP_INDEX;
    s->tree->target = tree_source(s, N, 0);
}
drop ::= TRUNCATE TABLE table_name(N) words. {
    s->tree->kind = TREE_TRUNCATE;
    s->tree->target = tree_source(s, N, 0);
}
cascade ::= .
cascade ::= CASCADE ID.
purge ::= .
purge ::= PURGE.
words ::= .
words ::= words ID.

// ---- ALTER TABLE

alter_table ::= ALTER TABLE table_name(N) alteration. {
    s->tree->kind = TREE_ALTER_TABLE;
    s->tree->target = tree_source(s, N, 0);
}
alteration ::= ADD added_column.
alteration ::= ADD COLUMN(C) added_column. { statement_refuse(s, 904, C, "COLUMN"); }
alteration ::= ADD LP added_column RP.
alteration ::= ADD LP added_column COMMA(C) specs RP. {
    statement_refuse(s, 3001, C, "ADD of several columns");
}
alteration ::= DROP COLUMN name(C). { s->tree->alteration.drops = C; }
alteration ::= DROP LP name(C) RP. { s->tree->alteration.drops = C; }
alteration ::= result_cache.
alteration ::= RENAME TO name(N). { s->tree->alteration.to = N; }
alteration ::= RENAME COLUMN name(C) TO name(N). {
    s->tree->alteration.renames = C;
    s->tree->alteration.to = N;
}
alteration ::= MODIFY(M) LP specs RP. { statement_refuse(s, 3001, M, "ALTER TABLE MODIFY"); }
alteration ::= MODIFY(M) spec. { statement_refuse(s, 3001, M, "ALTER TABLE MODIFY"); }
added_column ::= new_column(N) type(T) constraints(L). {
    struct column_spec *one = NODE(column_spec);
    one->name = N;
    one->type = T;
    one->constraints = L;
    s->tree->specs = (struct column_specs){one, one};
}

// ---- Sequences

create ::= CREATE SEQUENCE sequence_name(N) sequence_options(L). {
    s->tree->kind = TREE_CREATE_SEQUENCE;
    s->tree->name = N;
    s->tree->sequence_options = L;
}
drop ::= DROP SEQUENCE sequence_name(N). {
    s->tree->kind = TREE_DROP_SEQUENCE;
    s->tree->name = N;
}
%type sequence_name {struct name}
sequence_name(A) ::= name(N). { A = (struct name){N, N}; }
sequence_name(A) ::= name(M) DOT name(N). { A = (struct name){M, N}; }
%type sequence_options {struct sequence_options}
sequence_options(A) ::= . { A = (struct sequence_options){0}; }
sequence_options(A) ::= sequence_options(B) sequence_option(O). { A = B; APPEND(A, O); }
%type sequence_option {struct sequence_option *}
sequence_option(A) ::= sequence_word(W). { A = NODE(sequence_option); A->word = W; }
sequence_option(A) ::= sequence_word(W) number_word NUMBER(N). {
    A = NODE(sequence_option);
    A->word = W;
    A->number = N;
}
sequence_option(A) ::= sequence_word(W) number_word MINUS_SIGN NUMBER(N). {
    A = NODE(sequence_option);
    A->word = W;
    A->number = N;
    A->negative = true;
}
%type sequence_word {unsigned}
sequence_word(A) ::= ID(W). { A = W; }
sequence_word(A) ::= START(W). { A = W; }
sequence_word(A) ::= INCREMENT(W). { A = W; }
sequence_word(A) ::= ORDER(W). { A = W; }
number_word ::= .
number_word ::= WITH.
number_word ::= BY.

// ---- Database links

create ::= CREATE link_kind(S) LINK link_name(N) link_user(U)
           authentication(P) link_host(H). {
    s->tree->kind = TREE_CREATE_LINK;
    s->tree->link = (struct link_spec){N, U.name, U.password, H, S};
    if (P && !S)
        statement_refuse(s, 922, P, "");
}
drop ::= DROP drop_link link_name(N). {
    s->tree->kind = TREE_DROP_LINK;
    s->tree->link.name = N;
}
drop_link ::= DATABASE LINK.
drop_link ::= public DATABASE LINK.
%type link_kind {bool}
link_kind(A) ::= DATABASE. { A = false; }
link_kind(A) ::= SHARED DATABASE. { A = true; }
link_kind(A) ::= public DATABASE. { A = false; }
link_kind(A) ::= SHARED public DATABASE. { A = true; }
public ::= PUBLIC(P). { statement_refuse(s, 3001, P, "a public database link"); }
%include {
struct link_user {
    unsigned name, password;
};
}
%type link_user {struct link_user}
link_user(A) ::= . {
    A = (struct link_user){0};
    statement_refuse(s, 3001, s->parsed, "a link without a password");
}
link_user(A) ::= CONNECT TO user(U) IDENTIFIED BY password(P). {
    A = (struct link_user){U, P};
}
link_user(A) ::= CONNECT TO CURRENT_USER(U). {
    A = (struct link_user){0};
    statement_refuse(s, 3001, U, "a link without a password");
}
// Sessions share no connection here, whoever may use it.
%type authentication {unsigned}
authentication(A) ::= . { A = 0; }
authentication(A) ::= AUTHENTICATED(P) BY user IDENTIFIED BY password. { A = P; }
%type user {unsigned}
user(A) ::= name(N). { A = N; }
user(A) ::= NO_USER(N). { A = N; }
%type password {unsigned}
password(A) ::= name(N). { A = N; }
password(A) ::= NO_PASSWORD(N). { A = N; }
%type link_host {unsigned}
link_host(A) ::= USING STRING(T). { A = T; }
link_host(A) ::= USING NO_HOST(T). { A = T; }
link_host(A) ::= NO_HOST(T). { A = T; }
