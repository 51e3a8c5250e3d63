// SPDX-License-Identifier: GPL-2.0-or-later
// Writes JSON into one growing buffer; each line is sent as a whole.
#ifndef POLLTRACE_JSON_H
#define POLLTRACE_JSON_H

#include <stddef.h>
#include <stdint.h>

struct json {
    char *text;
    size_t size, room;
    int comma; // a comma is due before the next item
};

void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);
void json_key(struct json *j, const char *name);
void json_text(struct json *j, const char *text);
void json_text_n(struct json *j, const char *text, size_t size);
void json_unsigned(struct json *j, uint64_t value);
void json_signed(struct json *j, int64_t value);
void json_seconds(struct json *j, uint64_t nanoseconds);
void json_real(struct json *j, double value);
void json_sum(struct json *j, double value); // of which differences are taken
void json_bool(struct json *j, int value);
void json_hex(struct json *j, const uint8_t *bytes, size_t size);
void json_newline(struct json *j); // ends a record
void json_splice(struct json *j, struct json *tail);

void json_key_text(struct json *j, const char *name, const char *text);
void json_key_unsigned(struct json *j, const char *name, uint64_t value);
void json_key_seconds(struct json *j, const char *name, uint64_t nanoseconds);
void json_list(struct json *j, const char *name);

#endif
