// SPDX-License-Identifier: GPL-2.0-or-later
#include "net/connect.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "net/connect_layout.h"

bool connect_read(struct tns *tns, struct connect_request *request) {
    struct packet packet;
    if (!tns_read(tns, &packet) || packet.type != TNS_CONNECT ||
        packet.length < CONNECT_FIXED_PART)
        return false;
    const uint8_t *body = packet.body;
    size_t length = u16(body + 16), offset = u16(body + 18);
    *request = (struct connect_request){
        .version = u16(body), .options = u16(body + 4), .sdu = u16(body + 6)};
    // The offset of the data shows which of the later fields there are.
    size_t fields = offset < packet.length + TNS_HEADER
                        ? offset - (offset < TNS_HEADER ? offset : TNS_HEADER)
                        : packet.length;
    if (fields >= CONNECT_LARGE_SDU + 4 && u32(body + CONNECT_LARGE_SDU))
        request->sdu = u32(body + CONNECT_LARGE_SDU);
    if (fields >= CONNECT_WITH_FLAGS_2)
        request->flags = u32(body + CONNECT_FLAGS_2);

    if (length >= sizeof request->data)
        return false;
    if (offset >= TNS_HEADER && offset - TNS_HEADER <= packet.length &&
        packet.length - (offset - TNS_HEADER) >= length) {
        memcpy(request->data, body + offset - TNS_HEADER, length);
        return true;
    }
    // Long data follows in a packet of its own.
    if (!tns_read(tns, &packet) || packet.type != TNS_DATA ||
        packet.length != TNS_DATA_FLAGS + length)
        return false;
    memcpy(request->data, packet.body + TNS_DATA_FLAGS, length);
    return true;
}

bool connect_value(const char *descriptor, const char *name, char *value,
                   size_t size) {
    size_t name_length = strlen(name);
    for (const char *at = descriptor; (at = strchr(at, '('));) {
        at += 1 + strspn(at + 1, " \t\r\n");
        if (strncasecmp(at, name, name_length) != 0)
            continue;
        const char *remainder = at + name_length;
        remainder += strspn(remainder, " \t\r\n");
        if (*remainder != '=')
            continue;
        remainder += 1 + strspn(remainder + 1, " \t\r\n");
        size_t length = strcspn(remainder, "()");
        while (length > 0 && strchr(" \t\r\n", remainder[length - 1]))
            length--;
        if (length >= size)
            return false;
        memcpy(value, remainder, length);
        value[length] = '\0';
        return true;
    }
    return false;
}

struct accept_terms connect_terms(const struct connect_request *request,
                                  const struct sqlnet_ora *ora) {
    struct accept_terms terms = {
        .version =
            request->version < OUR_VERSION ? request->version : OUR_VERSION,
        .options = request->options & OPTION_DONT_CARE,
    };
    terms.out_of_band =
        (request->options & OPTION_RECEIVE_ATTENTION) && !ora->disable_oob;
    if (terms.out_of_band)
        terms.options |= OPTION_RECEIVE_ATTENTION;
    terms.path_check = terms.out_of_band && !ora->disable_oob_auto &&
                       (request->flags & FLAG_CHECK_OOB) &&
                       terms.version >= OUR_VERSION;

    uint32_t limit = terms.version >= TNS_LARGE_LENGTHS_SINCE ? TNS_LARGEST_SDU
                                                              : SDU_BEFORE_315;
    // Each side may propose less than the other: the smaller one applies.
    if (ora->default_sdu_size < limit)
        limit = ora->default_sdu_size;
    terms.sdu = request->sdu > limit ? limit : request->sdu;
    if (terms.sdu < SMALLEST_SDU)
        terms.sdu = SMALLEST_SDU;
    return terms;
}

bool connect_accept(struct tns *tns, const struct accept_terms *terms) {
    if (terms->version < OLDEST_VERSION)
        return false;
    const size_t length =
        terms->version >= OUR_VERSION ? ACCEPT_WITH_FLAGS_2 : ACCEPT_WITHOUT;
    uint8_t body[ACCEPT_WITH_FLAGS_2 - TNS_HEADER] = {0};
    put_u16(body, terms->version);
    put_u16(body + 2, terms->options);
    put_u16(body + 4, terms->sdu < 0xffff ? terms->sdu : 0xffff);
    put_u16(body + 6, 0xffff);            // TDU
    body[8] = 1;                          // byte order, little-endian
    put_u16(body + 12, (unsigned)length); // no data: its offset is the end
    body[14] = NSI_NO_NATIVE_SERVICES;
    body[15] = NSI_NO_NATIVE_SERVICES | NSI_NO_SERVICES_LINKED;
    put_u32(body + 24, terms->sdu);
    put_u32(body + 28, 2 << 20); // TDU
    if (length == ACCEPT_WITH_FLAGS_2)
        put_u32(body + 33, terms->path_check ? FLAG_CHECK_OOB : 0);
    if (!tns_send(tns, TNS_ACCEPT, body, length - TNS_HEADER))
        return false;
    tns->large = terms->version >= TNS_LARGE_LENGTHS_SINCE;
    return tns_set_sdu(tns, terms->sdu);
}

bool connect_refuse(struct tns *tns, unsigned error) {
    uint8_t body[256] = {error == 12514 || error == 12505 ? 4 : 34, 0};
    int length =
        snprintf((char *)body + 4, sizeof body - 4,
                 "(DESCRIPTION=(TMP=)(VSNNUM=318767104)(ERR=%u)(ERROR_STACK="
                 "(ERROR=(CODE=%u)(EMFI=4))))",
                 error, error);
    put_u16(body + 2, (unsigned)length);
    return tns_send(tns, TNS_REFUSE, body, (size_t)length + 4);
}
