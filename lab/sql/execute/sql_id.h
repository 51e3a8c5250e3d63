// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's SQL_ID of a statement's text.
#ifndef ORALAB_SQL_ID_H
#define ORALAB_SQL_ID_H

#include <stddef.h>
#include <stdint.h>

// Writes 13 characters and a NUL, and returns the SQL_HASH_VALUE. If the crypto
// library lacks MD5, the text is empty and the hash 0.
uint32_t sql_id_of(const char *sql, size_t length, char id[14]);

#endif
