// SPDX-License-Identifier: GPL-2.0-or-later
#include "net/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "net/wallet.h"

enum { LONGEST_RECORD = 16384 };

static void limit_wait(int fd, unsigned seconds) {
    const struct timeval timeout = {.tv_sec = seconds};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
}

static SSL *fail(SSL *tls, SSL_CTX *context, const char *what, char *why,
                 size_t size) {
    char reason[160] = "the client closed the connection";
    if (ERR_peek_error())
        ERR_error_string_n(ERR_get_error(), reason, sizeof reason);
    snprintf(why, size, "ORA-28860: Fatal SSL error, %s: %s", what, reason);
    ERR_clear_error();
    SSL_free(tls);
    SSL_CTX_free(context);
    return NULL;
}

SSL *tls_accept(int fd, const char *wallet, bool mutual, unsigned timeout_s,
                char *why, size_t size) {
    char file[PATH_MAX];
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    SSL *tls = NULL;
    snprintf(file, sizeof file, "%s/" WALLET_SERVER, wallet);
    if (!context ||
        SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_use_certificate_chain_file(context, file) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, file, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_load_verify_file(context, file) != 1)
        return fail(tls, context, "wallet", why, size);
    if (mutual)
        SSL_CTX_set_verify(
            context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    signal(SIGPIPE, SIG_IGN); // OpenSSL writes without MSG_NOSIGNAL
    tls = SSL_new(context);
    limit_wait(fd, timeout_s);
    if (!tls || SSL_set_fd(tls, fd) != 1 || SSL_accept(tls) != 1)
        return fail(tls, context, "handshake", why, size);
    limit_wait(fd, 0);
    SSL_CTX_free(context); // the connection holds on to it
    return tls;
}

void tls_close(SSL *tls) {
    if (tls)
        SSL_shutdown(tls);
    SSL_free(tls);
}

// Only for this one call: elsewhere the socket waits, by no call to poll().
static int read_now(SSL *tls, void *to, int room) {
    const int fd = SSL_get_fd(tls), flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    const int n = SSL_read(tls, to, room);
    fcntl(fd, F_SETFL, flags);
    return n;
}

ssize_t tls_read(SSL *tls, void *to, size_t room, bool waits) {
    const int limit = room > INT_MAX ? INT_MAX : (int)room;
    for (;;) {
        ERR_clear_error();
        errno = 0;
        const int n =
            waits ? SSL_read(tls, to, limit) : read_now(tls, to, limit);
        if (n > 0)
            return n;
        switch (SSL_get_error(tls, n)) {
        case SSL_ERROR_ZERO_RETURN:
            return 0;
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:
            if (waits)
                continue; // a signal came
            errno = EAGAIN;
            return -1;
        default: // closed without a goodbye, as most clients do
            return errno == 0 || errno == ECONNRESET ? 0 : -1;
        }
    }
}

static bool write_record(SSL *tls, const uint8_t *from, size_t length) {
    int n;
    do {
        ERR_clear_error();
        n = length > 0 ? SSL_write(tls, from, (int)length) : 1;
    } while (n <= 0 && SSL_get_error(tls, n) == SSL_ERROR_WANT_WRITE);
    return n > 0;
}

bool tls_write(SSL *tls, const struct iovec *io, size_t count) {
    uint8_t record[LONGEST_RECORD];
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t at = 0; at < io[i].iov_len;) {
            size_t n = io[i].iov_len - at;
            if (n > sizeof record - used)
                n = sizeof record - used;
            memcpy(record + used, (const uint8_t *)io[i].iov_base + at, n);
            used += n;
            at += n;
            if (used == sizeof record) {
                if (!write_record(tls, record, used))
                    return false;
                used = 0;
            }
        }
    return write_record(tls, record, used);
}

bool tls_has_unread(const SSL *tls) {
    return tls && SSL_pending(tls) > 0;
}
