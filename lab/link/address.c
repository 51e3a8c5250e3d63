// SPDX-License-Identifier: GPL-2.0-or-later
#include "link/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/connect.h"

static const char usual_port[] = "1521";

// Nothing in it may end the descriptor that it becomes a part of.
static bool is_plain(const char *text) {
    return *text && !text[strcspn(text, "()= \t\r\n'\"")];
}

static bool keep(char *to, size_t size, const char *from, size_t length) {
    if (length == 0 || length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static bool is_port(const char *text) {
    const long port = strtol(text, NULL, 10);
    return strspn(text, "0123456789") == strlen(text) && port > 0 &&
           port < 65536;
}

static bool read_easy(const char *text, struct address *to) {
    if (strncmp(text, "//", 2) == 0)
        text += 2;
    const size_t host = strcspn(text, ":/");
    const char *position = text + host;
    if (!keep(to->host, sizeof to->host, text, host))
        return false;
    snprintf(to->port, sizeof to->port, "%s", usual_port);
    if (*position == ':') {
        const size_t port = strcspn(++position, "/");
        if (!keep(to->port, sizeof to->port, position, port))
            return false;
        position += port;
    }
    return *position == '/' && keep(to->service, sizeof to->service,
                                    position + 1, strlen(position + 1));
}

static bool read_descriptor(const char *text, struct address *to) {
    char protocol[8] = "TCP", sdu[12];
    snprintf(to->port, sizeof to->port, "%s", usual_port);
    connect_value(text, "PROTOCOL", protocol, sizeof protocol);
    connect_value(text, "PORT", to->port, sizeof to->port);
    if (connect_value(text, "SDU", sdu, sizeof sdu))
        to->sdu = (uint32_t)strtoul(sdu, NULL, 10);
    return strcasecmp(protocol, "TCP") == 0 &&
           connect_value(text, "HOST", to->host, sizeof to->host) &&
           (connect_value(text, "SERVICE_NAME", to->service,
                          sizeof to->service) ||
            connect_value(text, "SID", to->service, sizeof to->service));
}

bool address_read(const char *text, struct address *address) {
    *address = (struct address){.sdu = 0};
    text += strspn(text, " \t\r\n");
    return (*text == '(' ? read_descriptor : read_easy)(text, address) &&
           is_plain(address->host) && is_plain(address->service) &&
           is_port(address->port);
}
