// SPDX-License-Identifier: GPL-2.0-or-later
// Strings one after the other, as Arrow has them: offsets and bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strings {
    int32_t *offset; // count + 1 of them
    char *bytes;
    size_t count, room;
    size_t len, bytes_room;
};

// Add [data, data + len) as UTF-8: a byte that is none is taken for the
// character of its number in ISO 8859-1, a NUL for U+2400. Returns its index;
// -1 where there is no memory, or more than 2 GiB would be held.
int32_t strings_add(struct strings *strings, const char *data, size_t len);

// Add to the last string. False where there is no memory.
bool strings_extend(struct strings *strings, const char *data, size_t len);

void strings_free(struct strings *strings);
