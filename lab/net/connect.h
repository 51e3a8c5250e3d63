// SPDX-License-Identifier: GPL-2.0-or-later
// The first exchange of a session: CONNECT, and ACCEPT or REFUSE.
#ifndef ORALAB_CONNECT_H
#define ORALAB_CONNECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/breakcheck.h"
#include "net/tns.h"
#include "process/sqlnet_ora.h"

struct connect_request {
    uint16_t version;
    uint16_t options;
    uint32_t sdu;
    uint32_t flags;  // "connect flags 2"
    char data[4096]; // (DESCRIPTION=...)
};

struct accept_terms {
    uint16_t version;
    uint16_t options;
    uint32_t sdu;
    bool out_of_band; // urgent data is agreed on
    bool path_check;  // the client is to try it at once
};

// Reads a CONNECT and the data that belongs to it. False when there is none.
bool connect_read(struct tns *tns, struct connect_request *request);
// Copies the value of `name` ("SERVICE_NAME") in a connect descriptor. False
// if it is not there or does not fit.
bool connect_value(const char *descriptor, const char *name, char *value,
                   size_t size);
struct accept_terms connect_terms(const struct connect_request *request,
                                  const struct sqlnet_ora *ora);
bool connect_accept(struct tns *tns, const struct accept_terms *terms);
bool connect_refuse(struct tns *tns, unsigned error);

// connect_client.c: the other end of it. Asks for a session, again where the
// listener wants to hear it once more. False with the listener's error, or with
// 0 where no answer came that can be understood.
bool connect_ask(struct tns *tns, const struct connect_request *request,
                 struct accept_terms *terms, unsigned *error);

#endif
