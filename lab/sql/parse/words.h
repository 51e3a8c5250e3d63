// SPDX-License-Identifier: GPL-2.0-or-later
// The grammar's code of a token.
#ifndef ORALAB_WORDS_H
#define ORALAB_WORDS_H

#include "sql/parse/lexer.h"

// The code (TK_...) of the token at `at`, which others follow up to a
// TOKEN_END. A word that is reserved, and that the grammar has no place for, is
// TK_RESERVED.
int word_code(const struct token *at);
// The same in PL/SQL.
int word_code_in_plsql(const struct token *at);

#endif
