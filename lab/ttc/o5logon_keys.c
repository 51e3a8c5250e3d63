// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/o5logon_keys.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

struct logon_shape logon_shape(enum verifier_type type) {
    return type == VERIFIER_11G ? (struct logon_shape){10, 24, 48}
                                : (struct logon_shape){16, 32, 32};
}

void hex_encode(const uint8_t *from, size_t length, char *to) {
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

bool hex_decode(const char *from, size_t digits, uint8_t *to, size_t length) {
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

bool logon_aes(bool encrypt, const uint8_t *key, size_t key_length,
               const uint8_t *from, size_t length, uint8_t *to) {
    static const uint8_t zero[BLOCK];
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int n = 0;
    bool ok = context &&
              EVP_CipherInit_ex(context,
                                key_length == 24 ? EVP_aes_192_cbc()
                                                 : EVP_aes_256_cbc(),
                                NULL, key, zero, encrypt) &&
              EVP_CIPHER_CTX_set_padding(context, 0) &&
              EVP_CipherUpdate(context, to, &n, from, (int)length) &&
              (size_t)n == length;
    EVP_CIPHER_CTX_free(context);
    return ok;
}

static bool digest(const EVP_MD *type, const void *from, size_t length,
                   uint8_t *to) {
    unsigned n = EVP_MAX_MD_SIZE;
    return EVP_Digest(from, length, to, &n, type, NULL) == 1;
}

static bool pbkdf2(const void *secret, size_t length, const uint8_t *salt,
                   size_t salt_length, unsigned rounds, uint8_t *to,
                   size_t size) {
    return PKCS5_PBKDF2_HMAC(secret, (int)length, salt, (int)salt_length,
                             (int)rounds, EVP_sha512(), (int)size, to) == 1;
}

static bool key_12c(const char *password, const uint8_t *verifier_salt,
                    unsigned generations, uint8_t key[32], uint8_t *speedy) {
    static const char label[] = "AUTH_PBKDF2_SPEEDY_KEY";
    enum { SALT = 16 };
    uint8_t salt[SALT + sizeof label - 1];
    uint8_t salted[SPEEDY_BYTES + SALT], hash[EVP_MAX_MD_SIZE];
    memcpy(salt, verifier_salt, SALT);
    memcpy(salt + SALT, label, sizeof label - 1);
    if (!pbkdf2(password, strlen(password), salt, sizeof salt, generations,
                salted, SPEEDY_BYTES))
        return false;
    if (speedy)
        memcpy(speedy, salted, SPEEDY_BYTES);
    memcpy(salted + SPEEDY_BYTES, verifier_salt, SALT);
    if (!digest(EVP_sha512(), salted, sizeof salted, hash))
        return false;
    memcpy(key, hash, 32);
    OPENSSL_cleanse(salted, sizeof salted);
    return true;
}

static bool key_11g(const char *password, const uint8_t *verifier_salt,
                    uint8_t key[32]) {
    enum { SALT = 10, HASH = 20 };
    uint8_t salted[LONGEST_PASSWORD + SALT], hash[EVP_MAX_MD_SIZE];
    const size_t length = strlen(password);
    if (length > LONGEST_PASSWORD)
        return false;
    memcpy(salted, password, length);
    memcpy(salted + length, verifier_salt, SALT);
    if (!digest(EVP_sha1(), salted, length + SALT, hash))
        return false;
    memset(key, 0, 32);
    memcpy(key, hash, HASH); // and four zero bytes
    OPENSSL_cleanse(salted, sizeof salted);
    return true;
}

bool logon_key(const char *password, enum verifier_type type,
               const uint8_t *salt, unsigned generations, uint8_t key[32],
               uint8_t *speedy) {
    return type == VERIFIER_11G
               ? key_11g(password, salt, key)
               : key_12c(password, salt, generations, key, speedy);
}

static bool derive_by_pbkdf2(struct o5logon *logon,
                             const uint8_t *server_secret,
                             const uint8_t *client_secret,
                             unsigned derivations) {
    const size_t key = logon_shape(logon->type).key;
    uint8_t both[2 * LONGEST_SECRET];
    char hex[2 * sizeof both + 1];
    memcpy(both, client_secret, key);
    memcpy(both + key, server_secret, key);
    hex_encode(both, 2 * key, hex);
    return pbkdf2(hex, 4 * key, logon->csk_salt, sizeof logon->csk_salt,
                  derivations, logon->session_key, key);
}

// The middle of both secrets, mixed, in two halves of which each is hashed.
static bool derive_11g(struct o5logon *logon, const uint8_t *server_secret,
                       const uint8_t *client_secret) {
    enum { FROM = 16, TO = 40 };
    uint8_t mixed[TO - FROM], keys[2 * EVP_MAX_MD_SIZE];
    for (size_t i = FROM; i < TO; i++)
        mixed[i - FROM] = server_secret[i] ^ client_secret[i];
    if (!digest(EVP_md5(), mixed, 16, keys) ||
        !digest(EVP_md5(), mixed + 16, sizeof mixed - 16, keys + 16))
        return false;
    memcpy(logon->session_key, keys, logon_shape(VERIFIER_11G).key);
    return true;
}

bool logon_derive(struct o5logon *logon, const uint8_t *server_secret,
                  const uint8_t *client_secret, unsigned derivations,
                  bool by_pbkdf2) {
    return by_pbkdf2 ? derive_by_pbkdf2(logon, server_secret, client_secret,
                                        derivations)
                     : derive_11g(logon, server_secret, client_secret);
}
