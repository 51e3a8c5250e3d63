// SPDX-License-Identifier: GPL-2.0-or-later
// The parser that Lemon makes of grammar.y, and the functions that read its
// stack.
#include "sql/parse/parse.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#define NDEBUG
#define grammar_ENGINEALWAYSONSTACK
// No other file calls these.
static void grammarInit(void *parser, struct statement *s);
static void grammarFinalize(void *parser);
static int grammarFallback(int token);
static void grammar(void *parser, int token, unsigned value);
#include "grammar.c"

// Whether `token` could come next: the parser's reaction, on a copy
// of its stack.
bool parse_accepts(const void *parser, int token) {
    enum { DEEPEST = 1100 };
    const yyParser *p = parser;
    YYACTIONTYPE states[DEEPEST];
    int depth = 0;
    for (const yyStackEntry *one = p->yystack;
         one <= p->yytos && depth < DEEPEST; one++)
        states[depth++] = one->stateno;
    while (depth > 0 && depth < DEEPEST) {
        const YYACTIONTYPE action =
            yy_find_shift_action((YYCODETYPE)token, states[depth - 1]);
        if (action <= YY_MAX_SHIFTREDUCE || action == YY_ACCEPT_ACTION)
            return true;
        if (action < YY_MIN_REDUCE)
            return false;
        const unsigned rule = action - YY_MIN_REDUCE;
        depth += yyRuleInfoNRhs[rule]; // negative
        states[depth] = yy_find_reduce_action(states[depth - 1],
                                              (YYCODETYPE)yyRuleInfoLhs[rule]);
        if (states[depth] == YY_ACCEPT_ACTION)
            return true;
        depth++;
    }
    return false;
}

void parse_tokens(struct statement *s, unsigned from) {
    yyParser parser;
    grammarInit(&parser, s);
    for (s->parsed = from; s->parsed <= s->count && !s->error;) {
        const struct token *token = &s->tokens[s->parsed];
        grammar(&parser, token->code, s->parsed);
        s->parsed = token->end ? token->end : s->parsed + 1;
    }
    grammarFinalize(&parser);
}
