// SPDX-License-Identifier: GPL-2.0-or-later
// O5LOGON as the one who logs on computes it. All that the server sends is
// checked: its lengths, its counts, and in the end that it knows the password.
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

#include "ttc/o5logon_keys.h"

enum { MOST_ROUNDS = 1 << 20 }; // else a server could keep us busy for minutes

static bool decode(struct bytes hex, uint8_t *to, size_t length) {
    return hex.at && hex_decode((const char *)hex.at, hex.length, to, length);
}

// The secrets of both sides; ours also goes to the server.
static bool exchange(struct o5logon *logon, const struct o5logon_offer *offer,
                     const uint8_t *key, struct o5logon_proof *proof) {
    const struct logon_shape shape = logon_shape(logon->type);
    uint8_t sealed[LONGEST_SECRET], ours[LONGEST_SECRET];
    if (!decode(offer->sesskey, sealed, shape.secret) ||
        !logon_aes(false, key, shape.key, sealed, shape.secret,
                   logon->server_secret) ||
        RAND_bytes(ours, (int)shape.secret) != 1 ||
        !logon_aes(true, key, shape.key, ours, shape.secret, sealed))
        return false;
    hex_encode(sealed, shape.secret, proof->sesskey);
    const bool derived =
        logon_derive(logon, logon->server_secret, ours, offer->derivations,
                     offer->mixed_by_pbkdf2);
    OPENSSL_cleanse(ours, sizeof ours);
    return derived;
}

static bool seal_password(const struct o5logon *logon, const char *password,
                          struct o5logon_proof *proof) {
    uint8_t clear[LONGEST_PASSWORD + 2 * BLOCK], sealed[sizeof clear];
    const size_t length = strlen(password), padding = BLOCK - length % BLOCK;
    const size_t all = BLOCK + length + padding;
    if (RAND_bytes(clear, BLOCK) != 1)
        return false;
    memcpy(clear + BLOCK, password, length);
    memset(clear + BLOCK + length, (int)padding, padding); // PKCS#7
    const bool ok = logon_aes(true, logon->session_key,
                              logon_shape(logon->type).key, clear, all, sealed);
    if (ok)
        hex_encode(sealed, all, proof->password);
    OPENSSL_cleanse(clear, sizeof clear);
    return ok;
}

static bool seal_speedy_key(const struct o5logon *logon, const uint8_t *speedy,
                            struct o5logon_proof *proof) {
    uint8_t clear[BLOCK + SPEEDY_BYTES], sealed[sizeof clear];
    proof->speedy_key[0] = '\0';
    if (logon->type == VERIFIER_11G)
        return true;
    memcpy(clear + BLOCK, speedy, SPEEDY_BYTES);
    if (RAND_bytes(clear, BLOCK) != 1 ||
        !logon_aes(true, logon->session_key, logon_shape(logon->type).key,
                   clear, sizeof clear, sealed))
        return false;
    hex_encode(sealed, sizeof sealed, proof->speedy_key);
    return true;
}

bool o5logon_prove(struct o5logon *logon, const struct o5logon_offer *offer,
                   const char *password, struct o5logon_proof *proof) {
    uint8_t salt[16], key[32], speedy[SPEEDY_BYTES];
    *logon = (struct o5logon){.type = offer->type};
    if ((offer->type != VERIFIER_12C && offer->type != VERIFIER_11G) ||
        strlen(password) > LONGEST_PASSWORD || offer->generations < 1 ||
        offer->generations > MOST_ROUNDS || offer->derivations < 1 ||
        offer->derivations > MOST_ROUNDS ||
        !decode(offer->salt, salt, logon_shape(offer->type).salt) ||
        (offer->mixed_by_pbkdf2 &&
         !decode(offer->csk_salt, logon->csk_salt, sizeof logon->csk_salt)))
        return false;
    const bool ok = logon_key(password, offer->type, salt, offer->generations,
                              key, speedy) &&
                    exchange(logon, offer, key, proof) &&
                    seal_password(logon, password, proof) &&
                    seal_speedy_key(logon, speedy, proof);
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(speedy, sizeof speedy);
    return ok;
}

bool o5logon_is_server(const struct o5logon *logon, struct bytes answer) {
    static const char text[] = "SERVER_TO_CLIENT";
    uint8_t sealed[3 * BLOCK], clear[sizeof sealed];
    return decode(answer, sealed, sizeof sealed) &&
           logon_aes(false, logon->session_key, logon_shape(logon->type).key,
                     sealed, sizeof sealed, clear) &&
           CRYPTO_memcmp(clear + BLOCK, text, BLOCK) == 0;
}
