// SPDX-License-Identifier: GPL-2.0-or-later
// Exceptions: those that have names from the start, and how errors look.
#ifndef ORALAB_EXCEPTIONS_H
#define ORALAB_EXCEPTIONS_H

#include "plsql/session.h"

struct exception *exception_predefined(const struct token *name);
// SQLCODE and SQLERRM of the raised exception.
int64_t exception_code(const struct raised *raised);
// The text of an ORA- number as SQLERRM(number) has it.
void exception_text(int64_t code, char *to, size_t size);
// Whether the exception that was raised is this one.
bool exception_is(const struct raised *raised, const struct exception *one);
// Whether a handler may catch it: not an error that ends the call or the
// session.
bool exception_can_be_handled(const struct raised *raised);
// Adds "ORA-06512: at ..." for a line of the unit.
void exception_place(struct raised *raised, const struct unit *unit,
                     unsigned line);
void exception_begin(struct raised *raised, const struct exception *exception);

#endif
