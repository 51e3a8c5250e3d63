// SPDX-License-Identifier: GPL-2.0-or-later
#include "kinds.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_called(const struct kind *kind, const char *name, size_t len) {
    return strncmp(kind->name, name, len) == 0 && kind->name[len] == '\0';
}

void kinds_add(struct kinds *kinds, const char *name, size_t len,
               uint64_t lines) {
    if (len > LONGEST_KIND - 1)
        len = LONGEST_KIND - 1;
    size_t i = 0;
    while (i < kinds->count && !is_called(&kinds->kind[i], name, len))
        i++;
    if (i == kinds->count && i == MOST_KINDS - 1) {
        name = "(other kinds)";
        len = strlen(name);
    }
    if (i == kinds->count && i < MOST_KINDS) {
        memcpy(kinds->kind[i].name, name, len);
        kinds->kind[i].name[len] = '\0';
        kinds->kind[i].lines = 0;
        kinds->count++;
    }
    kinds->kind[i < MOST_KINDS ? i : MOST_KINDS - 1].lines += lines;
}

void kinds_add_all(struct kinds *to, const struct kinds *from) {
    for (size_t i = 0; i < from->count; i++)
        kinds_add(to, from->kind[i].name, strlen(from->kind[i].name),
                  from->kind[i].lines);
}

static bool in_word(unsigned char c) {
    return c < 128 && (isalpha(c) || c == '_' || c == '$');
}

void kinds_add_line(struct kinds *kinds, const char *at, const char *end) {
    // Copied as it is looked at: it is printed, and the file may change.
    char word[LONGEST_KIND - 1];
    size_t len = 0;
    for (char c; len < sizeof word && at + len < end &&
                 in_word((unsigned char)(c = at[len]));
         len++)
        word[len] = c;
    if (len)
        kinds_add(kinds, word, len, 1);
    else if (*at == ' ' || *at == '\t')
        kinds_add(kinds, "(indented)", 10, 1);
    else if (isdigit((unsigned char)*at))
        kinds_add(kinds, "(number)", 8, 1);
    else
        kinds_add(kinds, "(no word)", 9, 1);
}
