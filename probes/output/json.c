// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(struct json *j, const char *bytes, size_t size) {
    if (j->room - j->size < size) {
        size_t room = (j->size + size) * 2 + 4096;
        char *text = realloc(j->text, room);

        if (!text) {
            fputs("polltrace-probe: out of memory\n", stderr);
            exit(6);
        }
        j->text = text;
        j->room = room;
    }
    memcpy(j->text + j->size, bytes, size);
    j->size += size;
}

static void item(struct json *j) {
    if (j->comma)
        append(j, ",", 1);
    j->comma = 1;
}

__attribute__((format(printf, 2, 3))) static void
print(struct json *j, const char *format, ...) {
    char text[64];
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    append(j, text, size);
}

void json_open(struct json *j, char bracket) {
    item(j);
    append(j, &bracket, 1);
    j->comma = 0;
}

void json_close(struct json *j, char bracket) {
    append(j, &bracket, 1);
    j->comma = 1;
}

void json_key(struct json *j, const char *name) {
    item(j);
    append(j, "\"", 1);
    append(j, name, strlen(name));
    append(j, "\":", 2);
    j->comma = 0;
}

// The length of the valid UTF-8 sequence at `at`, 0 if there is none.
static size_t utf8_length(const unsigned char *next, size_t left) {
    size_t size = *next < 0x80   ? 1
                  : *next < 0xc2 ? 0
                  : *next < 0xe0 ? 2
                  : *next < 0xf0 ? 3
                  : *next < 0xf5 ? 4
                                 : 0;

    if (size > left)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((next[i] & 0xc0) != 0x80)
            return 0;
    // Overlong forms, surrogates, beyond U+10FFFF.
    if ((*next == 0xe0 && next[1] < 0xa0) ||
        (*next == 0xed && next[1] > 0x9f) ||
        (*next == 0xf0 && next[1] < 0x90) || (*next == 0xf4 && next[1] > 0x8f))
        return 0;
    return size;
}

void json_text_n(struct json *j, const char *text, size_t size) {
    const unsigned char *next = (const unsigned char *)text;

    item(j);
    append(j, "\"", 1);
    while (size) {
        size_t length = utf8_length(next, size);

        if (!length) {
            append(j, "\\ufffd", 6); // process titles hold any bytes
            length = 1;
        } else if (*next == '"' || *next == '\\') {
            append(j, "\\", 1);
            append(j, (const char *)next, 1);
        } else if (*next < 0x20 || *next == 0x7f) {
            print(j, "\\u%04x", *next);
        } else {
            append(j, (const char *)next, length);
        }
        next += length;
        size -= length;
    }
    append(j, "\"", 1);
}

void json_text(struct json *j, const char *text) {
    json_text_n(j, text, strlen(text));
}

void json_unsigned(struct json *j, uint64_t value) {
    item(j);
    print(j, "%llu", (unsigned long long)value);
}

void json_signed(struct json *j, int64_t value) {
    item(j);
    print(j, "%lld", (long long)value);
}

void json_seconds(struct json *j, uint64_t nanoseconds) {
    item(j);
    print(j, "%llu.%09llu", (unsigned long long)nanoseconds / 1000000000,
          (unsigned long long)nanoseconds % 1000000000);
}

void json_real(struct json *j, double value) {
    item(j);
    print(j, "%.9g", value);
}

void json_sum(struct json *j, double value) {
    item(j);
    print(j, "%.15g", value);
}

void json_bool(struct json *j, int value) {
    item(j);
    append(j, value ? "true" : "false", value ? 4 : 5);
}

void json_hex(struct json *j, const uint8_t *bytes, size_t size) {
    item(j);
    append(j, "\"", 1);
    for (size_t i = 0; i < size; i++)
        print(j, "%02x", bytes[i]);
    append(j, "\"", 1);
}

void json_newline(struct json *j) {
    append(j, "\n", 1);
    j->comma = 0;
}

void json_splice(struct json *j, struct json *tail) {
    append(j, tail->text, tail->size);
    free(tail->text);
    *tail = (struct json){0};
}

void json_key_text(struct json *j, const char *name, const char *text) {
    json_key(j, name);
    json_text(j, text);
}

void json_key_unsigned(struct json *j, const char *name, uint64_t value) {
    json_key(j, name);
    json_unsigned(j, value);
}

void json_key_seconds(struct json *j, const char *name, uint64_t nanoseconds) {
    json_key(j, name);
    json_seconds(j, nanoseconds);
}

void json_list(struct json *j, const char *name) {
    json_key(j, name);
    json_open(j, '[');
}
