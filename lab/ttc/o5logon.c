// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/o5logon.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>

#include "ttc/o5logon_keys.h"

size_t verifier_salt_length(enum verifier_type type) {
    return logon_shape(type).salt;
}

static bool prove(const struct verifier *verifier, const void *password,
                  size_t length, uint8_t proof[32]) {
    unsigned n = 32;
    return HMAC(EVP_sha256(), verifier->proof_key, sizeof verifier->proof_key,
                password, length, proof, &n) != NULL;
}

bool verifier_make(const char *password, enum verifier_type type,
                   struct verifier *verifier) {
    verifier->type = type;
    return RAND_bytes(verifier->salt, sizeof verifier->salt) == 1 &&
           RAND_bytes(verifier->proof_key, sizeof verifier->proof_key) == 1 &&
           logon_key(password, type, verifier->salt, GENERATIONS, verifier->key,
                     NULL) &&
           prove(verifier, password, strlen(password), verifier->proof);
}

bool o5logon_challenge(struct o5logon *logon, const struct verifier *verifier,
                       char sesskey[SECRET_HEX]) {
    const struct logon_shape shape = logon_shape(verifier->type);
    uint8_t sealed[LONGEST_SECRET];
    logon->verifier = verifier;
    logon->type = verifier->type;
    if (RAND_bytes(logon->server_secret, sizeof logon->server_secret) != 1 ||
        RAND_bytes(logon->csk_salt, sizeof logon->csk_salt) != 1 ||
        !logon_aes(true, verifier->key, shape.key, logon->server_secret,
                   shape.secret, sealed))
        return false;
    hex_encode(sealed, shape.secret, sesskey);
    return true;
}

bool o5logon_verify(struct o5logon *logon, const char *sesskey,
                    size_t sesskey_length, const char *password,
                    size_t password_length) {
    const struct verifier *verifier = logon->verifier;
    const struct logon_shape shape = logon_shape(verifier->type);
    uint8_t sealed[LONGEST_SECRET], client_secret[LONGEST_SECRET], proof[32];
    uint8_t hidden[LONGEST_PASSWORD + 2 * BLOCK], clear[sizeof hidden];
    const size_t length = password_length / 2;
    if (!hex_decode(sesskey, sesskey_length, sealed, shape.secret) ||
        length < 2 * BLOCK || length > sizeof hidden || length % BLOCK ||
        !hex_decode(password, password_length, hidden, length) ||
        !logon_aes(false, verifier->key, shape.key, sealed, shape.secret,
                   client_secret) ||
        !logon_derive(logon, logon->server_secret, client_secret, DERIVATIONS,
                      verifier->type == VERIFIER_12C) ||
        !logon_aes(false, logon->session_key, shape.key, hidden, length, clear))
        return false;
    // A block of random bytes, the password, 1 to 16 bytes of padding. With a
    // wrong key the padding is nonsense: then the proof is of nonsense, so
    // that every wrong password takes the same way.
    size_t padding = clear[length - 1];
    if (padding < 1 || padding > BLOCK)
        padding = 1;
    bool right =
        prove(verifier, clear + BLOCK, length - BLOCK - padding, proof) &&
        CRYPTO_memcmp(proof, verifier->proof, sizeof proof) == 0;
    OPENSSL_cleanse(clear, sizeof clear);
    return right;
}

bool o5logon_answer(const struct o5logon *logon, char answer[ANSWER_HEX]) {
    static const char text[] = "SERVER_TO_CLIENT";
    uint8_t clear[3 * BLOCK], sealed[sizeof clear];
    memcpy(clear + BLOCK, text, BLOCK);
    memset(clear + 2 * BLOCK, BLOCK, BLOCK); // PKCS#7
    if (RAND_bytes(clear, BLOCK) != 1 ||
        !logon_aes(true, logon->session_key,
                   logon_shape(logon->verifier->type).key, clear, sizeof clear,
                   sealed))
        return false;
    hex_encode(sealed, sizeof sealed, answer);
    return true;
}
