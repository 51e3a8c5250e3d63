// SPDX-License-Identifier: GPL-2.0-or-later
// What SQLite calls the user's views and synonyms; see emit/views.c.
#ifndef ORALAB_VIEW_MARKS_H
#define ORALAB_VIEW_MARKS_H

// A public synonym's name begins with this.
#define PUBLIC_SYNONYM "sqlite public "
// The first columns.
#define VIEW_MARK "ORACLE$VIEW"
#define SYNONYM_MARK "ORACLE$SYNONYM"

#endif
