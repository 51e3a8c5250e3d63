// SPDX-License-Identifier: GPL-2.0-or-later
// Classes of characters.
#define _GNU_SOURCE
#include "sql/functions/regexp_class.h"

#include <locale.h>
#include <string.h>
#include <wctype.h>

static const char *const names[] = {"alpha", "digit", "alnum", "upper",
                                    "lower", "space", "blank", "punct",
                                    "cntrl", "graph", "print", "xdigit"};

enum {
    DIGIT = 1U << 1,
    ALNUM = 1U << 2,
    SPACE = 1U << 5,
    UNDERSCORE = 1U << 30
};

unsigned regexp_class_named(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return 1U << i;
    return 0;
}

unsigned regexp_class_of_letter(char letter) {
    return letter == 'd' || letter == 'D'   ? DIGIT
           : letter == 's' || letter == 'S' ? SPACE
                                            : ALNUM | UNDERSCORE;
}

static locale_t unicode(void) {
    static locale_t locale;
    if (!locale)
        locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
    return locale;
}

bool regexp_class_has(unsigned classes, uint32_t character) {
    if (classes & UNDERSCORE && character == '_')
        return true;
    const locale_t locale = unicode();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (classes & 1U << i && locale &&
            iswctype_l(character, wctype_l(names[i], locale), locale))
            return true;
    return false;
}

uint32_t regexp_lower(uint32_t character) {
    const locale_t locale = unicode();
    return locale ? towlower_l(character, locale) : character;
}
