// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/lobs.h"

#include <stdlib.h>
#include <string.h>

enum { // bytes of a locator, and bits in them, that drivers read
    AT_KIND = 4,
    IS_BLOB = 0x01,
    IS_ABSTRACT = 0x40, // which go-ora takes for temporary, too
    AT_STATE = 5,
    IS_INITIALISED = 0x08,
    AT_CHARACTERS = 6,
    ARE_VARIABLE = 0x80, // so the data is UTF-16
    AT_LIFE = 7,
    IS_TEMPORARY = 0x01,
    AT_SERIAL = 8,
};

static void let_go(struct lobs *lobs, struct lob *lob) {
    lobs->bytes -= lob->length;
    free(lob->data);
    *lob = (struct lob){0};
}

// Serials of temporary LOBs are odd, of fetched ones even: 2n + 1 and 2n.
static struct lob *in_ring(const struct lobs *lobs, uint64_t n) {
    return &lobs->fetched[n % MOST_FETCHED];
}

static bool make_room(struct lobs *lobs, size_t bytes) {
    while (lobs->bytes + bytes > MOST_LOB_BYTES && lobs->oldest < lobs->next)
        let_go(lobs, in_ring(lobs, lobs->oldest++));
    return lobs->bytes + bytes <= MOST_LOB_BYTES;
}

struct lob *lobs_make(struct lobs *lobs, bool character) {
    if (!lobs->temporary)
        lobs->temporary = calloc(MOST_TEMPORARY, sizeof *lobs->temporary);
    for (unsigned i = 0; lobs->temporary && i < MOST_TEMPORARY; i++) {
        struct lob *lob = &lobs->temporary[i];
        if (lob->serial)
            continue;
        // The place in the array can be read off the serial.
        const uint64_t n = ++lobs->made * MOST_TEMPORARY + i;
        *lob = (struct lob){.serial = 2 * n + 1, .character = character};
        return lob;
    }
    return NULL;
}

struct lob *lobs_keep(struct lobs *lobs, bool character, uint8_t *data,
                      size_t length) {
    if (!lobs->fetched) {
        lobs->fetched = calloc(MOST_FETCHED, sizeof *lobs->fetched);
        lobs->oldest = lobs->next = 1;
    }
    if (!lobs->fetched || !make_room(lobs, length)) {
        free(data);
        return NULL;
    }
    if (lobs->next - lobs->oldest == MOST_FETCHED)
        let_go(lobs, in_ring(lobs, lobs->oldest++));
    struct lob *lob = in_ring(lobs, lobs->next);
    *lob = (struct lob){.serial = 2 * lobs->next++,
                        .character = character,
                        .data = data,
                        .length = length};
    lobs->bytes += length;
    return lob;
}

struct lob *lobs_find(const struct lobs *lobs, struct bytes locator) {
    uint64_t serial = 0;
    if (locator.length != LOCATOR_BYTES)
        return NULL;
    for (int i = 0; i < 8; i++)
        serial = serial << 8 | locator.at[AT_SERIAL + i];
    struct lob *lob = NULL;
    if (serial % 2 == 1 && lobs->temporary)
        lob = &lobs->temporary[serial / 2 % MOST_TEMPORARY];
    else if (serial % 2 == 0 && lobs->fetched)
        lob = in_ring(lobs, serial / 2);
    return lob && serial && lob->serial == serial ? lob : NULL;
}

void lobs_free_temporary(struct lobs *lobs, struct bytes locator) {
    struct lob *lob = lobs_find(lobs, locator);
    if (lob && lob->serial % 2 == 1)
        let_go(lobs, lob);
}

void lobs_locator(const struct lob *lob, uint8_t locator[LOCATOR_BYTES]) {
    memset(locator, 0, LOCATOR_BYTES);
    locator[1] = LOCATOR_BYTES - 2;
    locator[3] = 1;
    locator[AT_KIND] = lob->character ? 0x02 : IS_BLOB;
    locator[AT_STATE] = IS_INITIALISED;
    if (lob->character)
        locator[AT_CHARACTERS] = ARE_VARIABLE;
    if (lob->serial % 2 == 1) {
        locator[AT_KIND] |= IS_ABSTRACT;
        locator[AT_LIFE] = IS_TEMPORARY;
    }
    for (int i = 0; i < 8; i++)
        locator[AT_SERIAL + i] = (uint8_t)(lob->serial >> (56 - 8 * i));
}

static bool lengthen(struct lobs *lobs, struct lob *lob, size_t length) {
    if (!make_room(lobs, length - lob->length))
        return false;
    uint8_t *grown = realloc(lob->data, length);
    if (!grown)
        return false;
    for (size_t i = lob->length; i < length; i++)
        grown[i] = lob->character && i % 2 == 1 ? ' ' : 0;
    lobs->bytes += length - lob->length;
    lob->data = grown;
    lob->length = length;
    return true;
}

bool lobs_write(struct lobs *lobs, struct lob *lob, uint64_t at,
                struct bytes data) {
    if (at > MOST_LOB_BYTES || data.length > MOST_LOB_BYTES)
        return false;
    if (at + data.length > lob->length &&
        !lengthen(lobs, lob, at + data.length))
        return false;
    if (data.length > 0)
        memcpy(lob->data + at, data.at, data.length);
    return true;
}

void lobs_trim(struct lobs *lobs, struct lob *lob, uint64_t length) {
    if (length >= lob->length)
        return;
    lobs->bytes -= lob->length - length;
    lob->length = length;
}

void lobs_close(struct lobs *lobs) {
    for (unsigned i = 0; lobs->temporary && i < MOST_TEMPORARY; i++)
        let_go(lobs, &lobs->temporary[i]);
    while (lobs->fetched && lobs->oldest < lobs->next)
        let_go(lobs, in_ring(lobs, lobs->oldest++));
    free(lobs->temporary);
    free(lobs->fetched);
    *lobs = (struct lobs){0};
}
