// SPDX-License-Identifier: GPL-2.0-or-later
// CONNECT as its sender has it, and the answers to it.
#include <stdlib.h>
#include <string.h>

#include "net/connect.h"
#include "net/connect_layout.h"

enum {
    LONGEST_DATA_INSIDE = 230, // longer descriptors follow in a DATA packet
    CHARACTERISTICS = 0x4f98,  // of the protocol, as other clients send them
    LARGEST_RECEIVABLE = 2 << 20,
    ACCEPT_FIXED_PART = 16,
    ACCEPT_LARGE_SDU = 24,
    REFUSE_FIXED_PART = 4,
};

static bool send_connect(struct tns *tns,
                         const struct connect_request *request) {
    uint8_t body[CONNECT_WITH_FLAGS_2 + LONGEST_DATA_INSIDE] = {0};
    const size_t length = strlen(request->data);
    const bool inside = length <= LONGEST_DATA_INSIDE;
    put_u16(body, request->version);
    put_u16(body + 2, OLDEST_VERSION);
    put_u16(body + 4, request->options);
    put_u16(body + 6, request->sdu < 0xffff ? request->sdu : 0xffff);
    put_u16(body + 8, 0xffff); // TDU
    put_u16(body + 10, CHARACTERISTICS);
    put_u16(body + 14, 1); // shows the order of bytes
    put_u16(body + 16, (unsigned)length);
    put_u16(body + 18, TNS_HEADER + CONNECT_WITH_FLAGS_2);
    put_u32(body + 20, 0); // the longest connect data that could be received
    body[24] = body[25] = NSI_NO_NATIVE_SERVICES;
    put_u32(body + CONNECT_LARGE_SDU, request->sdu);
    put_u32(body + CONNECT_LARGE_SDU + 4, LARGEST_RECEIVABLE); // TDU
    put_u32(body + CONNECT_FLAGS_2, request->flags);
    if (inside)
        memcpy(body + CONNECT_WITH_FLAGS_2, request->data, length);
    if (!tns_send(tns, TNS_CONNECT, body,
                  CONNECT_WITH_FLAGS_2 + (inside ? length : 0)))
        return false;
    return inside || tns_send_data(tns, (const uint8_t *)request->data, length);
}

static bool take_accept(struct tns *tns, const struct packet *packet,
                        struct accept_terms *terms) {
    const uint8_t *body = packet->body;
    if (packet->length < ACCEPT_FIXED_PART)
        return false;
    *terms = (struct accept_terms){
        .version = u16(body), .options = u16(body + 2), .sdu = u16(body + 4)};
    const bool large = terms->version >= TNS_LARGE_LENGTHS_SINCE;
    if (large && packet->length < ACCEPT_LARGE_SDU + 4)
        return false;
    if (large)
        terms->sdu = u32(body + ACCEPT_LARGE_SDU);
    terms->out_of_band = terms->options & OPTION_RECEIVE_ATTENTION;
    if (terms->version < OLDEST_VERSION || terms->version > OUR_VERSION ||
        terms->sdu < SMALLEST_SDU || terms->sdu > TNS_LARGEST_SDU)
        return false;
    tns->large = large;
    return tns_set_sdu(tns, terms->sdu);
}

// The number after "(ERR=".
static unsigned refused_with(const struct packet *packet) {
    char text[256] = "", number[12];
    if (packet->length <= REFUSE_FIXED_PART)
        return 0;
    const size_t length = packet->length - REFUSE_FIXED_PART;
    memcpy(text, packet->body + REFUSE_FIXED_PART,
           length < sizeof text ? length : sizeof text - 1);
    return connect_value(text, "ERR", number, sizeof number)
               ? (unsigned)strtoul(number, NULL, 10)
               : 0;
}

bool connect_ask(struct tns *tns, const struct connect_request *request,
                 struct accept_terms *terms, unsigned *error) {
    enum { MOST_TIMES = 3 };
    struct packet packet;
    *error = 0;
    for (int times = 0; times < MOST_TIMES; times++) {
        if (!send_connect(tns, request) || !tns_read(tns, &packet))
            return false;
        tns->answering = false;
        if (packet.type != TNS_RESEND)
            break;
    }
    if (packet.type == TNS_REFUSE)
        *error = refused_with(&packet);
    return packet.type == TNS_ACCEPT && take_accept(tns, &packet, terms);
}
