// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle Net over TLS (TCPS). There is no urgent data in it: every session is
// in-band.
#ifndef ORALAB_TLS_H
#define ORALAB_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

// In the environment of a server that speaks TLS.
#define TCPS_VARIABLE "ORALAB_TCPS"

struct ssl_st; // OpenSSL's

// The server's side of a handshake on the socket `fd`, by the wallet in the
// directory `wallet`; clients must have certificates of it if `mutual`. It
// takes no longer than `timeout_s` between bytes; 0: as long as it takes. NULL
// with one line in `why`.
struct ssl_st *tls_accept(int fd, const char *wallet, bool mutual,
                          unsigned timeout_s, char *why, size_t size);
void tls_close(struct ssl_st *tls);
// As read(); without `waits`, -1 with EAGAIN where nothing whole is here.
ssize_t tls_read(struct ssl_st *tls, void *to, size_t room, bool waits);
// All of it, in as few records as it takes.
bool tls_write(struct ssl_st *tls, const struct iovec *io, size_t count);
// Whether bytes are here that the socket no longer has.
bool tls_has_unread(const struct ssl_st *tls);

#endif
