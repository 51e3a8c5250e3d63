// SPDX-License-Identifier: GPL-2.0-or-later
#include "processes/table_messages.h"

#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "readers/procfs.h"

#define PART_SIZE 32768

struct head {
    uint32_t serial;
    uint32_t result; // enum table_result
    uint64_t first;
    uint32_t pages, rows;
};

struct part {
    uint32_t serial;
    uint8_t data[PART_SIZE];
};

static bool send_parts(int to, uint32_t serial, const void *data, size_t size) {
    static struct part part;
    const uint8_t *from = data;

    part.serial = serial;
    for (size_t at = 0; at < size;) {
        size_t count = size - at < PART_SIZE ? size - at : PART_SIZE;

        memcpy(part.data, from + at, count);
        if (send(to, &part, offsetof(struct part, data) + count, MSG_NOSIGNAL) <
            0)
            return false;
        at += count;
    }
    return true;
}

bool table_send(int to, int file, uint32_t serial) {
    struct unwind_table t;
    struct head head = {.serial = serial};
    bool sent;

    head.result = unwind_table_read(file, &t);
    head.first = t.first;
    head.pages = t.pages;
    head.rows = t.rows;
    sent = send(to, &head, sizeof(head), MSG_NOSIGNAL) == sizeof(head);
    if (sent && head.result == TABLE_MADE)
        sent =
            send_parts(to, serial, t.page, (t.pages + 1) * sizeof(*t.page)) &&
            send_parts(to, serial, t.row, t.rows * sizeof(*t.row));
    unwind_table_free(&t);
    return sent;
}

struct receiver {
    int from, patience_ms;
    uint32_t serial;
    uint64_t until_ns;
};

// The size of the next message that belongs to this table; -1: none in time.
static ssize_t next(struct receiver *r, void *message, size_t size) {
    struct pollfd wait = {r->from, POLLIN, 0};
    uint32_t serial;
    ssize_t got;

    while (monotonic_ns() < r->until_ns && poll(&wait, 1, r->patience_ms) > 0) {
        got = recv(r->from, message, size, 0);
        if (got < (ssize_t)sizeof(serial))
            return -1;
        memcpy(&serial, message, sizeof(serial));
        if (serial == r->serial)
            return got;
    }
    return -1;
}

static bool receive_parts(struct receiver *r, void *into, size_t size) {
    static struct part part;
    uint8_t *to = into;

    for (size_t at = 0; at < size;) {
        ssize_t got = next(r, &part, sizeof(part));
        size_t count = got - offsetof(struct part, data);

        if (got <= (ssize_t)offsetof(struct part, data) || count > size - at)
            return false;
        memcpy(to + at, part.data, count);
        at += count;
    }
    return true;
}

// Rows are searched by page: a page's must lie among the table's.
static bool is_ordered(const struct unwind_table *t) {
    for (uint32_t i = 0; i < t->pages; i++)
        if (t->page[i] >= t->page[i + 1])
            return false;
    return t->page[0] == 0 && t->page[t->pages] == t->rows;
}

bool table_receive(int from, uint32_t serial, int patience_ms,
                   struct unwind_table *t, enum table_result *result) {
    struct receiver r = {from, patience_ms, serial,
                         monotonic_ns() + patience_ms * 10000000ull};
    struct head head;

    *t = (struct unwind_table){0};
    if (next(&r, &head, sizeof(head)) != sizeof(head))
        return false;
    *result = head.result == TABLE_TOO_LARGE ? TABLE_TOO_LARGE : TABLE_NO_RULES;
    if (head.result != TABLE_MADE || !head.pages || !head.rows ||
        head.pages > MAX_TABLE_PAGES || head.rows > MAX_TABLE_ROWS)
        return true;
    t->first = head.first;
    t->pages = head.pages;
    t->rows = head.rows;
    t->page = malloc((t->pages + 1) * sizeof(*t->page));
    t->row = malloc(t->rows * sizeof(*t->row));
    if (t->page && t->row &&
        receive_parts(&r, t->page, (t->pages + 1) * sizeof(*t->page)) &&
        receive_parts(&r, t->row, t->rows * sizeof(*t->row)) && is_ordered(t)) {
        *result = TABLE_MADE;
        return true;
    }
    unwind_table_free(t);
    return false;
}
