// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/parse/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar.h"
#include "sql/parse/words.h"

enum {
    DEEPEST = 100, // parentheses
    MOST_TOKENS = 1 << 19,
};

// Searches a hint for words with an effect on the query.
static void read_hint(struct statement *s, const struct token *hint) {
    const char *position = hint->at, *end = hint->at + hint->length;
    for (;;) {
        struct token word = lexer_next(&position, end);
        if (word.type == TOKEN_END || word.type == TOKEN_BAD)
            return;
        if (token_is(&word, "ordered") || token_is(&word, "leading"))
            s->ordered = true;
        if (token_is(&word, "gather_plan_statistics"))
            s->gathers = true;
        // The whole statement's result: not that of a subquery.
        if (s->count == 1 && token_is(&word, "result_cache"))
            s->result_cache = 1;
        if (s->count == 1 && token_is(&word, "no_result_cache"))
            s->result_cache = -1;
    }
}

static bool match_parentheses(struct statement *s, unsigned from) {
    unsigned depth = 0;
    for (unsigned i = from; i < s->count; i++) {
        if (s->tokens[i].code == TK_LP && depth++ == DEEPEST)
            statement_refuse(s, 913, i, "");
        else if (s->tokens[i].code == TK_RP && depth-- == 0)
            statement_refuse(s, 933, i, "");
        if (s->error)
            return false;
    }
    if (depth > 0)
        statement_refuse(s, 907, s->count, "");
    return depth == 0;
}

// A word behind a point is a name in PL/SQL: table.DELETE; so is one that SQL
// alone reserves.
static int code_in_plsql(const struct statement *s, unsigned at) {
    const bool word = s->tokens[at].type == TOKEN_WORD;
    const int code = word_code_in_plsql(&s->tokens[at]);
    const bool name = at > 0 && statement_is(s, at - 1, ".");
    return word && (name || code == TK_RESERVED) ? TK_ID : code;
}

// In PL/SQL, SQL has BULK COLLECT.
static int code_in_block(const struct statement *s, unsigned at) {
    return statement_is(s, at, "bulk") && statement_is(s, at + 1, "collect")
               ? TK_BULK
           : at > 0 && statement_is(s, at, "collect") &&
                   statement_is(s, at - 1, "bulk")
               ? TK_COLLECT
               : word_code(&s->tokens[at]);
}

static void classify(struct statement *s, unsigned from) {
    for (unsigned i = from; i < s->count; i++)
        s->tokens[i].code =
            (uint16_t)(s->plsql      ? code_in_plsql(s, i)
                       : s->variable ? code_in_block(s, i)
                                     : word_code(&s->tokens[i]));
    statement_work(s, s->count - from);
}

static bool begins_plsql(const struct statement *s) {
    static const char *const stored[] = {"procedure", "function", "package"};
    if (statement_is(s, 0, "begin") || statement_is(s, 0, "declare") ||
        statement_is(s, 0, "call") || statement_is(s, 0, "<<"))
        return true;
    const unsigned kind_token = statement_is(s, 1, "or") ? 3 : 1;
    if (statement_is(s, 0, "create") || statement_is(s, 0, "drop"))
        for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
            if (statement_is(s, kind_token, stored[i]))
                return true;
    return false;
}

// Whether an SQL statement begins at the token of a block.
static bool begins_sql(const struct statement *s, unsigned at) {
    static const char *const anywhere[] = {"select", "insert", "update",
                                           "delete", "merge"};
    static const char *const first[] = {"commit", "rollback", "savepoint",
                                        "lock"};
    static const char *const starters[] = {";",    "begin", "then",
                                           "else", "loop",  ">>"};
    if (s->tokens[at].type != TOKEN_WORD || statement_is(s, at - 1, "."))
        return false;
    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        if (statement_is(s, at, anywhere[i]))
            return true;
    if (statement_is(s, at, "with"))
        return !statement_is(s, at + 1, "time") &&
               !statement_is(s, at + 1, "local");
    bool begins = false, statement = false;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        begins = begins || statement_is(s, at, first[i]);
    begins = begins || (statement_is(s, at, "set") &&
                        statement_is(s, at + 1, "transaction"));
    for (size_t i = 0; begins && i < sizeof starters / sizeof *starters; i++)
        statement = statement || statement_is(s, at - 1, starters[i]);
    return statement;
}

// Each SQL statement becomes one token, which ends before a semicolon or the
// parenthesis that closes the one around it.
static void fold_sql(struct statement *s) {
    for (unsigned i = 1; i < s->count; i++) {
        if (!begins_sql(s, i))
            continue;
        unsigned to = i;
        for (int depth = 0; to < s->count; to++) {
            depth += statement_is(s, to, "(");
            depth -= statement_is(s, to, ")");
            if (depth < 0 || statement_is(s, to, ";"))
                break;
        }
        s->tokens[i].code = TK_SQL;
        s->tokens[i].end = to;
        i = to;
    }
}

// cursor%NOTFOUND: the sign and the name become one token.
static void join_attributes(struct statement *s) {
    unsigned n = 0;
    for (unsigned i = 0; i < s->count; i++, n++) {
        const bool joins = statement_is(s, i, "%") && i + 1 < s->count &&
                           s->tokens[i + 1].type == TOKEN_WORD;
        s->tokens[n] = s->tokens[joins ? ++i : i];
        if (joins)
            s->tokens[n].type = TOKEN_ATTRIBUTE;
    }
    s->tokens[n] = s->tokens[s->count];
    s->count = n;
}

// (+) becomes one token.
static void join_marks(struct statement *s, unsigned from) {
    static const char mark[] = "(+)";
    unsigned n = from;
    for (unsigned i = from; i < s->count; i++, n++) {
        const struct token *token = &s->tokens[i];
        const bool marks = i + 2 < s->count && token_is(token, "(") &&
                           token_is(token + 1, "+") && token_is(token + 2, ")");
        s->tokens[n] = *token;
        if (marks) {
            s->tokens[n].at = mark;
            s->tokens[n].length = sizeof mark - 1;
            i += 2;
        }
    }
    s->tokens[n] = s->tokens[s->count];
    s->count = n;
}

static bool grow(struct statement *s) {
    const unsigned room = s->room ? s->room * 2 : 64;
    struct token *grown = room > MOST_TOKENS
                              ? NULL
                              : realloc(s->tokens, room * sizeof *s->tokens);
    if (!grown) {
        statement_refuse(s, 4030, 0, "");
        return false;
    }
    s->tokens = grown;
    s->room = room;
    return true;
}

// Puts the text's tokens behind those that are there.
static bool read_tokens(struct statement *s, const char *text, size_t length) {
    const char *position = text, *end = text + length;
    const unsigned from = s->count;
    for (;;) {
        if (s->count + 1 >= s->room && !grow(s))
            return false;
        struct token token = lexer_next(&position, end);
        if (token.type == TOKEN_HINT) {
            read_hint(s, &token);
            continue;
        }
        s->tokens[s->count] = token;
        if (token.type == TOKEN_BAD) {
            const bool open = *token.at == '\'' || *token.at == '"' ||
                              isalpha((unsigned char)*token.at);
            statement_refuse(s, open ? 1756 : 911, s->count, "");
            return false;
        }
        if (token.type == TOKEN_END)
            break;
        if (token.type == TOKEN_STRING && *token.at != '\'' &&
            literal_of(&token).national)
            statement_refuse(s, 3001, s->count,
                             "a literal of the national character set");
        s->count++;
    }
    while (s->count > from && statement_is(s, s->count - 1, ";")) {
        s->tokens[--s->count].type = TOKEN_END;
        s->tokens[s->count].length = 0;
    }
    return true;
}

bool parse_read(struct statement *s, const char *text, size_t length) {
    s->text = text;
    const bool succeeded = read_tokens(s, text, length);
    s->own = s->count;
    return succeeded;
}

bool parse_tree(struct statement *s) {
    join_marks(s, 0);
    s->plsql = begins_plsql(s);
    if (s->plsql || s->variable)
        join_attributes(s);
    classify(s, 0);
    s->own = s->count;
    if (s->plsql)
        fold_sql(s);
    placeholders_read(s);
    if (!s->error && match_parentheses(s, 0)) {
        s->tree = statement_take(s, sizeof *s->tree);
        parse_tokens(s, 0);
    }
    return !s->error;
}

// Facts of a whole statement belong to both trees now.
static void join_trees(struct tree *to, struct tree *more) {
    struct with **withs = &to->withs;
    while (*withs)
        withs = &(*withs)->others;
    *withs = more->withs;
    if (to->last_remote)
        to->last_remote->next_remote = more->remote;
    else
        to->remote = more->remote;
    if (more->last_remote)
        to->last_remote = more->last_remote;
    to->sets |= more->sets;
    to->outer_marks |= more->outer_marks;
}

struct tree *parse_more(struct statement *s, const char *text, size_t length) {
    struct tree *const outer = s->tree;
    const bool plsql = s->plsql;
    bool (*const variable)(struct statement *, struct expr *, void *) =
        s->variable;
    const unsigned from = ++s->count; // behind the last token so far
    struct tree *tree = statement_take(s, sizeof *tree);
    s->plsql = false;
    s->variable = NULL;
    s->tree = tree;
    if (!s->error && read_tokens(s, text, length)) {
        join_marks(s, from);
        classify(s, from);
        if (match_parentheses(s, from))
            parse_tokens(s, from);
    }
    s->plsql = plsql;
    s->variable = variable;
    s->tree = outer;
    if (s->error)
        return NULL;
    join_trees(outer, tree);
    return tree;
}

void parse_free(struct statement *s) {
    free(s->tokens);
    free(s->bind);
    s->tokens = NULL;
    s->bind = NULL;
    tree_memory_free(&s->memory);
}

static void unexpected_in_plsql(struct statement *s, unsigned at) {
    char about[200];
    const struct token *token = &s->tokens[at];
    char name[41];
    size_t n = 0;
    for (; n < sizeof name - 1 && n < token->length; n++)
        name[n] = name_letter(token, n);
    name[n] = '\0';
    snprintf(about, sizeof about, "PLS-00103: Encountered the symbol \"%s\"",
             at == s->count ? "end-of-file" : name);
    statement_refuse_plsql(s, at, about);
}

void parse_no_result_cache(struct statement *s, unsigned token) {
    if (token)
        unexpected_in_plsql(s, token);
}

void parse_right(struct statement *s, unsigned token) {
    static const char *const without_effect[] = {
        "authid", "definer", "deterministic", "parallel_enable"};
    for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++)
        if (statement_is(s, token, without_effect[i]))
            return;
    if (statement_is(s, token, "pipelined") ||
        statement_is(s, token, "aggregate"))
        statement_refuse_token(s, 3001, token);
    else
        unexpected_in_plsql(s, token);
}

// The error of the missing part, by the tokens that could have come instead.
static unsigned missing(const struct statement *s, const void *parser,
                        unsigned at) {
    static const struct {
        int accepted;
        unsigned error;
    } rules[] = {
        {TK_NUMBER, 936},     {TK_NO_TABLE, 903},
        {TK_NO_INDEX, 953},   {TK_NO_CLUSTER, 941},
        {TK_NO_COLUMN, 1747}, {TK_NO_ALIAS, 923},
        {TK_NO_COMMA, 917},   {TK_NO_LINK, 1729},
        {TK_NO_USER, 987},    {TK_NO_PASSWORD, 988},
        {TK_NO_HOST, 922},    {TK_FROM, 923},
        {TK_RP, 907},         {TK_LT, 920},
        {TK_EQ, 927},         {0, 933},
        {TK_BY, 924},         {TK_SET, 971},
        {TK_VALUES, 926},     {TK_INTO, 925},
        {TK_SELECT, 928},     {TK_THEN, 905},
        {TK_ELSE, 905},       {TK_AND, 905},
        {TK_ON, 905},         {TK_AS, 905},
        {TK_NULL, 908},       {TK_LP, 906},
    };
    if (at > 0 && s->tokens[at - 1].code == TK_DOT &&
        parse_accepts(parser, TK_NO_PART))
        return 1747;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (parse_accepts(parser, rules[i].accepted))
            return rules[i].error;
    return 905;
}

// Clauses of Oracle's that the grammar has not: a word, and its neighbour
// ("": anything). The token that breaks the statement off is one of the two, or
// follows them.
static bool is_unimplemented(struct statement *s, unsigned at) {
    static const char *const clauses[][2] = {
        {"pivot", "("},
        {"unpivot", "("},
        {"pivot", "xml"},
        {"model", "dimension"},
        {"model", "partition"},
        {"model", "ignore"},
        {"model", "keep"},
        {"model", "unique"},
        {"model", "return"},
        {"model", "reference"},
        {"model", "main"},
        {"foreign", "key"},
        {"generated", "by"},
        {"cursor", "("},
        {"model", ""},
        {"sample", "("},
        {"sample", "block"},
        {"as", "of"},
        {"versions", "between"},
        {"partition", "("},
        {"partition", "by"},
        {"subpartition", "("},
        {"match_recognize", "("},
        {"lateral", "("},
        {"cross", "apply"},
        {"outer", "apply"},
        {"within", "group"},
        {"keep", "("},
        {"ignore", "nulls"},
        {"respect", "nulls"},
        {"log", "errors"},
        {"is", "json"},
        {"is", "of"},
        {"is", "nan"},
        {"is", "infinite"},
        {"is", "dangling"},
        {"multiset", ""},
        {"member", "of"},
        {"submultiset", ""},
        {"likec", ""},
        {"like2", ""},
        {"like4", ""},
        {"search", "depth"},
        {"search", "breadth"},
        {"cycle", ""},
        {"generated", ""},
        {"table", "("},

        {"references", ""},
        {"organization", ""},
        {"tablespace", ""},
        {"current", "of"},
        {"collate", ""},
        {"overlaps", ""},
        {"groups", ""},
        {"exclude", ""},
        {"invisible", ""},
        {"all", "into"},
        {"all", "when"},
        {"first", "when"},
    };
    for (unsigned i = at > 1 ? at - 2 : 0; i <= at && i < s->count; i++)
        for (size_t c = 0; c < sizeof clauses / sizeof *clauses; c++)
            if (statement_is(s, i, clauses[c][0]) &&
                !(i > 0 && statement_is(s, i - 1, "table")) && // a name
                (*clauses[c][1] ? statement_is(s, i + 1, clauses[c][1])
                                : i == at)) {
                statement_refuse_token(s, 3001, i);
                return true;
            }
    return false;
}

// CREATE OR REPLACE of an object that the lab has not, at the object's word.
static bool is_unimplemented_object(struct statement *s, unsigned word) {
    static const char *const objects[] = {"TRIGGER", "TYPE",    "DIRECTORY",
                                          "CONTEXT", "LIBRARY", "JAVA"};
    char feature[20];
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (name_spells(&s->tokens[word], objects[i])) {
            snprintf(feature, sizeof feature, "CREATE %s", objects[i]);
            statement_refuse(s, 3001, word, feature);
            return true;
        }
    return false;
}

static bool is_in_grouping_sets(const struct statement *s, unsigned at) {
    for (unsigned i = 0; i + 1 < at; i++)
        if (statement_is(s, i, "grouping") && statement_is(s, i + 1, "sets"))
            return true;
    return false;
}

// Features that are not named by the word that breaks the statement off.
static bool is_unimplemented_form(struct statement *s, unsigned at) {
    const char *feature = NULL;
    if (statement_is(s, 1, "table") && statement_is(s, at, "as") &&
        statement_is(s, at + 1, "("))
        feature = "a virtual column";
    else if (at > 2 && statement_is(s, at - 1, "(") &&
             statement_is(s, at, ")") &&
             (statement_is(s, at - 2, "(") || statement_is(s, at - 2, ",")) &&
             is_in_grouping_sets(s, at))
        feature = "an empty group of GROUPING SETS";
    if (feature)
        statement_refuse(s, 3001, at, feature);
    return feature || (at >= 3 && statement_is(s, 2, "replace") &&
                       is_unimplemented_object(s, 3));
}

void parse_unexpected(struct statement *s, const void *parser, int token) {
    const unsigned at = s->parsed;
    if (s->plsql && at > 0 && statement_is(s, at, "(") &&
        statement_is(s, at - 1, ")"))
        statement_refuse(s, 3001, at, "an element of a table in a table");
    else if (s->plsql)
        unexpected_in_plsql(s, at);
    else if (token == TK_SEMI)
        statement_refuse(s, 911, at, "");
    else if (is_unimplemented(s, at) || is_unimplemented_form(s, at))
        return;
    else if (token && parse_accepts(parser, TK_NO_NEW_COLUMN))
        statement_refuse_token(s, 904, at);
    else
        statement_refuse(s, missing(s, parser, at), at, "");
}

int parse_number(struct statement *s, unsigned token) {
    const struct token *number = &s->tokens[token];
    int value = 0;
    bool is_integer = number->length > 0 && number->length < 7;
    for (size_t i = 0; i < number->length && is_integer; i++) {
        is_integer = isdigit((unsigned char)number->at[i]);
        value = value * 10 + (number->at[i] - '0');
    }
    if (!is_integer)
        statement_refuse_token(s, 3001, token);
    return value;
}

unsigned parse_bound(struct statement *s, const struct expr *value) {
    if (value->kind != EXPR_NUMBER || value->negative)
        statement_refuse(s, 3001, value->from, "such a window");
    return value->to - 1;
}

void parse_quantified(struct statement *s, enum sign sign, unsigned word) {
    const bool all = statement_is(s, word, "all");
    if (sign != (all ? SIGN_UNEQUAL : SIGN_EQUAL))
        statement_refuse(s, 3001, word,
                         "ANY and ALL other than = ANY and <> ALL");
}

struct exprs parse_level(struct exprs list, unsigned level) {
    for (struct expr *one = list.first; one; one = one->next)
        one->level = level;
    return list;
}

struct exprs parse_sets(struct exprs list, enum group_sets sets) {
    for (struct expr *one = list.first; one; one = one->next)
        one->sets = sets;
    return list;
}

static bool has_levels(const struct exprs *list) {
    for (const struct expr *one = list->first; one; one = one->next)
        if (one->level > 0)
            return true;
    return false;
}

struct exprs parse_join_groups(struct statement *s, struct exprs a,
                               struct exprs b) {
    if (!a.last || !b.first) // after an error
        return a;
    if (b.first->level > 0 && has_levels(&a))
        statement_refuse(s, 3001, b.first->from, "several ROLLUPs");
    a.last->next = b.first;
    a.last = b.last;
    a.count += b.count;
    return a;
}

struct merge *parse_merge(struct statement *s) {
    if (!s->tree->merge)
        s->tree->merge = statement_take(s, sizeof *s->tree->merge);
    return s->tree->merge;
}

void parse_check_type(struct statement *s, const struct type_name *type) {
    static const char *const names[] = {
        "char",         "character",     "number",   "decimal",  "numeric",
        "integer",      "int",           "smallint", "varchar2", "varchar",
        "date",         "clob",          "blob",     "raw",      "timestamp",
        "binary_float", "binary_double", NULL};
    bool is_known = type->interval;
    for (const char *const *k = names; *k; k++)
        is_known = is_known || statement_is(s, type->from, *k);
    if (!is_known || type->zoned)
        statement_refuse_token(s, 3001, type->from);
}

void parse_target(struct statement *s, const struct expr *target) {
    if (!s->variable && !s->plsql)
        statement_refuse(s, 3001, target->from, "INTO other than binds");
}

int parse_type_attribute(struct statement *s, unsigned token) {
    const struct token *name = &s->tokens[token];
    if (name_spells(name, "TYPE"))
        return TYPE_OF;
    if (!name_spells(name, "ROWTYPE"))
        statement_refuse_plsql(s, token,
                               "PLS-00208: identifier is not a legal cursor "
                               "attribute");
    return TYPE_ROW_OF;
}

bool parse_is_text_type(const struct statement *s,
                        const struct type_ref *type) {
    return type->plain && (statement_is(s, type->from, "varchar2") ||
                           statement_is(s, type->from, "varchar"));
}

void parse_object_word(struct statement *s, unsigned word) {
    if (statement_is(s, word, "force"))
        statement_refuse_token(s, 3001, word);
    else if (!statement_is(s, word, "noforce") &&
             !statement_is(s, word, "editionable") &&
             !statement_is(s, word, "noneditionable") &&
             !is_unimplemented_object(s, word))
        statement_refuse(s, 901, word, "");
}

struct query *parse_end_query(struct statement *s, struct query *body,
                              struct with *with, struct order_terms order,
                              struct row_limit limit) {
    (void)s;
    body->with = with;
    body->limit = limit;
    if (body->set)
        body->order = order;
    else
        body->first->order = order;
    return body;
}
