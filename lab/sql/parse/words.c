// SPDX-License-Identifier: GPL-2.0-or-later
// Keywords. Some are keywords only before certain tokens, so that they stay
// names elsewhere. Reserved words are from the list in Oracle's SQL Language
// Reference; ROWNUM, SYSDATE and the like are values.
#include "sql/parse/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "grammar.h"

enum before {
    ALWAYS,
    BEFORE_PARENTHESIS,
    BEFORE_TEXT,  // a literal
    BEFORE_COUNT, // a number or a bind
    BEFORE_FIRST, // FIRST or NEXT
    BEFORE_TIME,
    BEFORE_SETS,
    BEFORE_GROUP,
    BEFORE_VALUE, // a parenthesis, a literal, a name or a point
};

struct word {
    const char *word;
    int code;
    enum before before;
};

static const struct word words[] = {
    {"ACCESS", TK_RESERVED},
    {"ADD", TK_ADD},
    {"ALL", TK_ALL},
    {"ALTER", TK_ALTER},
    {"AND", TK_AND},
    {"ANY", TK_ANY},
    {"AS", TK_AS},
    {"ASC", TK_ASC},
    {"AT", TK_AT_TIME, BEFORE_TIME},
    {"AUDIT", TK_RESERVED},
    {"AUTHENTICATED", TK_AUTHENTICATED},
    {"BEGIN", TK_BEGIN},
    {"BETWEEN", TK_BETWEEN},
    {"BOTH", TK_BOTH},
    {"BY", TK_BY},
    {"CALL", TK_CALL},
    {"CASCADE", TK_CASCADE},
    {"CASE", TK_CASE},
    {"CAST", TK_CAST, BEFORE_PARENTHESIS},
    {"CHAR", TK_TYPE_WORD},
    {"CHECK", TK_CHECK},
    {"CLUSTER", TK_CLUSTER},
    {"COLUMN", TK_COLUMN},
    {"COMMENT", TK_RESERVED},
    {"COMPRESS", TK_RESERVED},
    {"CONNECT", TK_CONNECT},
    {"CONNECT_BY_ISCYCLE", TK_PSEUDO},
    {"CONNECT_BY_ISLEAF", TK_PSEUDO},
    {"CONNECT_BY_ROOT", TK_CONNECT_BY_ROOT, BEFORE_VALUE},
    {"CONSTRAINT", TK_CONSTRAINT},
    {"CREATE", TK_CREATE},
    {"CROSS", TK_CROSS},
    {"CUBE", TK_CUBE, BEFORE_PARENTHESIS},
    {"CURRENT", TK_CURRENT},
    {"CURRENT_USER", TK_CURRENT_USER},
    {"CURSOR", TK_REFUSED, BEFORE_VALUE},
    {"DATABASE", TK_DATABASE},
    {"DATE", TK_DATE},
    {"DECIMAL", TK_TYPE_WORD},
    {"DECLARE", TK_DECLARE},
    {"DEFAULT", TK_DEFAULT},
    {"DELETE", TK_DELETE},
    {"DESC", TK_DESC},
    {"DISTINCT", TK_DISTINCT},
    {"DROP", TK_DROP},
    {"ELSE", TK_ELSE},
    {"END", TK_END},
    {"ESCAPE", TK_ESCAPE},
    {"EXCLUSIVE", TK_EXCLUSIVE},
    {"EXISTS", TK_EXISTS},
    {"EXTRACT", TK_EXTRACT, BEFORE_PARENTHESIS},
    {"FETCH", TK_FETCH, BEFORE_FIRST},
    {"FILE", TK_RESERVED},
    {"FIRST", TK_FIRST},
    {"FLOAT", TK_TYPE_WORD},
    {"FOLLOWING", TK_FOLLOWING},
    {"FOR", TK_FOR},
    {"FOREIGN", TK_FOREIGN},
    {"FROM", TK_FROM},
    {"FULL", TK_FULL},
    {"GRANT", TK_RESERVED},
    {"GROUP", TK_GROUP},
    {"GROUPING", TK_GROUPING_SETS, BEFORE_SETS},
    {"HAVING", TK_HAVING},
    {"IDENTIFIED", TK_IDENTIFIED},
    {"IMMEDIATE", TK_RESERVED},
    {"IN", TK_IN},
    {"INCREMENT", TK_INCREMENT},
    {"INDEX", TK_INDEX},
    {"INITIAL", TK_RESERVED},
    {"INNER", TK_INNER},
    {"INSERT", TK_INSERT},
    {"INTEGER", TK_TYPE_WORD},
    {"INTERSECT", TK_INTERSECT},
    {"INTERVAL", TK_INTERVAL_WORD, BEFORE_TEXT},
    {"INTERVAL", TK_INTERVAL},
    {"INTO", TK_INTO},
    {"IS", TK_IS},
    {"JOIN", TK_JOIN},
    {"KEEP", TK_KEEP, BEFORE_PARENTHESIS},
    {"KEY", TK_KEY},
    {"LAST", TK_LAST},
    {"LEADING", TK_LEADING},
    {"LEFT", TK_LEFT},
    {"LEVEL", TK_PSEUDO},
    {"LIKE", TK_LIKE},
    {"LINK", TK_LINK},
    {"LNNVL", TK_LNNVL, BEFORE_PARENTHESIS},
    {"LOCK", TK_LOCK},
    {"LOCKED", TK_LOCKED},
    {"LONG", TK_TYPE_WORD},
    {"MATCHED", TK_MATCHED},
    {"MAXEXTENTS", TK_RESERVED},
    {"MERGE", TK_MERGE},
    {"MINUS", TK_MINUS},
    {"MLSLABEL", TK_RESERVED},
    {"MODE", TK_MODE},
    {"MODIFY", TK_MODIFY},
    {"NATURAL", TK_NATURAL},
    {"NEXT", TK_NEXT},
    {"NOAUDIT", TK_RESERVED},
    {"NOCOMPRESS", TK_RESERVED},
    {"NOCYCLE", TK_NOCYCLE},
    {"NOT", TK_NOT},
    {"NOWAIT", TK_NOWAIT},
    {"NULL", TK_NULL},
    {"NULLS", TK_NULLS},
    {"NUMBER", TK_TYPE_WORD},
    {"OF", TK_OF},
    {"OFFLINE", TK_RESERVED},
    {"OFFSET", TK_OFFSET, BEFORE_COUNT},
    {"ON", TK_ON},
    {"ONLINE", TK_RESERVED},
    {"ONLY", TK_ONLY},
    {"OPEN", TK_OPEN},
    {"OPTION", TK_RESERVED},
    {"OR", TK_OR},
    {"ORDER", TK_ORDER},
    {"OUTER", TK_OUTER},
    {"OVER", TK_OVER},
    {"PARTITION", TK_PARTITION},
    {"PCTFREE", TK_RESERVED},
    {"PERCENT", TK_PERCENT},
    {"PRECEDING", TK_PRECEDING},
    {"PRIMARY", TK_PRIMARY},
    {"PRIOR", TK_PRIOR},
    {"PUBLIC", TK_PUBLIC},
    {"PURGE", TK_PURGE},
    {"RANGE", TK_RANGE},
    {"RAW", TK_TYPE_WORD},
    {"REFERENCES", TK_REFERENCES},
    {"REGEXP_LIKE", TK_REGEXP_LIKE, BEFORE_PARENTHESIS},
    {"RENAME", TK_RENAME},
    {"REPLACE", TK_REPLACE},
    {"RESOURCE", TK_RESERVED},
    {"RESULT_CACHE", TK_RESULT_CACHE, BEFORE_PARENTHESIS},
    {"RETURN", TK_RETURN},
    {"RETURNING", TK_RETURNING},
    {"REVOKE", TK_RESERVED},
    {"RIGHT", TK_RIGHT},
    {"ROLLUP", TK_ROLLUP, BEFORE_PARENTHESIS},
    {"ROW", TK_ROW},
    {"ROWID", TK_PSEUDO},
    {"ROWNUM", TK_ROWNUM},
    {"ROWS", TK_ROWS},
    {"SELECT", TK_SELECT},
    {"SEQUENCE", TK_SEQUENCE},
    {"SESSION", TK_RESERVED},
    {"SET", TK_SET},
    {"SHARE", TK_SHARE},
    {"SHARED", TK_SHARED},
    {"SIZE", TK_RESERVED},
    {"SKIP", TK_SKIP},
    {"SMALLINT", TK_TYPE_WORD},
    {"SOME", TK_SOME_WORD, BEFORE_PARENTHESIS},
    {"START", TK_START},
    {"SUCCESSFUL", TK_RESERVED},
    {"SYNONYM", TK_SYNONYM},
    {"SYSDATE", TK_PSEUDO},
    {"TABLE", TK_TABLE},
    {"THEN", TK_THEN},
    {"TIES", TK_TIES},
    {"TIME", TK_TIME},
    {"TIMESTAMP", TK_TIMESTAMP_WORD, BEFORE_TEXT},
    {"TO", TK_TO},
    {"TRAILING", TK_TRAILING},
    {"TREAT", TK_REFUSED, BEFORE_VALUE},
    {"TRIGGER", TK_RESERVED},
    {"TRIM", TK_TRIM, BEFORE_PARENTHESIS},
    {"TRUNCATE", TK_TRUNCATE},
    {"UID", TK_PSEUDO},
    {"UNBOUNDED", TK_UNBOUNDED},
    {"UNION", TK_UNION},
    {"UNIQUE", TK_UNIQUE},
    {"UPDATE", TK_UPDATE},
    {"USER", TK_PSEUDO},
    {"USING", TK_USING},
    {"VALIDATE", TK_RESERVED},
    {"VALUES", TK_VALUES},
    {"VARCHAR", TK_TYPE_WORD},
    {"VARCHAR2", TK_TYPE_WORD},
    {"VIEW", TK_VIEW},
    {"WAIT", TK_WAIT},
    {"WHEN", TK_WHEN},
    {"WHENEVER", TK_RESERVED},
    {"WHERE", TK_WHERE},
    {"WITH", TK_WITH},
    {"WITHIN", TK_WITHIN_GROUP, BEFORE_GROUP},
    {"ZONE", TK_ZONE},
};

// Only PL/SQL has these, or has them for something else.
static const struct word plsql_words[] = {
    {"ADD", TK_ID},
    {"ALTER", TK_ID},
    {"BODY", TK_BODY},
    {"BULK", TK_BULK},
    {"CLOSE", TK_CLOSE},
    {"CLUSTER", TK_ID},
    {"COLLECT", TK_COLLECT},
    {"COLUMN", TK_ID},
    {"CONSTANT", TK_CONSTANT},
    {"CONTINUE", TK_CONTINUE},
    {"CURSOR", TK_CURSOR},
    {"ELSIF", TK_ELSIF},
    {"EXCEPTION", TK_EXCEPTION},
    {"EXCEPTIONS", TK_EXCEPTIONS},
    {"EXCLUSIVE", TK_ID},
    {"EXECUTE", TK_EXECUTE},
    {"EXIT", TK_EXIT},
    {"FETCH", TK_FETCH},
    {"FORALL", TK_FORALL},
    {"FUNCTION", TK_FUNCTION},
    {"GOTO", TK_GOTO},
    {"IF", TK_IF},
    {"IMMEDIATE", TK_IMMEDIATE},
    {"INCREMENT", TK_ID},
    {"LIMIT", TK_LIMIT},
    {"LOCK", TK_ID},
    {"LOOP", TK_LOOP},
    {"MODE", TK_ID},
    {"MODIFY", TK_ID},
    {"NOCOPY", TK_NOCOPY},
    {"OUT", TK_OUT},
    {"PACKAGE", TK_PACKAGE},
    {"PRAGMA", TK_PRAGMA},
    {"PROCEDURE", TK_PROCEDURE},
    {"RAISE", TK_RAISE},
    {"RECORD", TK_RECORD},
    {"REF", TK_REF},
    {"RELIES_ON", TK_RELIES_ON},
    {"RENAME", TK_ID},
    {"REPLACE", TK_REPLACE},
    {"RESULT_CACHE", TK_RESULT_CACHE},
    {"REVERSE", TK_REVERSE},
    {"SAVE", TK_SAVE},
    {"SHARE", TK_ID},
    {"SUBTYPE", TK_SUBTYPE},
    {"SYNONYM", TK_ID},
    {"TYPE", TK_TYPE},
    {"VIEW", TK_ID},
    {"WHILE", TK_WHILE},
};

static int order(const void *key, const void *word) {
    const struct token *token = key;
    const char *spelling = ((const struct word *)word)->word;
    for (size_t i = 0; i < token->length; i++) {
        const int letter = toupper((unsigned char)token->at[i]);
        if (letter != spelling[i]) // a shorter spelling ends in NUL
            return letter - spelling[i];
    }
    return spelling[token->length] ? -1 : 0;
}

static bool applies(enum before before, const struct token *next) {
    switch (before) {
    case BEFORE_PARENTHESIS:
        return token_is(next, "(");
    case BEFORE_TEXT:
        return next->type == TOKEN_STRING;
    case BEFORE_COUNT:
        return next->type == TOKEN_NUMBER || next->type == TOKEN_BIND;
    case BEFORE_FIRST:
        return token_is(next, "first") || token_is(next, "next");
    case BEFORE_GROUP:
        return token_is(next, "group");
    case BEFORE_SETS:
        return token_is(next, "sets");
    case BEFORE_TIME:
        return token_is(next, "time");
    case BEFORE_VALUE:
        return token_is(next, "(") || token_is(next, ".") ||
               next->type == TOKEN_STRING || next->type == TOKEN_QUOTED ||
               (next->type == TOKEN_WORD && word_code(next) == TK_ID);
    default:
        return true;
    }
}

int word_code_in_plsql(const struct token *at) {
    const struct word *entry =
        at->type == TOKEN_WORD
            ? bsearch(at, plsql_words, sizeof plsql_words / sizeof *plsql_words,
                      sizeof *plsql_words, order)
            : NULL;
    if (at->type == TOKEN_SIGN && token_is(at, "**"))
        return TK_POWER;
    return entry ? entry->code : word_code(at);
}

static int code_of_word(const struct token *at) {
    const struct word *entry =
        bsearch(at, words, sizeof words / sizeof *words, sizeof *words, order);
    if (!entry)
        return TK_ID;
    // A word may have several lines.
    while (entry > words && strcmp(entry[-1].word, entry->word) == 0)
        entry--;
    const char *word = entry->word;
    for (; entry < words + sizeof words / sizeof *words &&
           strcmp(entry->word, word) == 0;
         entry++)
        if (applies(entry->before, at + 1))
            return entry->code;
    return TK_ID;
}

static int code_of_sign(const struct token *at) {
    static const struct {
        const char *sign;
        int code;
    } signs[] = {
        {"(", TK_LP},
        {")", TK_RP},
        {",", TK_COMMA},
        {".", TK_DOT},
        {"+", TK_PLUS},
        {"-", TK_MINUS_SIGN},
        {"*", TK_STAR},
        {"/", TK_SLASH},
        {"||", TK_CONCAT},
        {"=", TK_EQ},
        {"<>", TK_NE},
        {"!=", TK_NE},
        {"^=", TK_NE},
        {"<", TK_LT},
        {"<=", TK_LE},
        {">", TK_GT},
        {">=", TK_GE},
        {";", TK_SEMI},
        {"@", TK_AT},
        {":=", TK_ASSIGN},
        {"=>", TK_ARROW},
        {"(+)", TK_OUTER_MARK},
        {"..", TK_RANGE_SIGN},
        {"<<", TK_LABEL_OPENS},
        {">>", TK_LABEL_CLOSES},
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (token_is(at, signs[i].sign))
            return signs[i].code;
    return TK_RESERVED;
}

int word_code(const struct token *at) {
    switch (at->type) {
    case TOKEN_WORD:
        return code_of_word(at);
    case TOKEN_QUOTED:
        return TK_QUOTED;
    case TOKEN_STRING:
        return TK_STRING;
    case TOKEN_NUMBER:
        return isalpha((unsigned char)at->at[at->length - 1]) ? TK_BINARY_NUMBER
                                                              : TK_NUMBER;
    case TOKEN_BIND:
        return TK_BIND;
    case TOKEN_SIGN:
        return code_of_sign(at);
    case TOKEN_ATTRIBUTE:
        return TK_ATTRIBUTE;
    default:
        return 0;
    }
}
