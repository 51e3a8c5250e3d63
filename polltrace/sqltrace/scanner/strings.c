// SPDX-License-Identifier: GPL-2.0-or-later
#include "strings.h"

#include <stdlib.h>
#include <string.h>

// The length of the UTF-8 character at `at`, 0 where there is none. NUL is
// valid UTF-8, but few readers of Arrow bear it.
static size_t character(const unsigned char *at, size_t left) {
    static const unsigned char first_of_three[] = {0xE0, 0xED};
    if (*at < 0x80)
        return *at != 0;
    size_t len = *at >= 0xF0 ? 4 : *at >= 0xE0 ? 3 : 2;
    if (*at < 0xC2 || *at > 0xF4 || len > left)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    // Overlong forms, surrogates, and code points beyond U+10FFFF.
    if ((*at == first_of_three[0] && at[1] < 0xA0) ||
        (*at == first_of_three[1] && at[1] >= 0xA0) ||
        (*at == 0xF0 && at[1] < 0x90) || (*at == 0xF4 && at[1] >= 0x90))
        return 0;
    return len;
}

// `to` may be up to 2 * `left` bytes before `at`, which it then never
// overtakes: at most three bytes are made of one.
static size_t convert(char *to, const unsigned char *at, size_t left) {
    char *const begin = to;
    while (left) {
        const size_t len = character(at, left);
        if (len) {
            memmove(to, at, len);
            to += len;
        } else if (*at) {
            *to++ = (char)(0xC0 | *at >> 6);
            *to++ = (char)(0x80 | (*at & 0x3F));
        } else {
            memcpy(to, "\xE2\x90\x80", 3);
            to += 3;
        }
        at += len ? len : 1;
        left -= len ? len : 1;
    }
    return (size_t)(to - begin);
}

static bool grow(void **array, size_t *capacity, size_t needed,
                 size_t item_size) {
    if (needed <= *capacity)
        return true;
    const size_t larger = needed > 2 * *capacity ? needed + 64 : 2 * *capacity;
    void *const grown = realloc(*array, larger * item_size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = larger;
    return true;
}

static bool make_room(struct strings *strings, size_t len) {
    return strings->len + 3 * len <= INT32_MAX &&
           grow((void **)&strings->offset, &strings->room, strings->count + 2,
                sizeof *strings->offset) &&
           grow((void **)&strings->bytes, &strings->bytes_room,
                strings->len + 3 * len + 1, 1);
}

int32_t strings_add(struct strings *strings, const char *data, size_t len) {
    if (!make_room(strings, len))
        return -1;
    if (!strings->count)
        strings->offset[0] = 0;
    strings->count++;
    strings_extend(strings, data, len);
    return (int32_t)strings->count - 1;
}

bool strings_extend(struct strings *strings, const char *data, size_t len) {
    if (!make_room(strings, len))
        return false;
    // Of a copy: in a mapped file, text that was UTF-8 may be none when it is
    // copied.
    char *const to = strings->bytes + strings->len;
    char *const copy = to + 2 * len;
    memcpy(copy, data, len);
    strings->len += convert(to, (const unsigned char *)copy, len);
    strings->offset[strings->count] = (int32_t)strings->len;
    return true;
}

void strings_free(struct strings *strings) {
    free(strings->offset);
    free(strings->bytes);
    *strings = (struct strings){0};
}
