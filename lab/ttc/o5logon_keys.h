// SPDX-License-Identifier: GPL-2.0-or-later
// The keys that both sides of O5LOGON derive.
#ifndef ORALAB_O5LOGON_KEYS_H
#define ORALAB_O5LOGON_KEYS_H

#include "ttc/o5logon.h"

enum {
    BLOCK = 16,
    SPEEDY_BYTES = 64,
    GENERATIONS = 4096, // AUTH_PBKDF2_VGEN_COUNT
    DERIVATIONS = 3,    // AUTH_PBKDF2_SDER_COUNT
    LONGEST_PASSWORD = 1024,
};

// The sizes, in bytes, in which the verifiers differ.
struct logon_shape {
    size_t salt, key, secret;
};
struct logon_shape logon_shape(enum verifier_type type);

// AES-CBC from a zero block, without padding. Each returns false when the
// crypto library fails.
bool logon_aes(bool encrypt, const uint8_t *key, size_t key_length,
               const uint8_t *from, size_t length, uint8_t *to);
// The key that the password and the salt give; 12c also gives `speedy`, unless
// it is NULL, of SPEEDY_BYTES.
bool logon_key(const char *password, enum verifier_type type,
               const uint8_t *salt, unsigned generations, uint8_t key[32],
               uint8_t *speedy);
// The session key, from the secrets of both sides: by PBKDF2, or as in 11g.
bool logon_derive(struct o5logon *logon, const uint8_t *server_secret,
                  const uint8_t *client_secret, unsigned derivations,
                  bool by_pbkdf2);

#endif
