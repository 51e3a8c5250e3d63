// SPDX-License-Identifier: GPL-2.0-or-later
// What names.c and known_columns.c have for one another.
#ifndef ORALAB_KNOWN_COLUMNS_H
#define ORALAB_KNOWN_COLUMNS_H

#include "sql/source.h"

// names.c: whether the name is spelled so in the dictionary, which has those
// that are not quoted in capitals; and how it is spelled, cut to LONGEST_NAME.
bool spells(const struct token *token, const char *name);
void spell(const struct token *token, char to[LONGEST_NAME + 1]);
char letter(const struct token *name, size_t i);

// known_columns.c
bool is_known(const struct translator *t, const struct token *name);
bool differs_in_case(const struct translator *t, const struct token *name);
// Whose the table is that the name at `at` means; `owned` when the owner's
// stands in front of it.
enum table_owner owner_of(struct translator *t, size_t at, bool owned);

#endif
