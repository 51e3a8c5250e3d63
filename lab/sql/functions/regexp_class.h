// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_REGEXP_CLASS_H
#define ORALAB_REGEXP_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The bit of [:name:]; 0: there is none.
unsigned regexp_class_named(const char *name, size_t length);
// That of \d, \s or \w, in either case.
unsigned regexp_class_of_letter(char letter);
// Whether the character is in one of the classes.
bool regexp_class_has(unsigned classes, uint32_t character);
uint32_t regexp_lower(uint32_t character);

#endif
