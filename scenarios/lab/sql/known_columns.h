// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces between names.c and known_columns.c.
#ifndef ORALAB_KNOWN_COLUMNS_H
#define ORALAB_KNOWN_COLUMNS_H

#include "sql/source.h"

// names.c: whether the token denotes `name` in the dictionary, where unquoted
// names are in capitals; and the token's name there, cut to LONGEST_NAME.
bool name_spells(const struct token *token, const char *name);
void name_spell(const struct token *token, char to[LONGEST_NAME + 1]);
char name_letter(const struct token *name, size_t i);

// known_columns.c
bool name_is_known_column(const struct translator *t, const struct token *name);
bool name_differs_in_case(const struct translator *t, const struct token *name);
// The owner of the table that the name at `at` denotes; `owned` if the name is
// qualified by its owner.
enum table_owner table_owner_at(struct translator *t, size_t at, bool owned);

// known_columns.c: adds a column to those of the translator `to`.
void known_columns_take(void *to, const char *name, const char *declared,
                        bool own);

#endif
