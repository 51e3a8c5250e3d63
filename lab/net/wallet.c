// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "net/wallet.h"

#include <fcntl.h>
#include <limits.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <unistd.h>

enum { A_YEAR_S = 365 * 24 * 3600 };

static bool extend(X509 *certificate, X509 *issuer, int kind,
                   const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension =
        X509V3_EXT_conf_nid(NULL, &context, kind, value);
    const bool added =
        extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

// Signed by `by`, or by itself. NULL when the library fails.
static X509 *certify(EVP_PKEY *key, const char *name, X509 *issuer,
                     EVP_PKEY *by) {
    uint64_t serial = 0;
    X509 *certificate = X509_new();
    X509_NAME *subject =
        certificate ? X509_get_subject_name(certificate) : NULL;
    bool fine =
        subject && RAND_bytes((unsigned char *)&serial, 7) == 1 &&
        X509_set_version(certificate, 2) == 1 &&
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate),
                                serial | 1) == 1 &&
        X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) &&
        X509_gmtime_adj(X509_getm_notAfter(certificate), A_YEAR_S) &&
        X509_set_pubkey(certificate, key) == 1 &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                   (const unsigned char *)name, -1, -1,
                                   0) == 1 &&
        X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer)
                                                 : subject) == 1;
    if (fine && !issuer)
        fine = extend(certificate, certificate, NID_basic_constraints,
                      "critical,CA:TRUE") &&
               extend(certificate, certificate, NID_subject_alt_name,
                      "DNS:localhost,IP:127.0.0.1") &&
               extend(certificate, certificate, NID_subject_key_identifier,
                      "hash");
    if (fine && X509_sign(certificate, by ? by : key, EVP_sha256()) > 0)
        return certificate;
    X509_free(certificate);
    return NULL;
}

// The key first, as some drivers want it; the certificates follow.
static bool save(const char *directory, const char *name, EVP_PKEY *key,
                 X509 *first, X509 *second) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return false;
    bool saved =
        !key || PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1;
    saved = saved && PEM_write_X509(file, first) == 1 &&
            (!second || PEM_write_X509(file, second) == 1);
    return fclose(file) == 0 && saved;
}

bool wallet_make(const char *directory) {
    EVP_PKEY *key = EVP_EC_gen("P-256"), *client_key = EVP_EC_gen("P-256");
    X509 *certificate = key ? certify(key, "oralab", NULL, NULL) : NULL;
    X509 *client = certificate && client_key
                       ? certify(client_key, "oralab client", certificate, key)
                       : NULL;
    const bool created =
        client && save(directory, WALLET_SERVER, key, certificate, NULL) &&
        save(directory, WALLET_TRUST, NULL, certificate, NULL) &&
        save(directory, WALLET_CLIENT, client_key, client, certificate);
    X509_free(client);
    X509_free(certificate);
    EVP_PKEY_free(client_key);
    EVP_PKEY_free(key);
    return created;
}
