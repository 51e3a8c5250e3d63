// SPDX-License-Identifier: GPL-2.0-or-later
// The end of an answer: its parameters, its status, or its error.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "link/connection.h"
#include "sql/types/utf8.h"

enum { CANCELLED = 1013 };

bool answer_parameters_skip(struct connection *c, unsigned *cursor) {
    enum { MOST = 100, CURSOR = 2 };
    struct wire_in *in = &c->in;
    const uint64_t numbers = in_ub(in);
    if (numbers > MOST)
        in_refuse(in, "too many parameters");
    for (uint64_t i = 0; i < numbers && !in->bad; i++) {
        const uint32_t number = in_ub4(in);
        if (i == CURSOR && number > 0)
            *cursor = number;
    }
    in_skip(in, in_ub4(in));
    const uint64_t pairs = in_ub(in);
    if (pairs > MOST)
        in_refuse(in, "too many parameters");
    for (uint64_t i = 0; i < pairs && !in->bad; i++) {
        in_dlc(in);
        in_dlc(in);
        in_ub(in);
    }
    in_skip(in, in_ub4(in));
    return !in->bad;
}

// The remote side's lines, without bytes that are no text, and their origin.
static void take_error(struct connection *c, unsigned number,
                       struct bytes text) {
    enum { MOST = 270 };
    char clean[MOST + 1];
    unsigned lines = 1;
    size_t n = 0;
    while (text.length > 0 && text.at[text.length - 1] == '\n')
        text.length--;
    for (size_t i = 0; i < text.length && n < MOST; i++) {
        const char byte = (char)text.at[i];
        lines += byte == '\n';
        clean[n++] = byte != '\n' && iscntrl((unsigned char)byte) ? ' ' : byte;
    }
    clean[n] = '\0';
    utf8_clean(clean, n);
    char from[LINK_NAME + 48];
    if (lines == 1)
        snprintf(from, sizeof from, "ORA-02063: preceding line from %.60s",
                 c->name);
    else
        snprintf(from, sizeof from, "ORA-02063: preceding %u lines from %.60s",
                 lines, c->name);
    c->error.number = number;
    if (strncmp(clean, "ORA-", 4) == 0)
        snprintf(c->error.text, sizeof c->error.text, "%s\n%.100s", clean,
                 from);
    else
        snprintf(c->error.text, sizeof c->error.text,
                 "ORA-%05u: %.270s\n%.100s", number % 100000, clean, from);
}

static void read_batch_errors(struct wire_in *in) {
    for (int array = 0; array < 3; array++)
        if (in_ub(in) > 0)
            in_refuse(in, "errors of an array");
}

// A number that may be negative, of which nothing is needed.
static void skip_signed(struct wire_in *in) {
    in_skip(in, in_u8(in) & 0x7f);
}

// The text that answer_error() writes.
static bool read_error(struct connection *c, unsigned *cursor) {
    struct wire_in *in = &c->in;
    const uint64_t status = in_ub(in);
    in_ub(in); // end-to-end sequence
    in_ub(in); // rows
    in_ub(in); // the error, of two bytes
    in_ub(in);
    in_ub(in);
    const uint32_t used = in_ub4(in);
    skip_signed(in); // error position
    in_skip(in, 6);
    in_ub(in); // rowid
    in_ub(in);
    in_u8(in);
    in_ub(in);
    in_ub(in);
    in_ub(in); // operating system error
    in_skip(in, 2);
    in_ub(in);
    in_ub(in);
    in_dlc(in);
    read_batch_errors(in);
    const uint32_t number = in_ub4(in);
    in_ub(in); // rows
    const struct bytes text = number ? in_clr(in) : (struct bytes){NULL, 0};
    if (in->bad)
        return false;
    if (cursor && used)
        *cursor = used;
    c->uncommitted = status & CALL_STATUS_IN_TRANSACTION;
    if (number)
        take_error(c, number, text);
    return true;
}

bool answer_end(struct connection *c, uint8_t message, unsigned *cursor) {
    struct wire_in *in = &c->in;
    if (message == MESSAGE_ERROR) {
        read_error(c, cursor);
    } else if (message == MESSAGE_STATUS) {
        const uint64_t status = in_ub(in);
        in_ub(in);
        c->uncommitted = status & CALL_STATUS_IN_TRANSACTION;
    } else if (message != 0) {
        in_refuse(in, "a message that is not known");
    }
    const bool broken = c->breaking;
    c->breaking = false;
    if (c->open && in->bad && !c->stopped && !c->marked && !c->tns.gone)
        return answer_violated(c, "the end of an answer");
    if (c->open && in->bad) // broken off: another end of the answer follows
        return answer_end(c, answer_next(c), cursor);
    if (broken && (c->channel->stopping || c->channel->client_gone))
        ora_error_set(&c->error, CANCELLED, "");
    return c->open && c->error.number == 0;
}
