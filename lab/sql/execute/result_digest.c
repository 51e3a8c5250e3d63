// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/result_digest.h"

#include <openssl/evp.h>
#include <string.h>
#include <time.h>

#include "sql/types/date_format.h"
#include "sql/types/session_zone.h"

void result_digest_begin(struct result_digest *digest) {
    static EVP_MD *sha256; // EVP_sha256() looks for it each time
    digest->context = EVP_MD_CTX_new();
    if (!sha256)
        sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (digest->context && sha256 &&
        EVP_DigestInit_ex(digest->context, sha256, NULL) == 1)
        return;
    EVP_MD_CTX_free(digest->context);
    digest->context = NULL;
}

void result_digest_add(struct result_digest *digest, const void *from,
                       size_t bytes) {
    const uint64_t length = bytes; // so that no two sequences look the same
    if (!digest->context)
        return;
    EVP_DigestUpdate(digest->context, &length, sizeof length);
    if (bytes > 0)
        EVP_DigestUpdate(digest->context, from, bytes);
}

void result_digest_add_text(struct result_digest *digest, const char *text) {
    result_digest_add(digest, text, strlen(text));
}

// A date without its year or month is of this one.
static int64_t this_month(void) {
    const time_t current = time(NULL);
    struct tm tm;
    gmtime_r(&current, &tm);
    return tm.tm_year * INT64_C(12) + tm.tm_mon;
}

void result_digest_add_session(struct result_digest *digest) {
    const int64_t month = this_month();
    result_digest_add_text(digest, session_date_formats.date);
    result_digest_add_text(digest, session_date_formats.timestamp);
    result_digest_add_text(digest, session_date_formats.timestamp_tz);
    result_digest_add_text(digest, session_zone_name());
    result_digest_add(digest, &month, sizeof month);
}

bool result_digest_end(struct result_digest *digest,
                       uint8_t to[RESULT_KEY_BYTES]) {
    const bool succeeded =
        digest->context && EVP_DigestFinal_ex(digest->context, to, NULL) == 1;
    EVP_MD_CTX_free(digest->context);
    digest->context = NULL;
    return succeeded;
}
