// SPDX-License-Identifier: GPL-2.0-or-later
// The properties on which Arrow and its users rely, whatever bytes were read.
#pragma once

#include <ctype.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include "../interface.h"

// Aborts unless [bytes, bytes + len) is UTF-8 without NUL.
static inline void check_utf8(const char *bytes, size_t len) {
    static iconv_t converter;
    if (!converter)
        converter = iconv_open("UTF-32LE", "UTF-8");
    if (len && memchr(bytes, 0, len))
        abort();
    char *from = (char *)(uintptr_t)bytes;
    while (len) {
        char room[4096], *to = room;
        size_t left = sizeof room;
        const size_t before = len;
        iconv(converter, &from, &len, &to, &left);
        if (len == before) // no character is there
            abort();
    }
}

// Aborts unless the strings of the batch are whole characters of UTF-8.
static inline void check_strings(const struct batch *batch) {
    const int32_t *offsets;
    const char *bytes;
    for (size_t table = 0; table < STRING_TABLES; table++) {
        const int64_t count = sqltrace_strings(batch, table, &offsets, &bytes);
        for (int64_t i = 0; i < count; i++)
            if (offsets[i] < 0 || offsets[i] > offsets[i + 1] ||
                (offsets[i] < offsets[count] &&
                 (bytes[offsets[i]] & 0xC0) == 0x80))
                abort();
        if (count)
            check_utf8(bytes, (size_t)offsets[count]);
    }
}

// Aborts unless the kinds of lines that nobody understood can be printed.
static inline void check_kinds(const struct scan *scan) {
    const char *name;
    for (size_t i = 0; sqltrace_kind(scan, i, &name); i++)
        for (; *name; name++)
            if (!isprint((unsigned char)*name))
                abort();
}
