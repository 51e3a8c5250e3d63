// SPDX-License-Identifier: GPL-2.0-or-later
// O5LOGON with the 12c verifier: both sides prove that they know the
// password, and the password itself travels under the key that results.
#ifndef ORALAB_O5LOGON_H
#define ORALAB_O5LOGON_H

#include <stdbool.h>
#include <stddef.h>

#include "process/sga.h"

enum {
    VERIFIER_12C = 0x4815, // the type the client is told
    O5LOGON_KEY = 32,
    O5LOGON_KEY_HEX = 2 * O5LOGON_KEY + 1,
    O5LOGON_ANSWER_HEX = 2 * 48 + 1,
};

struct o5logon {
    const struct verifier *verifier;
    uint8_t server_key[O5LOGON_KEY];
    uint8_t session_key[O5LOGON_KEY];
    uint8_t csk_salt[16];
};

// False when the crypto library fails.
bool verifier_make(const char *password, struct verifier *verifier);
// Starts a logon; `sesskey` gets what the client has to be sent, in hex.
bool o5logon_challenge(struct o5logon *logon, const struct verifier *verifier,
                       char sesskey[O5LOGON_KEY_HEX]);
// Whether the client's AUTH_SESSKEY and AUTH_PASSWORD (hex) are right.
bool o5logon_verify(struct o5logon *logon, const char *sesskey,
                    size_t sesskey_length, const char *password,
                    size_t password_length);
// AUTH_SVR_RESPONSE, in hex.
bool o5logon_answer(const struct o5logon *logon,
                    char answer[O5LOGON_ANSWER_HEX]);

void to_hex(const uint8_t *from, size_t length, char *to);
// False unless `from` is exactly 2 * `length` hex digits.
bool from_hex(const char *from, size_t digits, uint8_t *to, size_t length);

#endif
