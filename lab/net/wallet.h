// SPDX-License-Identifier: GPL-2.0-or-later
// A wallet for TCPS: the lab's own certificate, which also signs one for
// clients. Created at each start, valid for a year.
#ifndef ORALAB_WALLET_H
#define ORALAB_WALLET_H

#include <stdbool.h>

#define WALLET_SERVER "server.pem" // certificate and key
#define WALLET_TRUST "ca.pem" // for clients to trust: the certificate alone
#define WALLET_CLIENT "ewallet.pem" // by drivers' name: all a client needs

// False when a file cannot be written or the crypto library fails.
bool wallet_make(const char *directory);

#endif
