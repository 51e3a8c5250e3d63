// SPDX-License-Identifier: GPL-2.0-or-later
// ORA- errors: numbers, texts, and the mapping of SQLite's errors.
#ifndef ORALAB_ORA_ERROR_H
#define ORALAB_ORA_ERROR_H

struct sqlite3;

struct ora_error {
    unsigned number;   // 0: none
    unsigned position; // in the statement, in bytes from 0
    char text[1000];   // "ORA-00942: table or view does not exist"
};

// `about` fills the text's placeholder; it may be "".
void ora_error_set(struct ora_error *error, unsigned number, const char *about);
// Maps the error of SQLite's last call.
void ora_error_from_sqlite(struct ora_error *error, struct sqlite3 *db);

#endif
