// SPDX-License-Identifier: GPL-2.0-or-later
// O5LOGON with the 11g and the 12c verifier: both sides prove that they know
// the password, and the password itself travels under the key that results.
#ifndef ORALAB_O5LOGON_H
#define ORALAB_O5LOGON_H

#include <stdbool.h>
#include <stddef.h>

#include "process/sga.h"

enum {
    LONGEST_SECRET = 48, // each side makes one for the session key
    SECRET_HEX = 2 * LONGEST_SECRET + 1,
    ANSWER_HEX = 2 * 48 + 1,
};

struct o5logon {
    const struct verifier *verifier;
    uint8_t server_secret[LONGEST_SECRET];
    uint8_t session_key[32];
    uint8_t csk_salt[16];
};

// The length of the salt of a verifier, in bytes.
size_t verifier_salt_length(enum verifier_type type);

// False when the crypto library fails.
bool verifier_make(const char *password, enum verifier_type type,
                   struct verifier *verifier);
// Starts a logon; `sesskey` gets the AUTH_SESSKEY for the client, in hex.
bool o5logon_challenge(struct o5logon *logon, const struct verifier *verifier,
                       char sesskey[SECRET_HEX]);
// Whether the client's AUTH_SESSKEY and AUTH_PASSWORD (hex) are right.
bool o5logon_verify(struct o5logon *logon, const char *sesskey,
                    size_t sesskey_length, const char *password,
                    size_t password_length);
// AUTH_SVR_RESPONSE, in hex.
bool o5logon_answer(const struct o5logon *logon, char answer[ANSWER_HEX]);

// Writes 2 * `length` digits and a NUL.
void hex_encode(const uint8_t *from, size_t length, char *to);
// False unless `from` is exactly 2 * `length` hex digits.
bool hex_decode(const char *from, size_t digits, uint8_t *to, size_t length);

#endif
