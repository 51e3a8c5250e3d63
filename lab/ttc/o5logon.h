// SPDX-License-Identifier: GPL-2.0-or-later
// O5LOGON with the 11g and the 12c verifier: both sides prove that they know
// the password, and the password itself travels under the key that results.
#ifndef ORALAB_O5LOGON_H
#define ORALAB_O5LOGON_H

#include <stdbool.h>
#include <stddef.h>

#include "process/sga.h"
#include "ttc/wire.h"

enum {
    LONGEST_SECRET = 48, // each side makes one for the session key
    SECRET_HEX = 2 * LONGEST_SECRET + 1,
    ANSWER_HEX = 2 * 48 + 1,
};

struct o5logon {
    enum verifier_type type;
    const struct verifier *verifier; // of the server's side
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

// o5logon_client.c: the other side of it.
struct o5logon_offer { // the content of the server's first answer
    enum verifier_type type;
    struct bytes salt;     // AUTH_VFR_DATA, in hex
    struct bytes sesskey;  // AUTH_SESSKEY, in hex
    struct bytes csk_salt; // AUTH_PBKDF2_CSK_SALT, in hex
    unsigned generations;  // AUTH_PBKDF2_VGEN_COUNT
    unsigned derivations;  // AUTH_PBKDF2_SDER_COUNT
    bool mixed_by_pbkdf2;  // see capabilities.h
};

enum { SPEEDY_HEX = 2 * 80 + 1, PASSWORD_HEX = 2 * (1024 + 32) + 1 };

struct o5logon_proof { // the client's answer, in hex
    char sesskey[SECRET_HEX];
    char speedy_key[SPEEDY_HEX]; // AUTH_PBKDF2_SPEEDY_KEY; "" with 11g
    char password[PASSWORD_HEX];
};

// False when the offer is none of a server's, or the crypto library fails.
bool o5logon_prove(struct o5logon *logon, const struct o5logon_offer *offer,
                   const char *password, struct o5logon_proof *proof);
// Whether AUTH_SVR_RESPONSE shows that the server knows the password as well.
bool o5logon_is_server(const struct o5logon *logon, struct bytes answer);

#endif
