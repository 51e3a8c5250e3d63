// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/o5logon.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>

enum {
    BLOCK = 16,
    GENERATIONS = 4096, // AUTH_PBKDF2_VGEN_COUNT
    DERIVATIONS = 3,    // AUTH_PBKDF2_SDER_COUNT
    LONGEST_PASSWORD = 1024,
};

void to_hex(const uint8_t *from, size_t length, char *to) {
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < length; i++) {
        *to++ = digits[from[i] >> 4];
        *to++ = digits[from[i] & 15];
    }
    *to = '\0';
}

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool from_hex(const char *from, size_t digits, uint8_t *to, size_t length) {
    if (digits != 2 * length)
        return false;
    for (size_t i = 0; i < length; i++) {
        int high = digit(from[2 * i]), low = digit(from[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        to[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

// AES-256-CBC from a zero block, without padding.
static bool aes(bool encrypt, const uint8_t *key, const uint8_t *from,
                size_t length, uint8_t *to) {
    static const uint8_t zero[BLOCK];
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int n = 0;
    bool done = context &&
                EVP_CipherInit_ex(context, EVP_aes_256_cbc(), NULL, key, zero,
                                  encrypt) &&
                EVP_CIPHER_CTX_set_padding(context, 0) &&
                EVP_CipherUpdate(context, to, &n, from, (int)length) &&
                (size_t)n == length;
    EVP_CIPHER_CTX_free(context);
    return done;
}

static bool pbkdf2(const void *secret, size_t length, const uint8_t *salt,
                   size_t salt_length, int rounds, uint8_t *to, size_t size) {
    return PKCS5_PBKDF2_HMAC(secret, (int)length, salt, (int)salt_length,
                             rounds, EVP_sha512(), (int)size, to) == 1;
}

static bool prove(const struct verifier *verifier, const void *password,
                  size_t length, uint8_t proof[32]) {
    unsigned n = 32;
    return HMAC(EVP_sha256(), verifier->proof_key, sizeof verifier->proof_key,
                password, length, proof, &n) != NULL;
}

bool verifier_make(const char *password, struct verifier *verifier) {
    static const char label[] = "AUTH_PBKDF2_SPEEDY_KEY";
    uint8_t salt[sizeof verifier->salt + sizeof label - 1];
    uint8_t speedy[64 + sizeof verifier->salt], hash[64];
    if (RAND_bytes(verifier->salt, sizeof verifier->salt) != 1 ||
        RAND_bytes(verifier->proof_key, sizeof verifier->proof_key) != 1)
        return false;
    memcpy(salt, verifier->salt, sizeof verifier->salt);
    memcpy(salt + sizeof verifier->salt, label, sizeof label - 1);
    if (!pbkdf2(password, strlen(password), salt, sizeof salt, GENERATIONS,
                speedy, 64))
        return false;
    memcpy(speedy + 64, verifier->salt, sizeof verifier->salt);
    unsigned n = sizeof hash;
    if (!EVP_Digest(speedy, sizeof speedy, hash, &n, EVP_sha512(), NULL))
        return false;
    memcpy(verifier->key, hash, sizeof verifier->key);
    OPENSSL_cleanse(speedy, sizeof speedy);
    return prove(verifier, password, strlen(password), verifier->proof);
}

bool o5logon_challenge(struct o5logon *logon, const struct verifier *verifier,
                       char sesskey[O5LOGON_KEY_HEX]) {
    uint8_t sealed[O5LOGON_KEY];
    logon->verifier = verifier;
    if (RAND_bytes(logon->server_key, sizeof logon->server_key) != 1 ||
        RAND_bytes(logon->csk_salt, sizeof logon->csk_salt) != 1 ||
        !aes(true, verifier->key, logon->server_key, sizeof logon->server_key,
             sealed))
        return false;
    to_hex(sealed, sizeof sealed, sesskey);
    return true;
}

static bool derive_session_key(struct o5logon *logon,
                               const uint8_t *client_key) {
    uint8_t both[2 * O5LOGON_KEY];
    char hex[2 * sizeof both + 1];
    memcpy(both, client_key, O5LOGON_KEY);
    memcpy(both + O5LOGON_KEY, logon->server_key, O5LOGON_KEY);
    to_hex(both, sizeof both, hex);
    return pbkdf2(hex, 2 * sizeof both, logon->csk_salt, sizeof logon->csk_salt,
                  DERIVATIONS, logon->session_key, sizeof logon->session_key);
}

bool o5logon_verify(struct o5logon *logon, const char *sesskey,
                    size_t sesskey_length, const char *password,
                    size_t password_length) {
    uint8_t sealed[O5LOGON_KEY], client_key[O5LOGON_KEY], proof[32];
    uint8_t hidden[LONGEST_PASSWORD + 2 * BLOCK], clear[sizeof hidden];
    const size_t length = password_length / 2;
    if (!from_hex(sesskey, sesskey_length, sealed, sizeof sealed) ||
        length < 2 * BLOCK || length > sizeof hidden || length % BLOCK ||
        !from_hex(password, password_length, hidden, length) ||
        !aes(false, logon->verifier->key, sealed, sizeof sealed, client_key) ||
        !derive_session_key(logon, client_key) ||
        !aes(false, logon->session_key, hidden, length, clear))
        return false;
    // A block of random bytes, the password, 1 to 16 bytes of padding. With a
    // wrong key the padding is nonsense: then the proof is of nonsense, so
    // that every wrong password takes the same way.
    size_t padding = clear[length - 1];
    if (padding < 1 || padding > BLOCK)
        padding = 1;
    bool right =
        prove(logon->verifier, clear + BLOCK, length - BLOCK - padding,
              proof) &&
        CRYPTO_memcmp(proof, logon->verifier->proof, sizeof proof) == 0;
    OPENSSL_cleanse(clear, sizeof clear);
    return right;
}

bool o5logon_answer(const struct o5logon *logon,
                    char answer[O5LOGON_ANSWER_HEX]) {
    static const char text[] = "SERVER_TO_CLIENT";
    uint8_t clear[3 * BLOCK], sealed[sizeof clear];
    memcpy(clear + BLOCK, text, BLOCK);
    memset(clear + 2 * BLOCK, BLOCK, BLOCK); // PKCS#7
    if (RAND_bytes(clear, BLOCK) != 1 ||
        !aes(true, logon->session_key, clear, sizeof clear, sealed))
        return false;
    to_hex(sealed, sizeof sealed, answer);
    return true;
}
