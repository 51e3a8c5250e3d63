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

// The sizes, in bytes, in which the verifiers differ.
struct shape {
    size_t salt, key, secret;
};

static struct shape shape_of(enum verifier_type type) {
    return type == VERIFIER_11G ? (struct shape){10, 24, 48}
                                : (struct shape){16, 32, 32};
}

size_t verifier_salt_length(enum verifier_type type) {
    return shape_of(type).salt;
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

// AES-CBC from a zero block, without padding.
static bool aes(bool encrypt, const uint8_t *key, size_t key_length,
                const uint8_t *from, size_t length, uint8_t *to) {
    static const uint8_t zero[BLOCK];
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int n = 0;
    bool done = context &&
                EVP_CipherInit_ex(context,
                                  key_length == 24 ? EVP_aes_192_cbc()
                                                   : EVP_aes_256_cbc(),
                                  NULL, key, zero, encrypt) &&
                EVP_CIPHER_CTX_set_padding(context, 0) &&
                EVP_CipherUpdate(context, to, &n, from, (int)length) &&
                (size_t)n == length;
    EVP_CIPHER_CTX_free(context);
    return done;
}

static bool digest(const EVP_MD *type, const void *from, size_t length,
                   uint8_t *to) {
    unsigned n = EVP_MAX_MD_SIZE;
    return EVP_Digest(from, length, to, &n, type, NULL) == 1;
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

static bool key_12c(const char *password, struct verifier *verifier) {
    static const char label[] = "AUTH_PBKDF2_SPEEDY_KEY";
    uint8_t salt[sizeof verifier->salt + sizeof label - 1];
    uint8_t speedy[64 + sizeof verifier->salt], hash[EVP_MAX_MD_SIZE];
    memcpy(salt, verifier->salt, sizeof verifier->salt);
    memcpy(salt + sizeof verifier->salt, label, sizeof label - 1);
    if (!pbkdf2(password, strlen(password), salt, sizeof salt, GENERATIONS,
                speedy, 64))
        return false;
    memcpy(speedy + 64, verifier->salt, sizeof verifier->salt);
    if (!digest(EVP_sha512(), speedy, sizeof speedy, hash))
        return false;
    memcpy(verifier->key, hash, sizeof verifier->key);
    OPENSSL_cleanse(speedy, sizeof speedy);
    return true;
}

static bool key_11g(const char *password, struct verifier *verifier) {
    uint8_t salted[LONGEST_PASSWORD + sizeof verifier->salt];
    uint8_t hash[EVP_MAX_MD_SIZE];
    const size_t salt = shape_of(VERIFIER_11G).salt, length = strlen(password);
    if (length > LONGEST_PASSWORD)
        return false;
    memcpy(salted, password, length);
    memcpy(salted + length, verifier->salt, salt);
    if (!digest(EVP_sha1(), salted, length + salt, hash))
        return false;
    memset(verifier->key, 0, sizeof verifier->key);
    memcpy(verifier->key, hash, 20); // and four zero bytes
    OPENSSL_cleanse(salted, sizeof salted);
    return true;
}

bool verifier_make(const char *password, enum verifier_type type,
                   struct verifier *verifier) {
    verifier->type = type;
    return RAND_bytes(verifier->salt, sizeof verifier->salt) == 1 &&
           RAND_bytes(verifier->proof_key, sizeof verifier->proof_key) == 1 &&
           (type == VERIFIER_11G ? key_11g(password, verifier)
                                 : key_12c(password, verifier)) &&
           prove(verifier, password, strlen(password), verifier->proof);
}

bool o5logon_challenge(struct o5logon *logon, const struct verifier *verifier,
                       char sesskey[SECRET_HEX]) {
    const struct shape shape = shape_of(verifier->type);
    uint8_t sealed[LONGEST_SECRET];
    logon->verifier = verifier;
    if (RAND_bytes(logon->server_secret, sizeof logon->server_secret) != 1 ||
        RAND_bytes(logon->csk_salt, sizeof logon->csk_salt) != 1 ||
        !aes(true, verifier->key, shape.key, logon->server_secret, shape.secret,
             sealed))
        return false;
    hex_encode(sealed, shape.secret, sesskey);
    return true;
}

static bool derive_12c(struct o5logon *logon, const uint8_t *client_secret) {
    const size_t secret = shape_of(VERIFIER_12C).secret;
    uint8_t both[2 * LONGEST_SECRET];
    char hex[2 * sizeof both + 1];
    memcpy(both, client_secret, secret);
    memcpy(both + secret, logon->server_secret, secret);
    hex_encode(both, 2 * secret, hex);
    return pbkdf2(hex, 4 * secret, logon->csk_salt, sizeof logon->csk_salt,
                  DERIVATIONS, logon->session_key, sizeof logon->session_key);
}

// The middle of both secrets, mixed, in two halves of which each is hashed.
static bool derive_11g(struct o5logon *logon, const uint8_t *client_secret) {
    enum { FROM = 16, TO = 40 };
    uint8_t mixed[TO - FROM], keys[2 * EVP_MAX_MD_SIZE];
    for (size_t i = FROM; i < TO; i++)
        mixed[i - FROM] = logon->server_secret[i] ^ client_secret[i];
    if (!digest(EVP_md5(), mixed, 16, keys) ||
        !digest(EVP_md5(), mixed + 16, sizeof mixed - 16, keys + 16))
        return false;
    memcpy(logon->session_key, keys, shape_of(VERIFIER_11G).key);
    return true;
}

bool o5logon_verify(struct o5logon *logon, const char *sesskey,
                    size_t sesskey_length, const char *password,
                    size_t password_length) {
    const struct verifier *verifier = logon->verifier;
    const struct shape shape = shape_of(verifier->type);
    uint8_t sealed[LONGEST_SECRET], client_secret[LONGEST_SECRET], proof[32];
    uint8_t hidden[LONGEST_PASSWORD + 2 * BLOCK], clear[sizeof hidden];
    const size_t length = password_length / 2;
    if (!hex_decode(sesskey, sesskey_length, sealed, shape.secret) ||
        length < 2 * BLOCK || length > sizeof hidden || length % BLOCK ||
        !hex_decode(password, password_length, hidden, length) ||
        !aes(false, verifier->key, shape.key, sealed, shape.secret,
             client_secret) ||
        !(verifier->type == VERIFIER_11G ? derive_11g(logon, client_secret)
                                         : derive_12c(logon, client_secret)) ||
        !aes(false, logon->session_key, shape.key, hidden, length, clear))
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
        !aes(true, logon->session_key, shape_of(logon->verifier->type).key,
             clear, sizeof clear, sealed))
        return false;
    hex_encode(sealed, sizeof sealed, answer);
    return true;
}
