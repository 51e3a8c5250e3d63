// SPDX-License-Identifier: GPL-2.0-or-later
// The last 64 bits of the MD5 of the text with its NUL, as two little-endian
// words in base 32; the last word is the hash value.
#include "sql/execute/sql_id.h"

#include <openssl/evp.h>

static uint32_t word(const uint8_t *at) {
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 |
           (uint32_t)at[1] << 8 | at[0];
}

uint32_t sql_id_of(const char *sql, size_t length, char id[14]) {
    static const char digits[] = "0123456789abcdfghjkmnpqrstuvwxyz";
    uint8_t md5[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const int digested = context &&
                         EVP_DigestInit_ex(context, EVP_md5(), NULL) &&
                         EVP_DigestUpdate(context, sql, length) &&
                         EVP_DigestUpdate(context, "", 1) &&
                         EVP_DigestFinal_ex(context, md5, &size);
    EVP_MD_CTX_free(context);
    id[0] = '\0';
    if (!digested || size != 16)
        return 0;
    uint64_t bits = (uint64_t)word(md5 + 8) << 32 | word(md5 + 12);
    for (int i = 12; i >= 0; i--, bits >>= 5)
        id[i] = digits[bits & 31];
    id[13] = '\0';
    return word(md5 + 12);
}
