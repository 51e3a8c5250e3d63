// SPDX-License-Identifier: GPL-2.0-or-later
// The LOBs that a client holds locators of: temporary ones that it made, and
// values that it fetched. A fetched one is a copy. The oldest of them make room
// for new ones; their locators are then of no value any more.
#ifndef ORALAB_LOBS_H
#define ORALAB_LOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ttc/wire.h"

enum {
    LOCATOR_BYTES = 40,
    MOST_TEMPORARY = 1000,
    MOST_FETCHED = 8192,
    MOST_LOB_BYTES = 64 << 20, // of all LOBs of a session
    LOB_CHUNK = 8132,          // as Oracle's with blocks of 8 KB
};

struct lob {
    uint64_t serial; // 0: there is none
    bool character;  // its data is UTF-16, the upper byte first
    uint8_t *data;
    size_t length;
};

struct lobs {
    struct lob *temporary; // MOST_TEMPORARY of them; NULL: none was made
    struct lob *fetched;   // a ring of MOST_FETCHED
    uint64_t oldest, next; // serials of those in the ring: [oldest, next)
    uint64_t made;         // the serial of the last temporary one
    size_t bytes;
};

// A new temporary LOB, empty. NULL where there is no room.
struct lob *lobs_make(struct lobs *lobs, bool character);
// A new fetched LOB that takes `data`, from malloc. NULL, having freed the
// data, where there is no room.
struct lob *lobs_keep(struct lobs *lobs, bool character, uint8_t *data,
                      size_t length);
// NULL where the locator is of none.
struct lob *lobs_find(const struct lobs *lobs, struct bytes locator);
void lobs_free_temporary(struct lobs *lobs, struct bytes locator);
void lobs_locator(const struct lob *lob, uint8_t locator[LOCATOR_BYTES]);
// Puts bytes at an offset; the gap between its end and them is filled by
// spaces or zeros. False where there is no room.
bool lobs_write(struct lobs *lobs, struct lob *lob, uint64_t at,
                struct bytes data);
void lobs_trim(struct lobs *lobs, struct lob *lob, uint64_t length);
void lobs_close(struct lobs *lobs);

#endif
