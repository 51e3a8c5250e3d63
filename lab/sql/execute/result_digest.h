// SPDX-License-Identifier: GPL-2.0-or-later
// The key of a result: SHA-256 of a sequence of parts.
#ifndef ORALAB_RESULT_DIGEST_H
#define ORALAB_RESULT_DIGEST_H

#include <stdbool.h>

#include "process/result_cache.h"

struct evp_md_ctx_st;

struct result_digest {
    struct evp_md_ctx_st *context; // NULL: there was no memory
};

void result_digest_begin(struct result_digest *digest);
void result_digest_add(struct result_digest *digest, const void *from,
                       size_t bytes);
void result_digest_add_text(struct result_digest *digest, const char *text);
// The session's settings that conversions depend on.
void result_digest_add_session(struct result_digest *digest);
// False without memory. To be called once.
bool result_digest_end(struct result_digest *digest,
                       uint8_t to[RESULT_KEY_BYTES]);

#endif
