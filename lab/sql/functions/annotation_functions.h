// SPDX-License-Identifier: GPL-2.0-or-later
// A table's annotation, RESULT_CACHE (MODE ...), is a hint in the text that
// SQLite keeps of it, behind the first parenthesis. Both are as long: SQLite
// remembers places in the text of a table that it knows.
#ifndef ORALAB_ANNOTATION_FUNCTIONS_H
#define ORALAB_ANNOTATION_FUNCTIONS_H

#define ANNOTATION_FORCE "/*+FORCE  */"
#define ANNOTATION_DEFAULT "/*+DEFAULT*/"

#endif
